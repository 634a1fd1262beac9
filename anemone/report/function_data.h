#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/lint/lint.h"
#include "anemone/report/report.h"
#include "anemone/report/weights.h"

// One function as columns of numbers. Not public.
namespace anemone::report {

// Every text of the page once.
class Strings {
 public:
  std::size_t of(std::string_view text);
  // Leaves the table empty.
  OrderedJson take() { return std::move(texts_); }

 private:
  std::unordered_map<std::string, std::size_t> index_;
  OrderedJson texts_ = OrderedJson::array();
};

// What is known of a function beside its ops.
struct FunctionContext {
  const mil::Function* function = nullptr;
  std::span<const lint::Finding> findings = {};
  const lint::FunctionIslands* islands = nullptr;
  std::vector<const Measurement*> measurements = {};  // of its package
  std::vector<const ValueRange*> ranges = {};         // of its package
};

// docs/report.md has the columns. Adds to `summary`.
OrderedJson function_data(const FunctionContext& context, Strings& strings, WeightTable& weights,
                          Summary& summary);

// Rules are named by their place in lint::rules().
OrderedJson finding_data(const lint::Finding& finding);

}  // namespace anemone::report
