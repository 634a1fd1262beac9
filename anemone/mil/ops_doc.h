#pragma once

#include <string>

namespace anemone::mil {

// docs/ops.md: every op of the catalogue with its parameters, as Markdown.
std::string ops_markdown();

}  // namespace anemone::mil
