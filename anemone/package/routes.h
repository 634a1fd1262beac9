#pragma once

#include "anemone/package/pipeline.h"

namespace anemone::package {

// Refuses a pipeline of which a model has an input that nothing before it gives, or gives as
// something else, and one that promises what no model gives. Throws Error; the caller says where.
void check_routes(const Pipeline& pipeline);

}  // namespace anemone::package
