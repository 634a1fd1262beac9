#include "anemone/ladder/stock.h"

#include <cmath>
#include <random>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/base/half.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/models/architecture.h"
#include "anemone/models/config.h"

namespace anemone::ladder {
namespace {

// Two query heads share a key head, so that grouping is part of every experiment.
constexpr std::int64_t kHeads = 4;
constexpr std::int64_t kKeyHeads = 2;
constexpr std::int64_t kFeedForwardFactor = 3;
// A state's last extent must divide by 32. Source: apple/coremltools issue 2631.
constexpr std::int64_t kLeastHeadSize = 32;

std::string with_layer(std::string_view pattern, std::int64_t layer) {
  std::string name(pattern);
  if (const auto at = name.find("{}"); at != std::string::npos) {
    name.replace(at, 2, std::to_string(layer));
  }
  return name;
}

Json stock_config(const Checkpoint& original, const StockSizes& sizes) {
  Json config = normalised_config(original.config(), original.config_file());
  config["hidden_size"] = sizes.hidden;
  config["intermediate_size"] = kFeedForwardFactor * sizes.hidden;
  config["num_hidden_layers"] = sizes.layers;
  config["num_attention_heads"] = kHeads;
  config["num_key_value_heads"] = kKeyHeads;
  config["head_dim"] = std::max(kLeastHeadSize, sizes.hidden / kHeads);
  config["vocab_size"] = sizes.vocabulary;
  config["max_position_embeddings"] = sizes.context;
  // Experiments ask about structure; every layer sees their short context whole.
  for (const char* key :
       {"layer_types", "max_window_layers", "use_sliding_window", "sliding_window"}) {
    config.erase(key);
  }
  return config;
}

// One tensor's numbers, row by row.
class Source {
 public:
  Source(const Checkpoint& original, bool is_random) : original_(original), is_random_(is_random) {}

  std::vector<f16> numbers(const std::string& name, const std::string& original_name,
                           std::int64_t rows, std::int64_t columns, bool is_vector) {
    std::vector<f16> all;
    all.reserve(static_cast<std::size_t>(rows * columns));
    if (is_random_) {
      std::uint32_t seed = 1;
      for (const char c : name) seed = seed * 31 + static_cast<unsigned char>(c);
      std::mt19937 random(seed);
      // Sums keep about the size of what they add up; a norm's gains lie around 1.
      const float width = is_vector ? 0.1f : std::sqrt(3.0f / static_cast<float>(columns));
      const float middle = is_vector && name.find("norm") != std::string::npos ? 1.0f : 0.0f;
      for (std::int64_t i = 0; i < rows * columns; ++i) {
        const float unit = static_cast<float>(random() >> 8) / static_cast<float>(1 << 23) - 1;
        all.push_back(to_f16(middle + width * unit));
      }
      return all;
    }
    const CheckpointTensor* from = original_.find(original_name);
    if (from == nullptr) {
      throw Error(Code::kBadInput, original_.path().string() + ": lacks '" + original_name + "'");
    }
    std::vector<float> row(static_cast<std::size_t>(from->columns()));
    for (std::int64_t r = 0; r < rows; ++r) {
      decode_f32(*from, r % from->rows(), row);
      for (std::int64_t c = 0; c < columns; ++c) {
        all.push_back(to_f16(row[static_cast<std::size_t>(c % from->columns())]));
      }
    }
    return all;
  }

 private:
  const Checkpoint& original_;
  bool is_random_;
};

}  // namespace

std::int64_t mlp_bytes(std::int64_t hidden) { return 3 * kFeedForwardFactor * hidden * hidden * 2; }

void write_stock(const Checkpoint& original, const StockSizes& sizes,
                 const std::filesystem::path& folder) {
  const models::Architecture* architecture = nullptr;
  const models::DecoderConfig whole = models::read_config(original, {}, &architecture);
  const Json config = stock_config(original, sizes);
  models::DecoderConfig small = whole;  // block variants
  small.hidden_size = sizes.hidden;
  small.intermediate_size = config.at("intermediate_size");
  small.num_hidden_layers = sizes.layers;
  small.num_attention_heads = kHeads;
  small.num_key_value_heads = kKeyHeads;
  small.head_dim = config.at("head_dim");
  small.vocab_size = sizes.vocabulary;
  write_file(folder / "config.json", config.dump(1) + "\n");

  struct Entry {
    std::string name;
    std::string original_name;
    std::int64_t rows;
    std::int64_t columns;
    bool is_vector;
  };
  std::vector<Entry> entries;
  OrderedJson header = OrderedJson::object();
  std::uint64_t at = 0;
  for (const auto& table : architecture->tensors) {
    for (const models::TensorDef& def : table) {
      if (!models::applies(def.when, small)) continue;
      const bool is_per_layer = def.name.find("{}") != std::string_view::npos;
      for (std::int64_t layer = 0; layer < (is_per_layer ? sizes.layers : 1); ++layer) {
        const bool is_vector = def.columns == models::Extent::kNone;
        const std::int64_t first = models::extent(def.rows, small);
        const std::int64_t second = is_vector ? 1 : models::extent(def.columns, small);
        const Entry entry{.name = with_layer(def.name, layer),
                          .original_name = with_layer(def.name, layer % whole.num_hidden_layers),
                          .rows = is_vector ? 1 : first,
                          .columns = is_vector ? first : second,
                          .is_vector = is_vector};
        const std::uint64_t size = static_cast<std::uint64_t>(first * second) * 2;
        header[entry.name] = {{"dtype", "F16"},
                              {"shape", is_vector ? Shape{first} : Shape{first, second}},
                              {"data_offsets", {at, at + size}}};
        at += size;
        entries.push_back(entry);
      }
    }
  }
  std::string text = header.dump();
  text.resize((text.size() + 7) / 8 * 8, ' ');
  FileWriter file(folder / "model.safetensors");
  const std::uint64_t length = text.size();
  file.append({reinterpret_cast<const std::byte*>(&length), sizeof(length)});
  file.append(as_bytes(text));
  Source source(original, sizes.is_random);
  for (const Entry& entry : entries) {
    const std::vector<f16> numbers =
        source.numbers(entry.name, entry.original_name, entry.rows, entry.columns, entry.is_vector);
    file.append(std::as_bytes(std::span(numbers)));
  }
  file.close();
}

}  // namespace anemone::ladder
