#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::classify_test {

TEST(Classify, GivesALabelAndADictionary) {
  const auto types = Try("classify")
                         .with("probabilities", f32_type({2, 1}))
                         .with("classes", Tensor::from_strings({2}, {"crab", "clownfish"}))
                         .types();
  const Type label = Type::scalar(DType::kString);
  EXPECT_EQ(
      types,
      (std::vector<Type>{
          label, {.kind = Type::Kind::kDictionary, .parts = {label, Type::scalar(DType::kF64)}}}));
}

TEST(Classify, RefusesAnotherNumberOfClasses) {
  EXPECT_EQ(Try("classify")
                .with("probabilities", f32_type({3}))
                .with("classes", ints(DType::kI64, {2}, {7, 8}))
                .refusal(),
            "op 'it' (classify): has 2 classes for 3 probabilities");
}

}  // namespace anemone::mil::op::classify_test
