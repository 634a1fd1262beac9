#include "anemone/generate/ranges_plot.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "anemone/base/half.h"
#include "anemone/base/html.h"

namespace anemone::generate {
namespace {

constexpr int kLowest = -26, kHighest = 22;  // octaves that are drawn
constexpr double kOctave = 9, kLeft = 64, kTop = 12;
constexpr double kBottom = kTop + kOctave * (kHighest - kLowest);

double height_of(double magnitude) {
  const double octave = magnitude > 0 ? std::log2(magnitude) : kLowest;
  return kBottom - kOctave * (std::clamp<double>(octave, kLowest, kHighest) - kLowest);
}

template <typename... Values>
std::string format(const char* pattern, Values... values) {
  char text[512];
  const int length = std::snprintf(text, sizeof text, pattern, values...);
  return {text, static_cast<std::size_t>(std::clamp<int>(length, 0, sizeof text - 1))};
}

std::string level(double magnitude, double right, const char* colour, const std::string& name) {
  const double y = height_of(magnitude);
  return format("<line x1=\"%.0f\" y1=\"%.1f\" x2=\"%.0f\" y2=\"%.1f\" stroke=\"%s\"/>", kLeft, y,
                right, y, colour) +
         format("<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">", kLeft - 4, y + 3) + name +
         "</text>\n";
}

}  // namespace

std::string ranges_svg(std::span<const ValueRange> ranges) {
  const double step =
      std::clamp(1200.0 / static_cast<double>(std::max<std::size_t>(1, ranges.size())), 2.0, 12.0);
  const double right = kLeft + step * static_cast<double>(ranges.size()) + step;
  std::string svg = format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" role=\"img\" "
      "font-family=\"sans-serif\" font-size=\"10\">\n<title>largest magnitude of every "
      "value</title>\n",
      right + 8, kBottom + 24);
  for (int octave = -24; octave <= 20; octave += 4) {
    svg += level(std::ldexp(1, octave), right, "#e4e4e4", format("2^%d", octave));
  }
  svg += level(static_cast<double>(kMaxF16), right, "#c00", "65504");
  svg += level(256, right, "#c80", "256");
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const ValueRange& range = ranges[i];
    const bool is_lost = range.headroom() < 1 || range.nans > 0;
    const double x = kLeft + step * (static_cast<double>(i) + 0.5);
    const double top = range.infinities > 0 ? kTop : height_of(range.max_magnitude);
    svg += format(
        "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
        "stroke-width=\"%.1f\"><title>",
        x, std::max(height_of(range.percentile(0.5)), top + 1), x, top, is_lost ? "#c00" : "#468",
        std::max(1.0, step * 0.6));
    svg += html_escaped(range.package + " " + range.value + " (" + range.op + ")");
    svg += format(": largest %.4g, 99.9 %% below %.4g, half below %.4g",
                  static_cast<double>(range.max_magnitude),
                  static_cast<double>(range.percentile(0.999)),
                  static_cast<double>(range.percentile(0.5)));
    if (range.nans + range.infinities > 0) {
      svg += format("; %llu not finite",
                    static_cast<unsigned long long>(range.nans + range.infinities));
    }
    svg += "</title></line>\n";
  }
  return svg +
         format(
             "<text x=\"%.0f\" y=\"%.0f\">values in running order; each from its median to its "
             "largest magnitude</text>\n</svg>\n",
             kLeft, kBottom + 16);
}

std::string ranges_html(std::span<const ValueRange> ranges, std::string_view title) {
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>" +
         html_escaped(title) + "</title></head><body>\n<h1>" + html_escaped(title) +
         "</h1>\n<div style=\"overflow-x: auto\">\n" + ranges_svg(ranges) +
         "</div></body></html>\n";
}

}  // namespace anemone::generate
