#pragma once

#include "anemone/mil/program.h"
#include "anemone/package/blobs.h"
#include "anemone_spec.pb.h"

namespace anemone::package {

// Writes a program into `to`; constants of at least `threshold` elements get a place in `blobs`.
// Throws Error(kBadInput) for what the format cannot say.
void write_program(const mil::Program& program, int threshold, BlobLayout& blobs,
                   anemone_spec::Program* to);

}  // namespace anemone::package
