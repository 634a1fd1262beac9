#include "anemone/base/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/error.h"

namespace anemone {
namespace {

std::string refusal(std::string_view text) {
  try {
    parse_json(text, "a.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kBadInput);
    return error.what();
  }
  return "";
}

TEST(Json, RefusesANumberThatNoDoubleHolds) {
  EXPECT_EQ(refusal(R"({"a": 1e999})"), "a.json: number overflow parsing '1e999'");
}

TEST(Json, RefusesARepeatedKey) {
  EXPECT_EQ(refusal(R"({"a": {"b": 1, "b": 2}})"),
            "a.json: the key 'b' stands twice in one object");
}

TEST(Json, SaysWhereTheTextBreaks) {
  EXPECT_THAT(refusal("{\n  \"a\" 1}"),
              testing::StartsWith("a.json: is not JSON at line 2, column 7: "));
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_EQ(refusal(std::string(600, '[')), "a.json: nested deeper than 512 levels");
}

}  // namespace
}  // namespace anemone
