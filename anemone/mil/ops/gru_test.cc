#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::gru_test {

Try small() {
  return Try("gru")
      .with("x", f32({1, 1, 1}, {1}))
      .with("initial_h", f32({1, 1}, {2}))
      .with("weight_ih", f32({3, 1}, {0.25, 3, 0.5}))
      .with("weight_hh", f32({3, 1}, {0.125, 10, 0}))
      .with("bias", f32({3}, {0, 1, 0}))
      .with("recurrent_activation", "linear")
      .with("activation", "linear");
}

TEST(Gru, ResetsTheStateBeforeOrAfterItsWeight) {
  // r = 0.25 + 0.25, z = 0.5; o = 3 + 10 (r 2) + 1.
  EXPECT_EQ(small().values(), (std::vector<Tensor>{f32({1, 1, 1}, {8}), f32({1, 1}, {8})}));
  // o = 3 + r (10 2 + 1).
  EXPECT_EQ(Try(small()).with("reset_after", true).values().back(), f32({1, 1}, {7.75}));
  // o = 3 + 100 + r (10 2 + 1).
  EXPECT_EQ(Try(small())
                .with("reset_after", true)
                .with("input_bias", f32({3}, {0, 100, 0}))
                .values()
                .back(),
            f32({1, 1}, {57.75}));
}

TEST(Gru, ReadsAsManyRowsOfItsStateAsTheBatchHas) {
  EXPECT_EQ(Try("gru")
                .with("x", f32({1, 1, 1}, {1}))
                .with("initial_h", f32({2, 1}, {2, 50}))
                .with("weight_ih", f32({3, 1}, {0.25, 3, 0.5}))
                .with("weight_hh", f32({3, 1}, {0.125, 10, 0}))
                .with("bias", f32({3}, {0, 1, 0}))
                .with("recurrent_activation", "linear")
                .with("activation", "linear")
                .values(),
            small().values());
}

TEST(Gru, InfersSequencesOfUnknownLength) {
  const Try it = Try("gru")
                     .with("x", f16_type({kUnknown, 1, 2}))
                     .with("initial_h", f16_type({1, 1}))
                     .with("weight_ih", f16({3, 2}, {1, 2, 3, 4, 5, 6}))
                     .with("weight_hh", f16({3, 1}, {1, 2, 3}));
  EXPECT_EQ(Try(it).with("output_sequence", true).types(),
            (std::vector<Type>{f16_type({kUnknown, 1, 1}), f16_type({1, 1})}));
  EXPECT_EQ(it.types().front(), f16_type({1, 1, 1}));
}

TEST(Gru, RefusesWhatDoesNotFit) {
  const Try it = Try("gru", Opset::kIos17)
                     .with("x", f32_type({2, 1, 1}))
                     .with("initial_h", f32_type({1, 2}))
                     .with("weight_ih", f32({3, 1}, {1, 2, 3}))
                     .with("weight_hh", f32({3, 1}, {1, 2, 3}));
  EXPECT_EQ(it.refusal(), "op 'it' (gru): parameter 'initial_h' has shape [1, 2]; expected [1, 1]");
  EXPECT_EQ(Try(it).with("reset_after", true).refusal(),
            "op 'it' (gru): parameter 'reset_after' exists from ios18 on, but the function speaks "
            "ios17");
  EXPECT_EQ(Try(it).with("direction", "bidirectional").refusal(),
            "op 'it' (gru): parameter 'direction' is 'bidirectional'; allowed: forward, reverse");
}

}  // namespace anemone::mil::op::gru_test
