#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::reshape_like_test {

Try like(Tensor x, std::vector<Tensor> refs) {
  return Try("reshape_like").with("x", std::move(x)).with("ref_tensors", std::move(refs));
}

TEST(ReshapeLike, JoinsExtentsOfItsReferences) {
  const Tensor a = f16({2, 3, 1}, {0, 0, 0, 0, 0, 0});
  const Tensor b = f16({5, 2}, std::vector<double>(10));
  EXPECT_EQ(like(i32({12}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), {a, b})
                .with("begins", {i32({}, {0}), i32({}, {-1})})
                .with("ends", {i32({}, {2}), i32({}, {0})})
                .with("end_masks", {flags({}, {0}), flags({}, {1})})
                .value(),
            i32({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
}

TEST(ReshapeLike, RefusesListsAndShapesThatDoNotAgree) {
  const Try it = like(i32({3}, {1, 2, 3}), {f16({2}, {1, 2})}).with("begins", {i32({}, {0})});
  EXPECT_EQ(Try(it)
                .with("ends", {i32({}, {1}), i32({}, {1})})
                .with("end_masks", {flags({}, {0})})
                .refusal(),
            "op 'it' (reshape_like): parameter 'ends' has 2 values; expected 1");
  EXPECT_EQ(Try(it).with("ends", {i32({}, {1})}).with("end_masks", {flags({}, {0})}).refusal(),
            "op 'it' (reshape_like): cannot make [2] of x, [3]");
}

TEST(ReshapeLike, KeepsUnknownExtents) {
  EXPECT_EQ(Try("reshape_like")
                .with("x", f16_type({6}))
                .with("ref_tensors", std::vector{f32_type({kUnknown, 3})})
                .with("begins", {i32({}, {0})})
                .with("ends", {i32({}, {2})})
                .with("end_masks", {flags({}, {0})})
                .type(),
            f16_type({kUnknown, 3}));
}

}  // namespace anemone::mil::op::reshape_like_test
