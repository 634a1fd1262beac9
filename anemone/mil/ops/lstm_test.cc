#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::lstm_test {

// i = x, f = 0.5, o = 2, z = h.
Try small(Tensor x) {
  return Try("lstm")
      .with("x", std::move(x))
      .with("weight_ih", f32({4, 1}, {1, 0, 0, 0}))
      .with("weight_hh", f32({4, 1}, {0, 0, 0, 1}))
      .with("bias", f32({4}, {0, 0.5, 2, 0}))
      .with("recurrent_activation", "linear")
      .with("cell_activation", "linear")
      .with("activation", "linear");
}

Try forward() {
  return small(f32({2, 1, 1}, {1, 3}))
      .with("initial_h", f32({1, 1}, {4}))
      .with("initial_c", f32({1, 1}, {2}));
}

TEST(Lstm, StepsForwardOrBackward) {
  // c: 0.5 2 + 1 4 = 5, h = 10; c: 2.5 + 3 10 = 32.5, h = 65.
  EXPECT_EQ(
      Try(forward()).with("output_sequence", true).values(),
      (std::vector<Tensor>{f32({2, 1, 1}, {10, 65}), f32({1, 1}, {65}), f32({1, 1}, {32.5})}));
  // c: 1 + 3 4 = 13, h = 26; c: 6.5 + 26 = 32.5, h = 65.
  EXPECT_EQ(
      Try(forward()).with("direction", "reverse").with("output_sequence", true).values(),
      (std::vector<Tensor>{f32({2, 1, 1}, {26, 65}), f32({1, 1}, {65}), f32({1, 1}, {32.5})}));
  EXPECT_EQ(forward().values().front(), f32({1, 1, 1}, {65}));
}

TEST(Lstm, ReadsAsManyRowsOfItsStatesAsTheBatchHas) {
  EXPECT_EQ(small(f32({2, 1, 1}, {1, 3}))
                .with("initial_h", f32({3, 1}, {4, 100, 200}))
                .with("initial_c", f32({2, 1}, {2, 300}))
                .values(),
            forward().values());
  EXPECT_EQ(small(f32({1, 2, 1}, {1, 3}))
                .with("initial_h", f32({2, 1}, {4, 4}))
                .with("initial_c", f32({1, 1}, {2}))
                .refusal(),
            "op 'it' (lstm): parameter 'initial_c' has shape [1, 1]; expected [2, 1]");
}

TEST(Lstm, LetsGatesSeeTheCellAndClipsIt) {
  // i = 1 + 2, f = 0.5 + 0.2, c = 1.4 + 12 = 13.4, o = 2 + 13.4.
  expect_near(small(f32({1, 1, 1}, {1}))
                  .with("initial_h", f32({1, 1}, {4}))
                  .with("initial_c", f32({1, 1}, {2}))
                  .with("peephole", f32({3}, {1, 0.1, 1}))
                  .numbers(),
              {13.4 * 15.4});
  EXPECT_EQ(Try(forward()).with("clip", 7.0).values().back(), f32({1, 1}, {7}));
}

TEST(Lstm, RunsBothDirectionsSideBySide) {
  const Try it = small(f32({2, 1, 1}, {1, 3}))
                     .with("initial_h", f32({1, 2}, {4, 4}))
                     .with("initial_c", f32({1, 2}, {2, 2}))
                     .with("weight_ih_back", f32({4, 1}, {1, 0, 0, 0}))
                     .with("weight_hh_back", f32({4, 1}, {0, 0, 0, 1}))
                     .with("bias_back", f32({4}, {0, 0.5, 2, 0}))
                     .with("direction", "bidirectional");
  EXPECT_EQ(Try(it).with("output_sequence", true).values(),
            (std::vector<Tensor>{f32({2, 1, 2}, {10, 65, 65, 26}), f32({1, 2}, {65, 65}),
                                 f32({1, 2}, {32.5, 32.5})}));
  EXPECT_EQ(it.values().front(), f32({1, 1, 2}, {65, 65}));
}

TEST(Lstm, InfersUnknownExtentsAndRefusesWhatDoesNotFit) {
  const Try it = Try("lstm")
                     .with("x", f16_type({kUnknown, 1, 1}))
                     .with("initial_h", f16_type({1, 1}))
                     .with("initial_c", f16_type({1, 1}))
                     .with("weight_ih", f16({4, 1}, {1, 2, 3, 4}))
                     .with("weight_hh", f16({4, 1}, {1, 2, 3, 4}));
  EXPECT_EQ(it.types(),
            (std::vector<Type>{f16_type({1, 1, 1}), f16_type({1, 1}), f16_type({1, 1})}));
  EXPECT_EQ(Try(it).with("direction", "bidirectional").refusal(),
            "op 'it' (lstm): lacks parameter 'weight_hh_back'");
  EXPECT_EQ(Try(it).with("bias", f16({3}, {1, 2, 3})).refusal(),
            "op 'it' (lstm): parameter 'bias' has shape [3]; expected [4]");
}

}  // namespace anemone::mil::op::lstm_test
