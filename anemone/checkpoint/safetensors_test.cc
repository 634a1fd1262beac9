#include "anemone/checkpoint/safetensors.h"

#include <gtest/gtest.h>

#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/test_files.h"

namespace anemone {
namespace {

using checkpoint_test::bytes_of;
using checkpoint_test::message_of;
using checkpoint_test::raw;
using checkpoint_test::safetensors_text;

std::string refusal(std::string_view text) {
  return message_of([&] { read_safetensors(bytes_of(text), "m.safetensors"); });
}

TEST(Safetensors, ReadsTensorsMetadataAndUnalignedData) {
  // The header's length is odd, so that the data lies at an odd address; spaces around it are
  // allowed.
  const std::string text = safetensors_text(
      R"(  {"__metadata__":{"format":"pt"},"b":{"dtype":"BF16","shape":[2,1],"data_offsets":[8,12]},)"
      R"("a":{"dtype":"F32","shape":[2],"data_offsets":[0,8],"extra":1},)"
      R"("none":{"dtype":"F16","shape":[0,7],"data_offsets":[12,12]},)"
      R"("one":{"dtype":"I64","shape":[],"data_offsets":[12,20]}} )",
      raw(1.5f) + raw(-2.0f) + raw<std::uint16_t>(0x3f80) + raw<std::uint16_t>(0xc000) +
          raw<std::int64_t>(7));
  const SafetensorsFile file = read_safetensors(bytes_of(text), "m.safetensors");
  EXPECT_EQ(file.metadata, (std::map<std::string, std::string>{{"format", "pt"}}));
  ASSERT_EQ(file.tensors.size(), 4u);
  EXPECT_EQ(file.tensors[0].name, "a");
  EXPECT_EQ(decode_f32(file.tensors[0]), (std::vector<float>{1.5f, -2.0f}));
  EXPECT_EQ(file.tensors[1].name, "b");
  EXPECT_EQ(file.tensors[1].shape, (Shape{2, 1}));
  EXPECT_EQ(decode_f32(file.tensors[1]), (std::vector<float>{1.0f, -2.0f}));
  EXPECT_EQ(file.tensors[2].name, "none");
  EXPECT_EQ(file.tensors[2].data->size_bytes(), 0u);
  EXPECT_EQ(file.tensors[3].encoding, Encoding::kI64);
  EXPECT_EQ(file.tensors[3].count(), 1);
}

TEST(Safetensors, AFileOfMetadataAloneIsValid) {
  const SafetensorsFile file =
      read_safetensors(bytes_of(safetensors_text(R"({"__metadata__":{"crc":"12"}})")), "m");
  EXPECT_TRUE(file.tensors.empty());
  EXPECT_EQ(file.metadata.at("crc"), "12");
  EXPECT_TRUE(read_safetensors(bytes_of(safetensors_text("{}")), "m").tensors.empty());
}

TEST(Safetensors, EveryDtypeOfTheFormatTakesItsBytes) {
  // Source: safetensors 0.8.0, as tried with its reader: bytes of four elements.
  const std::pair<const char*, int> kBytes[] = {
      {"BOOL", 4}, {"F4", 2},          {"F6_E2M3", 3}, {"F6_E3M2", 3}, {"U8", 4},
      {"I8", 4},   {"F8_E5M2", 4},     {"F8_E4M3", 4}, {"F8_E8M0", 4}, {"F8_E4M3FNUZ", 4},
      {"I16", 8},  {"F8_E5M2FNUZ", 4}, {"U16", 8},     {"F16", 8},     {"BF16", 8},
      {"I32", 16}, {"U32", 16},        {"F32", 16},    {"C64", 32},    {"F64", 32},
      {"I64", 32}, {"U64", 32}};
  for (const auto& [dtype, bytes] : kBytes) {
    // clang 14 captures no structured binding.
    const auto text = [&, dtype = dtype](int size) {
      return safetensors_text(std::string(R"({"t":{"dtype":")") + dtype +
                                  R"(","shape":[4],"data_offsets":[0,)" + std::to_string(size) +
                                  "]}}",
                              std::string(static_cast<std::size_t>(size), 'x'));
    };
    EXPECT_EQ(refusal(text(bytes)), "no error") << dtype;
    EXPECT_NE(refusal(text(bytes + 1)), "no error") << dtype;
  }
}

TEST(Safetensors, RefusesWhatIsMalformed) {
  // One tensor "t" by its description, with eight bytes of data.
  const auto one = [](std::string_view description) {
    return safetensors_text(R"({"t":)" + std::string(description) + "}", "01234567");
  };
  const auto two = [](std::string_view a, std::string_view b, std::size_t data) {
    return safetensors_text(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(a) +
                                R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" +
                                std::string(b) + "}}",
                            std::string(data, 'x'));
  };
  struct Case {
    const char* what;
    std::string text;
    const char* message;
  };
  const Case kCases[] = {
      {"empty file", "",
       "m.safetensors: the header's length at byte 0 takes 8 bytes, but only 0 are left"},
      {"seven bytes", "1234567",
       "m.safetensors: the header's length at byte 0 takes 8 bytes, but only 7 are left"},
      {"length 2^60", raw(std::uint64_t{1} << 60) + "{}",
       "m.safetensors: the header's length is given as 1152921504606846976 bytes, but only 2 "
       "follow"},
      {"length 2^64 - 1", raw(~std::uint64_t{0}) + "{}",
       "m.safetensors: the header's length is given as 18446744073709551615 bytes, but only 2 "
       "follow"},
      {"length one too long", raw(std::uint64_t{3}) + "{}",
       "m.safetensors: the header's length is given as 3 bytes, but only 2 follow"},
      {"length zero", raw(std::uint64_t{0}) + "{}",
       "m.safetensors: the header's length is given as 0 bytes; allowed: 2 to 100000000"},
      {"LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
       "m.safetensors: is a Git LFS pointer, not the file it points to (git lfs pull fetches "
       "that)"},
      {"not JSON", safetensors_text("{]"),
       "m.safetensors: the header: is not JSON at line 1, column 2: syntax error while parsing "
       "object key - unexpected ']'; expected string literal"},
      {"broken UTF-8", safetensors_text("{\"\xff\":1}"),
       "m.safetensors: the header: is not JSON at line 1, column 3: syntax error while parsing "
       "object key - invalid string: ill-formed UTF-8 byte; last read: '\"\xff'; expected string "
       "literal"},
      {"trailing zero", safetensors_text(std::string_view("{}\0", 3)),
       "m.safetensors: the header: is not JSON at line 1, column 3: a zero byte"},
      {"array", safetensors_text("[]"),
       "m.safetensors: the header is of type array; allowed: object"},
      {"metadata with a number", safetensors_text(R"({"__metadata__":{"v":1}})"),
       "m.safetensors: '__metadata__' holds a value of type number under 'v'; allowed: strings "
       "only"},
      {"metadata a string", safetensors_text(R"({"__metadata__":"v"})"),
       "m.safetensors: '__metadata__' is of type string; allowed: an object of strings"},
      {"the same name twice",
       safetensors_text(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                        R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                        "x"),
       "m.safetensors: the header: the key 'a' stands twice in one object"},
      {"not an object", one("3"),
       "m.safetensors: tensor 't' is described by a value of type number; allowed: object"},
      {"no dtype", one(R"({"shape":[2],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has no 'dtype'"},
      {"no shape", one(R"({"dtype":"F32","data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has no 'shape'"},
      {"no offsets", one(R"({"dtype":"F32","shape":[2]})"),
       "m.safetensors: tensor 't' has no 'data_offsets'"},
      {"dtype a number", one(R"({"dtype":4,"shape":[2],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't': 'dtype' is of type number; allowed: string"},
      {"unknown dtype", one(R"({"dtype":"F31","shape":[2],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has the unknown dtype 'F31'; weights are read from F32, F16 and "
       "BF16"},
      {"shape a number", one(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't': 'shape' is of type number; allowed: array"},
      {"negative extent", one(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't': an extent of its shape is -2; allowed: a whole number from 0 "
       "up"},
      {"fractional extent", one(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't': an extent of its shape is 2.0; allowed: a whole number from 0 "
       "up"},
      {"extent beyond 64 bits",
       one(R"({"dtype":"F32","shape":[99999999999999999999],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't': an extent of its shape is 1e+20; allowed: a whole number from 0 "
       "up"},
      {"2^40 x 2^40",
       one(R"({"dtype":"F32","shape":[1099511627776,1099511627776],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has shape [1099511627776, 1099511627776], which is more than "
       "2^48 elements"},
      {"three offsets", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4,8]})"),
       "m.safetensors: tensor 't': 'data_offsets' has 3 numbers; allowed: 2, begin and end"},
      {"negative begin", one(R"({"dtype":"F32","shape":[2],"data_offsets":[-8,0]})"),
       "m.safetensors: tensor 't': the begin of its bytes is -8; allowed: a whole number from 0 "
       "up"},
      {"end a string", one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,"8"]})"),
       "m.safetensors: tensor 't': the end of its bytes is \"8\"; allowed: a whole number from 0 "
       "up"},
      {"begin after end", one(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"),
       "m.safetensors: tensor 't' has the byte range [8, 0): it ends first"},
      {"past the end", one(R"({"dtype":"F32","shape":[1000,1000],"data_offsets":[0,4000000]})"),
       "m.safetensors: tensor 't' ends at byte 4000000 of the data section, past the section's end "
       "(8 bytes)"},
      {"cut short by one byte",
       safetensors_text(R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "0123456"),
       "m.safetensors: tensor 't' ends at byte 8 of the data section, past the section's end (7 "
       "bytes)"},
      {"end near 2^64",
       one(R"({"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]})"),
       "m.safetensors: tensor 't' ends at byte 18446744073709551615 of the data section, past the "
       "section's end (8 bytes)"},
      {"range too small for the shape", one(R"({"dtype":"F64","shape":[4],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has dtype F64 and shape [4], which take 32 bytes, but its byte "
       "range [0, 8) holds 8"},
      {"range too large for the shape", one(R"({"dtype":"U8","shape":[4],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has dtype U8 and shape [4], which take 4 bytes, but its byte "
       "range [0, 8) holds 8"},
      {"half a byte", one(R"({"dtype":"F4","shape":[15],"data_offsets":[0,8]})"),
       "m.safetensors: tensor 't' has shape [15], whose 15 elements of dtype F4 do not fill whole "
       "bytes"},
      {"overlap", two("[0,4]", "[2,6]", 6),
       "m.safetensors: tensor 'b' begins at byte 2 of the data section, inside tensor 'a', which "
       "ends at byte 4"},
      {"the same bytes twice", two("[0,4]", "[0,4]", 4),
       "m.safetensors: tensor 'b' begins at byte 0 of the data section, inside tensor 'a', which "
       "ends at byte 4"},
      {"hole", two("[0,4]", "[5,9]", 9),
       "m.safetensors: tensor 'b' begins at byte 5 of the data section, but what comes before it "
       "ends at byte 4; allowed: no holes"},
      {"hole at the start", two("[1,5]", "[5,9]", 9),
       "m.safetensors: tensor 'a' begins at byte 1 of the data section, but what comes before it "
       "ends at byte 0; allowed: no holes"},
      {"bytes after the last", two("[0,4]", "[4,8]", 11),
       "m.safetensors: the tensors end at byte 8 of the data section, but the file goes on for 3 "
       "bytes"},
      {"bytes of no tensor", safetensors_text("{}", "x"),
       "m.safetensors: the tensors end at byte 0 of the data section, but the file goes on for 1 "
       "bytes"},
      {"a name with control characters",
       safetensors_text(R"({"a\nb\u0000":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})"),
       "m.safetensors: tensor 'a\\x0ab\\x00' ends at byte 1 of the data section, past the "
       "section's end (0 bytes)"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(refusal(c.text), std::string("bad-input: ") + c.message) << c.what;
  }
}

TEST(Safetensors, EveryCutOfAFileIsRefused) {
  const std::string whole =
      safetensors_text(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                       R"("b":{"dtype":"F16","shape":[2],"data_offsets":[4,8]}})",
                       "01234567");
  ASSERT_EQ(refusal(whole), "no error");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(refusal(whole.substr(0, size)).starts_with("bad-input: m.safetensors: ")) << size;
  }
}

TEST(Safetensors, ADeepHeaderIsRefusedWithoutOverflow) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(refusal(safetensors_text("{\"a\":" + deep)),
            "bad-input: m.safetensors: the header: nested deeper than 512 levels");
}

}  // namespace
}  // namespace anemone
