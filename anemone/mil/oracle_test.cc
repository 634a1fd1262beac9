// Calls of ops with values that NumPy and PyTorch computed in float64 and types that coremltools
// inferred. The file names its makers; tests/oracle/mil/make_ops.py makes it again.

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <memory>
#include <set>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

// What one rounding to the dtype can cost: half a unit in the last place, and half the smallest
// step near 0. Expected values are written with nine digits, whence the last term.
double tolerance(DType dtype, double wanted) {
  if (!is_float(dtype)) return 0;
  const double digits = 1e-9 * std::abs(wanted) + 1e-12;
  return dtype == DType::kF16 ? std::abs(wanted) * 0x1p-11 + 0x1p-25 + digits
                              : std::abs(wanted) * 0x1p-24 + 1e-45 + digits;
}

DType dtype_of(const Json& name) { return find_dtype_by_name(name.get<std::string>()).value(); }

std::shared_ptr<const Tensor> tensor_of(const Json& json) {
  if (json.is_boolean()) return std::make_shared<Tensor>(Tensor::scalar_bool(json.get<bool>()));
  if (json.is_string()) {
    return std::make_shared<Tensor>(Tensor::scalar_string(json.get<std::string>()));
  }
  if (json.is_number()) {
    return std::make_shared<Tensor>(Tensor::scalar(DType::kI32, json.get<double>()));
  }
  return std::make_shared<Tensor>(Tensor::from_doubles(
      dtype_of(json.at(0)), json.at(1).get<Shape>(), json.at(2).get<std::vector<double>>()));
}

Opset opset_of(const Json& line) {
  return find_opset_by_target(line.at("opset").get<std::string>()).value();
}

// A line's call. Without `with_values` only what must be constant is known by value.
struct Recorded {
  std::vector<std::shared_ptr<const Tensor>> kept;

  Call call(const Json& line, bool with_values) {
    const OpDef* def = find_op(line.at("op").get<std::string>());
    Call made(*def, opset_of(line), "it");
    for (const auto& [parameter, json] : line.at("in").items()) {
      const bool is_list = json.is_array() && (json.empty() || json.at(0).is_array());
      const bool known = with_values || def->find_input(parameter)->is_const;
      std::vector<Argument> arguments;
      for (const Json& one : is_list ? json : Json::array({json})) {
        const auto& tensor = kept.emplace_back(tensor_of(one));
        arguments.push_back(
            {Type::tensor(tensor->dtype(), tensor->shape()), known ? tensor.get() : nullptr});
      }
      made.bind(parameter, std::move(arguments));
    }
    return made;
  }
};

void expect_agrees(const Json& line) {
  Recorded recorded;
  const Call call = recorded.call(line, true);
  const Json& wanted = line.at("out");
  const std::vector<Type> types = checked_infer(call);
  ASSERT_EQ(types.size(), wanted.size());
  const std::vector<Type> loose = checked_infer(recorded.call(line, false));
  ASSERT_EQ(loose.size(), wanted.size());
  const std::vector<Tensor> found = call.def().eval(call);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const Type type = Type::tensor(dtype_of(wanted[i].at(0)), wanted[i].at(1).get<Shape>());
    EXPECT_EQ(types[i], type) << to_string(types[i]) << ", but coremltools " << to_string(type);
    EXPECT_TRUE(agrees(loose[i], type))
        << to_string(loose[i]) << " without values, but " << to_string(type);
    ASSERT_EQ(Type::tensor(found[i].dtype(), found[i].shape()), type);
    const std::vector<double> values = found[i].to_doubles();
    for (std::size_t k = 0; k < values.size(); ++k) {
      const double expected = wanted[i].at(2).at(k).get<double>();
      EXPECT_NEAR(values[k], expected, tolerance(type.dtype, expected))
          << "output " << i << " at " << k;
    }
  }
}

TEST(Oracle, EvalAndInferenceAgreeWithNumpyPyTorchAndCoremltools) {
  const std::string text =
      read_text(std::string(ANEMONE_SOURCE_DIR) + "/tests/oracle/mil/ops.jsonl");
  std::map<std::string, int> seen;
  std::size_t start = 0;
  for (int number = 1; start < text.size(); ++number) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string row = text.substr(start, end - start);
    start = end + 1;
    const Json line = parse_json(row, "ops.jsonl:" + std::to_string(number));
    if (line.contains("made_by")) continue;
    SCOPED_TRACE("ops.jsonl:" + std::to_string(number) + ": " + row.substr(0, 400));
    ++seen[line.at("op").get<std::string>()];
    expect_agrees(line);
    if (testing::Test::HasFatalFailure()) return;
  }
  // Every op that computes anything is there, but for those whose values are random.
  for (const OpDef* op : all_ops()) {
    if (op->eval == nullptr || op->effect == Effect::kRandom) continue;
    EXPECT_GT(seen[std::string(op->name)], 0) << op->name;
  }
}

}  // namespace
}  // namespace anemone::mil
