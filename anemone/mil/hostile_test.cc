// Calls of every op put together at random, most of them senseless: each must be refused by an
// Error or give outputs of the types that it promised; none may crash, overflow or allocate wildly.

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <random>

#include "anemone/base/error.h"
#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

constexpr std::array<std::int64_t, 10> kNumbers10 = {0,  1, 2, 3,          -1,
                                                     -2, 4, 7, 2147483647, -2147483648};
constexpr std::array<const char*, 19> kWords = {
    "",        "valid",         "same",         "custom",        "constant",
    "reflect", "bilinear",      "unnormalized", "update",        "fp16",
    "int32",   "uint8",         "tanh",         "bidirectional", "reverse",
    "DEFAULT", "ALIGN_CORNERS", "chw,whr->chr", "border"};
constexpr std::int64_t kMostElements = 1 << 12;

class Calls {
 public:
  explicit Calls(unsigned seed) : random_(seed) {}

  std::int64_t below(std::int64_t n) {
    return std::uniform_int_distribution<std::int64_t>(0, n - 1)(random_);
  }
  bool chance(int percent) { return below(100) < percent; }

  DType dtype(DTypeSet set) {
    std::vector<DType> all;
    for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
      if ((set >> i & 1) != 0) all.push_back(static_cast<DType>(i));
    }
    if (set == kAnyDType) return DType::kF32;
    return all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
  }

  std::int64_t extent(bool wild) {
    if (!wild || chance(80)) return 1 + below(4);
    constexpr std::array<std::int64_t, 6> kExtents = {
        0, kUnknown, 2147483648, std::int64_t{1} << 40, std::int64_t{1} << 62, 17};
    return kExtents[static_cast<std::size_t>(below(6))];
  }

  std::shared_ptr<const Tensor> tensor(DType dtype, const Shape& shape) {
    const auto count = static_cast<std::size_t>(element_count(shape));
    if (dtype == DType::kString) {
      std::vector<std::string> words(count);
      for (auto& word : words) word = kWords[static_cast<std::size_t>(below(kWords.size()))];
      return std::make_shared<Tensor>(Tensor::from_strings(shape, std::move(words)));
    }
    std::vector<double> values(count);
    const bool small = chance(70);
    for (double& value : values) {
      value = small ? static_cast<double>(below(4)) : static_cast<double>(kNumbers10[below(10)]);
      if (is_float(dtype) && chance(5)) value = std::numeric_limits<double>::quiet_NaN();
      if (is_float(dtype) && chance(5)) value = 1e300;
    }
    return std::make_shared<Tensor>(Tensor::from_doubles(dtype, shape, values));
  }

  Argument argument(const InputDef& input, Opset opset) {
    const bool known = input.is_const || chance(70);
    Shape shape(
        static_cast<std::size_t>(input.min_rank + below(input.max_rank - input.min_rank + 1)));
    for (auto& e : shape) e = extent(!known);
    const DType type = chance(3) ? DType::kI8 : dtype(input.dtypes_in(opset));
    if (input.kinds == kStates) return {Type::state(type, shape), nullptr};
    if (input.kinds == kLists) return {Type::list(type, shape, kUnknown), nullptr};
    if (!known) return {Type::tensor(type, shape), nullptr};
    return {Type::tensor(type, shape), tensors_.emplace_back(tensor(type, shape)).get()};
  }

  Call call(const OpDef& op) {
    tensors_.clear();
    const auto opset = static_cast<Opset>(below(5));
    Call made(op, opset, "it");
    std::optional<Argument> first;  // often the others follow its dtype and shape
    for (const InputDef& input : op.inputs) {
      const bool wanted = !input.is_optional && input.otherwise.index() == 0;
      if (!input.exists(opset) ? !chance(2) : (wanted ? chance(1) : chance(50))) continue;
      std::vector<Argument> arguments;
      for (std::int64_t n = input.is_variadic ? below(4) : 1; n > 0; --n) {
        Argument one = argument(input, opset);
        if (first && input.domain != 0 && chance(80)) {
          one.type = chance(50) ? first->type : Type::tensor(first->type.dtype, one.type.shape);
          one.value = nullptr;
          if (checked_element_count(one.type.shape).value_or(kMostElements) < kMostElements) {
            one.value = tensors_.emplace_back(tensor(one.type.dtype, one.type.shape)).get();
          }
        }
        if (!first) first = one;
        arguments.push_back(std::move(one));
      }
      made.bind(input.name, std::move(arguments));
    }
    if (op.blocks > 0) made.block_outputs = {{Type::scalar(DType::kBool)}, {first->type}};
    return made;
  }

  bool all_known(const Call& made) const {
    for (const InputDef& input : made.def().inputs) {
      for (const Argument& argument : made.arguments(input.name)) {
        if (argument.value == nullptr) return false;
      }
    }
    return true;
  }

 private:
  std::mt19937 random_;
  std::vector<std::shared_ptr<const Tensor>> tensors_;
};

bool small(const std::vector<Type>& types) {
  return std::all_of(types.begin(), types.end(), [](const Type& type) {
    return type.is_static() && element_count(type.shape) <= kMostElements;
  });
}

TEST(Hostile, NoCallOfAnyOpCrashes) {
  const unsigned seed = 20240917;
  RecordProperty("seed", static_cast<int>(seed));
  Calls calls(seed);
  int inferred = 0;
  int evaluated = 0;
  for (const OpDef* op : all_ops()) {
    for (int i = 0; i < 200; ++i) {
      const Call call = calls.call(*op);
      try {
        const std::vector<Type> types = checked_infer(call);
        ++inferred;
        if (op->eval == nullptr || !calls.all_known(call) || !small(types)) continue;
        const std::vector<Tensor> found = op->eval(call);
        ++evaluated;
        ASSERT_EQ(found.size(), types.size()) << op->name;
        for (std::size_t k = 0; k < found.size(); ++k) {
          EXPECT_TRUE(agrees(types[k], Type::tensor(found[k].dtype(), found[k].shape())))
              << op->name << " promised " << to_string(types[k]) << ", gave "
              << name(found[k].dtype()) << anemone::to_string(found[k].shape());
        }
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), Code::kBadInput) << error.what();
        EXPECT_EQ(std::string(error.what()).rfind("op 'it' (" + std::string(op->name) + ")", 0), 0u)
            << error.what();
      }
    }
  }
  // Else the calls would be too senseless to find anything.
  EXPECT_GT(inferred, 3000);
  EXPECT_GT(evaluated, 1500);
}

}  // namespace
}  // namespace anemone::mil
