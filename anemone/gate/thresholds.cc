#include "anemone/gate/thresholds.h"

#include "anemone/base/error.h"

namespace anemone::gate {
namespace {

struct Field {
  const char* name;
  std::optional<double> Thresholds::*value;
  double most;
};
constexpr double kAny = 1e300;
constexpr Field kFields[] = {
    {"min_cosine", &Thresholds::min_cosine, 1},
    {"max_perplexity_change", &Thresholds::max_perplexity_change, kAny},
    {"min_boundary_cosine", &Thresholds::min_boundary_cosine, 1},
    {"max_kl", &Thresholds::max_kl, kAny},
    {"max_relative_error", &Thresholds::max_relative_error, kAny},
    {"min_top5", &Thresholds::min_top5, 1},
};
constexpr char kNearTie[] = "near_tie";

[[noreturn]] void fail(std::string_view what, const std::string& why) {
  throw Error(Code::kBadInput, std::string(what) + ": " + why);
}

double number(const Json& value, std::string_view what, const std::string& key, double most) {
  if (!value.is_number() || !(value.get<double>() >= 0) || !(value.get<double>() <= most)) {
    fail(what, "'" + key + "' is " + to_line(value) + "; allowed: a number from 0" +
                   (most < kAny ? " to 1" : " on"));
  }
  return value.get<double>();
}

}  // namespace

void read_thresholds(const Json& json, std::string_view what, Thresholds& thresholds) {
  if (!json.is_object()) fail(what, "is no JSON object");
  for (const auto& [key, value] : json.items()) {
    if (key == kNearTie) {
      thresholds.near_tie = number(value, what, key, kAny);
      continue;
    }
    const auto* field = std::find_if(std::begin(kFields), std::end(kFields),
                                     [&key = key](const Field& row) { return key == row.name; });
    if (field == std::end(kFields)) {
      std::string known = kNearTie;
      for (const Field& row : kFields) known += std::string(", ") + row.name;
      fail(what, "'" + key + "' is no threshold; there are " + known);
    }
    if (value.is_null()) {
      (thresholds.*field->value).reset();
    } else {
      thresholds.*field->value = number(value, what, key, field->most);
    }
  }
}

void load_thresholds(const std::filesystem::path& path, Thresholds& thresholds) {
  read_thresholds(load_json(path), path.string(), thresholds);
}

OrderedJson to_json(const Thresholds& thresholds) {
  OrderedJson json = {{kNearTie, thresholds.near_tie}};
  for (const Field& field : kFields) {
    const auto& value = thresholds.*field.value;
    json[field.name] = value ? OrderedJson(*value) : OrderedJson();
  }
  return json;
}

}  // namespace anemone::gate
