#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

// The length of the well-formed UTF-8 sequence that `text` starts with; 0 if it does not.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return 0;
  }
  const unsigned second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_large = first == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

std::string in_quotes(std::string_view name) {
  constexpr std::size_t kMost = 200;
  constexpr char kHex[] = "0123456789abcdef";
  std::string out = "'";
  std::size_t at = 0;
  while (at < name.size() && at < kMost) {
    const auto c = static_cast<unsigned char>(name[at]);
    const std::size_t length = c < 0x20 || c == 0x7f ? 0 : utf8_length(name.substr(at));
    if (length == 0) {
      out += {'\\', 'x', kHex[c >> 4], kHex[c & 15]};
      ++at;
    } else {
      out += name.substr(at, length);
      at += length;
    }
  }
  return out + (at < name.size() ? "...'" : "'");
}

std::string listed(std::span<const std::string> names, std::size_t most) {
  std::string out;
  const std::size_t shown = std::min(names.size(), most);
  for (std::size_t i = 0; i < shown; ++i) {
    if (i > 0) out += i + 1 == names.size() ? " and " : ", ";
    out += in_quotes(names[i]);
  }
  if (shown < names.size()) out += " and " + std::to_string(names.size() - shown) + " more";
  return out;
}

void refuse_lfs_pointer(std::string_view start, const std::string& file) {
  // Source: git-lfs docs/spec.md, "The Pointer".
  if (start.starts_with("version https://git-lfs")) {
    bad_input(file +
              ": is a Git LFS pointer, not the file it points to (git lfs pull fetches that)");
  }
}

}  // namespace anemone
