#include "anemone/tokenizer/token_table.h"

#include <limits>

#include "anemone/base/check.h"

namespace anemone {
namespace {

std::size_t hash(std::string_view text) { return std::hash<std::string_view>()(text); }

}  // namespace

std::string_view TokenTable::text_at(std::size_t index) const {
  const std::uint32_t begin = index == 0 ? 0 : ends_[index - 1];
  return std::string_view(texts_).substr(begin, ends_[index] - begin);
}

std::size_t TokenTable::slot_of(std::string_view text) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash(text) & mask;
  while (slots_[slot] != 0 && text_at(slots_[slot] - 1) != text) slot = (slot + 1) & mask;
  return slot;
}

void TokenTable::grow() {
  if (2 * ids_.size() < slots_.size()) return;
  std::vector<std::uint32_t> old(std::max<std::size_t>(64, slots_.size() * 2), 0);
  old.swap(slots_);
  for (const std::uint32_t entry : old) {
    if (entry != 0) slots_[slot_of(text_at(entry - 1))] = entry;
  }
}

void TokenTable::append(std::size_t slot, std::string_view text, int id) {
  ANEMONE_CHECK(text.size() < std::numeric_limits<std::uint32_t>::max() - texts_.size());
  texts_ += text;
  ends_.push_back(static_cast<std::uint32_t>(texts_.size()));
  ids_.push_back(id);
  slots_[slot] = static_cast<std::uint32_t>(ids_.size());
  highest_id_ = std::max(highest_id_, id);
}

bool TokenTable::add(std::string_view text, int id) {
  grow();
  const std::size_t slot = slot_of(text);
  if (slots_[slot] != 0) return false;
  append(slot, text, id);
  return true;
}

void TokenTable::put(std::string_view text, int id) {
  grow();
  append(slot_of(text), text, id);
}

void TokenTable::finish() {
  bool same = true;
  for (std::size_t i = 0; i < ids_.size() && same; ++i) same = ids_[i] == static_cast<int>(i);
  if (same) return;
  by_id_.resize(ids_.size());
  for (std::size_t i = 0; i < by_id_.size(); ++i) by_id_[i] = static_cast<std::uint32_t>(i);
  std::stable_sort(by_id_.begin(), by_id_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return ids_[a] < ids_[b]; });
}

std::optional<int> TokenTable::find(std::string_view text) const {
  if (slots_.empty()) return std::nullopt;
  const std::uint32_t entry = slots_[slot_of(text)];
  if (entry == 0) return std::nullopt;
  return ids_[entry - 1];
}

std::optional<std::string_view> TokenTable::text(int id) const {
  if (id < 0 || id > highest_id_) return std::nullopt;
  if (by_id_.empty()) return text_at(static_cast<std::size_t>(id));
  const auto behind =
      std::upper_bound(by_id_.begin(), by_id_.end(), id,
                       [&](int wanted, std::uint32_t index) { return wanted < ids_[index]; });
  if (behind == by_id_.begin() || ids_[behind[-1]] != id) return std::nullopt;
  return text_at(behind[-1]);
}

}  // namespace anemone
