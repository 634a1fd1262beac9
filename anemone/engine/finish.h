#pragma once

#include <vector>

#include "anemone/engine/kernel.h"
#include "anemone/mil/program.h"

namespace anemone::engine {

class Planner;

// Makes the kernel of `lowering`, which gives `result`, do these ops (in running order, the last
// one giving the group's result) to each element before it puts it down: clamps, slopes below zero
// as three ops, sums with another value. The last result then lies where `result` does. False, with
// nothing changed, if they are others or the kernel cannot.
bool plan_finish(Lowering& lowering, Planner& planner, Kernel& kernel,
                 const std::vector<const mil::Op*>& ops, const mil::Value& result);

}  // namespace anemone::engine
