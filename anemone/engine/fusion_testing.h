#pragma once

#include <string>

#include "anemone/engine/testing.h"

// For the tests of fusions: programs that must give the same bits fused and op by op.
namespace anemone::engine {

// Runs the program's `main` in both arithmetics, by every target, with one and with three threads,
// fused and not: all must have the same bits for one target, and be near the reference. Gives what
// the plan says of each op, up to the first comma; of both arithmetics, where they differ.
std::string check_fusion(const std::shared_ptr<mil::Program>& program, const Tensors& inputs);

// Checks every program of fusions/testdata/ that is named after the pass, STEM.CASE.before.mil, on
// numbers of a fixed seed, and holds the plan to STEM.CASE.after.txt. ANEMONE_UPDATE_GOLDEN=1
// writes the latter, and the former in the form in which programs are printed. Fails if there is no
// such file.
void check_fusion_goldens(const std::string& stem);

}  // namespace anemone::engine
