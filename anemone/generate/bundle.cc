#include "anemone/generate/bundle.h"

#include <cmath>
#include <limits>

#include "anemone/base/error.h"
#include "anemone/base/files.h"

namespace anemone::generate {
namespace fs = std::filesystem;
namespace {

// Far beyond any model there is, and small enough that no product of two of them overflows.
constexpr std::int64_t kMaxExtent = 1 << 24;
constexpr std::int64_t kMaxContext = 1 << 20;
constexpr std::int64_t kMaxId = std::numeric_limits<int>::max();

// One object of the file. Every failure names the file, the key's path, what is there and what may
// be.
class Fields {
 public:
  Fields(const Json& json, std::string file, std::string path)
      : json_(json), file_(std::move(file)), path_(std::move(path)) {
    if (!json_.is_object()) bad("", "an object");
  }

  bool has(std::string_view key) const { return json_.contains(key); }

  const Json& at(std::string_view key, std::string_view allowed) const {
    const auto found = json_.find(key);
    if (found == json_.end()) {
      throw Error(Code::kBadInput,
                  file_ + ": has no '" + name(key) + "'; allowed: " + std::string(allowed));
    }
    return *found;
  }

  std::string text(std::string_view key) const {
    const Json& value = at(key, "a string");
    if (!value.is_string()) bad(key, "a string");
    return value.get<std::string>();
  }

  std::string one_of(std::string_view key, std::initializer_list<std::string_view> words) const {
    std::string allowed;
    for (const std::string_view word : words) {
      allowed += (allowed.empty() ? "\"" : ", \"") + std::string(word) + "\"";
    }
    const Json& value = at(key, allowed);
    for (const std::string_view word : words) {
      if (value.is_string() && value.get_ref<const std::string&>() == word)
        return std::string(word);
    }
    bad(key, allowed);
  }

  bool boolean(std::string_view key) const {
    const Json& value = at(key, "true or false");
    if (!value.is_boolean()) bad(key, "true or false");
    return value.get<bool>();
  }

  std::int64_t integer(std::string_view key, std::int64_t low, std::int64_t high,
                       std::int64_t step = 1) const {
    std::string allowed = "an integer from " + std::to_string(low) + " to " + std::to_string(high);
    if (step != 1) allowed += ", a multiple of " + std::to_string(step);
    const Json& value = at(key, allowed);
    const auto number = find_integer(value, low, high);
    if (!number || *number % step != 0) bad(key, allowed);
    return *number;
  }

  float number(std::string_view key) const {
    const Json& value = at(key, "a finite number");
    if (!value.is_number() || !std::isfinite(value.get<float>())) bad(key, "a finite number");
    return value.get<float>();
  }

  Fields object(std::string_view key) const { return {at(key, "an object"), file_, name(key)}; }

  // Calls `each` with every member of an array of objects; at least one.
  template <typename Each>
  void objects(std::string_view key, const Each& each) const {
    const Json& value = at(key, "an array of objects");
    if (!value.is_array() || value.empty()) bad(key, "an array of at least one object");
    for (std::size_t i = 0; i < value.size(); ++i) {
      each(Fields(value[i], file_, name(key) + "[" + std::to_string(i) + "]"));
    }
  }

  // A path inside the bundle.
  std::string inside(std::string_view key) const {
    const std::string path = text(key);
    bool is_inside = !path.empty() && path.front() != '/' && path.back() != '/' &&
                     path.find('\\') == std::string::npos && path.find('\0') == std::string::npos;
    for (const fs::path& step : fs::path(path)) {
      if (step == ".." || step == "." || step.empty()) is_inside = false;
    }
    if (!is_inside) bad(key, "a path inside the bundle");
    return path;
  }

  static std::optional<std::int64_t> find_integer(const Json& value, std::int64_t low,
                                                  std::int64_t high) {
    if (!value.is_number_integer()) return std::nullopt;
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(high)) {
      return std::nullopt;
    }
    const auto number = value.get<std::int64_t>();
    if (number < low || number > high) return std::nullopt;
    return number;
  }

  [[noreturn]] void bad(std::string_view key, std::string_view allowed) const {
    const Json& value = key.empty() ? json_ : json_.at(std::string(key));
    std::string found = to_line(value);
    if (found.size() > 60) {
      found = value.is_array()    ? "an array of " + std::to_string(value.size())
              : value.is_object() ? "an object"
                                  : found.substr(0, 40) + "...";
    }
    const std::string where = name(key);
    throw Error(Code::kBadInput, file_ + ": " + (where.empty() ? "the file" : "'" + where + "'") +
                                     " is " + found + "; allowed: " + std::string(allowed));
  }

  std::string name(std::string_view key) const {
    if (key.empty()) return path_;
    return path_.empty() ? std::string(key) : path_ + "." + std::string(key);
  }

 private:
  const Json& json_;
  std::string file_;
  std::string path_;
};

[[noreturn]] void fail(const Bundle& bundle, const std::string& what) {
  throw Error(Code::kBadInput, bundle.file().string() + ": " + what);
}

// Tiles cover the vocabulary, one after another.
template <typename Tile>
void require_cover(const Bundle& bundle, std::string_view key, const std::vector<Tile>& tiles) {
  std::int64_t next = 0;
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    if (tiles[i].first_row != next) {
      fail(bundle, "'" + std::string(key) + "[" + std::to_string(i) + "].first_row' is " +
                       std::to_string(tiles[i].first_row) + "; allowed: " + std::to_string(next) +
                       ", where the tile before it ends");
    }
    next += tiles[i].rows;
  }
  if (next != bundle.vocab_size) {
    fail(bundle, "'" + std::string(key) + "' has " + std::to_string(next) +
                     " rows; allowed: vocab_size, which is " + std::to_string(bundle.vocab_size));
  }
}

void read_rotary(const Fields& all, Bundle& bundle) {
  const Fields rotary = all.object("rotary");
  const std::string allowed =
      "an array of head_dim / 2 = " + std::to_string(bundle.head_dim / 2) + " finite numbers";
  const Json& inv_freq = rotary.at("inv_freq", allowed);
  if (!inv_freq.is_array() || inv_freq.size() != static_cast<std::size_t>(bundle.head_dim / 2)) {
    rotary.bad("inv_freq", allowed);
  }
  for (const Json& value : inv_freq) {
    if (!value.is_number() || !std::isfinite(value.get<float>())) rotary.bad("inv_freq", allowed);
    bundle.inv_freq.push_back(value.get<float>());
  }
  bundle.attention_scaling = rotary.number("attention_scaling");
}

void read_parts(const Fields& all, Bundle& bundle) {
  std::int64_t next = 0;
  all.objects("parts", [&](const Fields& part) {
    bundle.parts.push_back({.package = part.inside("package"),
                            .first_layer = part.integer("first_layer", next, next),
                            .layers = part.integer("layers", 1, bundle.num_hidden_layers - next)});
    next += bundle.parts.back().layers;
  });
  if (next != bundle.num_hidden_layers) {
    fail(bundle, "'parts' have " + std::to_string(next) +
                     " layers; allowed: num_hidden_layers, which is " +
                     std::to_string(bundle.num_hidden_layers));
  }
  const Fields head = all.object("head");
  bundle.head_package = head.inside("package");
  head.objects("tiles", [&](const Fields& tile) {
    bundle.head_tiles.push_back({.output = tile.text("output"),
                                 .first_row = tile.integer("first_row", 0, bundle.vocab_size),
                                 .rows = tile.integer("rows", 1, bundle.vocab_size)});
  });
  require_cover(bundle, "head.tiles", bundle.head_tiles);

  const Fields embedding = all.object("embedding");
  embedding.one_of("dtype", {"fp16"});
  embedding.integer("columns", bundle.hidden_size, bundle.hidden_size);
  embedding.objects("tiles", [&](const Fields& tile) {
    bundle.embedding_tiles.push_back(
        {.file = tile.inside("file"),
         .offset = static_cast<std::uint64_t>(
             tile.integer("offset", 0, std::numeric_limits<std::int64_t>::max() - 1, 2)),
         .first_row = tile.integer("first_row", 0, bundle.vocab_size),
         .rows = tile.integer("rows", 1, bundle.vocab_size)});
  });
  require_cover(bundle, "embedding.tiles", bundle.embedding_tiles);
}

void read_tokens(const Fields& all, Bundle& bundle) {
  bundle.has_tokenizer = all.boolean("tokenizer");
  if (!all.at("bos_token_id", "an integer or null").is_null()) {
    bundle.bos_token_id = static_cast<int>(all.integer("bos_token_id", 0, kMaxId));
  }
  const std::string allowed = "an array of integers from 0 to " + std::to_string(kMaxId);
  const Json& eos = all.at("eos_token_ids", allowed);
  if (!eos.is_array()) all.bad("eos_token_ids", allowed);
  for (const Json& value : eos) {
    const auto id = Fields::find_integer(value, 0, kMaxId);
    if (!id) all.bad("eos_token_ids", allowed);
    bundle.eos_token_ids.push_back(static_cast<int>(*id));
  }
}

void require_format(const Json& json, const std::string& file) {
  const Fields all(json, file, "");
  const std::string format = all.text("format");
  if (format != "anemone-bundle") {
    throw Error(Code::kUnsupported,
                file + ": 'format' is \"" + format + "\"; allowed: \"anemone-bundle\"");
  }
  const auto version = all.integer("version", 1, kMaxId);
  if (version != kBundleVersion) {
    throw Error(Code::kUnsupported, file + ": 'version' is " + std::to_string(version) +
                                        "; this anemone reads version " +
                                        std::to_string(kBundleVersion));
  }
}

}  // namespace

std::vector<std::string> Bundle::packages() const {
  if (kind != Kind::kParts) return {model_package};
  std::vector<std::string> all;
  for (const Part& part : parts) all.push_back(part.package);
  all.push_back(head_package);
  return all;
}

bool Bundle::is_eos(int id) const {
  return std::find(eos_token_ids.begin(), eos_token_ids.end(), id) != eos_token_ids.end();
}

bool is_bundle(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "bundle.json", ignored);
}

Bundle load_bundle(const fs::path& folder) {
  if (!is_bundle(folder)) {
    std::error_code ignored;
    throw Error(Code::kNotFound, folder.string() + (fs::exists(folder, ignored)
                                                        ? ": is not a bundle: it has no bundle.json"
                                                        : ": there is no such folder"));
  }
  return read_bundle(read_text(folder / "bundle.json", 64u << 20), folder);
}

Bundle read_bundle(std::string_view text, const fs::path& folder) {
  Bundle bundle;
  bundle.folder = folder;
  const std::string file = bundle.file().string();
  const Json json = parse_json(text, file);
  require_format(json, file);
  const Fields all(json, file, "");
  bundle.tool = all.text("tool");
  const std::string kind = all.one_of("kind", {"parts", "single", "ranged"});
  bundle.kind = kind == "parts"    ? Bundle::Kind::kParts
                : kind == "single" ? Bundle::Kind::kSingle
                                   : Bundle::Kind::kRanged;
  bundle.architecture = all.text("architecture");
  bundle.target = all.text("target");
  bundle.layout = all.one_of("layout", {"bc1s", "bsc"});
  bundle.kv = all.one_of("kv", {"slice", "blend", "host"});
  bundle.vocab_size = all.integer("vocab_size", 1, kMaxExtent);
  bundle.hidden_size = all.integer("hidden_size", 1, kMaxExtent);
  bundle.num_hidden_layers = all.integer("num_hidden_layers", 1, 1 << 16);
  bundle.num_attention_heads = all.integer("num_attention_heads", 1, 1 << 16);
  bundle.num_key_value_heads = all.integer("num_key_value_heads", 1, 1 << 16);
  bundle.head_dim = all.integer("head_dim", 2, 1 << 16, 2);
  bundle.context = all.integer("context", 64, kMaxContext, 64);
  bundle.prefill = all.integer("prefill", 1, bundle.context);
  bundle.mask_value = all.number("mask_value");
  if (bundle.mask_value >= 0) all.bad("mask_value", "a negative number");
  if (all.has("sliding_window")) {
    bundle.sliding_window = all.integer("sliding_window", 1, kMaxContext);
  }
  read_rotary(all, bundle);
  if (bundle.kind == Bundle::Kind::kParts) {
    read_parts(all, bundle);
  } else {
    const Fields model = all.object("model");
    bundle.model_package = model.inside("package");
    bundle.model_output = model.text("output");
  }
  read_tokens(all, bundle);
  if (all.has("conversion")) bundle.conversion = all.at("conversion", "an object");
  return bundle;
}

OrderedJson to_json(const Bundle& bundle) {
  OrderedJson json;
  json["format"] = "anemone-bundle";
  json["version"] = kBundleVersion;
  json["tool"] = bundle.tool;
  json["kind"] = bundle.kind == Bundle::Kind::kParts    ? "parts"
                 : bundle.kind == Bundle::Kind::kSingle ? "single"
                                                        : "ranged";
  json["architecture"] = bundle.architecture;
  json["target"] = bundle.target;
  json["layout"] = bundle.layout;
  json["kv"] = bundle.kv;
  json["vocab_size"] = bundle.vocab_size;
  json["hidden_size"] = bundle.hidden_size;
  json["num_hidden_layers"] = bundle.num_hidden_layers;
  json["num_attention_heads"] = bundle.num_attention_heads;
  json["num_key_value_heads"] = bundle.num_key_value_heads;
  json["head_dim"] = bundle.head_dim;
  json["context"] = bundle.context;
  json["prefill"] = bundle.prefill;
  json["mask_value"] = bundle.mask_value;
  if (bundle.sliding_window > 0) json["sliding_window"] = bundle.sliding_window;
  json["rotary"] = {{"inv_freq", bundle.inv_freq}, {"attention_scaling", bundle.attention_scaling}};
  if (bundle.kind == Bundle::Kind::kParts) {
    json["parts"] = OrderedJson::array();
    for (const Part& part : bundle.parts) {
      json["parts"].push_back(
          {{"package", part.package}, {"first_layer", part.first_layer}, {"layers", part.layers}});
    }
    json["head"] = {{"package", bundle.head_package}, {"tiles", OrderedJson::array()}};
    for (const HeadTile& tile : bundle.head_tiles) {
      json["head"]["tiles"].push_back(
          {{"output", tile.output}, {"first_row", tile.first_row}, {"rows", tile.rows}});
    }
    json["embedding"] = {
        {"dtype", "fp16"}, {"columns", bundle.hidden_size}, {"tiles", OrderedJson::array()}};
    for (const EmbeddingTile& tile : bundle.embedding_tiles) {
      json["embedding"]["tiles"].push_back({{"file", tile.file},
                                            {"offset", tile.offset},
                                            {"first_row", tile.first_row},
                                            {"rows", tile.rows}});
    }
  } else {
    json["model"] = {{"package", bundle.model_package}, {"output", bundle.model_output}};
  }
  json["tokenizer"] = bundle.has_tokenizer;
  json["bos_token_id"] = bundle.bos_token_id ? OrderedJson(*bundle.bos_token_id) : OrderedJson();
  json["eos_token_ids"] = bundle.eos_token_ids;
  if (!bundle.conversion.is_null()) json["conversion"] = bundle.conversion;
  return json;
}

}  // namespace anemone::generate
