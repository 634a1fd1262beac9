#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::one_hot_test {

TEST(OneHot, SetsOneElementOfEachVector) {
  const Try it = Try("one_hot").with("indices", i32({3}, {1, 0, 5})).with("one_hot_vector_size", 2);
  EXPECT_EQ(it.value(), i32({3, 2}, {0, 1, 1, 0, 0, 0}));
  EXPECT_EQ(Try(it)
                .with("axis", 0)
                .with("on_value", f16({}, {5}))
                .with("off_value", f16({}, {-1}))
                .value(),
            f16({2, 3}, {-1, 5, -1, 5, -1, -1}));
}

TEST(OneHot, InfersAnUnknownSize) {
  EXPECT_EQ(Try("one_hot")
                .with("indices", i32_type({kUnknown, 2}))
                .with("one_hot_vector_size", i32_type({}))
                .with("axis", 1)
                .type(),
            i32_type({kUnknown, kUnknown, 2}));
}

TEST(OneHot, RefusesWhatDoesNotFit) {
  const Try it = Try("one_hot").with("indices", i32_type({3}));
  EXPECT_EQ(Try(it).with("one_hot_vector_size", -1).refusal(),
            "op 'it' (one_hot): parameter 'one_hot_vector_size' is -1");
  EXPECT_EQ(Try(it).with("one_hot_vector_size", 4).with("axis", 2).refusal(),
            "op 'it' (one_hot): parameter 'axis' is 2; allowed: -2 to 1");
}

}  // namespace anemone::mil::op::one_hot_test
