#include "anemone/coreml/observe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/coreml/packages.h"

namespace anemone::coreml {
namespace {

using ::testing::ElementsAre;
using testing::message_of;

class Observing : public ::testing::Test {
 protected:
  Observation look(std::string_view says, const char* function = "prefill") {
    const engine::Feed feeds[] = {{"x", DType::kF32, x_.data(), 40}, {"n", DType::kI32, &n_, 1}};
    const engine::Fetch fetches[] = {{"y", DType::kF32, y_.data(), 40}};
    stages_.clear();
    return observe(
        stand_in_.stateful(says), stand_in_.options(),
        {.function = function, .feeds = feeds, .fetches = fetches, .predictions = 5},
        [this](std::string_view stage, const Observation&) { stages_.emplace_back(stage); });
  }

  StandIn stand_in_;
  std::vector<float> x_ = std::vector<float>(40, 3), y_ = std::vector<float>(40);
  std::int32_t n_ = 1;
  std::vector<std::string> stages_;
};

TEST_F(Observing, TimesEveryStage) {
  const Observation found = look(R"({"predict": {"seconds": 0.001}})");
  EXPECT_THAT(stages_, ElementsAre("compile", "load", "plan", "state", "predict"));
  EXPECT_EQ(found.failures.size(), 0u);
  EXPECT_EQ(found.function, "prefill");
  EXPECT_TRUE(std::filesystem::is_directory(found.compiled));
  EXPECT_GT(found.compile_seconds.value(), 0);
  EXPECT_GT(found.first_load_seconds.value(), 0);
  EXPECT_GT(found.second_load_seconds.value(), 0);
  EXPECT_GE(found.first_prediction_seconds.value(), 0.001);
  ASSERT_EQ(found.steady_seconds.size(), 5u);
  EXPECT_GE(found.steady_percentile(0.5).value(), 0.001);
  EXPECT_LE(found.steady_percentile(0.5).value(), found.steady_percentile(0.95).value());
  EXPECT_GT(found.footprint_before_bytes.value(), 0u);
  EXPECT_GT(found.footprint_peak_bytes.value(), 0u);
  // The first prediction's, on a state of zeros.
  EXPECT_EQ(y_, std::vector<float>(40, 7));
}

TEST_F(Observing, FindsWhatWasCompiledBefore) {
  const auto package = stand_in_.plain();
  const float x[] = {1, 2, 3};
  const engine::Feed feeds[] = {{"x", DType::kF32, x, 3}};
  const ObserveOptions what{.feeds = feeds, .predictions = 0};
  EXPECT_TRUE(observe(package, stand_in_.options(), what).compile_seconds.has_value());
  const Observation again = observe(package, stand_in_.options(), what);
  EXPECT_FALSE(again.compile_seconds.has_value());
  EXPECT_EQ(again.function, "main");
  EXPECT_TRUE(again.first_prediction_seconds.has_value());
  EXPECT_FALSE(again.steady_percentile(0.5).has_value());
}

TEST_F(Observing, ReadsThePlan) {
  const Observation found = look(R"({"plan_of": {
      "sum": {"supported": ["cpu", "gpu", "ane"], "preferred": "ane", "cost": 0.75},
      "y": {"supported": ["cpu"], "preferred": "cpu", "cost": null}}})");
  ASSERT_TRUE(found.has_plan);
  const auto placement = [&](std::string_view output) {
    for (const OpPlacement& one : found.plan) {
      if (one.output == output) return one;
    }
    return OpPlacement{};
  };
  const OpPlacement sum = placement("sum"), y = placement("y"), wide = placement("wide");
  EXPECT_EQ(sum.function, "prefill");
  EXPECT_EQ(sum.op, "ios18.add");
  EXPECT_THAT(sum.supported, ElementsAre("cpu", "gpu", "ane"));
  EXPECT_EQ(sum.preferred, "ane");
  EXPECT_EQ(sum.cost, 0.75);
  EXPECT_EQ(y.preferred, "cpu");
  EXPECT_FALSE(y.cost.has_value()) << "a NaN is no cost";
  EXPECT_EQ(wide.op, "ios18.cast");
  EXPECT_FALSE(wide.preferred.has_value());
  EXPECT_FALSE(wide.cost.has_value());
  for (const OpPlacement& one : found.plan) EXPECT_EQ(one.function, "prefill");
}

TEST_F(Observing, GoesOnWithoutAPlan) {
  const Observation found = look(R"({"plan": {"fails": {"code": 0, "message": "E5RT"}}})");
  EXPECT_FALSE(found.has_plan);
  EXPECT_EQ(found.find_failure("plan")->message, "E5RT");
  EXPECT_EQ(found.steady_seconds.size(), 5u);
  const Observation other = look(R"({"neural_network": true})");
  EXPECT_EQ(other.find_failure("plan")->message, "Core ML's plan holds no ML Program");
  EXPECT_FALSE(other.has_plan);
  const Observation raised = look(R"({"plan": {"raises": "no"}})");
  EXPECT_EQ(raised.find_failure("plan")->domain, "NSException");
}

TEST_F(Observing, RecordsWhereItEnded) {
  const Observation compile = look(R"({"compile": {"fails": {"code": 1, "message": "m"}}})");
  EXPECT_THAT(stages_, ElementsAre("compile"));
  EXPECT_EQ(compile.find_failure("compile")->code, 1);
  const Observation load = look(R"({"load": {"fails": {"code": 0, "message": "-14"}}})");
  EXPECT_THAT(stages_, ElementsAre("compile", "load"));
  EXPECT_FALSE(load.first_load_seconds.has_value());
  EXPECT_TRUE(load.compile_seconds.has_value());
  const Observation state = look(R"({"state": {"raises": "no state"}})");
  EXPECT_THAT(stages_, ElementsAre("compile", "load", "plan", "state"));
  EXPECT_EQ(state.find_failure("state")->message, "StandInException: no state");
  const Observation third = look(R"({"predict": {"at": 3, "raises": "tired"}})");
  EXPECT_EQ(third.steady_seconds.size(), 1u);
  EXPECT_TRUE(third.first_prediction_seconds.has_value());
  EXPECT_EQ(third.find_failure("predict")->domain, "NSException");
}

TEST_F(Observing, RefusesWhatIsWrongOnThisSide) {
  const std::string package = stand_in_.stateful().string();
  EXPECT_EQ(message_of([&] { look("{}", "encode"); }),
            "not-found: " + package + ": there is no function 'encode'; there are decode, prefill");
  EXPECT_EQ(
      message_of([&] { look("{}", ""); }),
      "not-found: " + package + ": has several functions; one of decode, prefill must be named");
  EXPECT_EQ(message_of([&] { observe(package, stand_in_.options(), {.function = "decode"}); }),
            "bad-input: " + package + ": function 'decode': input 'x' is missing");
}

TEST_F(Observing, StopsWhenAsked) {
  StopFlag stop;
  const auto package = stand_in_.plain();
  const float x[] = {1, 2, 3};
  const engine::Feed feeds[] = {{"x", DType::kF32, x, 3}};
  const std::string message = message_of([&] {
    observe(
        package, stand_in_.options(), {.feeds = feeds},
        [&](std::string_view, const Observation&) { stop.set(); }, &stop);
  });
  EXPECT_EQ(message.substr(0, 12), "interrupted:");
}

}  // namespace
}  // namespace anemone::coreml
