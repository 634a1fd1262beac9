#pragma once

#include "anemone/package/package.h"
#include "anemone_spec.pb.h"

namespace anemone::package {

namespace spec = anemone_spec;

// The description part of a specification: what functions take and give, and the metadata.
// `model.program` must have been read before. Throws Error with what is wrong; the caller says
// where.
void read_description(const spec::ModelDescription& from, Model& model);
// The same parts by themselves, for a model that has no program.
Interface read_plain_interface(const spec::ModelDescription& from);
Metadata read_metadata(const spec::ModelDescription& from);
void write_description(const Model& model, spec::ModelDescription* to);

// The function's interface as the model states it, or else as its types imply it.
Interface effective_interface(const Model& model, const mil::Function& function);

// Refuses an interface that does not fit its function: unknown names, inputs without a feature,
// shapes or states that disagree.
void check_interface(const Interface& interface, const mil::Function& function);

}  // namespace anemone::package
