#pragma once

#include <bit>

#include "anemone/mil/ops/elements.h"

// Weights that are stored small: tables, blocks of scales, masks.
namespace anemone::mil::op {

inline constexpr DTypeSet kBytes = bit(DType::kI8) | bit(DType::kU8);
inline constexpr DTypeSet kTableDTypes = kBytes | kFloats;
inline constexpr DTypeSet kShiftScaleDTypes = kTableDTypes | bit(DType::kI4) | bit(DType::kU4);
inline constexpr DTypeSet kIndexDTypes = bit(DType::kU1) | bit(DType::kU2) | bit(DType::kU3) |
                                         bit(DType::kU4) | bit(DType::kU6) | bit(DType::kU8);
inline constexpr InputDef kVectorAxis = {.name = "vector_axis",
                                         .dtypes = kInt32,
                                         .max_rank = 0,
                                         .is_const = true,
                                         .is_optional = true,
                                         .since = Opset::kIos18};
// What the forms before iOS 18, whose bits are packed into bytes, hold the extents in.
inline constexpr InputDef kPackedShape = {.name = "shape",
                                          .dtypes = bit(DType::kU32) | kInt32,
                                          .min_rank = 1,
                                          .max_rank = 1,
                                          .is_const = true,
                                          .is_optional = true,
                                          .until = Opset::kIos17};

inline Shape packed_shape(const Call& call) {
  if (!call.has("shape")) call.fail("lacks parameter 'shape'");
  Shape shape = call.tensor("shape").to_ints();
  if (shape.empty() || !checked_element_count(shape)) {
    call.fail("parameter 'shape' is " + anemone::to_string(shape));
  }
  return shape;
}

// The parameter's bytes as packed elements of `dtype`, least significant bit first.
inline Tensor unpacked(const Call& call, std::string_view parameter, DType dtype,
                       const Shape& shape) {
  const Tensor& packed = call.tensor(parameter);
  const std::uint64_t needed = size_bytes(dtype, static_cast<std::uint64_t>(element_count(shape)));
  if (packed.size_bytes() != needed) {
    call.fail("parameter '" + std::string(parameter) + "' has " +
              std::to_string(packed.size_bytes()) + " bytes; " + std::to_string(needed) +
              " hold the " + std::string(name(dtype)) + " elements of " +
              anemone::to_string(shape));
  }
  return Tensor(dtype, shape, packed.bytes());
}

// How many elements of a bit mask are set. Padding bits in the last byte must not be.
inline std::int64_t set_bits(const Call& call, const Tensor& mask) {
  const Tensor here = mask.resident();
  std::int64_t total = 0;
  for (const std::byte byte : here.data()) {
    total += std::popcount(std::to_integer<unsigned>(byte));
  }
  const std::int64_t used = mask.count() % 8;
  if (used != 0 && (std::to_integer<int>(here.data().back()) >> used) != 0) {
    call.fail("the mask has bits set behind its last element");
  }
  return total;
}

// Fails unless the vector of values has one for each set bit of the mask.
inline void check_sparse(const Call& call, std::string_view values, const Tensor& mask) {
  const std::int64_t set = set_bits(call, mask);
  if (!may_equal(call.shape(values)[0], set)) {
    call.fail("parameter '" + std::string(values) + "' has " +
              std::to_string(call.shape(values)[0]) + " values, but the mask has " +
              std::to_string(set) + " bits set");
  }
}

// Zeros where the mask is 0, else the values in their order.
inline Tensor dense(const Tensor& values, const Tensor& mask) {
  const Tensor here = values.resident();
  const Tensor bits = mask.resident();
  Elements y(values.dtype(), mask.shape());
  std::int64_t next = 0;
  for (std::int64_t i = 0; i < mask.count(); ++i) {
    if (bits.integer(i) != 0) y.copy(i, here, next++);
  }
  return y.finish();
}

// The elements of `values` where the mask is set.
inline Tensor kept(const Tensor& values, const Tensor& mask) {
  const Tensor here = values.resident();
  const Tensor bits = mask.resident();
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < mask.count(); ++i) {
    if (bits.integer(i) != 0) at.push_back(i);
  }
  return rearranged(here, {static_cast<std::int64_t>(at.size())},
                    [&](const Shape& index) { return at[static_cast<std::size_t>(index[0])]; });
}

// The axis that vector entries of a table spread over; 0 where entries are scalars.
inline std::size_t vector_axis(const Call& call, const Shape& indices) {
  const auto rank = static_cast<std::int64_t>(indices.size());
  return call.has("vector_axis") ? static_cast<std::size_t>(call.axis("vector_axis", rank)) : 0;
}

// Checks a table [groups.., 2^bits, vector] against the indices into it and gives the extents of
// what it expands them to.
// Source: coremltools 9.0, mil/ops/defs/iOS18/compression.py.
inline Shape table_shape(const Call& call, const Shape& indices, DType dtype, const Shape& lut) {
  const auto complain = [&](const std::string& why) {
    call.fail("parameter 'lut' has shape " + anemone::to_string(lut) + ", " + why);
  };
  if (lut.size() != indices.size() + 2 || !is_known(lut)) {
    complain("which is not two axes more than the indices', " + anemone::to_string(indices));
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (lut[i] < 1 || (indices[i] != kUnknown && indices[i] % lut[i] != 0)) {
      complain("which does not divide the indices', " + anemone::to_string(indices) +
               ", along axis " + std::to_string(i));
    }
  }
  const std::int64_t entries = std::int64_t{1} << width_bits(dtype);
  if (lut[lut.size() - 2] != entries) {
    complain("but indices of " + std::string(name(dtype)) + " choose among " +
             std::to_string(entries) + " entries");
  }
  if (lut.back() < 1 || (lut.back() > 1 && !call.has("vector_axis"))) {
    complain("whose entries are vectors, but 'vector_axis' is not given");
  }
  Shape shape = indices;
  const std::size_t axis = vector_axis(call, indices);
  if (lut.back() > 1 && shape[axis] != kUnknown) {
    shape[axis] = times(call, shape[axis], lut.back());
  }
  return shape;
}

// Every index replaced by its entry of the table of its group. `axis` is what vectors spread over.
inline Tensor looked_up(const Tensor& indices, const Tensor& lut, std::size_t axis) {
  const Tensor codes = indices.resident();
  const Tensor table = lut.resident();
  const std::size_t rank = indices.shape().size();
  const std::int64_t entries = lut.shape()[rank];
  const std::int64_t vector = lut.shape()[rank + 1];
  const Shape index_strides = row_major_strides(indices.shape());
  const Shape table_strides = row_major_strides(lut.shape());
  Shape shape = indices.shape();
  shape[axis] *= vector;
  Elements y(lut.dtype(), shape);
  std::int64_t to = 0;
  for_each_index(shape, [&](const Shape& index) {
    std::int64_t code_at = 0;
    std::int64_t table_at = index[axis] % vector;
    for (std::size_t i = 0; i < rank; ++i) {
      const std::int64_t p = i == axis ? index[i] / vector : index[i];
      code_at += p * index_strides[i];
      table_at += p / (indices.shape()[i] / lut.shape()[i]) * table_strides[i];
    }
    const std::int64_t code = std::min(codes.integer(code_at), entries - 1);
    y.copy(to++, table, table_at + code * vector);
  });
  return y.finish();
}

// Checks scale and offset against data of this shape: of its rank, with extents that divide its.
inline void check_blocks(const Call& call, const Shape& data, DType data_dtype) {
  const Shape& scale = call.shape("scale");
  bool fits = scale.size() == data.size() && is_known(scale);
  for (std::size_t i = 0; fits && i < scale.size(); ++i) {
    fits = scale[i] > 0 && (data[i] == kUnknown || data[i] % scale[i] == 0);
  }
  if (!fits) {
    call.fail("parameter 'scale' has shape " + anemone::to_string(scale) +
              ", which does not divide that of the data, " + anemone::to_string(data));
  }
  if (!call.has("offset")) return;
  require_shape(call, "offset", scale);
  const DType offset = call.dtype("offset");
  if (!is_float(offset) && offset != data_dtype) {
    call.fail("parameter 'offset' is " + std::string(name(offset)) +
              "; allowed: " + std::string(name(data_dtype)) + " (as the data), fp16, fp32");
  }
}

// scale (data - offset), each block with its own scale and offset.
inline Tensor shifted_and_scaled(const Tensor& data, const Tensor& scale, const Tensor* offset) {
  const Shape strides = row_major_strides(scale.shape());
  const std::vector<double> factors = scale.to_doubles();
  const std::vector<double> offsets = offset ? offset->to_doubles() : std::vector<double>{};
  std::vector<double> y = data.to_doubles();
  std::size_t to = 0;
  for_each_index(data.shape(), [&](const Shape& index) {
    std::int64_t at = 0;
    for (std::size_t i = 0; i < index.size(); ++i) {
      at += index[i] / (data.shape()[i] / scale.shape()[i]) * strides[i];
    }
    const auto block = static_cast<std::size_t>(at);
    y[to] = factors[block] * (offset ? y[to] - offsets[block] : y[to]);
    ++to;
  });
  return Tensor::from_doubles(scale.dtype(), data.shape(), y);
}

}  // namespace anemone::mil::op
