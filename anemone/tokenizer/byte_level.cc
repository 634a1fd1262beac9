#include "anemone/tokenizer/byte_level.h"

#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

constexpr char32_t kLetters = 0x144;

struct Tables {
  std::array<std::string, 256> letters;
  std::array<int, kLetters> bytes;

  // Printable Latin-1 stands for itself; the other 68 follow from U+0100 on.
  Tables() {
    bytes.fill(-1);
    char32_t next = 0x100;
    for (unsigned byte = 0; byte < 256; ++byte) {
      const bool printable =
          (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
      const char32_t letter = printable ? byte : next++;
      append_code(letters[byte], letter);
      bytes[letter] = static_cast<int>(byte);
    }
  }
};

const Tables& tables() {
  static const Tables kTables;
  return kTables;
}

}  // namespace

std::string bytes_to_letters(std::string_view bytes) {
  const Tables& table = tables();
  std::string out;
  out.reserve(bytes.size() + bytes.size() / 4);
  for (const char c : bytes) out += table.letters[static_cast<unsigned char>(c)];
  return out;
}

int letter_to_byte(char32_t letter) { return letter < kLetters ? tables().bytes[letter] : -1; }

std::string_view byte_to_letter(unsigned char byte) { return tables().letters[byte]; }

}  // namespace anemone
