#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::slice_by_index_test {

Try slice(const std::vector<std::int64_t>& begin, const std::vector<std::int64_t>& end) {
  const auto rank = static_cast<std::int64_t>(begin.size());
  return Try("slice_by_index").with("begin", i32({rank}, begin)).with("end", i32({rank}, end));
}

TEST(SliceByIndex, SlicesAsNumpyDoes) {
  const Tensor x = f32({2, 4}, {1, 2, 3, 4, 5, 6, 7, 8});
  EXPECT_EQ(slice({0, 1}, {2, 3}).with("x", x).value(), f32({2, 2}, {2, 3, 6, 7}));
  EXPECT_EQ(slice({-1, -3}, {2, 9}).with("x", x).value(), f32({1, 3}, {6, 7, 8}));
  EXPECT_EQ(slice({1, 3}, {-9, 0}).with("x", x).with("stride", i32({2}, {-1, -2})).value(),
            f32({2, 2}, {8, 6, 4, 2}));
  EXPECT_EQ(slice({0, 3}, {2, 1}).with("x", x).value().shape(), (Shape{2, 0}));
}

TEST(SliceByIndex, OpensMaskedBoundsAndDropsSqueezedAxes) {
  const Tensor x = i32({2, 3}, {1, 2, 3, 4, 5, 6});
  EXPECT_EQ(slice({7, 0}, {7, 7})
                .with("x", x)
                .with("begin_mask", flags({2}, {1, 0}))
                .with("end_mask", flags({2}, {1, 0}))
                .with("squeeze_mask", flags({2}, {0, 1}))
                .value(),
            i32({2}, {1, 4}));
  EXPECT_EQ(slice({0, 0}, {0, 0})
                .with("x", x)
                .with("stride", i32({2}, {-1, -1}))
                .with("begin_mask", flags({2}, {1, 1}))
                .with("end_mask", flags({2}, {1, 1}))
                .value(),
            i32({2, 3}, {6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(slice({-1, -2}, {0, 0}).with("x", x).with("squeeze_mask", flags({2}, {1, 1})).value(),
            i32({}, {5}));
}

TEST(SliceByIndex, InfersWhatIsKnownOfUnknownExtents) {
  const Type x = f16_type({kUnknown, kUnknown, 8});
  EXPECT_EQ(
      slice({0, -1, 2}, {1, 0, 6}).with("x", x).with("end_mask", flags({3}, {0, 1, 0})).type(),
      f16_type({1, 1, 4}));
  EXPECT_EQ(slice({1, 0, 0}, {3, 0, 0})
                .with("x", x)
                .with("begin_mask", flags({3}, {0, 1, 1}))
                .with("end_mask", flags({3}, {0, 1, 1}))
                .type(),
            f16_type({kUnknown, kUnknown, 8}));
  EXPECT_EQ(Try("slice_by_index")
                .with("x", f16_type({4, 1}))
                .with("begin", i32_type({2}))
                .with("end", i32_type({2}))
                .type(),
            f16_type({kUnknown, 1}));
}

TEST(SliceByIndex, RefusesParametersOfTheWrongLengthAndBadIndices) {
  const Tensor x = f32({2, 2}, {1, 2, 3, 4});
  EXPECT_EQ(slice({0}, {1}).with("x", x).refusal(),
            "op 'it' (slice_by_index): parameter 'begin' has shape [1]; expected [2]");
  EXPECT_EQ(slice({0, 0}, {1, 1}).with("x", x).with("stride", i32({2}, {1, 0})).refusal(),
            "op 'it' (slice_by_index): the stride of axis 1 is 0");
  EXPECT_EQ(slice({0, 2}, {1, 1}).with("x", x).with("squeeze_mask", flags({2}, {0, 1})).refusal(),
            "op 'it' (slice_by_index): takes index 2 of axis 1, which has 2 elements");
}

}  // namespace anemone::mil::op::slice_by_index_test
