#pragma once

#include <map>
#include <string>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/mil/program.h"

// The constants of a package as its page lists them. Not public.
namespace anemone::report {

// Constants of more elements are weights; others are spelled where they are used.
inline constexpr std::int64_t kLiteralElements = 16;

struct Weight {
  const mil::Value* value = nullptr;  // of its first use
  std::string compression = {};       // "constexpr_lut_to_dense"; "" for none
  std::string stored_dtype = {};      // of what stands for the elements: "uint4"
  std::uint64_t stored_bytes = 0;
  std::uint64_t dense_bytes = 0;
  std::uint64_t uses = 0;  // by ops, over all functions
};

// Weights of a package. What functions share is one weight.
class WeightTable {
 public:
  // The weight's index. `value` must be fixed.
  std::size_t use(const mil::Value& value);
  const std::vector<Weight>& all() const { return all_; }

 private:
  // The same bytes, under the same ops, are the same weight.
  using Key = std::vector<const void*>;
  std::map<Key, std::size_t> by_key_;
  std::vector<Weight> all_;
};

// True if it is spelled where it is used.
bool is_literal(const mil::Value& value);
// "[0, 2, 1]", "-1", "\"valid\"".
std::string literal_text(const Tensor& tensor);

}  // namespace anemone::report
