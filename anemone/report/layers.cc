#include "anemone/report/layers.h"

#include <algorithm>
#include <array>
#include <map>

#include "anemone/mil/cost.h"

namespace anemone::report {
namespace {

constexpr std::array<std::string_view, 6> kWords = {"layer", "layers", "h",
                                                    "blk",   "block",  "blocks"};

bool parts(char c) { return c == '_' || c == '.' || c == '/' || c == '-'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Weights of more elements than this name a place in the network; smaller ones are scalars and
// axes.
constexpr std::int64_t kSmall = 16;

bool is_weight(const mil::Value& value) {
  if (!mil::is_fixed(value)) return false;
  return !value.is_constant() || value.constant->count() > kSmall;
}

struct Sign {
  std::optional<int> layer;
  bool has_weight = false;
};

Sign sign_of(const mil::Op& op) {
  Sign sign{.layer = find_layer(op.name)};
  for (std::size_t i = 0; !sign.layer && i < op.outputs.size(); ++i) {
    sign.layer = find_layer(op.outputs[i]->name);
  }
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (!is_weight(*value)) continue;
      sign.has_weight = true;
      if (!sign.layer) sign.layer = find_layer(value->name);
    }
  }
  return sign;
}

}  // namespace

std::optional<int> find_layer(std::string_view name) {
  std::size_t at = 0;
  while (at < name.size()) {
    std::size_t end = at;
    while (end < name.size() && !parts(name[end])) ++end;
    const std::string_view word = name.substr(at, end - at);
    std::size_t digits = end + 1;
    if (std::find(kWords.begin(), kWords.end(), word) != kWords.end()) {
      int number = 0;
      std::size_t last = digits;
      while (last < name.size() && is_digit(name[last]) && last - digits < 6) {
        number = number * 10 + (name[last++] - '0');
      }
      if (last > digits && (last == name.size() || parts(name[last]))) return number;
    }
    at = end + 1;
  }
  return std::nullopt;
}

Layers layers_of(const std::vector<const mil::Op*>& ops) {
  std::vector<Sign> signs;
  signs.reserve(ops.size());
  std::size_t last_named = ops.size();
  for (const mil::Op* op : ops) {
    signs.push_back(sign_of(*op));
    if (signs.back().layer) last_named = signs.size() - 1;
  }
  Layers layers;
  std::map<std::string, std::size_t> groups;
  std::string name = last_named == ops.size() ? "all ops" : "before the layers";
  for (std::size_t i = 0; i < ops.size(); ++i) {
    if (signs[i].layer) {
      name = "layer " + std::to_string(*signs[i].layer);
    } else if (last_named != ops.size() && i > last_named && signs[i].has_weight) {
      name = "after the layers";
    }
    const auto [group, is_new] = groups.emplace(name, layers.names.size());
    if (is_new) layers.names.push_back(name);
    layers.of.push_back(group->second);
  }
  return layers;
}

}  // namespace anemone::report
