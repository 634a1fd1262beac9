#pragma once

#include "anemone/lint/lint.h"
#include "anemone/package/package.h"

namespace anemone::cli {

// A package as lint looks at it: its program, and how its inputs may vary. Refers to `model`.
lint::Subject lint_subject(const package::Model& model);

}  // namespace anemone::cli
