#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/lint/check.h"

// Small questions about ops and values that several rules ask.
namespace anemone::lint {

bool is_type(const mil::Op* op, std::initializer_list<std::string_view> types);
// conv, linear or matmul with a weight that is fixed before any call: the weight; null otherwise.
const mil::Value* find_weight(const mil::Op& op);
// How many outputs a product with fixed weight has, and over how many inputs each sums; 0 for
// others.
std::int64_t output_channels(const mil::Op& op);
std::int64_t summed_channels(const mil::Op& op);
// Query rows that such a product computes; kUnknown where a call decides how many.
std::int64_t product_rows(const mil::Op& op);

// A value of one element that is known before any call.
std::optional<double> find_number(const mil::Value* value);
// A constant vector, or a scalar as one of length 1.
std::optional<std::vector<std::int64_t>> find_integers(const mil::Value* value);
// True if the value is a constant of at most `limit` elements and `is` holds for one of them.
bool any_element(const mil::Value& value, std::int64_t limit, bool (*is)(double));

// The extent of an axis counted from the end: extent(v, -1). 1 where there is no such axis,
// kUnknown where only a call fixes it.
std::int64_t extent(const mil::Value& value, std::int64_t from_end);
// The extent of axis `axis`, 1 past the rank.
std::int64_t axis_extent(const mil::Value& value, std::size_t axis);

// What the scales of compressed data go by: one for all, one for each slice of a single axis, or
// blocks (several along an axis that are not its slices, or along several axes).
enum class Granularity : std::uint8_t { kOne, kPerSlice, kBlocks };
Granularity granularity(const mil::Value& data, const mil::Value& scale);
// A product that stops at the largest number; negative factors count as 1.
std::int64_t times(std::int64_t a, std::int64_t b);
// Elements; unknown extents count as 1.
std::int64_t elements(const mil::Value& value);
// An axis made non-negative.
std::int64_t absolute_axis(std::int64_t axis, const mil::Value& value);

// The op that makes the value, looking through reshape, transpose, expand_dims, squeeze, cast and
// identity. Null at inputs and constants.
const mil::Op* find_maker(const mil::Value* value);
// What those ops were given at first.
const mil::Value* find_origin(const mil::Value* value);
// The first ops that take the value, looking through the same ops.
std::vector<const mil::Op*> find_takers(const FunctionView& function, const mil::Value& value);
// What a write_state stores. coremltools writes `state[:] = y` as a slice_update that replaces the
// whole of what was read: then y.
const mil::Value* find_stored(const mil::Op& write_state);
// True if `is` holds for the value or for one that it was made of, by whatever ops; looks at a
// bounded number of values.
bool comes_from(const mil::Value* value, bool (*is)(const mil::Value&));

// A constant whose first row is cos 0 or sin 0, all ones or all zeros, and whose second is neither.
bool is_rotary_table(const mil::Value& value);
bool is_float_op(const mil::Op& op);  // its first output is fp16, fp32, bf16 or fp64
// A cast of an input to something narrower than fp32, or one that only makes an output.
bool is_boundary_cast(const FunctionView& function, const mil::Op& op);
bool is_runtime_integer(const mil::Value& value);
bool writes_state(const FunctionView& function);

// "[1, 64, ?]", "fp16", in quotes: 'x'
std::string shape_text(const mil::Value& value);
std::string in_quotes(std::string_view text);
std::string grouped(std::uint64_t count);                         // "151,936"
std::string megabytes(std::uint64_t bytes);                       // "311.2 MB"
std::string counted(std::uint64_t count, std::string_view noun);  // "1 op", "2 ops"

}  // namespace anemone::lint
