#include "anemone/tokenizer/normalizer.h"
#include "anemone/tokenizer/unicode.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

std::string decode_base64(std::string_view text, const Fields& fields) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int count = 0;
  while (!text.empty() && text.back() == '=') text.remove_suffix(1);
  for (const char c : text) {
    const int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : c >= '0' && c <= '9' ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (value < 0) fields.fail("'precompiled_charsmap' is not base64");
    bits = (bits << 6) | static_cast<std::uint32_t>(value);
    if (++count % 4 != 1)
      bytes += static_cast<char>((bits >> (count % 4 == 2 ? 4 : count % 4 == 3 ? 2 : 0)) & 0xFF);
  }
  return bytes;
}

// One unit of a double-array trie. Source: s-yata/darts-clone, include/darts.h, DoubleArrayUnit.
bool has_leaf(std::uint32_t unit) { return ((unit >> 8) & 1) != 0; }
std::uint32_t value(std::uint32_t unit) { return unit & 0x7FFFFFFFu; }
std::uint32_t label(std::uint32_t unit) { return unit & 0x800000FFu; }
std::uint32_t offset(std::uint32_t unit) { return (unit >> 10) << ((unit & (1u << 9)) >> 6); }

// Longer clusters than this are looked up character by character only.
// Source: tokenizers 0.23.3, by experiment with trained SentencePiece tables.
constexpr std::size_t kMaxClusterBytes = 5;

}  // namespace

Charsmap::Charsmap(std::string_view base64, const Fields& fields) {
  const std::string bytes = decode_base64(base64, fields);
  if (bytes.empty()) return;
  const auto word = [&](std::size_t at) {
    std::uint32_t unit = 0;
    for (std::size_t i = 4; i-- > 0;)
      unit = (unit << 8) | static_cast<unsigned char>(bytes[at + i]);
    return unit;
  };
  if (bytes.size() < 4) fields.fail("'precompiled_charsmap' has no trie");
  const std::size_t trie_bytes = word(0);
  if (trie_bytes > bytes.size() - 4 || trie_bytes % 4 != 0) {
    fields.fail("'precompiled_charsmap' has " + std::to_string(bytes.size()) +
                " bytes, and a trie of " + std::to_string(trie_bytes) +
                " in them; it must be a multiple of 4 and fit");
  }
  for (std::size_t at = 4; at < 4 + trie_bytes; at += 4) units_.push_back(word(at));
  texts_ = bytes.substr(4 + trie_bytes);
  if (!is_utf8(texts_)) fields.fail("'precompiled_charsmap' has texts that are not UTF-8");
}

bool Charsmap::find(std::string_view text, std::string_view& replacement) const {
  if (units_.empty()) return false;
  std::size_t node = offset(units_[0]);
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte == 0) return false;
    node ^= byte;
    if (node >= units_.size() || label(units_[node]) != byte) return false;
    const std::uint32_t unit = units_[node];
    node ^= offset(unit);
    if (!has_leaf(unit)) continue;
    if (node >= units_.size()) return false;
    const std::size_t begin = value(units_[node]);
    if (begin > texts_.size()) return false;
    replacement = std::string_view(texts_).substr(begin);
    replacement = replacement.substr(0, replacement.find('\0'));
    return is_utf8(replacement);  // an offset into the middle of a character is no text
  }
  return false;
}

std::string Charsmap::apply(std::string_view text) const {
  std::string out;
  out.reserve(text.size());
  std::string_view replacement;
  while (!text.empty()) {
    const std::string_view cluster = text.substr(0, grapheme_length(text));
    text.remove_prefix(cluster.size());
    if (cluster.size() <= kMaxClusterBytes && find(cluster, replacement)) {
      out += replacement;
      continue;
    }
    for (std::size_t at = 0; at < cluster.size();) {
      const auto character = cluster.substr(at, utf8_length(cluster[at]));
      out += find(character, replacement) ? replacement : character;
      at += character.size();
    }
  }
  return out;
}

}  // namespace anemone
