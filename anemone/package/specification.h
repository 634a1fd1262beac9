#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "anemone/package/blobs.h"
#include "anemone/package/package.h"
#include "anemone/package/pipeline.h"
#include "anemone_spec.pb.h"

namespace anemone::package {

namespace spec = anemone_spec;

// The bytes of a model.mlmodel. `what` is the file's name in messages.
Model read_specification(std::span<const std::byte> bytes, const WeightFiles& weights,
                         const std::string& what);
AnyModel read_any_specification(std::span<const std::byte> bytes, const WeightFiles& weights,
                                const std::string& what);
// Gives blobs their places and says the rest. The same model gives the same bytes.
std::string write_specification(const Model& model, int threshold, BlobLayout& blobs);

}  // namespace anemone::package
