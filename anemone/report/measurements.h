#pragma once

#include <vector>

#include "anemone/evidence/evidence.h"
#include "anemone/report/report.h"

namespace anemone::report {

// What the records say of each op of the package under each choice of processors for which they
// hold a plan.
std::vector<Measurement> measurements_of(const evidence::Document& document,
                                         const evidence::Package& package);

}  // namespace anemone::report
