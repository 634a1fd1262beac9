#include "anemone/coreml/coreml.h"

#include <gtest/gtest.h>

#include "anemone/coreml/compiled.h"
#include "anemone/coreml/framework.h"
#include "anemone/coreml/machine.h"
#include "anemone/testing/message_of.h"

namespace anemone::coreml {
namespace {

using testing::message_of;

TEST(CoreMl, NamesEveryChoiceOfUnits) {
  for (const auto units : {ComputeUnits::kCpu, ComputeUnits::kCpuAndGpu, ComputeUnits::kCpuAndAne,
                           ComputeUnits::kAll}) {
    EXPECT_EQ(find_compute_units(name(units)), units);
  }
  EXPECT_EQ(name(ComputeUnits::kCpuAndAne), "cpu+ane");
  EXPECT_FALSE(find_compute_units("ane").has_value());
}

TEST(CoreMl, RefusesEveryThingWhereThereIsNone) {
  if (is_available()) GTEST_SKIP() << "this build has Core ML";
  const std::string refusal =
      "unsupported: the runner 'coreml' needs a build of anemone for macOS 15 or later; this one "
      "has "
      "the runner 'cpu' alone";
  EXPECT_EQ(message_of([] { opener({}); }), refusal);
  EXPECT_EQ(message_of([] { open_predictor("x.mlpackage", {}); }), refusal);
  EXPECT_EQ(message_of([] { observe("x.mlpackage", {}, {}); }), refusal);
  EXPECT_EQ(framework::compile("x", 1).failure->message, "this build has no Core ML");
}

TEST(CoreMl, GivesAFailureItsCode) {
  const auto thrown = [](Failure failure) {
    return message_of([&] { throw_failure("x.mlpackage", failure); });
  };
  EXPECT_EQ(thrown({.stage = "load", .domain = "d", .code = -14, .message = "no"}),
            "unsupported: x.mlpackage: Core ML failed at 'load': no (d -14)");
  EXPECT_EQ(thrown({.stage = "predict", .domain = "d", .code = 0, .message = "no"}),
            "io: x.mlpackage: Core ML failed at 'predict': no (d 0)");
  EXPECT_EQ(thrown({.stage = "load",
                    .domain = "anemone",
                    .code = framework::kTimedOut,
                    .message = "it took too long"}),
            "limit: x.mlpackage: Core ML failed at 'load': it took too long");
}

TEST(Machine, SaysWhatTheSystemSays) {
  const Machine machine = describe_machine();
  EXPECT_NE(machine.os, "");
  EXPECT_NE(machine.os_version, "");
  EXPECT_GT(machine.processors.value_or(0), 0);
  EXPECT_GT(machine.memory_bytes.value_or(0), std::uint64_t{1} << 20);
  const Footprint taken = footprint();
  ASSERT_TRUE(taken.now_bytes && taken.peak_bytes);
  EXPECT_GT(*taken.now_bytes, 0u);
  EXPECT_GE(*taken.peak_bytes, *taken.now_bytes);
}

}  // namespace
}  // namespace anemone::coreml
