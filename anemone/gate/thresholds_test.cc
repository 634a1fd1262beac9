#include "anemone/gate/thresholds.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"

namespace anemone::gate {
namespace {

std::string complaint(const char* text) {
  Thresholds thresholds;
  try {
    read_thresholds(Json::parse(text), "t.json", thresholds);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Thresholds, ChangeWhatTheFileNamesAndNothingElse) {
  Thresholds thresholds;
  read_thresholds(
      Json::parse(R"({"min_cosine": 0.99, "max_kl": 0.5, "max_perplexity_change": null})"),
      "t.json", thresholds);
  EXPECT_EQ(
      to_line(to_json(thresholds)),
      R"({"near_tie":0.1,"min_cosine":0.99,"max_perplexity_change":null,)"
      R"("min_boundary_cosine":0.999,"max_kl":0.5,"max_relative_error":null,"min_top5":null})");
}

TEST(Thresholds, RefuseWhatTheyCannotBe) {
  EXPECT_EQ(complaint("[]"), "t.json: is no JSON object");
  EXPECT_EQ(complaint(R"({"cosine": 1})"),
            "t.json: 'cosine' is no threshold; there are near_tie, min_cosine, "
            "max_perplexity_change, min_boundary_cosine, max_kl, max_relative_error, min_top5");
  EXPECT_EQ(complaint(R"({"min_cosine": 1.5})"),
            "t.json: 'min_cosine' is 1.5; allowed: a number from 0 to 1");
  EXPECT_EQ(complaint(R"({"max_kl": "low"})"),
            "t.json: 'max_kl' is \"low\"; allowed: a number from 0 on");
  EXPECT_EQ(complaint(R"({"near_tie": null})"),
            "t.json: 'near_tie' is null; allowed: a number from 0 on");
}

}  // namespace
}  // namespace anemone::gate
