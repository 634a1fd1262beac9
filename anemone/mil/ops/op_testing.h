#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "anemone/base/error.h"
#include "anemone/mil/op.h"

// How the ops' tests put a call together. Only _test.cc files include this.
namespace anemone::mil::op {

inline Tensor f32(Shape shape, const std::vector<double>& values) {
  return Tensor::from_doubles(DType::kF32, std::move(shape), values);
}
inline Tensor f16(Shape shape, const std::vector<double>& values) {
  return Tensor::from_doubles(DType::kF16, std::move(shape), values);
}
inline Tensor i32(Shape shape, const std::vector<std::int64_t>& values) {
  return Tensor::from_ints(DType::kI32, std::move(shape), values);
}
inline Tensor ints(DType dtype, Shape shape, const std::vector<std::int64_t>& values) {
  return Tensor::from_ints(dtype, std::move(shape), values);
}
inline Tensor flags(Shape shape, const std::vector<double>& values) {
  return Tensor::from_doubles(DType::kBool, std::move(shape), values);
}

inline Type f32_type(Shape shape) { return Type::tensor(DType::kF32, std::move(shape)); }
inline Type f16_type(Shape shape) { return Type::tensor(DType::kF16, std::move(shape)); }
inline Type i32_type(Shape shape) { return Type::tensor(DType::kI32, std::move(shape)); }
inline Type bool_type(Shape shape) { return Type::tensor(DType::kBool, std::move(shape)); }

inline void expect_near(const std::vector<double>& found, const std::vector<double>& wanted,
                        double tolerance = 1e-6) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_NEAR(found[i], wanted[i], tolerance * std::max(1.0, std::abs(wanted[i]))) << "at " << i;
  }
}

// One call of one op, named 'it'. Every evaluation also checks that the outputs have the types that
// inference promised, and that the same eval works with fp32 in the place of every fp16.
class Try {
 public:
  explicit Try(std::string_view op, Opset opset = Opset::kIos18) : opset_(opset) {
    def_ = find_op(op);
    ANEMONE_CHECK(def_ != nullptr) << op;
  }

  Try& with(std::string_view parameter, Tensor value) {
    return with(parameter, std::vector<Tensor>{std::move(value)});
  }
  Try& with(std::string_view parameter, std::vector<Tensor> values) {
    Bound& bound = bound_.emplace_back();
    bound.parameter = parameter;
    for (Tensor& value : values) {
      bound.types.push_back(Type::tensor(value.dtype(), value.shape()));
      bound.values.push_back(std::make_shared<const Tensor>(std::move(value)));
    }
    return *this;
  }
  // Known by type only.
  Try& with(std::string_view parameter, Type type) {
    return with(parameter, std::vector<Type>{std::move(type)});
  }
  Try& with(std::string_view parameter, std::vector<Type> types) {
    Bound& bound = bound_.emplace_back();
    bound.parameter = parameter;
    bound.values.resize(types.size());
    bound.types = std::move(types);
    return *this;
  }
  Try& with(std::string_view parameter, std::int64_t value) {
    return with(parameter, i32({}, {value}));
  }
  Try& with(std::string_view parameter, int value) { return with(parameter, std::int64_t{value}); }
  Try& with(std::string_view parameter, double value) { return with(parameter, f32({}, {value})); }
  Try& with(std::string_view parameter, bool value) {
    return with(parameter, Tensor::scalar_bool(value));
  }
  Try& with(std::string_view parameter, const char* value) {
    return with(parameter, Tensor::scalar_string(value));
  }

  std::vector<Type> types() const { return checked_infer(call(false)); }
  Type type() const { return types().front(); }

  std::vector<Tensor> values() const {
    const std::vector<Type> promised = types();
    const std::vector<Tensor> found = def_->eval(call(false));
    EXPECT_EQ(found.size(), promised.size());
    bool has_half = false;
    for (const Bound& bound : bound_) {
      for (const Type& type : bound.types) has_half |= type.dtype == DType::kF16;
    }
    const std::vector<Tensor> wide = has_half ? def_->eval(call(true)) : found;
    for (std::size_t i = 0; i < found.size() && i < promised.size(); ++i) {
      EXPECT_TRUE(agrees(promised[i], Type::tensor(found[i].dtype(), found[i].shape())))
          << to_string(promised[i]) << " was promised, but eval gave " << name(found[i].dtype())
          << " " << anemone::to_string(found[i].shape());
      EXPECT_EQ(wide[i].shape(), found[i].shape());
      EXPECT_TRUE(wide[i].dtype() == found[i].dtype() || wide[i].dtype() == DType::kF32);
    }
    return found;
  }
  Tensor value() const { return values().front(); }
  std::vector<double> numbers() const { return value().to_doubles(); }

  // The message with which inference or eval refuses; empty if neither does.
  std::string refusal() const {
    try {
      checked_infer(call(false));
      for (const Bound& bound : bound_) {
        for (const auto& value : bound.values) {
          if (value == nullptr) return "";
        }
      }
      if (def_->eval != nullptr) def_->eval(call(false));
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kBadInput);
      return error.what();
    }
    return "";
  }

 private:
  struct Bound {
    std::string_view parameter;
    std::vector<Type> types;
    std::vector<std::shared_ptr<const Tensor>> values;
    mutable std::vector<Tensor> widened;
  };

  Call call(bool widen) const {
    Call made(*def_, opset_, "it");
    for (const Bound& bound : bound_) {
      std::vector<Argument> arguments;
      bound.widened.clear();
      bound.widened.reserve(bound.values.size());
      for (std::size_t i = 0; i < bound.values.size(); ++i) {
        Type type = bound.types[i];
        const Tensor* value = bound.values[i].get();
        if (widen && value != nullptr && type.dtype == DType::kF16) {
          value = &bound.widened.emplace_back(convert(*value, DType::kF32));
          type.dtype = DType::kF32;
        }
        arguments.push_back({type, value});
      }
      made.bind(bound.parameter, std::move(arguments));
    }
    return made;
  }

  const OpDef* def_;
  Opset opset_;
  std::vector<Bound> bound_;
};

}  // namespace anemone::mil::op
