#include "anemone/checkpoint/checkpoint.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

// Source: transformers 5.24.0, modeling_rope_utils.py (RotaryEmbeddingConfigMixin): the old keys
// and where they go. Where transformers lets one of two values win, a difference is refused here.
class Normaliser {
 public:
  Normaliser(Json config, std::string_view what) : config_(std::move(config)), what_(what) {}

  Json run() {
    if (!config_.is_object()) {
      bad_input(what_ + ": is of type " + std::string(config_.type_name()) + "; allowed: object");
    }
    merge_key(config_, "torch_dtype", "", config_, "dtype", "");
    rope();
    return std::move(config_);
  }

 private:
  Json take(Json& from, const char* key) {
    const auto it = from.find(key);
    if (it == from.end()) return nullptr;
    Json value = std::move(*it);
    from.erase(it);
    return value;
  }

  // Moves from[old_key] to into[key]; null is as good as absent. `in_old` and `in_new` say in
  // messages where the keys stand ("rope_parameters.").
  void merge_key(Json& from, const char* old_key, std::string_view in_old, Json& into,
                 const char* key, std::string_view in_new) {
    Json old = take(from, old_key);
    if (old.is_null()) return;
    const auto it = into.find(key);
    if (it != into.end() && !it->is_null() && *it != old) {
      bad_input(what_ + ": " + std::string(in_old) + old_key + " is " + to_line(old) + ", but " +
                std::string(in_new) + key + " is " + to_line(*it));
    }
    into[key] = std::move(old);
  }

  Json take_object(const char* key) {
    Json value = take(config_, key);
    if (!value.is_null() && !value.is_object()) {
      bad_input(what_ + ": " + key + " is of type " + std::string(value.type_name()) +
                "; allowed: object");
    }
    return value;
  }

  static bool is_nested(const Json& rope) {
    for (const auto& [key, value] : rope.items()) {
      if (value.is_object()) return true;
    }
    return false;
  }

  void rope() {
    Json old = take_object("rope_scaling");
    Json made = take_object("rope_parameters");
    if (made.is_null()) made = Json::object();
    // One set a kind of layer: left as it is, for an architecture that knows those kinds.
    if (is_nested(made) || (!old.is_null() && is_nested(old))) {
      config_["rope_parameters"] = std::move(made);
      if (!old.is_null()) config_["rope_scaling"] = std::move(old);
      return;
    }
    merge_key(made, "type", "rope_parameters.", made, "rope_type", "rope_parameters.");
    if (!old.is_null()) {
      merge_key(old, "type", "rope_scaling.", old, "rope_type", "rope_scaling.");
      while (!old.empty()) {
        const std::string key = old.begin().key();
        merge_key(old, key.c_str(), "rope_scaling.", made, key.c_str(), "rope_parameters.");
      }
    }
    constexpr std::string_view kNew = "rope_parameters.";
    merge_key(config_, "rope_theta", "", made, "rope_theta", kNew);
    merge_key(config_, "partial_rotary_factor", "", made, "partial_rotary_factor", kNew);
    Json& type = made["rope_type"];
    if (type.is_null()) type = "default";
    if (!type.is_string()) {
      bad_input(what_ + ": rope_parameters.rope_type is of type " + std::string(type.type_name()) +
                "; allowed: string");
    }
    if (type == "llama3" || type == "yarn" || type == "longrope") {
      constexpr const char* kOriginal = "original_max_position_embeddings";
      merge_key(config_, kOriginal, "", made, kOriginal, kNew);
      if (!made.contains(kOriginal) && config_.contains("max_position_embeddings")) {
        made[kOriginal] = config_["max_position_embeddings"];
      }
    }
    for (const char* key : {"rope_theta", "partial_rotary_factor"}) {
      if (made.contains(key) && made[key].is_null()) made.erase(key);
    }
    config_["rope_parameters"] = std::move(made);
  }

  Json config_;
  std::string what_;
};

}  // namespace

Json normalised_config(const Json& config, std::string_view what) {
  return Normaliser(config, what).run();
}

}  // namespace anemone
