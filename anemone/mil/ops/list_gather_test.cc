#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::list_gather_test {

TEST(ListGather, StacksWhatTheListHolds) {
  const Try it = Try("list_gather").with("ls", Type::list(DType::kF16, {2}, 3));
  EXPECT_EQ(Try(it).with("indices", i32_type({kUnknown})).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(Try(it).with("indices", i32_type({})).refusal(),
            "op 'it' (list_gather): parameter 'indices' has rank 0; allowed: 1");
}

}  // namespace anemone::mil::op::list_gather_test
