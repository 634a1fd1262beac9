#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "anemone/tensor/dtype.h"

namespace anemone::engine {

// y[m, n] = sum over k of w[m, k] * x[k, n], plus bias[m]. Strides count elements; w is contiguous
// along k. Sums are in float.
struct Product {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
  DType w_stored = DType::kF16;  // kF16 or kF32
  std::int64_t w_row = 0;
  DType x_stored = DType::kF32;  // kF16 or kF32
  std::int64_t x_k = 0;
  std::int64_t x_n = 0;
  std::int64_t y_m = 0;
  std::int64_t y_n = 0;
  bool has_bias = false;
  bool rounds = false;  // results become what binary16 can hold
  // Columns that would leave most of a vector empty may be summed one by one, along k. Not for
  // narrowed().
  bool may_split = false;
};

struct Finish;  // kernels/finish.h

// How one product is computed: made once, for the target that is chosen then. Work comes in pieces
// that may be done in any order and by any thread: first all of pack(), then run(). Every element
// of y is summed by one thread in an order that depends on the shapes alone.
class ProductPlan {
 public:
  ProductPlan() = default;
  explicit ProductPlan(const Product& product);

  // The same method for fewer rows, columns and terms: every element that both give has the same
  // bits, as long as the terms left out are zeros and k stays a multiple of 32 or what it was.
  ProductPlan narrowed(std::int64_t m, std::int64_t n, std::int64_t k) const;

  const Product& product() const { return product_; }
  // "dot" (few columns: one sum of lanes an element), "axpy" (few rows) or "tile".
  std::string_view method() const;
  // What pack() fills and run() reads; a multiple of 64, perhaps 0.
  std::size_t scratch_bytes() const;
  std::int64_t pack_pieces() const;
  std::int64_t pieces() const;
  // Rows of y that one piece gives; absent if pieces are columns.
  std::optional<std::int64_t> piece_rows() const;
  // Multiplications of one piece, to judge what is worth sharing out.
  std::int64_t piece_cost() const;

  void pack(const void* x, std::byte* scratch, std::int64_t begin, std::int64_t end) const noexcept;
  // `bias` is null if the product has none. `finish` is null or what is done to the results while
  // they are in registers, in place of product().rounds; only if finishes().
  void run(const void* w, const void* x, const std::byte* scratch, const float* bias, float* y,
           std::int64_t begin, std::int64_t end, const Finish* finish = nullptr) const noexcept;
  bool finishes() const { return method_ == Method::kTile && product_.y_n == 1; }

 private:
  enum class Method : std::uint8_t { kDot, kAxpy, kTile };
  using PackFunction = void (*)(const Product&, const void*, float*, std::int64_t, std::int64_t);
  using RunFunction = void (*)(const Product&, const void*, const void*, const float*, float*,
                               std::int64_t, std::int64_t, const Finish*);

  Product product_;
  Method method_ = Method::kDot;
  PackFunction pack_ = nullptr;  // null: x is read where it lies
  RunFunction run_ = nullptr;
};

}  // namespace anemone::engine
