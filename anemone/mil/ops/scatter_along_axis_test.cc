#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::scatter_along_axis_test {

TEST(ScatterAlongAxis, WorksEachUpdateIntoItsElement) {
  const Try it = Try("scatter_along_axis")
                     .with("data", f16({2, 3}, {1, 2, 3, 4, 5, 6}))
                     .with("indices", i32({2, 2}, {2, 0, 1, 1}))
                     .with("updates", f16({2, 2}, {10, 20, 30, 40}))
                     .with("axis", 1);
  EXPECT_EQ(it.value(), f16({2, 3}, {21, 2, 13, 4, 75, 6}));
  EXPECT_EQ(Try(it).with("mode", "update").value(), f16({2, 3}, {20, 2, 10, 4, 40, 6}));
}

TEST(ScatterAlongAxis, LeavesOutWhatIsOutside) {
  const auto of = [](Opset opset) {
    return Try("scatter_along_axis", opset)
        .with("data", f16({3}, {1, 2, 3}))
        .with("indices", i32({3}, {-3, 3, 1}))
        .with("updates", f16({3}, {10, 20, 30}));
  };
  EXPECT_EQ(of(Opset::kIos18).value(), f16({3}, {1, 32, 3}));
  EXPECT_EQ(of(Opset::kIos16).value(), f16({3}, {11, 32, 23}));
}

TEST(ScatterAlongAxis, KeepsUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it = Try("scatter_along_axis")
                     .with("data", f32_type({2, kUnknown}))
                     .with("indices", i32_type({1, 3}));
  EXPECT_EQ(Try(it).with("updates", f32_type({1, 3})).type(), f32_type({2, kUnknown}));
  EXPECT_EQ(Try(it).with("updates", f32_type({2, 3})).refusal(),
            "op 'it' (scatter_along_axis): parameter 'updates' has shape [2, 3]; expected [1, 3]");
}

}  // namespace anemone::mil::op::scatter_along_axis_test
