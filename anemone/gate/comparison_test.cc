#include "anemone/gate/comparison.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace anemone::gate {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Compare, GivesTheFiguresOfASmallCase) {
  const std::vector<float> reference = {std::log(1.0f), std::log(2.0f), std::log(5.0f)};
  const std::vector<float> subject = {std::log(2.0f), std::log(4.0f), std::log(2.0f)};
  const Comparison c = compare(reference, subject, 0);
  EXPECT_EQ(c.reference_top, 2);
  EXPECT_EQ(c.subject_top, 1);
  EXPECT_FALSE(c.agrees());
  EXPECT_NEAR(c.margin, std::log(2.5), 1e-6);
  EXPECT_NEAR(c.subject_margin, std::log(2.0), 1e-6);
  EXPECT_EQ(c.top5, 3);
  EXPECT_EQ(c.top5_of, 3);
  // sum of p log(p / q), p = (1, 2, 5) / 8, q = (2, 4, 2) / 8.
  EXPECT_NEAR(c.kl, std::log(0.5) / 8 + std::log(0.5) / 4 + std::log(2.5) * 5 / 8, 1e-6);
  EXPECT_NEAR(c.reference_nll, std::log(8.0), 1e-6);
  EXPECT_NEAR(c.subject_nll, std::log(4.0), 1e-6);
  EXPECT_FALSE(c.is_identical);
}

TEST(Compare, CountsTheFiveBestInCommon) {
  std::vector<float> reference, subject;
  for (int i = 0; i < 20; ++i) {
    reference.push_back(static_cast<float>(i));
    subject.push_back(static_cast<float>(i));
  }
  EXPECT_EQ(compare(reference, subject, -1).top5, 5);
  std::swap(subject[19], subject[0]);
  std::swap(subject[18], subject[1]);
  EXPECT_EQ(compare(reference, subject, -1).top5, 3);
}

TEST(Compare, OfEqualLogitsTheLowestIdIsTheBest) {
  const std::vector<float> tied = {1, 3, 3, 2};
  const Comparison c = compare(tied, std::vector<float>{1, 3, 3, 2.5f}, -1);
  EXPECT_EQ(c.reference_top, 1);
  EXPECT_EQ(c.margin, 0);
  EXPECT_TRUE(c.agrees());
}

TEST(Compare, MarksWhatIsNotFiniteFlatOrTheSame) {
  const std::vector<float> good = {1, 2}, flat = {3, 3}, bad = {1, NAN}, big = {kInf, 0};
  EXPECT_TRUE(compare(good, good, -1).is_identical);
  EXPECT_TRUE(compare(good, flat, -1).subject_is_flat);
  EXPECT_TRUE(compare(flat, good, -1).reference_is_flat);
  EXPECT_FALSE(compare(good, bad, 0).subject_is_finite);
  EXPECT_FALSE(compare(good, big, 0).subject_is_finite);
  EXPECT_FALSE(compare(bad, good, 0).reference_is_finite);
  EXPECT_EQ(compare(good, bad, 0).kl, 0);
}

TEST(Distance, OfZerosIsNoneAndOfInfinityEndless) {
  const std::vector<float> zeros = {0, 0}, ones = {1, 1}, twos = {2, 2}, big = {kInf, 1};
  EXPECT_EQ(distance(zeros, zeros).cosine, 1);
  EXPECT_EQ(distance(zeros, ones).cosine, 0);
  EXPECT_EQ(distance(zeros, ones).relative_error, kInf);
  EXPECT_NEAR(distance(ones, twos).cosine, 1, 1e-12);
  EXPECT_NEAR(distance(ones, twos).relative_error, 1, 1e-12);
  EXPECT_FALSE(distance(ones, big).is_finite);
}

TEST(RangeOf, PassesOverWhatIsNotFiniteAndCountsIt) {
  const Range range = range_of(std::vector<float>{2, -kInf, -3, NAN, 7});
  EXPECT_EQ(range.least, -3);
  EXPECT_EQ(range.greatest, 7);
  EXPECT_EQ(range.not_finite, 2);
  EXPECT_EQ(range.first_bad, 1);
}

}  // namespace
}  // namespace anemone::gate
