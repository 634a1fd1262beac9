#include "anemone/report/layers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

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

// "decoder_ls_" and 12 of "decoder_ls_12_q_weight": the first number that stands between the parts
// of a name.
struct Numbered {
  std::string_view before;
  int number = 0;
  std::string_view after;
};

std::optional<Numbered> first_number(std::string_view name) {
  for (std::size_t at = 1; at < name.size(); ++at) {
    if (!parts(name[at - 1]) || !is_digit(name[at])) continue;
    std::size_t end = at;
    int number = 0;
    while (end < name.size() && is_digit(name[end]) && end - at < 6) {
      number = number * 10 + (name[end++] - '0');
    }
    if (end < name.size() && parts(name[end])) {
      return Numbered{name.substr(0, at), number, name.substr(end)};
    }
  }
  return std::nullopt;
}

// Where no name has a word for layers: what stands before the number in the names of weights that
// are called alike but for it ("ls_0_q_weight", "ls_1_q_weight"), as tools call the parts of a
// list. The one that most weights have; empty if there is none.
std::string_view common_stem(const std::vector<const mil::Op*>& ops) {
  std::map<std::string_view, std::map<std::string_view, std::set<int>>> stems;
  for (const mil::Op* op : ops) {
    for (const mil::Input& input : op->inputs) {
      for (const mil::Value* value : input.values) {
        if (!is_weight(*value)) continue;
        if (const auto found = first_number(value->name)) {
          stems[found->before][found->after].insert(found->number);
        }
      }
    }
  }
  std::string_view best;
  std::size_t most = 0;
  for (const auto& [stem, names] : stems) {
    std::size_t repeated = 0;
    for (const auto& [rest, numbers] : names) repeated += numbers.size() > 1 ? numbers.size() : 0;
    if (repeated > most) {
      best = stem;
      most = repeated;
    }
  }
  return best;
}

// In the names of ops and values "h_5" is how tools call a variable h; in those of weights it is
// the fifth block of a list.
std::optional<int> layer_by(std::string_view stem, std::string_view name, bool is_weight) {
  const bool is_variable = !is_weight && name.size() > 2 && name[0] == 'h' && parts(name[1]);
  if (stem.empty()) return is_variable ? std::nullopt : find_layer(name);
  const auto found = first_number(name);
  return found && found->before == stem ? std::optional(found->number) : std::nullopt;
}

Sign sign_of(const mil::Op& op, std::string_view stem) {
  Sign sign{.layer = layer_by(stem, op.name, false)};
  for (std::size_t i = 0; !sign.layer && i < op.outputs.size(); ++i) {
    sign.layer = layer_by(stem, op.outputs[i]->name, false);
  }
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (!is_weight(*value)) continue;
      sign.has_weight = true;
      if (!sign.layer) sign.layer = layer_by(stem, value->name, true);
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
  const auto read_names = [&](std::string_view stem) {
    signs.clear();
    for (const mil::Op* op : ops) {
      signs.push_back(sign_of(*op, stem));
      if (signs.back().layer) last_named = signs.size() - 1;
    }
  };
  read_names("");
  if (last_named == ops.size()) {
    if (const std::string_view stem = common_stem(ops); !stem.empty()) read_names(stem);
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
