#pragma once

#include <span>
#include <string>
#include <string_view>

#include "anemone/generate/ranges.h"

namespace anemone::generate {

// A drawing of ranges as an <svg> element that needs nothing else: for every value, in running
// order, a line from its median to its largest magnitude on a scale of octaves, with the limits of
// fp16 and of what fp16 can square. What passes the limit is red; a pointer over a line shows its
// name and figures.
std::string ranges_svg(std::span<const ValueRange> ranges);

// A page with the drawing and nothing from elsewhere.
std::string ranges_html(std::span<const ValueRange> ranges, std::string_view title);

}  // namespace anemone::generate
