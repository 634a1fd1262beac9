#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::non_maximum_suppression_test {

TEST(NonMaximumSuppression, KeepsTheBestThatDoNotOverlap) {
  // Boxes 0 and 1 overlap by 1 / 3; box 2 is apart; box 3 scores too little.
  const auto outputs =
      Try("non_maximum_suppression", Opset::kIos15)
          .with("boxes", f32({1, 4, 4}, {1, 1, 2, 2, 2, 1, 2, 2, 9, 9, 2, 2, 5, 5, 1, 1}))
          .with("scores", f32({1, 4, 1}, {0.5, 0.9, 0.8, 0.1}))
          .with("iou_threshold", 0.3)
          .with("score_threshold", 0.2)
          .with("max_boxes", 3)
          .values();
  EXPECT_EQ(outputs[0], f32({1, 3, 4}, {2, 1, 2, 2, 9, 9, 2, 2, 0, 0, 0, 0}));
  EXPECT_EQ(outputs[1], f32({1, 3, 1}, {0.9, 0.8, 0}));
  EXPECT_EQ(outputs[2], i32({1, 3}, {1, 2, -1}));
  EXPECT_EQ(outputs[3], i32({1}, {2}));
}

TEST(NonMaximumSuppression, LetsClassesOverlapAndHasBoxesLastFromIos17On) {
  const Try it = Try("non_maximum_suppression")
                     .with("boxes", f32({1, 4, 2}, {1, 2, 1, 1, 2, 2, 2, 2}))
                     .with("scores", f32({1, 2, 2}, {0.5, 0, 0.1, 0.9}))
                     .with("iou_threshold", 0.3)
                     .with("max_boxes", 2);
  EXPECT_EQ(it.values()[2], i32({1, 2}, {1, -1}));
  const auto outputs = Try(it).with("per_class_suppression", true).values();
  EXPECT_EQ(outputs,
            (std::vector<Tensor>{f32({1, 4, 2}, {2, 1, 1, 1, 2, 2, 2, 2}),
                                 f32({1, 2, 2}, {0, 0.5, 0.9, 0.1}), i32({1, 2}, {1, 0})}));
}

TEST(NonMaximumSuppression, InfersUnknownExtentsAndRefusesWhatDoesNotMeet) {
  const Try it = Try("non_maximum_suppression")
                     .with("iou_threshold", f16({}, {0.5}))
                     .with("max_boxes", 10)
                     .with("boxes", f16_type({1, 4, kUnknown}));
  EXPECT_EQ(Try(it).with("scores", f16_type({1, 80, kUnknown})).types(),
            (std::vector<Type>{f16_type({1, 4, 10}), f16_type({1, 80, 10}), i32_type({1, 10})}));
  EXPECT_EQ(Try(it).with("scores", f16_type({2, 80, 7})).refusal(),
            "op 'it' (non_maximum_suppression): boxes, [1, 4, ?], and scores, [2, 80, 7], do not "
            "meet: expected [N, 4, B] and [N, K, B]");
  EXPECT_EQ(Try("non_maximum_suppression", Opset::kIos16)
                .with("iou_threshold", 0.5)
                .with("max_boxes", 10)
                .with("boxes", f32_type({1, 7, 4}))
                .with("scores", f32_type({1, 7, 80}))
                .refusal(),
            "op 'it' (non_maximum_suppression): lacks parameter 'score_threshold'");
}

}  // namespace anemone::mil::op::non_maximum_suppression_test
