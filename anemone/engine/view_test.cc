#include "anemone/engine/view.h"

#include <gtest/gtest.h>

#include "anemone/engine/transfer.h"

namespace anemone::engine {
namespace {

View dense(Shape shape) { return dense_view(0, DType::kF32, std::move(shape)); }

TEST(View, KnowsWhetherItIsDense) {
  EXPECT_TRUE(dense({2, 3}).is_dense());
  EXPECT_TRUE(dense({}).is_dense());
  const std::int64_t turn[] = {1, 0};
  EXPECT_FALSE(transposed(dense({2, 3}), turn).is_dense());
  // Moving an axis of extent 1 moves no element.
  EXPECT_TRUE(transposed(dense({1, 3}), turn).is_dense());
}

TEST(View, SlicesByOffsetAndStride) {
  const std::int64_t begins[] = {1, 4};
  const std::int64_t extents[] = {2, 3};
  const std::int64_t steps[] = {1, -2};
  const View view = sliced(dense({4, 6}), begins, extents, steps);
  EXPECT_EQ(view.offset, 10);
  EXPECT_EQ(view.shape, (Shape{2, 3}));
  EXPECT_EQ(view.strides, (Shape{6, -2}));
  EXPECT_EQ(to_string(view), "[2, 3] at 10 by [6, -2]");
}

TEST(View, ReshapesWhatStridesCanSay) {
  const std::int64_t turn[] = {1, 0, 2};
  const View view = transposed(dense({4, 6, 10}), turn);  // [6, 4, 10] by [10, 60, 1]
  EXPECT_EQ(reshaped(view, {2, 3, 4, 10})->strides, (Shape{30, 10, 60, 1}));
  EXPECT_EQ(reshaped(view, {6, 1, 4, 2, 5})->strides[2], 60);
  EXPECT_FALSE(reshaped(view, {24, 10}).has_value());
  EXPECT_FALSE(reshaped(view, {6, 40}).has_value());
  // An axis that stands still joins only its like.
  View still = dense({2, 1, 5});
  still.shape[1] = 3;
  still.strides[1] = 0;
  EXPECT_FALSE(reshaped(still, {6, 5}).has_value());
  EXPECT_FALSE(reshaped(still, {2, 15}).has_value());
  EXPECT_EQ(reshaped(still, {2, 3, 5, 1})->strides[1], 0);
}

TEST(View, MergesAxesThatAllViewsWalkAlike) {
  const View a = dense({2, 1, 6, 5});
  const View b = dense({6, 5});
  const View* both[] = {&a, &b};
  const Walk walk = merged_walk({2, 1, 6, 5}, both);
  EXPECT_EQ(walk.extents, (Shape{2, 30}));
  EXPECT_EQ(walk.strides[0], (Shape{30, 1}));
  EXPECT_EQ(walk.strides[1], (Shape{0, 1}));
  const View scalar = dense({});
  const View* one[] = {&scalar};
  EXPECT_EQ(merged_walk({}, one).extents, (Shape{1}));
}

}  // namespace
}  // namespace anemone::engine
