#pragma once

#include "anemone/mil/program.h"
#include "anemone/package/blobs.h"
#include "anemone/package/types.h"

namespace anemone::package {

struct Constant {
  mil::Type type;                        // a static tensor, or a list of scalars
  std::shared_ptr<const Tensor> tensor;  // a list's elements as a vector
};

// Reads an immediate value, or the blob that it refers to. Throws Error with what is wrong; the
// caller says where.
Constant read_constant(const spec::Value& from, const WeightFiles& weights);

// Writes a constant into `to`: as a reference into `blobs` when given, else with all its elements.
void write_constant(const mil::Type& type, const Tensor& tensor, BlobLayout* blobs,
                    spec::Value* to);

// The program attribute `buildInfo` and its like.
std::map<std::string, std::string> read_string_map(const spec::Value& from);
void write_string_map(const std::map<std::string, std::string>& map, spec::Value* to);

// An op's `name` attribute.
std::string read_string(const spec::Value& from);
void write_string(const std::string& text, spec::Value* to);

}  // namespace anemone::package
