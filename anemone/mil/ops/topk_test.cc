#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::topk_test {

TEST(Topk, GivesTheGreatestAndTheirIndices) {
  const Try it = Try("topk").with("x", f16({2, 3}, {2, 3, 1, -1, 4, 4})).with("k", 2);
  EXPECT_EQ(it.values(),
            (std::vector<Tensor>{f16({2, 2}, {3, 2, 4, 4}), i32({2, 2}, {1, 0, 1, 2})}));
  EXPECT_EQ(Try(it).with("ascending", true).values(),
            (std::vector<Tensor>{f16({2, 2}, {1, 2, -1, 4}), i32({2, 2}, {2, 0, 0, 1})}));
  EXPECT_EQ(Try(it).with("axis", 0).values().front(), f16({2, 3}, {2, 4, 4, -1, 3, 1}));
}

TEST(Topk, KnowsMoreParametersInLaterOpsets) {
  const Try it = Try("topk").with("x", f16_type({kUnknown, 5})).with("k", 3);
  EXPECT_EQ(Try(it).with("return_indices", false).types(),
            (std::vector<Type>{f16_type({kUnknown, 3})}));
  EXPECT_EQ(Try(it).with("output_indices_dtype", "uint16").types()[1],
            Type::tensor(DType::kU16, {kUnknown, 3}));
  EXPECT_EQ(Try("topk", Opset::kIos15).with("x", f16_type({5})).with("sort", true).refusal(),
            "op 'it' (topk): parameter 'sort' exists from ios16 on, but the function speaks ios15");
}

TEST(Topk, TakesAllForMinusOneAndRefusesMoreThanThereAre) {
  const Try it = Try("topk").with("x", f16_type({2, 5}));
  EXPECT_EQ(Try(it).with("k", -1).type(), f16_type({2, 5}));
  EXPECT_EQ(Try(it).with("k", 6).refusal(),
            "op 'it' (topk): parameter 'k' is 6; allowed: -1 (all) to 5");
  EXPECT_EQ(Try(it).with("output_indices_dtype", "int8").refusal(),
            "op 'it' (topk): parameter 'output_indices_dtype' is 'int8'; allowed: int32, uint16");
  EXPECT_EQ(Try(it).with("return_indices", false).with("output_indices_dtype", "int32").refusal(),
            "op 'it' (topk): has an output_indices_dtype, but return_indices is false");
}

}  // namespace anemone::mil::op::topk_test
