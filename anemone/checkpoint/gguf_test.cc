#include "anemone/checkpoint/gguf.h"

#include <gtest/gtest.h>

#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/test_files.h"

namespace anemone {
namespace {

using checkpoint_test::bytes_of;
using checkpoint_test::GgufText;
using checkpoint_test::message_of;
using checkpoint_test::raw;
using checkpoint_test::TempFolder;

std::string refusal(std::string_view text) {
  return message_of([&] { read_gguf(bytes_of(text), "m.gguf"); });
}

GgufText two_tensors() {
  GgufText text;
  text.string("general.architecture", "llama");
  text.f32_tensor("a", {2, 3}, {1, 2, 3, 4, 5, 6});
  text.f32_tensor("b", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  return text;
}

TEST(Gguf, ReadsVersionsTwoAndThree) {
  for (const std::uint32_t version : {2u, 3u}) {
    GgufText text = two_tensors();
    text.version = version;
    const GgufFile file = read_gguf(bytes_of(text.build()), "m.gguf");
    ASSERT_EQ(file.tensors.size(), 2u);
    EXPECT_EQ(file.tensors[0].shape, (Shape{3, 2}));  // outermost first
    EXPECT_EQ(decode_f32(file.tensors[0]), (std::vector<float>{1, 2, 3, 4, 5, 6}));
    EXPECT_EQ(file.tensors[1].shape, (Shape{8}));
    EXPECT_EQ(file.tensors[1].rows(), 1);
    EXPECT_EQ(decode_f32(file.tensors[1]), (std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}));
  }
}

TEST(Gguf, ReadsMetadataOfEveryType) {
  GgufText text;
  text.pair("u8", GgufType::kU8, raw<std::uint8_t>(200))
      .pair("i8", GgufType::kI8, raw<std::int8_t>(-3))
      .pair("u16", GgufType::kU16, raw<std::uint16_t>(60000))
      .pair("i16", GgufType::kI16, raw<std::int16_t>(5))
      .u32("u32", 4'000'000'000u)
      .pair("i32", GgufType::kI32, raw<std::int32_t>(-7))
      .f32("f32", 1e-5f)
      .flag("yes", true)
      .string("text", "hä")
      .pair("u64", GgufType::kU64, raw(std::uint64_t{1} << 40))
      .pair("u64max", GgufType::kU64, raw(~std::uint64_t{0}))
      .pair("i64", GgufType::kI64, raw(std::int64_t{-1}))
      .pair("f64", GgufType::kF64, raw(0.1))
      .strings("words", {"a", "", "c d"})
      .array("floats", GgufType::kF32, 2, raw(0.5f) + raw(2.0f))
      .array("shorts", GgufType::kI16, 2, raw<std::int16_t>(-1) + raw<std::int16_t>(9))
      .array("nothing", GgufType::kString, 0, "");
  const GgufFile file = read_gguf(bytes_of(text.build()), "m.gguf");
  const GgufMetadata& m = file.metadata;
  EXPECT_EQ(m.find_count("u8"), 200);
  EXPECT_EQ(m.find_count("u16"), 60000);
  EXPECT_EQ(m.find_count("i16"), 5);
  EXPECT_EQ(m.find_count("u32"), 4'000'000'000);
  EXPECT_EQ(m.find_count("u64"), std::int64_t{1} << 40);
  EXPECT_EQ(m.find_number("f32"), 1e-5);  // the decimal that was meant
  EXPECT_EQ(m.find_number("f64"), 0.1);
  EXPECT_EQ(m.find_number("i32"), -7);
  EXPECT_EQ(m.find_bool("yes"), true);
  EXPECT_EQ(m.find_string("text"), "hä");
  EXPECT_EQ(m.find_strings("words"), (std::vector<std::string>{"a", "", "c d"}));
  EXPECT_EQ(m.find_floats("floats"), (std::vector<float>{0.5f, 2.0f}));
  EXPECT_EQ(m.find_integers("shorts"), (std::vector<std::int64_t>{-1, 9}));
  EXPECT_TRUE(m.find_strings("nothing").empty());
  EXPECT_FALSE(m.find_count("absent").has_value());

  const auto wrong = [&](const auto& find) { return message_of(find); };
  EXPECT_EQ(wrong([&] { m.find_count("i8"); }),
            "bad-input: m.gguf: metadata 'i8' is of type int8 -3; allowed: an integer from 0 to "
            "2^63 - 1");
  EXPECT_EQ(wrong([&] { m.find_count("u64max"); }),
            "bad-input: m.gguf: metadata 'u64max' is of type uint64; allowed: an integer from 0 to "
            "2^63 - 1");
  EXPECT_EQ(wrong([&] { m.find_string("yes"); }),
            "bad-input: m.gguf: metadata 'yes' is of type bool; allowed: string");
  EXPECT_EQ(wrong([&] { m.find_number("text"); }),
            "bad-input: m.gguf: metadata 'text' is of type string; allowed: a number");
  EXPECT_EQ(wrong([&] { m.find_strings("floats"); }),
            "bad-input: m.gguf: metadata 'floats' is of type array of float32; allowed: array of "
            "strings");
  EXPECT_EQ(wrong([&] { m.find_floats("u32"); }),
            "bad-input: m.gguf: metadata 'u32' is of type uint32 4000000000; allowed: array of "
            "float32");
}

TEST(Gguf, RefusesWhatIsMalformed) {
  const auto with = [](auto change) {
    GgufText text = two_tensors();
    change(text);
    return text.build();
  };
  struct Case {
    const char* what;
    std::string text;
    const char* message;
  };
  const std::string whole = two_tensors().build();
  const Case kCases[] = {
      {"empty", "", "bad-input: m.gguf: the magic at byte 0 takes 4 bytes, but only 0 are left"},
      {"magic", with([](GgufText& t) { t.magic = "GGUX"; }),
       "bad-input: m.gguf: starts with 'GGUX'; allowed: 'GGUF'"},
      {"old format", with([](GgufText& t) { t.magic = "tjgg"; }),
       "bad-input: m.gguf: starts with 'tjgg'; allowed: 'GGUF'"},
      {"version 1", with([](GgufText& t) { t.version = 1; }),
       "unsupported: m.gguf: is of GGUF version 1; allowed: 2 and 3"},
      {"version 0", with([](GgufText& t) { t.version = 0; }),
       "unsupported: m.gguf: is of GGUF version 0; allowed: 2 and 3"},
      {"version 4", with([](GgufText& t) { t.version = 4; }),
       "unsupported: m.gguf: is of GGUF version 4; allowed: 2 and 3"},
      {"big-endian", with([](GgufText& t) { t.version = 0x03000000; }),
       "unsupported: m.gguf: is a big-endian GGUF file; allowed: little-endian"},
      {"tensor count 2^63", with([](GgufText& t) { t.more_tensors = std::uint64_t{1} << 63; }),
       "bad-input: m.gguf: the number of tensors is given as 9223372036854775810, each of at least "
       "24 bytes, but only 200 bytes are left"},
      {"pair count 2^63", with([](GgufText& t) { t.more_pairs = std::uint64_t{1} << 63; }),
       "bad-input: m.gguf: the number of metadata pairs is given as 9223372036854775809, each of "
       "at "
       "least 13 bytes, but only 200 bytes are left"},
      {"key length", with([](GgufText& t) {
         t.pairs += raw(std::uint64_t{1} << 40);
         ++t.pair_count;
       }),
       "bad-input: m.gguf: the length of a metadata key is given as 1099511627776 bytes, but only "
       "147 are left"},
      {"empty key", with([](GgufText& t) { t.u32("", 1); }),
       "bad-input: m.gguf: a metadata key is empty"},
      {"key twice", with([](GgufText& t) { t.u32("k", 1).u32("k", 1); }),
       "bad-input: m.gguf: metadata 'k' stands twice"},
      {"type 13", with([](GgufText& t) { t.pair("k", GgufType{13}, ""); }),
       "bad-input: m.gguf: metadata 'k' is of type 13; allowed: 0 to 12"},
      {"boolean 2", with([](GgufText& t) { t.pair("k", GgufType::kBool, "\2"); }),
       "bad-input: m.gguf: metadata 'k' holds the boolean 2; allowed: 0 and 1"},
      {"array count 2^63",
       with([](GgufText& t) { t.array("k", GgufType::kF64, std::uint64_t{1} << 63, ""); }),
       "bad-input: m.gguf: the number of elements of metadata 'k' is given as 9223372036854775808, "
       "each of at least 8 bytes, but only 162 bytes are left"},
      {"string array count 2^61",
       with([](GgufText& t) { t.array("k", GgufType::kString, std::uint64_t{1} << 61, ""); }),
       "bad-input: m.gguf: the number of strings of metadata 'k' is given as 2305843009213693952, "
       "each of at least 8 bytes, but only 162 bytes are left"},
      {"string in an array too long",
       with([](GgufText& t) { t.array("k", GgufType::kString, 1, raw(std::uint64_t{1} << 62)); }),
       "bad-input: m.gguf: the length of metadata 'k' is given as 4611686018427387904 bytes, but "
       "only 154 are left"},
      {"array of arrays", with([](GgufText& t) { t.array("k", GgufType::kArray, 1, ""); }),
       "bad-input: m.gguf: metadata 'k' is an array of arrays; allowed: arrays of plain values"},
      {"array of an unknown type", with([](GgufText& t) { t.array("k", GgufType{99}, 1, ""); }),
       "bad-input: m.gguf: the elements of metadata 'k' is of type 99; allowed: 0 to 12"},
      {"alignment 0", with([](GgufText& t) { t.u32("general.alignment", 0); }),
       "bad-input: m.gguf: metadata 'general.alignment' is 0; allowed: a power of two"},
      {"alignment 48", with([](GgufText& t) { t.u32("general.alignment", 48); }),
       "bad-input: m.gguf: metadata 'general.alignment' is 48; allowed: a power of two"},
      {"alignment a string", with([](GgufText& t) { t.string("general.alignment", "32"); }),
       "bad-input: m.gguf: metadata 'general.alignment' is of type string; allowed: uint32"},
      {"alignment uint64", with([](GgufText& t) {
         t.pair("general.alignment", GgufType::kU64, raw<std::uint64_t>(32));
       }),
       "bad-input: m.gguf: metadata 'general.alignment' is of type uint64 32; allowed: uint32"},
      {"alignment 2^31: the data begins past the end",
       with([](GgufText& t) { t.u32("general.alignment", 0x80000000u); }),
       "bad-input: m.gguf: tensor 'b' begins at byte 32 of the data section; allowed: multiples of "
       "the alignment, 2147483648"},
      {"nine dimensions", with([](GgufText& t) {
         t.info("c", {1, 1, 1, 1, 1, 1, 1, 1, 1}, 0, 0);
       }),
       "bad-input: m.gguf: tensor 'c' has 9 dimensions; allowed: 0 to 4"},
      {"extent 0", with([](GgufText& t) {
         t.info("c", {4, 0}, 0, 0);
       }),
       "bad-input: m.gguf: tensor 'c' has an extent of 0; allowed: 1 and more"},
      {"extent 2^63", with([](GgufText& t) { t.info("c", {std::uint64_t{1} << 63}, 0, 0); }),
       "bad-input: m.gguf: tensor 'c' has shape [9223372036854775807], which is more than 2^48 "
       "elements"},
      {"product beyond 64 bits", with([](GgufText& t) {
         t.info("c", {std::uint64_t{1} << 32, std::uint64_t{1} << 32, std::uint64_t{1} << 32}, 0,
                0);
       }),
       "bad-input: m.gguf: tensor 'c' has shape [4294967296, 4294967296, 4294967296], which is "
       "more "
       "than 2^48 elements"},
      {"no name", with([](GgufText& t) { t.info("", {1}, 0, 64); }),
       "bad-input: m.gguf: the name of tensor 2 is empty"},
      {"name twice", with([](GgufText& t) { t.f32_tensor("a", {1}, {1}); }),
       "bad-input: m.gguf: tensor 'a' stands twice"},
      {"offset not aligned", with([](GgufText& t) { t.info("c", {1}, 0, 36); }),
       "bad-input: m.gguf: tensor 'c' begins at byte 36 of the data section; allowed: multiples of "
       "the alignment, 32"},
      {"offset past the end", with([](GgufText& t) { t.info("c", {1}, 0, 96); }),
       "bad-input: m.gguf: tensor 'c' takes 4 bytes from byte 96 of the data section on, past the "
       "section's end (64 bytes)"},
      {"offset near 2^64", with([](GgufText& t) { t.info("c", {1}, 0, ~std::uint64_t{31}); }),
       "bad-input: m.gguf: tensor 'c' takes 4 bytes from byte 18446744073709551584 of the data "
       "section on, past the section's end (64 bytes)"},
      {"inside another", with([](GgufText& t) { t.info("c", {1}, 0, 0); }),
       "bad-input: m.gguf: tensor 'c' begins at byte 0 of the data section, inside tensor 'a', "
       "which ends at byte 24"},
      {"cut one byte short", whole.substr(0, whole.size() - 1),
       "bad-input: m.gguf: tensor 'b' takes 32 bytes from byte 32 of the data section on, past the "
       "section's end (63 bytes)"},
      {"cut before the data", whole.substr(0, 160),
       "bad-input: m.gguf: tensor 'a' takes 24 bytes from byte 0 of the data section on, past the "
       "section's end (0 bytes)"},
      {"cut before the aligned data", whole.substr(0, 150),
       "bad-input: m.gguf: tensor 'a' takes 24 bytes from byte 0 of the data section on, past the "
       "section's end (0 bytes)"},
      {"row that does not divide into blocks", with([](GgufText& t) {
         t.info("c", {48, 2}, 8, 64);
       }),
       "bad-input: m.gguf: tensor 'c' has rows of 48 elements; Q8_0 takes multiples of 32"},
      {"row that does not divide into super-blocks", with([](GgufText& t) {
         t.info("c", {128, 2}, 12, 64);
       }),
       "bad-input: m.gguf: tensor 'c' has rows of 128 elements; Q4_K takes multiples of 256"},
      {"IQ2_XS", with([](GgufText& t) {
         t.info("c", {256}, 17, 64);
         t.info("d", {256}, 21, 64);
         t.info("e", {256}, 17, 64);
       }),
       "unsupported: m.gguf: tensor 'c' is stored as IQ2_XS (and 2 more tensors likewise); weights "
       "are read from F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K and "
       "Q6_K"},
      {"type 200", with([](GgufText& t) { t.info("c", {256}, 200, 64); }),
       "unsupported: m.gguf: tensor 'c' is stored as the unknown type 200; weights are read from "
       "F32, F16, BF16, Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q2_K, Q3_K, Q4_K, Q5_K and Q6_K"},
      {"name of broken UTF-8", with([](GgufText& t) { t.info("\xff\x1b[2J", {1}, 0, 33); }),
       "bad-input: m.gguf: tensor '\\xff\\x1b[2J' begins at byte 33 of the data section; allowed: "
       "multiples of the alignment, 32"},
      {"LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
       "bad-input: m.gguf: is a Git LFS pointer, not the file it points to (git lfs pull fetches "
       "that)"},
  };
  for (const Case& c : kCases) EXPECT_EQ(refusal(c.text), c.message) << c.what;
}

TEST(Gguf, EveryCutOfAFileIsRefused) {
  const std::string whole = two_tensors().strings("k", {"a", "bc"}).flag("f", true).build();
  ASSERT_EQ(refusal(whole), "no error");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(refusal(whole.substr(0, size)).starts_with("bad-input: m.gguf: ")) << size;
  }
}

TEST(Gguf, AnotherAlignmentIsKeptTo) {
  GgufText text;
  text.alignment = 128;
  text.u32("general.alignment", 128);
  text.f32_tensor("a", {1}, {3});
  text.f32_tensor("b", {1}, {4});
  const GgufFile file = read_gguf(bytes_of(text.build()), "m.gguf");
  EXPECT_EQ(decode_f32(file.tensors[0]), std::vector<float>{3});
  EXPECT_EQ(decode_f32(file.tensors[1]), std::vector<float>{4});
}

// Split models.

GgufText part_of(int part, int parts, int tensors) {
  GgufText text;
  if (part == 0) text.string("general.architecture", "llama");
  text.pair("split.no", GgufType::kU16, raw(static_cast<std::uint16_t>(part)));
  text.pair("split.count", GgufType::kU16, raw(static_cast<std::uint16_t>(parts)));
  text.pair("split.tensors.count", GgufType::kI32, raw(std::int32_t{tensors}));
  text.f32_tensor("part" + std::to_string(part), {1}, {static_cast<float>(part)});
  return text;
}

TEST(GgufSplit, AnyPartLoadsThemAll) {
  const TempFolder folder;
  for (int part = 0; part < 3; ++part) {
    folder.write("m-0000" + std::to_string(part + 1) + "-of-00003.gguf",
                 part_of(part, 3, 3).build());
  }
  for (const char* given : {"m-00001-of-00003.gguf", "m-00003-of-00003.gguf"}) {
    const std::vector<GgufFile> parts = load_gguf(folder.path() / given);
    ASSERT_EQ(parts.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(decode_f32(parts[i].tensors.at(0)), std::vector<float>{static_cast<float>(i)});
    }
  }
  const Checkpoint whole = Checkpoint::load(folder.path());
  EXPECT_EQ(whole.tensors().size(), 3u);
  EXPECT_EQ(whole.config().at("model_type"), "llama");
}

TEST(GgufSplit, MissingPartsAreNamed) {
  const TempFolder folder;
  const auto path = folder.write("m-00002-of-00003.gguf", part_of(1, 3, 3).build());
  EXPECT_EQ(message_of([&] { load_gguf(path); }),
            "not-found: " + path.string() +
                ": is part 2 of 3, and beside it is no 'm-00001-of-00003.gguf' and "
                "'m-00003-of-00003.gguf'");
  const auto renamed = folder.write("second.gguf", part_of(1, 3, 3).build());
  EXPECT_EQ(message_of([&] { load_gguf(renamed); }),
            "bad-input: " + renamed.string() +
                ": is part 2 of a model split into 3, whose other parts are found by name only; "
                "allowed: a name that ends in '-00002-of-00003.gguf'");
}

TEST(GgufSplit, PartsThatDoNotFitTogetherAreRefused) {
  const TempFolder folder;
  const auto first = folder.write("m-00001-of-00002.gguf", part_of(0, 2, 2).build());
  const auto second = folder.path() / "m-00002-of-00002.gguf";
  folder.write("m-00002-of-00002.gguf", part_of(0, 2, 2).build());
  EXPECT_EQ(message_of([&] { load_gguf(first); }),
            "bad-input: " + second.string() +
                ": says that it is part 1 of 2, but its name says part 2 of 2");
  folder.write("m-00002-of-00002.gguf", part_of(1, 2, 2).f32_tensor("part0", {1}, {1}).build());
  EXPECT_EQ(
      message_of([&] { load_gguf(first); }),
      "bad-input: " + second.string() + ": tensor 'part0' stands in another part of the model too");
  folder.write("m-00002-of-00002.gguf", part_of(1, 2, 2).f32_tensor("more", {1}, {1}).build());
  EXPECT_EQ(message_of([&] { load_gguf(first); }),
            "bad-input: " + first.string() +
                ": metadata 'split.tensors.count' is 2, but the parts hold 3 tensors");
}

}  // namespace
}  // namespace anemone
