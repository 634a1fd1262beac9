#include "anemone/ladder/rewrite.h"

#include <cmath>

#include "anemone/base/check.h"
#include "anemone/mil/builder.h"

namespace anemone::ladder {
namespace {

using mil::Builder;
using mil::Value;

// Writes a function again, op by op; what is to differ overrides a step.
class Rewriter {
 public:
  explicit Rewriter(mil::Function& to) : b_(to) {}
  virtual ~Rewriter() = default;

  void run(const mil::Function& from) {
    for (const auto& input : from.inputs) map_[input.get()] = b_.input(input->name, type(*input));
    for (const auto& op : from.body.ops) {
      ANEMONE_CHECK(op->blocks.empty()) << op->type() << " has blocks";
      write(*op);
    }
    std::vector<Value*> outputs;
    for (const Value* output : from.body.outputs) outputs.push_back(mapped(output));
    b_.set_outputs(outputs);
  }

 protected:
  virtual mil::Type type(const Value& input) { return input.type; }
  virtual std::shared_ptr<const Tensor> constant(const std::shared_ptr<const Tensor>& tensor) {
    return tensor;
  }
  // What `parameter` of `op` is bound to instead of `value`.
  virtual Value* bound(const mil::Op&, std::string_view, const Value* value) {
    return mapped(value);
  }
  // What stands for the op's output, of which `now` is the copy.
  virtual Value* made(const mil::Op&, Value* now) { return now; }

  // Constants are written when first asked for, so that none is left without a use.
  Value* mapped(const Value* value) {
    Value*& now = map_[value];
    if (now == nullptr) {
      ANEMONE_CHECK(value->producer != nullptr && value->is_constant()) << value->name;
      now = b_.constant(value->producer->name, constant(value->constant));
    }
    return now;
  }

  Builder b_;

 private:
  void write(const mil::Op& op) {
    if (op.type() == "const") return;
    Builder::Bindings bindings;
    for (const mil::Input& input : op.inputs) {
      std::vector<Value*> values;
      for (const Value* value : input.values) {
        if (value->name.empty()) {  // a literal
          ANEMONE_CHECK(value->is_constant() && input.values.size() == 1) << op.name;
          bindings.push_back({input.name, *constant(value->constant)});
        } else {
          values.push_back(bound(op, input.name, value));
        }
      }
      if (!values.empty()) bindings.push_back({input.name, std::move(values)});
    }
    std::vector<std::string> names;
    for (const auto& output : op.outputs) names.push_back(output->name);
    const mil::Op* written = b_.add_op(op.type(), op.name, std::move(bindings), names);
    for (std::size_t i = 0; i < op.outputs.size(); ++i) {
      map_[op.outputs[i].get()] = made(op, written->outputs[i].get());
    }
  }

  std::unordered_map<const Value*, Value*> map_;
};

class Fp32 : public Rewriter {
 public:
  using Rewriter::Rewriter;

 private:
  mil::Type type(const Value& input) override {
    if (!input.type.is_tensor() || input.type.dtype != DType::kF16) return input.type;
    return mil::Type::tensor(DType::kF32, input.type.shape);
  }

  std::shared_ptr<const Tensor> constant(const std::shared_ptr<const Tensor>& tensor) override {
    if (tensor->dtype() != DType::kF16) return tensor;
    auto& wide = wide_[tensor.get()];
    if (wide == nullptr) {
      wide = std::make_shared<const Tensor>(convert(tensor->resident(), DType::kF32));
    }
    return wide;
  }

  Value* bound(const mil::Op& op, std::string_view parameter, const Value* value) override {
    Value* now = mapped(value);
    if (op.type() != "write_state" || parameter != "data") return now;
    return b_.add("cast", op.name + "_narrowed", {{"x", now}, {"dtype", "fp16"}});
  }

  Value* made(const mil::Op& op, Value* now) override {
    if (op.type() != "read_state") return now;
    return b_.add("cast", op.name + "_widened", {{"x", now}, {"dtype", "fp32"}});
  }

  std::unordered_map<const Tensor*, std::shared_ptr<const Tensor>> wide_;
};

class Int8 : public Rewriter {
 public:
  Int8(mil::Function& to, std::string_view op) : Rewriter(to), op_(op) {}

 private:
  Value* bound(const mil::Op& op, std::string_view parameter, const Value* value) override {
    if ((op.type() != "conv" && op.type() != "linear") || parameter != "weight") {
      return mapped(value);
    }
    auto& made = made_[value];
    if (made == nullptr) made = dequantized(value->name, value->constant->resident());
    return made;
  }

  Value* dequantized(const std::string& name, const Tensor& weight) {
    const std::vector<float> values = weight.to_floats();
    const auto rows = static_cast<std::size_t>(weight.shape()[0]);
    const std::size_t columns = values.size() / rows;
    std::vector<float> scales(rows);
    std::vector<std::int64_t> data(values.size());
    for (std::size_t row = 0; row < rows; ++row) {
      float largest = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        largest = std::max(largest, std::abs(values[row * columns + i]));
      }
      // The smallest normal fp16 keeps a row of zeros from being divided by zero.
      scales[row] = round_to_f16(std::max(largest / 127, 6.1035e-5f));
      for (std::size_t i = 0; i < columns; ++i) {
        const float units = std::round(values[row * columns + i] / scales[row]);
        data[row * columns + i] =
            static_cast<std::int64_t>(std::min(std::max(units, -127.f), 127.f));
      }
    }
    const auto bytes =
        std::make_shared<const Tensor>(Tensor::from_ints(DType::kI8, weight.shape(), data));
    Shape scale_shape = {weight.shape()[0]};
    if (op_ == "constexpr_affine_dequantize") {
      const std::int64_t zero[] = {0};
      return b_.add(op_, name + "_dequantized",
                    {{"quantized_data", *bytes},
                     {"zero_point", Tensor::from_ints(DType::kI8, {}, zero)},
                     {"scale", Tensor::from_floats(DType::kF16, scale_shape, scales)},
                     {"axis", 0}});
    }
    scale_shape.resize(weight.shape().size(), 1);
    return b_.add(op_, name + "_dequantized",
                  {{"data", b_.constant(name + "_int8", bytes)},
                   {"scale", Tensor::from_floats(DType::kF16, scale_shape, scales)}});
  }

  std::string op_;
  std::unordered_map<const Value*, Value*> made_;
};

template <typename Kind, typename... Arguments>
mil::Program rewritten(const mil::Program& program, const Arguments&... arguments) {
  mil::Program result;
  result.build_info = program.build_info;
  for (const auto& function : program.functions) {
    Kind rewriter(result.add_function(function->name, function->opset), arguments...);
    rewriter.run(*function);
  }
  return result;
}

}  // namespace

mil::Program in_fp32(const mil::Program& program) { return rewritten<Fp32>(program); }

mil::Program with_int8_weights(const mil::Program& program, std::string_view constexpr_op) {
  return rewritten<Int8>(program, constexpr_op);
}

}  // namespace anemone::ladder
