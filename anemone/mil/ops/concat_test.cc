#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::concat_test {

TEST(Concat, JoinsAlongItsAxis) {
  const Tensor a = f16({2, 1}, {1, 2});
  const Tensor b = f16({2, 2}, {3, 4, 5, 6});
  EXPECT_EQ(Try("concat").with("values", {a, b}).with("axis", -1).value(),
            f16({2, 3}, {1, 3, 4, 2, 5, 6}));
  EXPECT_EQ(Try("concat").with("values", {b, b}).with("axis", 0).value(),
            f16({4, 2}, {3, 4, 5, 6, 3, 4, 5, 6}));
}

TEST(Concat, InterleavesElements) {
  const Tensor a = i32({2, 2}, {1, 2, 3, 4});
  const Tensor b = i32({2, 2}, {5, 6, 7, 8});
  const Try it("concat");
  EXPECT_EQ(Try(it).with("values", {a, b}).with("axis", 1).with("interleave", true).value(),
            i32({2, 4}, {1, 5, 2, 6, 3, 7, 4, 8}));
  EXPECT_EQ(Try(it).with("values", {a, b}).with("axis", 0).with("interleave", true).value(),
            i32({4, 2}, {1, 2, 5, 6, 3, 4, 7, 8}));
}

TEST(Concat, MakesAVectorOfScalars) {
  EXPECT_EQ(Try("concat").with("values", {i32({}, {3}), i32({}, {9})}).with("axis", 0).value(),
            i32({2}, {3, 9}));
}

TEST(Concat, WidensConstantsWhereActivationsAreWide) {
  const Tensor half = f16({1}, {1});
  const Tensor single = f32({1}, {0.1});
  const Tensor axis = i32({}, {0});
  Call call(*find_op("concat"), Opset::kIos18, "it");
  call.bind("values", {{f16_type({1}), &half}, {f16_type({1}), &single}});
  call.bind("axis", {{i32_type({}), &axis}});
  EXPECT_EQ(find_op("concat")->eval(call).front(), f32({2}, {1, 0.1}));
}

TEST(Concat, InfersUnknownExtents) {
  const auto type = [](Shape a, Shape b) {
    return Try("concat")
        .with("values", std::vector{f32_type(std::move(a)), f32_type(std::move(b))})
        .with("axis", 1)
        .type();
  };
  EXPECT_EQ(type({kUnknown, 3}, {2, 4}), f32_type({2, 7}));
  EXPECT_EQ(type({2, kUnknown}, {2, 4}), f32_type({2, kUnknown}));
}

TEST(Concat, RefusesValuesThatDoNotAgree) {
  const auto refusal = [](Type a, Type b) {
    return Try("concat")
        .with("values", std::vector{std::move(a), std::move(b)})
        .with("axis", 1)
        .refusal();
  };
  EXPECT_EQ(refusal(f32_type({2, 3}), f32_type({3, 3})),
            "op 'it' (concat): parameter 'values' holds shapes that do not agree: [2, 3] and [3, "
            "3]");
  EXPECT_EQ(refusal(f32_type({2, 3}), f16_type({2, 3})),
            "op 'it' (concat): parameter 'values' is fp16, but another of its kind is fp32");
  EXPECT_EQ(refusal(f32_type({2}), f32_type({2})),
            "op 'it' (concat): parameter 'axis' is 1; allowed: -1 to 0");
  EXPECT_EQ(Try("concat").with("values", std::vector<Type>{}).with("axis", 0).refusal(),
            "op 'it' (concat): parameter 'values' holds no values");
}

}  // namespace anemone::mil::op::concat_test
