#include "anemone/checkpoint/half_kernels.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <bit>
#include <cstring>
#include <random>
#include <vector>

#include "anemone/base/half.h"

namespace anemone {
namespace {

// Runs `test` under every SIMD target that was compiled and that this processor has.
template <typename Test>
void for_each_target(const Test& test) {
  int targets = 0;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    test();
    ++targets;
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  ASSERT_GT(targets, 0);
}

const std::byte* raw_bytes(const void* data) { return static_cast<const std::byte*>(data); }

HalfStats slow_stats(std::span<const float> values) {
  HalfStats stats;
  for (const float value : values) {
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(std::abs(value));
    stats.max_bits = std::max(stats.max_bits, bits);
    stats.flushed += value != 0 && (to_f16(value).bits & 0x7fffu) == 0 ? 1 : 0;
  }
  return stats;
}

TEST(HalfKernels, EveryBfloatRoundsAsToF16Does) {
  std::vector<std::uint16_t> all(65536), out(65536);
  std::vector<float> wide(65536);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = static_cast<std::uint16_t>(i);
    wide[i] = to_float(bf16{all[i]});
  }
  for_each_target([&] {
    const HalfStats stats = bf16_to_f16(raw_bytes(all.data()), all.size(), out.data());
    for (std::size_t i = 0; i < all.size(); ++i) {
      ASSERT_EQ(out[i], to_f16(wide[i]).bits) << std::hex << i;
    }
    EXPECT_EQ(stats.max_bits, slow_stats(wide).max_bits);
    EXPECT_EQ(stats.flushed, slow_stats(wide).flushed);
  });
}

TEST(HalfKernels, EveryHalfIsCopiedAsItIs) {
  std::vector<std::uint16_t> all(65536), out(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  for_each_target([&] {
    const HalfStats whole = copy_f16(raw_bytes(all.data()), all.size(), out.data());
    EXPECT_EQ(out, all);
    EXPECT_EQ(whole.max_bits, 0x7fffe000u);
    EXPECT_EQ(whole.flushed, 0u);
    const HalfStats finite = copy_f16(raw_bytes(all.data()), 0x7c00, out.data());
    EXPECT_EQ(std::bit_cast<float>(finite.max_bits), kMaxF16);
  });
}

// Around every half: the half itself, the ties to its neighbours, and what lies next to those.
TEST(HalfKernels, FloatsAroundEveryHalfAndEveryTieRoundAsToF16Does) {
  std::vector<float> values;
  for (std::uint32_t h = 0; h < 0x7c00; ++h) {
    const std::uint32_t here =
        std::bit_cast<std::uint32_t>(to_float(f16{static_cast<std::uint16_t>(h)}));
    const std::uint32_t next =
        h + 1 == 0x7c00
            ? 0x47800000u
            : std::bit_cast<std::uint32_t>(to_float(f16{static_cast<std::uint16_t>(h + 1)}));
    const float tie = 0.5f * (std::bit_cast<float>(here) + std::bit_cast<float>(next));
    const std::uint32_t middle = std::bit_cast<std::uint32_t>(tie);
    for (const std::uint32_t bits : {here, here + 1, middle - 1, middle, middle + 1, next - 1}) {
      values.push_back(std::bit_cast<float>(bits));
      values.push_back(std::bit_cast<float>(bits | 0x80000000u));
    }
  }
  for (const std::uint32_t bits : {0x7f7fffffu, 0x7f800000u, 0x7f800001u, 0x7fc00000u, 0x7fabcdefu,
                                   0xffffffffu, 0xff800000u, 1u, 0x007fffffu, 0x00800000u}) {
    values.push_back(std::bit_cast<float>(bits));
  }
  std::mt19937 random(7);
  for (int i = 0; i < 200'000; ++i) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(random())));
  }
  std::vector<std::uint16_t> out(values.size());
  for_each_target([&] {
    const HalfStats stats = f32_to_f16(raw_bytes(values.data()), values.size(), out.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      ASSERT_EQ(out[i], to_f16(values[i]).bits)
          << std::hex << std::bit_cast<std::uint32_t>(values[i]);
    }
    EXPECT_EQ(stats.max_bits, slow_stats(values).max_bits);
    EXPECT_EQ(stats.flushed, slow_stats(values).flushed);
  });
}

TEST(HalfKernels, AnyLengthAtAnyAddressWritesExactlyItsElements) {
  std::mt19937 random(8);
  std::normal_distribution<float> normal(0, 1e-6f);  // many are flushed
  for_each_target([&] {
    for (std::size_t count = 0; count <= 67; ++count) {
      for (const std::size_t shift : {0u, 1u, 3u}) {
        std::vector<float> values(count);
        std::vector<std::uint16_t> narrow(count);
        for (std::size_t i = 0; i < count; ++i) {
          narrow[i] = to_bf16(normal(random)).bits;
          values[i] = to_float(bf16{narrow[i]});
        }
        std::vector<std::byte> wide_bytes(count * 4 + shift), narrow_bytes(count * 2 + shift);
        if (count > 0) {
          std::memcpy(wide_bytes.data() + shift, values.data(), count * 4);
          std::memcpy(narrow_bytes.data() + shift, narrow.data(), count * 2);
        }
        std::vector<std::uint16_t> from_wide(count + 1, 0xbeef), from_narrow(count + 1, 0xbeef),
            copied(count + 1, 0xbeef);
        const HalfStats a = f32_to_f16(wide_bytes.data() + shift, count, from_wide.data());
        const HalfStats b = bf16_to_f16(narrow_bytes.data() + shift, count, from_narrow.data());
        copy_f16(narrow_bytes.data() + shift, count, copied.data());
        const HalfStats wanted = slow_stats(values);
        for (std::size_t i = 0; i < count; ++i) {
          ASSERT_EQ(from_wide[i], to_f16(values[i]).bits) << count << " " << shift;
          ASSERT_EQ(from_narrow[i], from_wide[i]) << count << " " << shift;
          ASSERT_EQ(copied[i], narrow[i]) << count << " " << shift;
        }
        ASSERT_EQ(from_wide[count], 0xbeef);
        ASSERT_EQ(from_narrow[count], 0xbeef);
        ASSERT_EQ(copied[count], 0xbeef);
        ASSERT_EQ(a.max_bits, wanted.max_bits);
        ASSERT_EQ(b.max_bits, wanted.max_bits);
        ASSERT_EQ(a.flushed, wanted.flushed);
        ASSERT_EQ(b.flushed, wanted.flushed);
      }
    }
  });
}

}  // namespace
}  // namespace anemone
