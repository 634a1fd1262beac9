#pragma once

#include "anemone/mil/type.h"
#include "anemone_spec.pb.h"

namespace anemone::package {

namespace spec = anemone_spec;

// Throws Error(kBadInput, kUnsupported) with what is wrong; the caller says where.
mil::Type read_type(const spec::ValueType& from);
void write_type(const mil::Type& type, spec::ValueType* to);

}  // namespace anemone::package
