#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"

// What convert writes and run reads: docs/formats/bundle.md.
namespace anemone::generate {

// Rows [first_row, first_row + rows) of a matrix [vocab_size, hidden_size].
struct HeadTile {
  std::string output = {};  // [1, S, rows]
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
};
struct EmbeddingTile {
  std::string file = {};  // relative to the bundle
  std::uint64_t offset = 0;
  std::int64_t first_row = 0;
  std::int64_t rows = 0;
};
struct Part {
  std::string package = {};  // relative to the bundle
  std::int64_t first_layer = 0;
  std::int64_t layers = 0;
};

// bundle.json, with the names of its keys.
struct Bundle {
  enum class Kind : std::uint8_t {
    kParts,   // layers in packages of their own, the head apart
    kSingle,  // one package from token ids to logits, static shapes
    kRanged,  // one package that takes any number of ids, for swift-transformers
  };

  std::filesystem::path folder;
  std::string tool;
  Kind kind = Kind::kParts;
  std::string architecture;
  std::string target;
  std::string layout;
  std::string kv;
  std::int64_t vocab_size = 0;
  std::int64_t hidden_size = 0;
  std::int64_t num_hidden_layers = 0;
  std::int64_t num_attention_heads = 0;
  std::int64_t num_key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t context = 0;
  std::int64_t prefill = 0;
  float mask_value = 0;
  std::int64_t sliding_window = 0;  // positions that a layer with a sliding_mask sees; 0: no such
  std::vector<float> inv_freq;
  float attention_scaling = 1;
  std::vector<Part> parts;                     // kind parts
  std::string head_package;                    // kind parts
  std::vector<HeadTile> head_tiles;            // kind parts
  std::string model_package;                   // kinds single, ranged
  std::string model_output;                    // kinds single, ranged
  std::vector<EmbeddingTile> embedding_tiles;  // kind parts
  bool has_tokenizer = false;
  std::optional<int> bos_token_id;
  std::vector<int> eos_token_ids;
  Json conversion;

  // The packages in running order, head last.
  std::vector<std::string> packages() const;
  bool is_eos(int id) const;
  // For messages.
  std::filesystem::path file() const { return folder / "bundle.json"; }
};

inline constexpr int kBundleVersion = 1;

// True if the folder holds a bundle.json.
bool is_bundle(const std::filesystem::path& folder);

// Reads FOLDER/bundle.json and checks every field against its own rules and against the others; no
// other file is opened. Throws Error: kNotFound without the file, kUnsupported for another format
// or version, kBadInput naming file, key, found and allowed.
Bundle load_bundle(const std::filesystem::path& folder);
Bundle read_bundle(std::string_view text, const std::filesystem::path& folder);

// The inverse of read_bundle, keys in the order of the format's table.
OrderedJson to_json(const Bundle& bundle);

}  // namespace anemone::generate
