#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::rnn_test {

Try small() {
  return Try("rnn")
      .with("x", f32({2, 1, 1}, {1, 2}))
      .with("initial_h", f32({1, 1}, {1}))
      .with("weight_ih", f32({1, 1}, {2}))
      .with("weight_hh", f32({1, 1}, {10}))
      .with("bias", f32({1}, {0.5}))
      .with("activation", "linear");
}

TEST(Rnn, StepsForwardOrBackward) {
  EXPECT_EQ(Try(small()).with("output_sequence", true).values(),
            (std::vector<Tensor>{f32({2, 1, 1}, {12.5, 129.5}), f32({1, 1}, {129.5})}));
  EXPECT_EQ(small().values(), (std::vector<Tensor>{f32({1, 1, 1}, {129.5}), f32({1, 1}, {129.5})}));
  EXPECT_EQ(Try(small()).with("direction", "reverse").with("output_sequence", true).values(),
            (std::vector<Tensor>{f32({2, 1, 1}, {14.5, 147.5}), f32({1, 1}, {147.5})}));
}

TEST(Rnn, TakesFp16FromIos17On) {
  const auto it = [](Opset opset) {
    return Try("rnn", opset)
        .with("x", f16_type({kUnknown, 2, 3}))
        .with("initial_h", f16_type({2, 1}))
        .with("weight_ih", f16({1, 3}, {1, 2, 3}))
        .with("weight_hh", f16({1, 1}, {1}))
        .with("output_sequence", true);
  };
  EXPECT_EQ(it(Opset::kIos17).types(),
            (std::vector<Type>{f16_type({kUnknown, 2, 1}), f16_type({2, 1})}));
  EXPECT_EQ(it(Opset::kIos16).refusal(), "op 'it' (rnn): parameter 'x' is fp16; allowed: fp32");
}

TEST(Rnn, ReadsAsManyRowsOfItsStateAsTheBatchHas) {
  const auto it = [](Tensor x) {
    return Try("rnn")
        .with("x", std::move(x))
        .with("initial_h", f32({2, 1}, {1, 5}))
        .with("weight_ih", f32({1, 1}, {2}))
        .with("weight_hh", f32({1, 1}, {10}))
        .with("activation", "linear");
  };
  EXPECT_EQ(it(f32({1, 1, 1}, {3})).values(),
            (std::vector<Tensor>{f32({1, 1, 1}, {16}), f32({1, 1}, {16})}));
  EXPECT_EQ(it(f32({1, 3, 1}, {3, 3, 3})).refusal(),
            "op 'it' (rnn): parameter 'initial_h' has shape [2, 1]; expected [3, 1]");
}

TEST(Rnn, RefusesWhatDoesNotFit) {
  const Try it = Try("rnn")
                     .with("x", f32_type({2, 1, 3}))
                     .with("weight_hh", f32({1, 1}, {1}))
                     .with("weight_ih", f32({1, 2}, {1, 2}));
  EXPECT_EQ(Try(it).with("initial_h", f32_type({1, 1})).refusal(),
            "op 'it' (rnn): parameter 'weight_ih' has shape [1, 2]; expected [1, 3]");
  EXPECT_EQ(Try(it).with("initial_h", f32_type({1, 1})).with("activation", "gelu").refusal(),
            "op 'it' (rnn): parameter 'activation' is 'gelu'; allowed: tanh, scaled_tanh, sigmoid, "
            "hard_sigmoid, relu, linear");
}

}  // namespace anemone::mil::op::rnn_test
