// The text of what the converter emits for one layer and the head of the shipped checkpoint, in
// every layout and with every way to write the cache, against the .mil files beside this test.
// ANEMONE_UPDATE_GOLDEN=1 rewrites those.
#include <gtest/gtest.h>

#include <cstdlib>

#include "anemone/base/files.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"
#include "anemone/models/architecture.h"
#include "anemone/models/decoder.h"

namespace anemone::models {
namespace {

class Golden : public testing::Test {
 protected:
  Golden()
      : checkpoint_(Checkpoint::load(ANEMONE_MODEL_DIR)),
        config_(read_config(checkpoint_, {}, &architecture_)),
        weights_(checkpoint_, *architecture_, config_, {.layers = 1}) {}

  void compare(const std::string& name, const mil::Program& program) {
    EXPECT_TRUE(mil::verify(program).empty());
    const std::string text = mil::print(program, {.max_elements = 8, .show_constants = false});
    const auto path = std::filesystem::path(ANEMONE_GOLDEN_DIR) / (name + ".mil");
    if (std::getenv("ANEMONE_UPDATE_GOLDEN") != nullptr) return write_file(path, text);
    EXPECT_EQ(text, read_text(path)) << "if this is meant: ANEMONE_UPDATE_GOLDEN=1";
  }

  const Architecture* architecture_ = nullptr;
  const Checkpoint checkpoint_;
  DecoderConfig config_;
  DecoderWeights weights_;
};

TEST_F(Golden, LayersInEveryLayoutWithEveryWayToWriteTheCache) {
  for (const Layout layout : {Layout::kBc1s, Layout::kBsc}) {
    for (const KvWrite kv : {KvWrite::kSlice, KvWrite::kBlend, KvWrite::kHost}) {
      const Form form{.layout = layout, .kv = kv, .context = 64, .prefill = 8};
      const std::string file =
          "qwen3_layer_" + std::string(name(layout)) + "_" + std::string(name(kv));
      SCOPED_TRACE(file);
      compare(file, build_layers(config_, form, weights_, {.first = 0, .count = 1}));
    }
  }
}

TEST_F(Golden, Head) {
  const Form form{.context = 64, .prefill = 8, .head_tiles = 2};
  compare("qwen3_head_bc1s", build_head(config_, form, weights_));
}

TEST_F(Golden, SinglePackage) {
  const Form form{.context = 64, .prefill = 8};
  compare("qwen3_single_bc1s", build_single(config_, form, weights_));
}

}  // namespace
}  // namespace anemone::models
