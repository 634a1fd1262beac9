#include <algorithm>
#include <bit>
#include <cctype>

#include "anemone/base/error.h"
#include "anemone/predict/npz.h"

namespace anemone::predict {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are copied as they lie");

constexpr std::string_view kMagic = "\x93NUMPY";

struct Row {
  DType dtype;
  std::string_view code;  // without the byte order
};
constexpr Row kRows[] = {
    {DType::kBool, "b1"}, {DType::kI8, "i1"},  {DType::kU8, "u1"},  {DType::kI16, "i2"},
    {DType::kU16, "u2"},  {DType::kI32, "i4"}, {DType::kU32, "u4"}, {DType::kI64, "i8"},
    {DType::kU64, "u8"},  {DType::kF16, "f2"}, {DType::kF32, "f4"}, {DType::kF64, "f8"},
};

// A dtype that NumPy has and that holds every value of `dtype`.
DType writable(DType dtype) {
  if (is_sub_byte(dtype)) return info(dtype).is_signed ? DType::kI8 : DType::kU8;
  const bool is_narrow_float =
      dtype == DType::kBF16 || dtype == DType::kF8E4M3 || dtype == DType::kF8E5M2;
  return is_narrow_float ? DType::kF32 : dtype;
}

std::string shape_text(const Shape& shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i > 0 ? ", " : "") + std::to_string(shape[i]);
  }
  return text + (shape.size() == 1 ? ",)" : ")");
}

std::string header_for(const std::string& descr, const Shape& shape) {
  std::string dictionary =
      "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  constexpr std::size_t kBefore = 10;  // magic, version, length
  constexpr std::size_t kAlignment = 64;
  const std::size_t used = kBefore + dictionary.size() + 1;
  dictionary += std::string((kAlignment - used % kAlignment) % kAlignment, ' ') + "\n";
  std::string header(kMagic);
  header += '\x01';
  header += '\x00';
  header += static_cast<char>(dictionary.size() & 0xff);
  header += static_cast<char>(dictionary.size() >> 8);
  return header + dictionary;
}

// The characters of text that is UTF-8; a byte that is none becomes U+FFFD.
std::u32string characters(std::string_view text) {
  std::u32string codes;
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at++]);
    const int more = first < 0x80 ? 0 : first < 0xC0 ? -1 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
    char32_t code = more <= 0 ? first : first & (0x3F >> more);
    bool is_sound = more >= 0;
    for (int i = 0; i < more && is_sound; ++i) {
      is_sound = at < text.size() && (text[at] & 0xC0) == 0x80;
      if (is_sound) code = (code << 6) | (static_cast<unsigned char>(text[at++]) & 0x3F);
    }
    codes += is_sound ? code : U'\uFFFD';
  }
  return codes;
}

// UCS-4, padded with zeros to the longest.
std::string string_bytes(const Tensor& tensor) {
  std::vector<std::u32string> texts;
  std::size_t longest = 1;
  for (const std::string& text : tensor.strings()) {
    texts.push_back(characters(text));
    longest = std::max(longest, texts.back().size());
  }
  std::string bytes = header_for("<U" + std::to_string(longest), tensor.shape());
  for (std::u32string& text : texts) {
    text.resize(longest);
    bytes.append(reinterpret_cast<const char*>(text.data()), text.size() * sizeof(char32_t));
  }
  return bytes;
}

// The three keys of the header, a Python dictionary of literals.
struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  Header parse() {
    Header header;
    int seen = 0;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        skip_space();
        if (at_ < text_.size() && text_[at_] == '[') {
          fail("holds records; allowed: one element type");
        }
        header.descr = string();
      } else if (key == "fortran_order") {
        header.fortran_order = boolean();
      } else if (key == "shape") {
        header.shape = tuple();
      } else {
        fail("has the key '" + key + "' in its header");
      }
      ++seen;
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (seen != 3) fail("has a header without descr, fortran_order and shape");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Code::kBadInput, std::string(what_) + ": " + why);
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  bool accept(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!accept(c)) {
      fail("its header is no dictionary: no '" + std::string(1, c) + "' at byte " +
           std::to_string(at_));
    }
  }
  std::string string() {
    skip_space();
    const char quote = at_ < text_.size() ? text_[at_] : '\0';
    const auto end = text_.find(quote, at_ + 1);
    if ((quote != '\'' && quote != '"') || end == std::string_view::npos) {
      fail("its header is no dictionary: no text at byte " + std::to_string(at_));
    }
    const std::string_view found = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(found);
  }
  bool boolean() {
    skip_space();
    for (const std::string_view word : {"True", "False"}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += word.size();
      return word == "True";
    }
    fail("fortran_order in its header is neither True nor False");
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = 0;
      const std::size_t start = at_;
      for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
        if (extent > (std::int64_t{1} << 48)) fail("its shape is larger than any memory");
        extent = extent * 10 + (text_[at_] - '0');
      }
      if (at_ == start || shape.size() == 64) fail("its shape is no tuple of extents");
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // as Python 2 wrote them
      shape.push_back(extent);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  std::string_view what_;
  std::size_t at_ = 0;
};

// Elements of `width` bytes from Fortran to C order.
std::vector<std::byte> turned(std::span<const std::byte> from, const Shape& shape,
                              std::size_t width) {
  std::vector<std::byte> to(from.size());
  const auto count = static_cast<std::size_t>(element_count(shape));
  Shape index(shape.size(), 0);
  Shape strides(shape.size(), 1);
  for (std::size_t i = 1; i < shape.size(); ++i) strides[i] = strides[i - 1] * shape[i - 1];
  for (std::size_t n = 0; n < count; ++n) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) at += index[i] * strides[i];
    std::memcpy(to.data() + n * width, from.data() + static_cast<std::size_t>(at) * width, width);
    for (std::size_t d = shape.size(); d > 0 && ++index[d - 1] == shape[d - 1]; --d) {
      index[d - 1] = 0;
    }
  }
  return to;
}

std::string allowed_codes() {
  std::string names;
  for (const Row& row : kRows) names += (names.empty() ? "" : ", ") + std::string(row.code);
  return names;
}

}  // namespace

std::string npy_bytes(const Tensor& tensor) {
  if (tensor.dtype() == DType::kString) return string_bytes(tensor);
  const DType dtype = writable(tensor.dtype());
  const Tensor here =
      (dtype == tensor.dtype() ? tensor : convert(tensor.resident(), dtype)).resident();
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return r.dtype == dtype; });
  ANEMONE_CHECK(row != std::end(kRows)) << name(dtype);
  const bool is_byte = width_bits(dtype) == 8 || dtype == DType::kBool;
  std::string bytes = header_for((is_byte ? "|" : "<") + std::string(row->code), tensor.shape());
  bytes.append(as_text(here.data()));
  return bytes;
}

Tensor parse_npy(std::span<const std::byte> bytes, std::string_view what) {
  ByteReader reader(bytes, std::string(what));
  if (as_text(bytes).substr(0, kMagic.size()) != kMagic) {
    throw Error(Code::kBadInput, std::string(what) + ": is no NumPy array");
  }
  reader.seek(kMagic.size());
  const int version = reader.u8("version");
  reader.u8("version");
  if (version < 1 || version > 3) {
    throw Error(Code::kUnsupported, std::string(what) + ": is of npy version " +
                                        std::to_string(version) + "; allowed: 1, 2, 3");
  }
  const std::size_t length =
      version == 1 ? reader.u16("header length") : reader.u32("header length");
  const Header header = HeaderParser(as_text(reader.take(length, "header")), what).parse();

  const std::string_view descr = header.descr;
  const bool has_order = !descr.empty() && std::string_view("<>|=").find(descr[0]) != descr.npos;
  const std::string_view code = has_order ? descr.substr(1) : descr;
  const auto* row = std::find_if(std::begin(kRows), std::end(kRows),
                                 [&](const Row& r) { return r.code == code; });
  if (row == std::end(kRows)) {
    throw Error(Code::kUnsupported, std::string(what) + ": has elements of type '" + header.descr +
                                        "'; allowed: " + allowed_codes());
  }
  const auto width = static_cast<std::size_t>(std::max(8, width_bits(row->dtype)) / 8);
  const auto count = checked_element_count(header.shape);
  const std::size_t left = reader.left();
  if (!count || static_cast<std::uint64_t>(*count) * width != left) {
    throw Error(Code::kBadInput, std::string(what) + ": has " + std::to_string(left) +
                                     " bytes of elements, which does not fit shape " +
                                     anemone::to_string(header.shape) + " of '" + header.descr +
                                     "'");
  }
  const auto raw = reader.take(left, "elements");
  std::vector<std::byte> own(raw.begin(), raw.end());
  if (has_order && descr[0] == '>' && width > 1) {
    for (std::size_t i = 0; i < own.size(); i += width) {
      std::reverse(own.begin() + static_cast<std::ptrdiff_t>(i),
                   own.begin() + static_cast<std::ptrdiff_t>(i + width));
    }
  }
  if (header.fortran_order) own = turned(own, header.shape, width);
  return Tensor(row->dtype, header.shape, own_bytes(std::move(own)));
}

}  // namespace anemone::predict
