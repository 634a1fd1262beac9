#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::scatter_test {

TEST(Scatter, WorksRowsIntoRows) {
  const Try it = Try("scatter")
                     .with("data", f16({3, 2}, {1, 2, 3, 4, 5, 6}))
                     .with("indices", i32({2}, {2, 0}))
                     .with("updates", f16({2, 2}, {10, 20, 30, 40}));
  EXPECT_EQ(it.value(), f16({3, 2}, {31, 42, 3, 4, 15, 26}));
  EXPECT_EQ(Try(it).with("mode", "update").value(), f16({3, 2}, {30, 40, 3, 4, 10, 20}));
  EXPECT_EQ(Try(it).with("mode", "sub").value(), f16({3, 2}, {-29, -38, 3, 4, -5, -14}));
  EXPECT_EQ(Try(it).with("mode", "mul").value(), f16({3, 2}, {30, 80, 3, 4, 50, 120}));
  EXPECT_EQ(Try(it).with("mode", "div").value(), f16({3, 2}, {1.0 / 30, 0.05, 3, 4, 0.5, 0.3}));
  EXPECT_EQ(Try(it).with("mode", "min").value(), f16({3, 2}, {1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(Try(it).with("mode", "max").value(), f16({3, 2}, {30, 40, 3, 4, 10, 20}));
}

TEST(Scatter, WorksAlongAnyAxisAndAddsRepeats) {
  EXPECT_EQ(Try("scatter", Opset::kIos16)
                .with("data", i32({2, 2}, {0, 0, 0, 0}))
                .with("indices", i32({3}, {1, 1, -2}))
                .with("updates", i32({2, 3}, {1, 2, 3, 4, 5, 6}))
                .with("axis", 1)
                .value(),
            i32({2, 2}, {3, 3, 6, 9}));
}

TEST(Scatter, LeavesOutWhatIsOutsideUnlessItValidatesOrIsOld) {
  const auto of = [](Opset opset, std::vector<std::int64_t> indices) {
    return Try("scatter", opset)
        .with("data", f16({3}, {1, 2, 3}))
        .with("indices", i32({2}, std::move(indices)))
        .with("updates", f16({2}, {10, 20}));
  };
  EXPECT_EQ(of(Opset::kIos17, {-1, 3}).value(), f16({3}, {1, 2, 3}));
  EXPECT_EQ(of(Opset::kIos18, {-1, 0}).value(), f16({3}, {21, 2, 3}));
  EXPECT_EQ(of(Opset::kIos16, {-1, 0}).value(), f16({3}, {21, 2, 13}));
  EXPECT_EQ(of(Opset::kIos17, {-1, 0}).with("validate_indices", true).refusal(),
            "op 'it' (scatter): parameter 'indices' holds -1; allowed: 0 to 2");
}

TEST(Scatter, KeepsUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it = Try("scatter").with("data", f32_type({kUnknown, 3}));
  EXPECT_EQ(Try(it).with("indices", i32_type({2})).with("updates", f32_type({2, kUnknown})).type(),
            f32_type({kUnknown, 3}));
  EXPECT_EQ(Try(it).with("indices", i32_type({2})).with("updates", f32_type({2, 4})).refusal(),
            "op 'it' (scatter): parameter 'updates' has shape [2, 4]; expected [2, 3]");
  EXPECT_EQ(Try(it)
                .with("indices", i32_type({2}))
                .with("updates", f32_type({2, 3}))
                .with("mode", "set")
                .refusal(),
            "op 'it' (scatter): parameter 'mode' is 'set'; allowed: add, div, max, min, mul, sub, "
            "update");
}

}  // namespace anemone::mil::op::scatter_test
