#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace anemone::package {

// Looks at the outermost fields of a specification, and of the models of pipelines in it, so that a
// cut file and a model of a type that nothing here can run are called by their names before the
// whole is parsed. Throws Error saying which model of which pipeline; the caller says which file.
enum class Allowed : std::uint8_t { kMlPrograms, kPipelinesToo };
void require_model_type(std::span<const std::byte> specification, Allowed allowed);

}  // namespace anemone::package
