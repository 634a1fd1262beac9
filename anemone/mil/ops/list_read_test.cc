#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::list_read_test {

TEST(ListRead, GivesWhatTheListHolds) {
  const Try it = Try("list_read").with("ls", Type::list(DType::kF16, {kUnknown, 2}, 3));
  EXPECT_EQ(Try(it).with("index", i32_type({})).type(), f16_type({kUnknown, 2}));
  EXPECT_EQ(Try(it).with("index", f32_type({})).refusal(),
            "op 'it' (list_read): parameter 'index' is fp32; allowed: int32");
}

}  // namespace anemone::mil::op::list_read_test
