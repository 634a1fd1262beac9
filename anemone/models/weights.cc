#include "anemone/models/weights.h"

#include <set>

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone::models {
namespace {

std::string in_layer(std::string_view pattern, std::int64_t layer) {
  std::string name(pattern);
  if (const auto at = name.find("{}"); at != std::string::npos) {
    name.replace(at, 2, std::to_string(layer));
  }
  return name;
}

bool is_per_layer(const TensorDef& def) { return def.name.find("{}") != std::string_view::npos; }

// "a, b, c and 4 more"
std::string some_of(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) {
    text += (i > 0 ? ", " : "") + ("'" + names[i] + "'");
  }
  if (names.size() > kShown) text += " and " + std::to_string(names.size() - kShown) + " more";
  return text;
}

// A tensor that checkpoints carry along though inference does not need it.
bool is_dead_weight(std::string_view name) {
  return name.ends_with(".self_attn.rotary_emb.inv_freq") || name == "model.rotary_emb.inv_freq";
}

// fp16 numbers times a power of two: exact but for what leaves the normal range at its lower end.
class ScaledF16Bytes : public Bytes {
 public:
  ScaledF16Bytes(std::shared_ptr<const Bytes> plain, int shift)
      : plain_(std::move(plain)), factor_(std::ldexp(1.0f, shift)) {}
  std::size_t size_bytes() const override { return plain_->size_bytes(); }
  std::span<const std::byte> view() const override { return {}; }
  void read(std::size_t at, std::span<std::byte> out) const override {
    plain_->read(at, out);
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) {
      f16 element;
      std::memcpy(&element, out.data() + i, 2);
      element = to_f16(to_float(element) * factor_);
      std::memcpy(out.data() + i, &element, 2);
    }
  }

 private:
  std::shared_ptr<const Bytes> plain_;
  float factor_;
};

Shape wanted_shape(const TensorDef& def, const DecoderConfig& config) {
  Shape shape = {extent(def.rows, config)};
  if (def.columns != Extent::kNone) shape.push_back(extent(def.columns, config));
  return shape;
}

}  // namespace

DecoderWeights::DecoderWeights(const Checkpoint& checkpoint, const Architecture& architecture,
                               DecoderConfig& config, const WeightOptions& options) {
  const std::string path = checkpoint.path().string();
  if (options.layers > config.num_hidden_layers) {
    throw Error(Code::kUsage, "--layers " + std::to_string(options.layers) + ": the model has " +
                                  std::to_string(config.num_hidden_layers));
  }
  if (!config.tie_word_embeddings && options.tie_missing_head &&
      checkpoint.find("lm_head.weight") == nullptr) {
    config.tie_word_embeddings = true;
    warnings_.push_back("lm_head.weight is missing; the embedding is used in its place, as asked");
  }
  tied_ = config.tie_word_embeddings;

  const std::int64_t kept = options.layers > 0 ? options.layers : config.num_hidden_layers;
  std::set<std::string, std::less<>> expected;
  std::vector<std::string> missing;
  for (const auto& table : architecture.tensors) {
    for (const TensorDef& def : table) {
      if (!applies(def.when, config)) continue;
      const std::int64_t layers = is_per_layer(def) ? config.num_hidden_layers : 1;
      for (std::int64_t layer = 0; layer < layers; ++layer) {
        const std::string name = in_layer(def.name, layer);
        expected.insert(name);
        const CheckpointTensor* found = checkpoint.find(name);
        if (found == nullptr) {
          missing.push_back(name);
          continue;
        }
        const Shape wanted = wanted_shape(def, config);
        if (found->shape != wanted) {
          throw Error(Code::kBadInput, found->file + ": tensor '" + found->stored_name +
                                           "' has shape " + to_string(found->shape) +
                                           "; the config asks for " + to_string(wanted));
        }
        if (!is_per_layer(def) || layer < kept) tensors_[{def.role, layer}] = *found;
      }
    }
  }
  if (!missing.empty()) {
    const auto head = std::find(missing.begin(), missing.end(), "lm_head.weight");
    if (head == missing.end()) throw Error(Code::kBadInput, path + ": lacks " + some_of(missing));
    missing.erase(head);
    throw Error(Code::kBadInput,
                path + ": lacks 'lm_head.weight', which 'tie_word_embeddings' false asks for; " +
                    (missing.empty() ? "--tie-missing-head uses the embedding instead"
                                     : "and lacks " + some_of(missing)));
  }
  std::vector<std::string> unused;
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    if (expected.contains(tensor.name) || is_dead_weight(tensor.name)) continue;
    if (tied_ && tensor.name == "lm_head.weight") {
      warnings_.push_back("'" + tensor.stored_name +
                          "' is not used: 'tie_word_embeddings' is true");
      continue;
    }
    unused.push_back(tensor.stored_name);
  }
  if (!unused.empty()) {
    throw Error(Code::kBadInput, path + ": has tensors that " + config.model_type +
                                     " does not use: " + some_of(unused));
  }
  config.num_hidden_layers = kept;
}

const CheckpointTensor& DecoderWeights::tensor(Role role, std::int64_t layer) const {
  const auto found = tensors_.find({role, layer});
  ANEMONE_CHECK(found != tensors_.end()) << "role " << static_cast<int>(role) << " layer " << layer;
  return found->second;
}

bool DecoderWeights::has(Role role, std::int64_t layer) const {
  return tensors_.contains({role, layer});
}

void DecoderWeights::set_scales(const Scales& scales) {
  scales_ = scales;
  scaled_.clear();
  made_.clear();
}

int DecoderWeights::shift(Role role, std::int64_t layer) const {
  switch (role) {
    case Role::kEmbedding:
    case Role::kO:
    case Role::kOBias:
    case Role::kDownBias:
      return -scales_.residual;
    case Role::kDown:
      return scales_.of_gated(layer) - scales_.residual;
    case Role::kUp:
    case Role::kUpBias:
      return -scales_.of_gated(layer);
    case Role::kFinalNorm:
      return tied_ ? scales_.residual : 0;  // the head's matrix is the scaled embedding
    default:
      return 0;
  }
}

const std::shared_ptr<const Bytes>& DecoderWeights::half(Role role, std::int64_t layer) {
  auto& made = scaled_[{role, layer}];
  if (made == nullptr) {
    auto& plain = halves_[{role, layer}];
    if (plain == nullptr) plain = f16_bytes(tensor(role, layer));
    const int by = shift(role, layer);
    made = by == 0 ? std::shared_ptr<const Bytes>(plain)
                   : std::make_shared<const ScaledF16Bytes>(plain, by);
  }
  return made;
}

std::shared_ptr<const Tensor> DecoderWeights::matrix(Role role, std::int64_t layer, bool as_conv) {
  const CheckpointTensor& from = tensor(role, layer);
  auto& made = made_["m" + std::to_string(static_cast<int>(role)) + "." + std::to_string(layer) +
                     (as_conv ? "c" : "l")];
  if (made == nullptr) {
    Shape shape = from.shape;
    if (as_conv) shape.insert(shape.end(), {1, 1});
    made = std::make_shared<const Tensor>(DType::kF16, std::move(shape), half(role, layer));
  }
  return made;
}

std::shared_ptr<const Tensor> DecoderWeights::rows(Role role, std::int64_t first,
                                                   std::int64_t count, bool as_conv) {
  const CheckpointTensor& from = tensor(role, 0);
  if (first == 0 && count == from.rows()) return matrix(role, 0, as_conv);
  auto& made = made_["r" + std::to_string(static_cast<int>(role)) + "." + std::to_string(first) +
                     "+" + std::to_string(count) + (as_conv ? "c" : "l")];
  if (made == nullptr) {
    const auto row_bytes = static_cast<std::size_t>(from.columns()) * 2;
    Shape shape = {count, from.columns()};
    if (as_conv) shape.insert(shape.end(), {1, 1});
    made = std::make_shared<const Tensor>(
        DType::kF16, std::move(shape),
        slice_bytes(half(role, 0), static_cast<std::size_t>(first) * row_bytes,
                    static_cast<std::size_t>(count) * row_bytes));
  }
  return made;
}

std::shared_ptr<const Tensor> DecoderWeights::vector(Role role, std::int64_t layer, int repeat,
                                                     double scale) {
  const CheckpointTensor& from = tensor(role, layer);
  auto& made = made_["v" + std::to_string(static_cast<int>(role)) + "." + std::to_string(layer) +
                     "x" + std::to_string(repeat) + "*" + std::to_string(scale)];
  if (made == nullptr) {
    F16Report report = scan_f16(from);
    require_finite_f16(from, report);
    small_reports_.emplace_back(from, std::move(report));
    const std::vector<float> once = decode_f32(from);
    scale = std::ldexp(scale, shift(role, layer));
    std::vector<double> values;
    values.reserve(once.size() * static_cast<std::size_t>(repeat));
    for (int i = 0; i < repeat; ++i) {
      for (const float value : once) values.push_back(value * scale);
    }
    made = std::make_shared<const Tensor>(
        Tensor::from_doubles(DType::kF16, {static_cast<std::int64_t>(values.size())}, values));
  }
  return made;
}

std::int64_t DecoderWeights::parameter_bytes(std::int64_t layer) const {
  std::int64_t bytes = 0;
  for (const auto& [key, tensor] : tensors_) {
    const bool is_of_a_layer =
        key.role != Role::kEmbedding && key.role != Role::kFinalNorm && key.role != Role::kHead;
    if (is_of_a_layer && key.layer == layer) bytes += tensor.count() * 2;
  }
  return bytes;
}

std::uint64_t DecoderWeights::parameters() const {
  std::uint64_t count = 0;
  for (const auto& [key, tensor] : tensors_) count += static_cast<std::uint64_t>(tensor.count());
  return count;
}

Role DecoderWeights::head_role() const { return tied_ ? Role::kEmbedding : Role::kHead; }

void DecoderWeights::require_finite() const {
  for (const auto& [key, bytes] : halves_) require_finite_f16(bytes->tensor(), bytes->report());
}

std::uint64_t DecoderWeights::flushed_to_zero() const {
  std::uint64_t count = 0;
  for (const auto& [key, bytes] : halves_) {
    count += static_cast<std::uint64_t>(bytes->report().flushed);
  }
  std::set<std::string> counted;
  for (const auto& [tensor, report] : small_reports_) {
    if (counted.insert(tensor.name).second) count += static_cast<std::uint64_t>(report.flushed);
  }
  return count;
}

}  // namespace anemone::models
