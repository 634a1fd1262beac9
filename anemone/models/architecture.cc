#include "anemone/models/architecture.h"

#include "anemone/base/check.h"

namespace anemone::models {

#define ANEMONE_ARCHITECTURE(stem) extern const Architecture architecture_##stem;
#include "anemone/models/arch/arch.inc"
#undef ANEMONE_ARCHITECTURE

namespace {

constexpr const Architecture* kArchitectures[] = {
#define ANEMONE_ARCHITECTURE(stem) &architecture_##stem,
#include "anemone/models/arch/arch.inc"
#undef ANEMONE_ARCHITECTURE
};

}  // namespace

const Architecture* find_architecture(std::string_view model_type) {
  for (const Architecture* architecture : kArchitectures) {
    if (architecture->model_type == model_type) return architecture;
  }
  return nullptr;
}

std::span<const Architecture* const> all_architectures() { return kArchitectures; }

bool applies(When when, const DecoderConfig& config) {
  switch (when) {
    case When::kAlways:
      return true;
    case When::kUntied:
      return !config.tie_word_embeddings;
    case When::kQkNorm:
      return config.qk_norm;
    case When::kQkvBias:
      return config.qkv_bias;
    case When::kOBias:
      return config.o_bias;
    case When::kMlpBias:
      return config.mlp_bias;
  }
  return false;
}

std::int64_t extent(Extent which, const DecoderConfig& config) {
  switch (which) {
    case Extent::kHidden:
      return config.hidden_size;
    case Extent::kQuery:
      return config.query_size();
    case Extent::kKv:
      return config.kv_size();
    case Extent::kHead:
      return config.head_dim;
    case Extent::kFeedForward:
      return config.intermediate_size;
    case Extent::kVocabulary:
      return config.vocab_size;
    case Extent::kNone:
      break;
  }
  ANEMONE_CHECK(false) << "an extent that is none";
  return 0;
}

}  // namespace anemone::models
