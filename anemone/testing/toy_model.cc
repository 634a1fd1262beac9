#include "anemone/testing/toy_model.h"

#include <cmath>
#include <span>

#include "anemone/base/check.h"
#include "anemone/base/files.h"
#include "anemone/base/half.h"
#include "anemone/generate/call_plan.h"

namespace anemone::testing {
namespace {

using generate::Bundle;
using generate::Port;
using generate::Role;
using mil::Type;

constexpr std::int64_t kVocab = 20;
constexpr std::int64_t kHidden = 6;
constexpr std::int64_t kHeads = 2;
constexpr std::int64_t kHeadDim = 4;

// A weight: always the same number in [-0.5, 0.5) for the same place.
float weight(std::uint32_t matrix, std::int64_t row, std::int64_t column) {
  std::uint32_t x = matrix * 2654435761u + static_cast<std::uint32_t>(row) * 40503u +
                    static_cast<std::uint32_t>(column) * 9973u + 1u;
  x = (x ^ (x >> 15)) * 2246822519u;
  x = (x ^ (x >> 13)) * 3266489917u;
  return static_cast<float>((x >> 8) & 0xffffu) / 65536.0f - 0.5f;
}

float embedding(std::int64_t id, std::int64_t column) {
  return round_to_f16(weight(1, id, column));
}

std::vector<float> floats_of(const engine::Feed& feed) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < feed.count; ++i) {
    switch (feed.dtype) {
      case DType::kF32:
        values.push_back(static_cast<const float*>(feed.data)[i]);
        break;
      case DType::kF16:
        values.push_back(to_float(static_cast<const f16*>(feed.data)[i]));
        break;
      case DType::kI32:
        values.push_back(static_cast<float>(static_cast<const std::int32_t*>(feed.data)[i]));
        break;
      default:
        ANEMONE_CHECK(false) << "a feed of " << name(feed.dtype);
    }
  }
  return values;
}

struct ToyState : generate::PredictorState {
  std::vector<float> kv;
  void reset() override { kv.assign(kv.size(), 0.0f); }
  std::size_t size_bytes() const override { return kv.size() * sizeof(float); }
};

class ToyPredictor : public generate::Predictor {
 public:
  ToyPredictor(Bundle bundle, std::string package, std::vector<std::string>* calls)
      : bundle_(std::move(bundle)), package_(std::move(package)), calls_(calls) {
    for (const generate::Part& part : bundle_.parts) {
      if (part.package != package_) continue;
      first_layer_ = part.first_layer;
      layers_ = part.layers;
    }
    if (package_ == bundle_.model_package) {
      layers_ = bundle_.num_hidden_layers;
      is_single_ = true;
    }
    if (layers_ == 0) {
      ANEMONE_CHECK(package_ == bundle_.head_package) << package_;
      add("decode", 1);
      add("score", bundle_.prefill);
    } else {
      add("decode", 1);
      add("prefill", bundle_.prefill);
      if (is_single_) add("score", bundle_.prefill);
    }
  }

  const std::vector<generate::FunctionInterface>& functions() const override { return functions_; }
  void prepare(std::string_view function) override {
    ANEMONE_CHECK(find_function(function) != nullptr) << function;
  }
  std::unique_ptr<generate::PredictorState> make_state() override {
    auto state = std::make_unique<ToyState>();
    if (bundle_.kv != "host") {
      state->kv.resize(static_cast<std::size_t>(2 * layers_ * kHeads * bundle_.context * kHeadDim));
    }
    return state;
  }

  void predict(std::string_view function, std::span<const engine::Feed> feeds,
               generate::PredictorState* state, std::span<const engine::Fetch> fetches) override;

 private:
  struct Call {
    std::int64_t rows = 1;
    std::map<std::string, std::vector<float>> in;
    std::map<std::string, std::vector<float>> out;
    std::vector<float> hidden;  // [rows, kHidden]
  };

  void add(const std::string& function, std::int64_t rows);
  void run_layer(Call& call, std::int64_t layer, std::vector<float>& cache) const;
  void run_head(Call& call, std::string_view function) const;

  Bundle bundle_;
  std::string package_;
  std::vector<std::string>* calls_;
  std::vector<generate::FunctionInterface> functions_;
  std::int64_t first_layer_ = 0;
  std::int64_t layers_ = 0;
  bool is_single_ = false;
};

void ToyPredictor::add(const std::string& function, std::int64_t rows) {
  generate::FunctionInterface interface { .name = function };
  const auto input = [&](Role role) {
    const bool is_integer = role == Role::kInputIds || role == Role::kPosition;
    interface.inputs.push_back(
        {std::string(name(role)), Type::tensor(is_integer ? DType::kI32 : DType::kF16,
                                               shape_of(role, bundle_, rows, layers_))});
  };
  const auto output = [&](const std::string& name, Shape shape) {
    interface.outputs.push_back({name, Type::tensor(DType::kF16, std::move(shape))});
  };
  input(is_single_ ? Role::kInputIds : Role::kHidden);
  if (layers_ == 0) {
    for (const auto& tile : bundle_.head_tiles) output(tile.output, {1, rows, tile.rows});
  } else {
    for (const Role role : {Role::kCos, Role::kSin, Role::kMask}) input(role);
    if (bundle_.kv == "slice") input(Role::kPosition);
    if (bundle_.kv == "blend") input(Role::kWrite);
    if (is_single_ && function == "prefill") input(Role::kLast);
    if (bundle_.kv == "host") {
      input(Role::kCache);
      output("kv_new", {2 * layers_, kHeads, rows, kHeadDim});
    } else {
      interface.states.push_back(
          {"kv", Type::tensor(DType::kF16, shape_of(Role::kCache, bundle_, rows, layers_))});
    }
    if (is_single_) {
      output(bundle_.model_output, {1, function == "score" ? rows : 1, kVocab});
    } else {
      output("hidden_out", {1, rows, kHidden});
    }
  }
  functions_.push_back(std::move(interface));
}

// hidden += W * attention(q, keys, values), keys turned by cos and sin.
void ToyPredictor::run_layer(Call& call, std::int64_t layer, std::vector<float>& cache) const {
  const std::int64_t rows = call.rows;
  const std::int64_t context = bundle_.context;
  const bool host = bundle_.kv == "host";
  const auto base = static_cast<std::uint32_t>(100 + 10 * (first_layer_ + layer));
  const auto at = [](auto& values, std::int64_t i) -> auto& {
    return values[static_cast<std::size_t>(i)];
  };
  const auto project = [&](std::uint32_t matrix, std::int64_t s, std::int64_t h, std::int64_t d) {
    float sum = 0;
    for (std::int64_t c = 0; c < kHidden; ++c) {
      sum += weight(base + matrix, h * kHeadDim + d, c) * at(call.hidden, s * kHidden + c);
    }
    return sum;
  };
  std::vector<float> result = call.hidden;
  for (std::int64_t h = 0; h < kHeads; ++h) {
    std::vector<float> fresh[2];
    for (std::int64_t s = 0; s < rows; ++s) {
      for (std::int64_t d = 0; d < kHeadDim; ++d) {
        const std::int64_t swapped = (d + kHeadDim / 2) % kHeadDim;
        const float sign = d < kHeadDim / 2 ? -1.0f : 1.0f;
        fresh[0].push_back(project(0, s, h, d) * at(call.in["cos"], s * kHeadDim + d) +
                           sign * project(0, s, h, swapped) * at(call.in["sin"], s * kHeadDim + d));
        fresh[1].push_back(project(1, s, h, d));
      }
    }
    std::vector<float> keys[2];
    for (int which = 0; which < 2; ++which) {
      const std::int64_t matrix = (2 * layer + which) * kHeads + h;
      float* stored = cache.data() + matrix * context * kHeadDim;
      if (host) {
        std::copy(fresh[which].begin(), fresh[which].end(),
                  call.out["kv_new"].begin() + matrix * rows * kHeadDim);
      } else {
        for (std::int64_t s = 0; s < rows; ++s) {
          std::int64_t p = 0;
          if (bundle_.kv == "slice") {
            p = static_cast<std::int64_t>(call.in["position"][0]) + s;
          } else {
            while (at(call.in["write"], p * rows + s) == 0.0f) ++p;
          }
          ANEMONE_CHECK(p < context) << "a write past the end of the cache";
          for (std::int64_t d = 0; d < kHeadDim; ++d) {
            stored[p * kHeadDim + d] = at(fresh[which], s * kHeadDim + d);
          }
        }
      }
      keys[which].assign(stored, stored + context * kHeadDim);
      if (host) keys[which].insert(keys[which].end(), fresh[which].begin(), fresh[which].end());
    }
    const std::int64_t count = static_cast<std::int64_t>(keys[0].size()) / kHeadDim;
    for (std::int64_t s = 0; s < rows; ++s) {
      float query[kHeadDim];
      for (std::int64_t d = 0; d < kHeadDim; ++d) query[d] = project(2, s, h, d);
      std::vector<float> scores;
      for (std::int64_t j = 0; j < count; ++j) {
        float score = at(call.in["mask"], s * count + j);
        for (std::int64_t d = 0; d < kHeadDim; ++d) {
          score += query[d] * at(keys[0], j * kHeadDim + d);
        }
        scores.push_back(score);
      }
      const float most = *std::max_element(scores.begin(), scores.end());
      float total = 0;
      for (float& score : scores) total += score = std::exp(score - most);
      for (std::int64_t d = 0; d < kHeadDim; ++d) {
        float mixed = 0;
        for (std::int64_t j = 0; j < count; ++j) {
          mixed += at(scores, j) / total * at(keys[1], j * kHeadDim + d);
        }
        for (std::int64_t c = 0; c < kHidden; ++c) {
          at(result, s * kHidden + c) += weight(base + 3, c, h * kHeadDim + d) * mixed;
        }
      }
    }
  }
  call.hidden = std::move(result);
}

void ToyPredictor::run_head(Call& call, std::string_view function) const {
  const auto logit = [&](std::int64_t s, std::int64_t id) {
    float sum = 0;
    for (std::int64_t c = 0; c < kHidden; ++c) {
      sum += embedding(id, c) * call.hidden[static_cast<std::size_t>(s * kHidden + c)];
    }
    return sum;
  };
  if (!is_single_) {
    for (const auto& tile : bundle_.head_tiles) {
      for (std::int64_t s = 0; s < call.rows; ++s) {
        for (std::int64_t id = 0; id < tile.rows; ++id) {
          call.out[tile.output].push_back(logit(s, tile.first_row + id));
        }
      }
    }
    return;
  }
  for (std::int64_t s = 0; s < call.rows; ++s) {
    if (function == "prefill" && call.in["last"][static_cast<std::size_t>(s)] != 1.0f) continue;
    for (std::int64_t id = 0; id < kVocab; ++id) {
      call.out[bundle_.model_output].push_back(logit(s, id));
    }
  }
}

void ToyPredictor::predict(std::string_view function, std::span<const engine::Feed> feeds,
                           generate::PredictorState* state,
                           std::span<const engine::Fetch> fetches) {
  const auto* interface = find_function(function);
  ANEMONE_CHECK(interface != nullptr && feeds.size() == interface->inputs.size()) << function;
  Call call;
  for (const engine::Feed& feed : feeds) {
    const Port* port = interface->find_input(feed.name);
    ANEMONE_CHECK(port && feed.count == element_count(port->type.shape)) << feed.name;
    call.in[std::string(feed.name)] = floats_of(feed);
  }
  call.rows = interface->inputs[0].type.shape[1];
  if (calls_) {
    calls_->push_back(package_ + " " + std::string(function));
    if (call.in.contains("position")) {
      calls_->back() += " " + std::to_string(static_cast<int>(call.in["position"][0]));
    }
  }
  if (is_single_) {
    for (const float id : call.in["input_ids"]) {
      for (std::int64_t c = 0; c < kHidden; ++c) {
        call.hidden.push_back(embedding(static_cast<std::int64_t>(id), c));
      }
    }
  } else {
    call.hidden = call.in["hidden"];
  }
  if (layers_ > 0) {
    auto& cache = bundle_.kv == "host" ? call.in["kv"] : static_cast<ToyState*>(state)->kv;
    call.out["kv_new"].resize(
        static_cast<std::size_t>(2 * layers_ * kHeads * call.rows * kHeadDim));
    for (std::int64_t layer = 0; layer < layers_; ++layer) run_layer(call, layer, cache);
    call.out["hidden_out"] = call.hidden;
  }
  if (layers_ == 0 || is_single_) run_head(call, function);
  for (const engine::Fetch& fetch : fetches) {
    const Port* port = interface->find_output(fetch.name);
    ANEMONE_CHECK(port && fetch.count == element_count(port->type.shape)) << fetch.name;
    const auto& values = call.out[std::string(fetch.name)];
    ANEMONE_CHECK(values.size() == static_cast<std::size_t>(fetch.count)) << fetch.name;
    std::copy(values.begin(), values.end(), static_cast<float*>(fetch.data));
  }
}

}  // namespace

std::string toy_tokenizer_json() {
  OrderedJson vocab;
  char letter = 'a';
  for (int id = 0; id < 16; ++id) {
    // An added token keeps its id only if the model's vocabulary has it too.
    vocab[id == 3 ? "<eos>" : id == 5 ? "<end>" : std::string(1, letter++)] = id;
  }
  const auto added = [](int id, const char* content) {
    return OrderedJson{{"id", id},        {"content", content}, {"single_word", false},
                       {"lstrip", false}, {"rstrip", false},    {"normalized", false},
                       {"special", true}};
  };
  OrderedJson json;
  json["version"] = "1.0";
  json["truncation"] = nullptr;
  json["padding"] = nullptr;
  json["added_tokens"] = {added(3, "<eos>"), added(5, "<end>")};
  json["normalizer"] = nullptr;
  json["pre_tokenizer"] = {{"type", "ByteLevel"},
                           {"add_prefix_space", false},
                           {"trim_offsets", true},
                           {"use_regex", false}};
  json["post_processor"] = nullptr;
  json["decoder"] = {{"type", "ByteLevel"},
                     {"add_prefix_space", false},
                     {"trim_offsets", true},
                     {"use_regex", false}};
  json["model"] = {{"type", "BPE"},
                   {"dropout", nullptr},
                   {"unk_token", nullptr},
                   {"continuing_subword_prefix", nullptr},
                   {"end_of_word_suffix", nullptr},
                   {"fuse_unk", false},
                   {"byte_fallback", false},
                   {"vocab", vocab},
                   {"merges", OrderedJson::array()}};
  return to_line(json);
}

generate::Bundle write_toy_bundle(const std::filesystem::path& folder, const ToyOptions& options) {
  Bundle bundle;
  bundle.folder = folder;
  bundle.tool = "anemone test";
  bundle.kind = options.single ? Bundle::Kind::kSingle : Bundle::Kind::kParts;
  bundle.architecture = "toy";
  bundle.target = "ios18";
  bundle.layout = "bsc";
  bundle.kv = options.kv;
  bundle.vocab_size = kVocab;
  bundle.hidden_size = kHidden;
  bundle.num_attention_heads = kHeads;
  bundle.num_key_value_heads = kHeads;
  bundle.head_dim = kHeadDim;
  bundle.context = options.context;
  bundle.prefill = options.prefill;
  bundle.mask_value = -1e4f;
  bundle.inv_freq = {1.0f, 0.1f};
  for (std::size_t i = 0; i < options.layers.size(); ++i) {
    bundle.parts.push_back({"layers_0" + std::to_string(i) + ".mlpackage", bundle.num_hidden_layers,
                            options.layers[i]});
    bundle.num_hidden_layers += options.layers[i];
  }
  bundle.head_package = "head.mlpackage";
  std::int64_t row = 0;
  for (std::size_t i = 0; i < options.head_tiles.size(); ++i) {
    const auto rows = options.head_tiles[i];
    bundle.head_tiles.push_back({"logits_" + std::to_string(i), row, rows});
    // Two bytes between the tiles, as the blobs of a weight file have headers between them.
    bundle.embedding_tiles.push_back(
        {"embedding.bin", static_cast<std::uint64_t>(row * kHidden * 2) + 2 * (i + 1), row, rows});
    row += rows;
  }
  ANEMONE_CHECK(row == kVocab) << "head tiles";
  bundle.has_tokenizer = options.has_tokenizer;
  bundle.eos_token_ids = options.eos_token_ids;
  if (options.single) {
    bundle.parts.clear();
    bundle.head_tiles.clear();
    bundle.embedding_tiles.clear();
    bundle.head_package.clear();
    bundle.model_package = "model.mlpackage";
    bundle.model_output = "logits";
  } else {
    std::vector<std::byte> bytes;
    for (const auto& tile : bundle.embedding_tiles) {
      bytes.resize(tile.offset, std::byte{0xff});
      for (std::int64_t id = tile.first_row; id < tile.first_row + tile.rows; ++id) {
        for (std::int64_t c = 0; c < kHidden; ++c) {
          const f16 value = to_f16(embedding(id, c));
          const auto raw = std::as_bytes(std::span(&value, 1));
          bytes.insert(bytes.end(), raw.begin(), raw.end());
        }
      }
    }
    write_file(folder / "embedding.bin", bytes);
  }
  if (options.has_tokenizer) write_file(folder / "tokenizer.json", toy_tokenizer_json());
  write_file(folder / "bundle.json", generate::to_json(bundle).dump(2));
  return bundle;
}

generate::OpenPredictor toy_predictors(const Bundle& bundle, std::vector<std::string>* calls) {
  return [bundle, calls](const std::filesystem::path& package) {
    return std::make_unique<ToyPredictor>(bundle, package.filename().string(), calls);
  };
}

}  // namespace anemone::testing
