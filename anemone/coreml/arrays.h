#pragma once

#include <string>

#include "anemone/engine/engine.h"

namespace anemone::coreml {

// The elements of a multi-array where they lie: rows may be padded, so strides, which count
// elements, say where the next one is.
struct ArrayView {
  DType dtype = DType::kF32;  // kF16, kF32, kF64, kI32, kI8
  Shape shape;
  Shape strides;
  std::int64_t size_bytes = 0;  // from the first element to the end of the memory
};

// What is wrong with the view for `count` elements, or "": their number, a stride below zero or
// missing, an element past the end.
std::string problem_of(const ArrayView& view, std::int64_t count);

// Converts between the caller's row-major elements and the array's. The view has no problem.
// Floats round to the nearest; to an integer they are cut towards zero and held to its range.
void copy_in(const engine::Feed& from, const ArrayView& view, void* data) noexcept;
void copy_out(const ArrayView& view, const void* data, const engine::Fetch& to) noexcept;

}  // namespace anemone::coreml
