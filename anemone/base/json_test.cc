#include "anemone/base/json.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"

namespace anemone {
namespace {

std::string refusal(std::string_view text) {
  try {
    parse_json(text, "f.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Json, TheWholeTextMustBeJson) {
  EXPECT_EQ(refusal("{} "), "no error");
  EXPECT_NE(refusal("{} x"), "no error");
  EXPECT_EQ(refusal(std::string_view("{}\0garbage", 10)),
            "f.json: is not JSON at line 1, column 3: a zero byte");
}

TEST(Json, ARepeatedKeyIsRefused) {
  EXPECT_EQ(refusal(R"({"a":{"b":1},"b":2})"), "no error");
  EXPECT_EQ(refusal(R"({"a":1,"a":1})"), "f.json: the key 'a' stands twice in one object");
}

TEST(Json, DepthIsBounded) {
  EXPECT_EQ(refusal(std::string(100'000, '[')), "f.json: nested deeper than 512 levels");
}

}  // namespace
}  // namespace anemone
