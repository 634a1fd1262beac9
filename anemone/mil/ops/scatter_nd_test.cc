#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::scatter_nd_test {

TEST(ScatterNd, WorksElementsOrRowsIntoTheirPlaces) {
  const Tensor data = f16({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(Try("scatter_nd")
                .with("data", data)
                .with("indices", i32({2, 2}, {0, 2, 1, 0}))
                .with("updates", f16({2}, {10, 20}))
                .value(),
            f16({2, 3}, {1, 2, 13, 24, 5, 6}));
  EXPECT_EQ(Try("scatter_nd")
                .with("data", data)
                .with("indices", i32({1, 1}, {1}))
                .with("updates", f16({1, 3}, {7, 8, 9}))
                .with("mode", "update")
                .value(),
            f16({2, 3}, {1, 2, 3, 7, 8, 9}));
}

TEST(ScatterNd, LeavesOutWhatIsOutsideInAnyOfItsIndices) {
  const auto of = [](Opset opset) {
    return Try("scatter_nd", opset)
        .with("data", f16({2, 3}, {1, 2, 3, 4, 5, 6}))
        .with("indices", i32({3, 2}, {0, 3, -1, 0, 1, 1}))
        .with("updates", f16({3}, {10, 20, 30}));
  };
  EXPECT_EQ(of(Opset::kIos17).value(), f16({2, 3}, {1, 2, 3, 4, 35, 6}));
  EXPECT_EQ(of(Opset::kIos16).value(), f16({2, 3}, {1, 2, 13, 24, 35, 6}));
}

TEST(ScatterNd, KeepsUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it =
      Try("scatter_nd").with("data", f32_type({2, kUnknown})).with("indices", i32_type({5, 1}));
  EXPECT_EQ(Try(it).with("updates", f32_type({5, 3})).type(), f32_type({2, kUnknown}));
  EXPECT_EQ(Try(it).with("updates", f32_type({5})).refusal(),
            "op 'it' (scatter_nd): parameter 'updates' has shape [5]; expected [5, ?]");
  EXPECT_EQ(Try("scatter_nd")
                .with("data", f32_type({2}))
                .with("indices", i32_type({5, 2}))
                .with("updates", f32_type({5}))
                .refusal(),
            "op 'it' (scatter_nd): parameter 'indices' has shape [5, 2], whose last extent must be "
            "at most the rank of data, 1");
}

}  // namespace anemone::mil::op::scatter_nd_test
