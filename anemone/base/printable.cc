#include "anemone/base/printable.h"

namespace anemone {

std::string printable(std::string_view text, std::size_t most) {
  std::string made;
  std::size_t at = 0;
  for (; at < text.size() && at < most; ++at) {
    const auto byte = static_cast<unsigned char>(text[at]);
    const auto next = at + 1 < text.size() ? static_cast<unsigned char>(text[at + 1]) : 0;
    const bool is_c1 = byte == 0xc2 && next >= 0x80 && next <= 0x9f;
    if (byte >= 0x20 && byte != 0x7f && !is_c1) {
      made += text[at];
      continue;
    }
    constexpr char kDigits[] = "0123456789abcdef";
    const unsigned code = is_c1 ? next : byte;
    made += {'\\', 'x', kDigits[code >> 4], kDigits[code & 15]};
    at += is_c1 ? 1 : 0;
  }
  if (at >= text.size()) return made;
  // No half of a character at the end.
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) {
    --at;
    if (!made.empty()) made.pop_back();
  }
  return made + "...";
}

}  // namespace anemone
