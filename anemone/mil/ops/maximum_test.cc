#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::maximum_test {

TEST(Maximum, IsNotANumberIfOneOfTheTwoIs) {
  const std::vector<double> z = Try("maximum")
                                    .with("x", f16({3}, {NAN, 1, 1}))
                                    .with("y", f16({3}, {1, NAN, 2}))
                                    .value()
                                    .to_doubles();
  EXPECT_TRUE(std::isnan(z[0]) && std::isnan(z[1]) && !std::isnan(z[2]));
}

TEST(Maximum, TakesTheGreaterBroadcastFloats) {
  const Tensor z =
      Try("maximum").with("x", f16({2, 1}, {1.5, -2})).with("y", f16({3}, {1, 2, -4})).value();
  EXPECT_EQ(z, f16({2, 3}, {1.5, 2, 1.5, 1, 2, -2}));
}

TEST(Maximum, TakesTheGreaterIntegersThatWrap) {
  EXPECT_EQ(Try("maximum").with("x", i32({3}, {7, -7, 2147483647})).with("y", i32({}, {2})).value(),
            i32({3}, {7, 2, 2147483647}));
}

TEST(Maximum, BroadcastsTypesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(Try("maximum")
                .with("x", f32_type({kUnknown, 1, 3}))
                .with("y", f32_type({4, kUnknown}))
                .type(),
            f32_type({kUnknown, 4, 3}));
  EXPECT_EQ(Try("maximum").with("x", f32_type({2, 3})).with("y", f32_type({2})).refusal(),
            "op 'it' (maximum): parameters 'x' and 'y' have shapes [2, 3] and [2], which do not "
            "broadcast");
  EXPECT_EQ(Try("maximum").with("x", f32_type({2})).with("y", f16_type({2})).refusal(),
            "op 'it' (maximum): parameter 'y' is fp16, but another of its kind is fp32");
}

}  // namespace anemone::mil::op::maximum_test
