#include "anemone/plan/plan.h"

#include <gtest/gtest.h>

#include "anemone/mil/builder.h"
#include "anemone/testing/message_of.h"

namespace anemone::plan {
namespace {

using testing::message_of;

// What a decoder does to its cache, in little: `x` goes through a weight of 64 x 64, and the result
// into row `position` of a cache of 100 rows, all of which are read.
enum class Cache { kSlice, kBlend, kHost };
Traffic toy(Cache kind, std::int64_t context = 100) {
  mil::Program program;
  mil::Builder b(program.add_function("decode", mil::Opset::kIos18));
  using mil::Type;
  mil::Value* x = b.input("x", Type::tensor(DType::kF16, {1, 64}));
  mil::Value* mask = b.input("mask", Type::tensor(DType::kF16, {1, 100}));
  const std::vector<float> zeros(64 * 64);
  mil::Value* row = b.add(
      "linear", "row", {{"x", x}, {"weight", Tensor::from_floats(DType::kF16, {64, 64}, zeros)}});
  mil::Value* keys = nullptr;
  if (kind == Cache::kHost) {
    keys = b.input("kv", Type::tensor(DType::kF16, {100, 64}));
  } else {
    mil::Value* kv = b.input("kv", Type::state(DType::kF16, {100, 64}));
    mil::Value* old = b.add("read_state", "old", {{"input", kv}});
    mil::Value* changed = kind == Cache::kSlice ? b.add("slice_update", "changed",
                                                        {{"x", old},
                                                         {"update", row},
                                                         {"begin", std::vector<std::int64_t>{2, 0}},
                                                         {"end", std::vector<std::int64_t>{3, 64}}})
                                                : b.add("add", "changed", {{"x", old}, {"y", row}});
    b.add_op("write_state", "write", {{"input", kv}, {"data", changed}}, {});
    keys = b.add("read_state", "keys", {{"input", kv}});
  }
  mil::Value* scores = b.add("matmul", "scores", {{"x", row}, {"y", keys}, {"transpose_y", true}});
  mil::Value* masked = b.add("add", "masked", {{"x", scores}, {"y", mask}});
  b.set_outputs({b.add("matmul", "y", {{"x", masked}, {"y", keys}})});
  return traffic_of(*program.functions[0], context);
}

constexpr std::uint64_t kWeights = 2 * 64 * 64;
constexpr std::uint64_t kCache = 2 * 100 * 64;
constexpr std::uint64_t kBoundary = 2 * (64 + 100 + 64);

TEST(TrafficOf, ReadsEveryWeightAndTheCacheOnceAndWritesRows) {
  const Traffic traffic = toy(Cache::kSlice);
  EXPECT_EQ(traffic.weight_bytes, kWeights);
  EXPECT_EQ(traffic.cache_read_bytes, kCache);
  EXPECT_EQ(traffic.cache_written_bytes, 2u * 64);
  EXPECT_EQ(traffic.boundary_bytes, kBoundary);
  EXPECT_EQ(traffic.bytes(), kWeights + kCache + 2 * 64 + kBoundary);
  EXPECT_EQ(traffic.spilled_bytes, 0u);
  // Two for each weight and twice for each element of the cache, and one for each of the mask.
  EXPECT_EQ(traffic.flops, kWeights + 2 * kCache + 100);
  EXPECT_TRUE(traffic.is_exact);
  EXPECT_EQ(traffic.growing.cache_read_bytes, kCache);
  EXPECT_EQ(traffic.growing.cache_written_bytes, 0u);
  EXPECT_EQ(traffic.growing.boundary_bytes, 2u * 100) << "the mask";
  EXPECT_EQ(traffic.growing.flops, 2 * kCache + 100);
}

TEST(TrafficOf, WritesAWholeCacheThatIsBlended) {
  const Traffic traffic = toy(Cache::kBlend);
  EXPECT_EQ(traffic.cache_read_bytes, kCache);
  EXPECT_EQ(traffic.cache_written_bytes, kCache);
  EXPECT_EQ(traffic.growing.cache_written_bytes, kCache);
}

TEST(TrafficOf, CountsAHostsCacheAtTheBoundary) {
  const Traffic traffic = toy(Cache::kHost);
  EXPECT_EQ(traffic.cache_read_bytes, 0u);
  EXPECT_EQ(traffic.cache_written_bytes, 0u);
  EXPECT_EQ(traffic.boundary_bytes, kBoundary + kCache);
  EXPECT_EQ(traffic.growing.boundary_bytes, 2 * 100 + kCache);
}

TEST(TrafficOf, GrowsWithTheContext) {
  const Traffic traffic = toy(Cache::kSlice);
  const Traffic twice = with_context(traffic, 2);
  EXPECT_EQ(twice.weight_bytes, kWeights);
  EXPECT_EQ(twice.cache_read_bytes, 2 * kCache);
  EXPECT_EQ(twice.cache_written_bytes, traffic.cache_written_bytes);
  EXPECT_EQ(twice.boundary_bytes, kBoundary + 2 * 100);
  EXPECT_EQ(twice.flops, kWeights + 2 * (2 * kCache + 100));
  EXPECT_EQ(with_context(traffic, 0.5).cache_read_bytes, kCache / 2);
  EXPECT_EQ(toy(Cache::kSlice, 0).growing.cache_read_bytes, 0u);
}

TEST(TrafficOf, TellsWhatMaySpill) {
  mil::Program program;
  mil::Builder b(program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {1000, 1001}));
  mil::Value* y = b.add("relu", "y", {{"x", x}});
  b.set_outputs({b.add("reduce_sum", "z", {{"x", y}, {"axes", std::vector<std::int64_t>{0}}})});
  // relu reads and writes it, reduce_sum reads it again.
  EXPECT_EQ(traffic_of(*program.functions[0]).spilled_bytes, 3u * 2 * 1000 * 1001);
}

// Figures worked out by hand for Qwen3-0.6B: 1,192 MB of fp16 weights, 114,688 bytes of cache a
// position; at 60 GB/s and 512 positions 20.8 ms, 48 tokens/s.
TEST(Estimates, AreTheRooflineOfQwen3) {
  const Chip chip{
      .name = "made up", .bandwidth = {.value = {60, 60, 60}}, .compute = {.value = {10, 10, 10}}};
  const Traffic all{
      .weight_bytes = 1'192'000'000, .cache_read_bytes = 512 * 114'688, .flops = 1'200'000'000};
  const Estimate estimated = estimate({&all, 1}, chip);
  EXPECT_NEAR(estimated.bytes_ms, 20.85, 0.01);
  EXPECT_NEAR(estimated.flops_ms, 0.12, 0.001);
  EXPECT_EQ(estimated.bound, "bytes");
  EXPECT_NEAR(estimated.milliseconds.likely, 20.85 + dispatch_ms().value.likely, 0.01);
  const Range rate = estimated.tokens_per_second(1);
  EXPECT_NEAR(rate.likely, 47.3, 0.1);
  EXPECT_LT(rate.low, rate.likely);
  EXPECT_GT(rate.high, rate.likely);
  // 128 rows: 113 GFLOP.
  const Traffic prefill{.weight_bytes = 1'192'000'000, .flops = 113'000'000'000};
  const Estimate block = estimate({&prefill, 1}, chip_named("M1"));
  EXPECT_EQ(block.bound, "flops");
  EXPECT_NEAR(block.milliseconds.likely, 113 / 4.3 + 0.3, 0.01);
}

TEST(Estimates, TakeTheLongerOfEachCall) {
  const Chip chip{
      .name = "made up", .bandwidth = {.value = {1, 1, 1}}, .compute = {.value = {1, 1, 1}}};
  const Traffic calls[] = {
      {.weight_bytes = 2'000'000, .flops = 1'000'000'000},
      {.weight_bytes = 1'000'000, .spilled_bytes = 4'000'000, .flops = 3'000'000'000}};
  const Estimate estimated = estimate(calls, chip);
  EXPECT_DOUBLE_EQ(estimated.milliseconds.likely, 2 + 3 + 2 * 0.3);
  EXPECT_DOUBLE_EQ(estimated.milliseconds.low, 2 + 3 + 2 * 0.1);
  EXPECT_DOUBLE_EQ(estimated.milliseconds.high, 2 + 5 + 2 * 0.5);
}

TEST(Chips, HaveASourceForEveryConstant) {
  ASSERT_FALSE(all_chips().empty());
  for (const Chip& chip : all_chips()) {
    for (const Constant* constant : {&chip.bandwidth, &chip.compute, &dispatch_ms()}) {
      EXPECT_NE(constant->source, "") << chip.name;
      EXPECT_GT(constant->value.low, 0) << chip.name;
      EXPECT_LE(constant->value.low, constant->value.likely) << chip.name;
      EXPECT_LE(constant->value.likely, constant->value.high) << chip.name;
    }
    EXPECT_EQ(&chip_named(chip.name), &chip);
  }
}

TEST(Chips, AreKnownByAnySpelling) {
  EXPECT_EQ(chip_named("Apple M4 Pro").name, "M4 Pro");
  EXPECT_EQ(chip_named("m4-pro").name, "M4 Pro");
  EXPECT_EQ(message_of([] { chip_named("A17"); }).substr(0, 64),
            "usage: nothing is known of the Neural Engine of 'A17'; known: M1");
}

}  // namespace
}  // namespace anemone::plan
