#include "anemone/oracle/config.h"

#include <numbers>

#include "anemone/base/error.h"

namespace anemone::oracle {
namespace {

struct Reader {
  const Json& json;
  const std::string& file;

  [[noreturn]] void fail(Code code, const std::string& key, const std::string& why) const {
    throw Error(code, file + ": key '" + key + "' " + why);
  }
  const Json* find(const Json& object, const std::string& key) const {
    const auto found = object.find(key);
    return found == object.end() || found->is_null() ? nullptr : &*found;
  }
  std::int64_t size(const std::string& key, std::int64_t otherwise = 0) const {
    const Json* found = find(json, key);
    if (!found) {
      if (otherwise > 0) return otherwise;
      throw Error(Code::kBadInput, file + ": lacks key '" + key + "'");
    }
    constexpr std::int64_t kMost = std::int64_t{1} << 24;
    if (!found->is_number_integer() || found->get<std::int64_t>() < 1 ||
        found->get<std::int64_t>() > kMost) {
      fail(Code::kBadInput, key,
           "is " + to_line(*found) + "; a whole number from 1 to " + std::to_string(kMost) +
               " is wanted");
    }
    return found->get<std::int64_t>();
  }
  double positive(const Json& object, const std::string& key,
                  std::optional<double> otherwise = std::nullopt) const {
    const Json* found = find(object, key);
    if (!found && otherwise) return *otherwise;
    if (!found || !found->is_number() || !std::isfinite(found->get<double>()) ||
        found->get<double>() < 0) {
      fail(Code::kBadInput, key,
           (found ? "is " + to_line(*found) : std::string("is missing")) +
               "; a number not below 0 is wanted");
    }
    return found->get<double>();
  }
  bool flag(const std::string& key) const {
    const Json* found = find(json, key);
    if (found && !found->is_boolean()) {
      fail(Code::kBadInput, key, "is " + to_line(*found) + "; true or false is wanted");
    }
    return found && found->get<bool>();
  }
};

// Source of the formulas: transformers 5.24, modeling_rope_utils.py. In float, as there.
std::vector<float> frequencies(const Reader& reader, std::int64_t head_dim) {
  const Json none = Json::object();
  const Json* found = reader.find(reader.json, "rope_parameters");
  const Json& rope = found ? *found : none;
  const std::string key = "rope_parameters";
  if (!rope.is_object()) reader.fail(Code::kBadInput, key, "is no object");
  const Json* type = reader.find(rope, "rope_type");
  if (type && !type->is_string()) reader.fail(Code::kBadInput, key, "has a rope_type of no name");
  const std::string kind = type ? type->get<std::string>() : "default";
  if (reader.positive(rope, "partial_rotary_factor", 1.0) != 1.0) {
    reader.fail(Code::kUnsupported, key, "turns only a part of each head");
  }
  const auto base = static_cast<float>(reader.positive(rope, "rope_theta", 10000.0));
  std::vector<float> made;
  for (std::int64_t i = 0; i < head_dim; i += 2) {
    made.push_back(1.0f / std::pow(base, static_cast<float>(i) / static_cast<float>(head_dim)));
  }
  if (kind == "default") return made;
  if (kind != "linear" && kind != "llama3") {
    reader.fail(Code::kUnsupported, key,
                "has the rope type '" + kind + "'; the oracle knows default, linear, llama3");
  }
  const auto factor = static_cast<float>(reader.positive(rope, "factor"));
  if (!(factor > 0)) reader.fail(Code::kBadInput, key, "has a factor of 0");
  if (kind == "linear") {
    for (float& f : made) f /= factor;
    return made;
  }
  const auto low = static_cast<float>(reader.positive(rope, "low_freq_factor"));
  const auto high = static_cast<float>(reader.positive(rope, "high_freq_factor"));
  const auto old = static_cast<float>(reader.positive(rope, "original_max_position_embeddings"));
  if (!(low > 0) || !(high > low) || !(old > 0)) {
    reader.fail(Code::kBadInput, key, "wants 0 < low_freq_factor < high_freq_factor");
  }
  for (float& f : made) {
    const float wavelength = 2.0f * std::numbers::pi_v<float> / f;
    if (wavelength > old / low) {
      f /= factor;
    } else if (wavelength >= old / high) {
      const float smooth = (old / wavelength - low) / (high - low);
      f = (1.0f - smooth) * f / factor + smooth * f;
    }
  }
  return made;
}

// Source: transformers 5.24, models/qwen2/configuration_qwen2.py: without layer_types, layers from
// max_window_layers on slide.
void read_windows(const Reader& reader, Config& config) {
  const auto width = reader.json.find("sliding_window");
  const bool is_on = config.model_type != "llama" && reader.flag("use_sliding_window") &&
                     (width == reader.json.end() || !width->is_null());
  const Json* kinds = reader.find(reader.json, "layer_types");
  if (kinds && (!kinds->is_array() || static_cast<std::int64_t>(kinds->size()) < config.layers)) {
    reader.fail(Code::kBadInput, "layer_types", "is no list of a kind for each layer");
  }
  const double first = reader.positive(reader.json, "max_window_layers", 28.0);
  for (std::int64_t i = 0; i < config.layers; ++i) {
    if (!kinds) {
      config.slides.push_back(is_on && static_cast<double>(i) >= first);
      continue;
    }
    const Json& kind = kinds->at(static_cast<std::size_t>(i));
    if (kind != "full_attention" && !(is_on && kind == "sliding_attention")) {
      reader.fail(Code::kUnsupported, "layer_types",
                  "has " + to_line(kind) + "; the oracle knows full_attention" +
                      (is_on ? ", sliding_attention" : ""));
    }
    config.slides.push_back(kind == "sliding_attention");
  }
  if (is_on) config.sliding_window = reader.size("sliding_window", 4096);
}

}  // namespace

Config read_config(const Checkpoint& checkpoint) {
  const std::string& file = checkpoint.config_file();
  if (!checkpoint.config().is_object()) {
    throw Error(Code::kBadInput, file + ": is not a JSON object");
  }
  const Json json = normalised_config(checkpoint.config(), file);
  const Reader reader{json, file};
  Config config;
  const Json* type = reader.find(json, "model_type");
  config.model_type = type && type->is_string() ? type->get<std::string>() : "";
  const bool is_llama = config.model_type == "llama";
  if (!is_llama && config.model_type != "qwen2" && config.model_type != "qwen3") {
    reader.fail(Code::kUnsupported, "model_type",
                "is '" + config.model_type + "'; the oracle knows llama, qwen2, qwen3");
  }
  const Json* act = reader.find(json, "hidden_act");
  if (act && *act != "silu" && *act != "swish") {
    reader.fail(Code::kUnsupported, "hidden_act",
                "is " + to_line(*act) + "; the oracle knows silu");
  }
  config.vocab_size = reader.size("vocab_size");
  config.hidden_size = reader.size("hidden_size");
  config.intermediate_size = reader.size("intermediate_size");
  config.layers = reader.size("num_hidden_layers");
  read_windows(reader, config);
  config.heads = reader.size("num_attention_heads");
  config.kv_heads = reader.size("num_key_value_heads", is_llama ? config.heads : 32);
  const std::int64_t per_head =
      config.model_type == "qwen3" ? 128 : config.hidden_size / config.heads;
  config.head_dim = reader.size("head_dim", std::max<std::int64_t>(per_head, 1));
  if (config.heads % config.kv_heads != 0) {
    reader.fail(Code::kBadInput, "num_attention_heads",
                "is no multiple of num_key_value_heads (" + std::to_string(config.kv_heads) + ")");
  }
  if (config.head_dim % 2 != 0) reader.fail(Code::kBadInput, "head_dim", "is odd");
  config.epsilon = reader.positive(json, "rms_norm_eps", 1e-6);
  config.tied = reader.flag("tie_word_embeddings");
  config.inv_freq = frequencies(reader, config.head_dim);
  return config;
}

}  // namespace anemone::oracle
