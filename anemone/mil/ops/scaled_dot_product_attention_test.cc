#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::scaled_dot_product_attention_test {

// One batch, one query of width 4 (so that scores are halved), two keys, values of width 1.
Try attention() {
  return Try("scaled_dot_product_attention")
      .with("query", f32({1, 1, 4}, {2, 0, 0, 0}))
      .with("key", f32({1, 2, 4}, {0, 0, 0, 0, 1, 0, 0, 0}))
      .with("value", f32({1, 2, 1}, {10, 20}));
}

TEST(ScaledDotProductAttention, WeighsValuesBySoftmaxOfScores) {
  expect_near(attention().numbers(), {(10 + 20 * std::exp(1.0)) / (1 + std::exp(1.0))});
}

TEST(ScaledDotProductAttention, AddsFloatMasksAndDropsWhatBoolMasksForbid) {
  expect_near(attention().with("attn_mask", f32({1, 2}, {1, 0})).numbers(), {15});
  expect_near(attention().with("attn_mask", f32({2}, {0, -1e4})).numbers(), {10});
  expect_near(attention().with("attn_mask", flags({1, 1, 2}, {0, 1})).numbers(), {20});
}

TEST(ScaledDotProductAttention, KeepsBatchesApart) {
  expect_near(Try("scaled_dot_product_attention")
                  .with("query", f16({2, 1, 1, 1}, {1, 1}))
                  .with("key", f16({2, 1, 1, 1}, {5, 7}))
                  .with("value", f16({2, 1, 1, 2}, {1, 2, 3, 4}))
                  .with("attn_mask", f16({1, 1}, {0}))
                  .numbers(),
              {1, 2, 3, 4});
}

TEST(ScaledDotProductAttention, InfersUnknownExtents) {
  EXPECT_EQ(Try("scaled_dot_product_attention")
                .with("query", f16_type({1, 8, kUnknown, 64}))
                .with("key", f16_type({1, 8, kUnknown, 64}))
                .with("value", f16_type({1, 8, 128, 32}))
                .with("attn_mask", f16_type({kUnknown, 128}))
                .type(),
            f16_type({1, 8, kUnknown, 32}));
}

TEST(ScaledDotProductAttention, RefusesWhatDoesNotMeet) {
  const auto it = [](Shape key, Shape mask) {
    return Try("scaled_dot_product_attention")
        .with("query", f16_type({2, 5, 4}))
        .with("key", f16_type(std::move(key)))
        .with("value", f16_type({2, 3, 4}))
        .with("attn_mask", f16_type(std::move(mask)))
        .refusal();
  };
  EXPECT_EQ(it({1, 3, 4}, {3}),
            "op 'it' (scaled_dot_product_attention): query, [2, 5, 4], key, [1, 3, 4], and value, "
            "[2, 3, 4], do not meet: expected [B.., L, E], [B.., S, E] and [B.., S, V]");
  EXPECT_EQ(it({2, 3, 4}, {5, 2}),
            "op 'it' (scaled_dot_product_attention): parameter 'attn_mask' has shape [5, 2], which "
            "does not broadcast to the scores', [2, 5, 3]");
}

}  // namespace anemone::mil::op::scaled_dot_product_attention_test
