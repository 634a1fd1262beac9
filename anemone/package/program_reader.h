#pragma once

#include "anemone/mil/program.h"
#include "anemone/package/blobs.h"
#include "anemone_spec.pb.h"

namespace anemone::package {

// The program of a specification. Every name is resolved and every constant read (blobs stay where
// they are); types are taken as declared. Throws Error with function and op; the caller says which
// file.
mil::Program read_program(const anemone_spec::Program& from, const WeightFiles& weights);

}  // namespace anemone::package
