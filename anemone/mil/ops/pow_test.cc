#include "anemone/mil/ops/op_testing.h"

namespace anemone::mil::op::pow_test {

TEST(Pow, RaisesBroadcastFloats) {
  EXPECT_EQ(Try("pow").with("x", f16({2, 1}, {2, 4})).with("y", f16({3}, {0.5, 2, -1})).value(),
            f16({2, 3}, {1.41421356, 4, 0.5, 2, 16, 0.25}));
}

TEST(Pow, RaisesIntegers) {
  EXPECT_EQ(Try("pow")
                .with("x", i32({6}, {2, -3, 7, -1, 5, 3}))
                .with("y", i32({6}, {10, 3, 0, -3, -2, 21}))
                .value(),
            i32({6}, {1024, -27, 1, -1, 0, 1870418611}));  // 3^21 modulo 2^32
  EXPECT_EQ(Try("pow").with("x", i32({}, {0})).with("y", i32({}, {-1})).refusal(),
            "op 'it' (pow): raises 0 to the power -1");
}

TEST(Pow, BroadcastsTypesAndRefusesWhatDoesNotFit) {
  EXPECT_EQ(Try("pow").with("x", f32_type({kUnknown, 1})).with("y", f32_type({4})).type(),
            f32_type({kUnknown, 4}));
  EXPECT_EQ(Try("pow").with("x", f32_type({2, 3})).with("y", f32_type({2})).refusal(),
            "op 'it' (pow): parameters 'x' and 'y' have shapes [2, 3] and [2], which do not "
            "broadcast");
}

}  // namespace anemone::mil::op::pow_test
