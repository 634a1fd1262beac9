#include "anemone/models/form.h"

#include <array>
#include <utility>

namespace anemone::models {
namespace {

constexpr std::array<std::pair<Layout, std::string_view>, 2> kLayouts = {
    {{Layout::kBc1s, "bc1s"}, {Layout::kBsc, "bsc"}}};
constexpr std::array<std::pair<KvWrite, std::string_view>, 3> kKvWrites = {
    {{KvWrite::kSlice, "slice"}, {KvWrite::kBlend, "blend"}, {KvWrite::kHost, "host"}}};

template <typename Table, typename Key>
std::string_view name_in(const Table& table, Key key) {
  for (const auto& [value, text] : table) {
    if (value == key) return text;
  }
  return "?";
}

template <typename Key, std::size_t N>
std::optional<Key> find_in(const std::array<std::pair<Key, std::string_view>, N>& table,
                           std::string_view name) {
  for (const auto& [value, text] : table) {
    if (text == name) return value;
  }
  return std::nullopt;
}

}  // namespace

std::string_view name(Layout layout) { return name_in(kLayouts, layout); }
std::string_view name(KvWrite kv) { return name_in(kKvWrites, kv); }
std::optional<Layout> find_layout(std::string_view name) { return find_in(kLayouts, name); }
std::optional<KvWrite> find_kv_write(std::string_view name) { return find_in(kKvWrites, name); }

}  // namespace anemone::models
