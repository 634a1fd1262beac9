#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace anemone {

// Token texts and their ids, both ways; ids may have holes. Texts lie end to end in one string.
class TokenTable {
 public:
  // False if the text is there already.
  bool add(std::string_view text, int id);
  // Like add(), but a text that is there already moves to `id`; its former id keeps the text.
  void put(std::string_view text, int id);
  // To be called once after the last add().
  void finish();

  std::size_t size() const { return ids_.size(); }
  std::optional<int> find(std::string_view text) const;
  // Of several texts with one id the last that was added.
  std::optional<std::string_view> text(int id) const;
  int highest_id() const { return highest_id_; }  // -1 if empty

  std::string_view text_at(std::size_t index) const;
  int id_at(std::size_t index) const { return ids_[index]; }

 private:
  void grow();
  // Where `text` is, or the free slot where it would go.
  std::size_t slot_of(std::string_view text) const;
  void append(std::size_t slot, std::string_view text, int id);

  std::string texts_;
  std::vector<std::uint32_t> ends_;
  std::vector<int> ids_;
  std::vector<std::uint32_t> slots_;  // open addressing: 1 + index, or 0
  std::vector<std::uint32_t> by_id_;  // indexes in order of id; empty if index and id are the same
  int highest_id_ = -1;
};

}  // namespace anemone
