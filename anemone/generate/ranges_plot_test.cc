#include "anemone/generate/ranges_plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace anemone::generate {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

ValueRange range(std::string value, float peak) {
  ValueRange range;
  range.package = "a.mlpackage";
  range.value = std::move(value);
  range.op = "add";
  range.count = 1;
  range.max_magnitude = peak;
  range.buckets[300] = 1;
  return range;
}

TEST(RangesPlot, DrawsEveryValueAndMarksWhatFp16CannotHold) {
  const std::vector<ValueRange> fine = {range("x", 2), range("y", 60000)};
  const std::string svg = ranges_svg(fine);
  EXPECT_THAT(svg, HasSubstr("a.mlpackage x (add): largest 2,"));
  EXPECT_THAT(svg, HasSubstr("a.mlpackage y (add): largest 6e+04,"));
  EXPECT_THAT(svg, Not(HasSubstr("stroke=\"#c00\" stroke-width")));
  const std::vector<ValueRange> lost = {range("x", 7e4f)};
  EXPECT_THAT(ranges_svg(lost), HasSubstr("stroke=\"#c00\" stroke-width"));
}

TEST(RangesPlot, SaysHowManyNumbersAreNone) {
  std::vector<ValueRange> ranges = {range("x", 2)};
  ranges[0].infinities = 3;
  EXPECT_THAT(ranges_svg(ranges), HasSubstr("; 3 not finite</title>"));
}

TEST(RangesPlot, IsAPageOfItsOwnWhateverThingsAreCalled) {
  const std::vector<ValueRange> ranges = {range("<script>", 2)};
  const std::string page = ranges_html(ranges, "a & b");
  EXPECT_THAT(page, HasSubstr("<title>a &amp; b</title>"));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("href")));
  EXPECT_THAT(ranges_html({}, "none"), HasSubstr("</svg>"));
}

}  // namespace
}  // namespace anemone::generate
