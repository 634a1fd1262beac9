#include "anemone/gate/walk.h"

#include <cmath>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/mil/builder.h"
#include "anemone/mil/op.h"

namespace anemone::gate {
namespace {

// From so many elements or products on, an op is run by the engine instead of by its definition.
constexpr std::int64_t kLarge = 1 << 20;
// A hidden score may be anything below this: far enough down to weigh nothing.
constexpr float kHidden = -1000;

std::string index_text(std::size_t element, const Shape& shape) {
  std::string text = "]";
  auto left = static_cast<std::int64_t>(element);
  for (std::size_t i = shape.size(); i-- > 0;) {
    text = std::to_string(left % shape[i]) + (i + 1 < shape.size() ? ", " : "") + text;
    left /= shape[i];
  }
  return "[" + text;
}

std::string number_text(float value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", static_cast<double>(value));
  return text;
}

// How far an element is off; NaN counts as infinitely far.
double deviation(float found, float expected) {
  if (expected == -INFINITY) return found <= kHidden ? 0 : INFINITY;
  const double off = std::abs(static_cast<double>(found) - expected);
  return std::isnan(off) ? INFINITY : off;
}

}  // namespace

double lane_error(std::span<const float> found, const Expected& expected, double step) {
  ANEMONE_CHECK(found.size() == expected.values.size());
  std::vector<double> errors(expected.lanes), norms(expected.lanes);
  double total = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::size_t lane = expected.lane(i);
    const double off = std::max(0.0, deviation(found[i], expected.values[i]) - step);
    errors[lane] += off * off;
    if (!std::isfinite(expected.values[i])) continue;
    norms[lane] += static_cast<double>(expected.values[i]) * expected.values[i];
  }
  for (const double norm : norms) total += norm;
  const double floor = 0.01 * total / static_cast<double>(expected.lanes);
  double worst = 0;
  for (std::size_t lane = 0; lane < expected.lanes; ++lane) {
    if (errors[lane] == 0) continue;
    const double size = std::max(norms[lane], floor);
    worst = std::max(worst, size > 0 ? std::sqrt(errors[lane] / size) : INFINITY);
  }
  return worst;
}

Walk::Walk(const mil::Function& function, Place place, Expectations& expectations, States& states,
           Location& location)
    : function_(function),
      place_(std::move(place)),
      expectations_(expectations),
      states_(states),
      location_(location) {
  for (const auto& input : function.inputs) {
    if (!input->type.is_state() || states_.contains(input->name)) continue;
    const mil::Type inner = input->type.wrapped();
    const DType dtype = held_as(inner.dtype);
    const auto bytes = size_bytes(dtype, static_cast<std::uint64_t>(element_count(inner.shape)));
    states_[input->name] = Tensor(
        dtype, inner.shape, own_bytes(std::vector<std::byte>(static_cast<std::size_t>(bytes))));
  }
}

std::vector<const mil::Value*> Walk::inputs() const {
  std::vector<const mil::Value*> found;
  for (const auto& input : function_.inputs) {
    if (!input->type.is_state()) found.push_back(input.get());
  }
  return found;
}

double Walk::step() const {
  return place_.arithmetic == engine::Arithmetic::kFloat16 ? std::ldexp(1.0, -24) : 0;
}

DType Walk::held_as(DType declared) const {
  const bool widens = place_.arithmetic == engine::Arithmetic::kFloat32 && declared == DType::kF16;
  return widens ? DType::kF32 : declared;
}

void Walk::feed(const mil::Value& input, Tensor value) {
  ANEMONE_CHECK(value.shape() == input.type.shape) << input.name;
  values_[&input] = convert(value, held_as(input.type.dtype));
  by_name_[input.name] = &input;
}

void Walk::check_input(const mil::Value& input, std::span<const float> found,
                       const Expected& expected) {
  ++location_.checked;
  const double error = lane_error(found, expected, step());
  if (error <= place_.tolerance) return;
  location_.faults.push_back(
      fault("input '" + input.name + "'", input.type.shape, found, expected, error));
}

bool Walk::run_through(std::string_view name) {
  const auto& ops = function_.body.ops;
  const auto found = std::find_if(ops.begin() + static_cast<std::ptrdiff_t>(next_), ops.end(),
                                  [&](const auto& op) { return op->name == name; });
  if (found == ops.end()) return false;
  const auto end = static_cast<std::size_t>(found - ops.begin()) + 1;
  while (next_ < end) run_op(*ops[next_++]);
  return true;
}

void Walk::run_to_end() {
  while (next_ < function_.body.ops.size()) run_op(*function_.body.ops[next_++]);
}

const Tensor& Walk::value(std::string_view name) const {
  const auto found = by_name_.find(name);
  ANEMONE_CHECK(found != by_name_.end()) << name;
  return values_.at(found->second);
}

const Tensor& Walk::get(const mil::Value& value) {
  const auto found = values_.find(&value);
  if (found != values_.end()) return found->second;
  ANEMONE_CHECK(value.constant != nullptr) << "'" << value.name << "' has no value";
  return values_[&value] = value.constant->resident();
}

void Walk::run_op(const mil::Op& op) {
  if (!op.outputs.empty() && op.output()->is_constant()) return;
  if (op.def->effect == mil::Effect::kReadsState) {
    values_[op.output()] = states_.at(op.find_input("input")->name);
    return;
  }
  if (op.def->effect == mil::Effect::kWritesState) {
    states_.at(op.find_input("input")->name) = get(*op.find_input("data"));
    return;
  }
  if (op.def->eval == nullptr) {
    throw Error(Code::kUnsupported, place_.package + ": function '" + function_.name + "': op '" +
                                        op.name + "' (" + std::string(op.type()) +
                                        ") has no definition to run");
  }
  ++location_.ops;
  std::vector<Tensor> results;
  if (is_large(op)) {
    results.push_back(run_by_engine(op));
  } else {
    results = evaluate(op);
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    settle(op, *op.outputs[i], std::move(results[i]));
  }
  // Weights are needed once.
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (value->is_constant()) values_.erase(value);
    }
  }
}

std::vector<Tensor> Walk::evaluate(const mil::Op& op) {
  mil::Call call(*op.def, function_.opset, op.name);
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) get(*value);  // so that no later one moves them
    std::vector<mil::Argument> arguments;
    for (const mil::Value* value : input.values) {
      const Tensor& tensor = get(*value);
      arguments.push_back(
          {.type = mil::Type::tensor(tensor.dtype(), tensor.shape()), .value = &tensor});
    }
    call.bind(input.name, std::move(arguments));
  }
  std::vector<Tensor> results = op.def->eval(call);
  ANEMONE_CHECK(results.size() == op.outputs.size()) << op.type();
  const bool is_weight = op.type().starts_with("constexpr_");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const DType declared = op.outputs[i]->type.dtype;
    if (op.type() == "cast" && declared != held_as(declared)) {
      results[i] = get(*op.find_input("x"));  // a cast to fp16 that is not meant to round
    }
    results[i] = convert(results[i], is_weight ? declared : held_as(declared));
  }
  return results;
}

bool Walk::is_large(const mil::Op& op) {
  if (op.outputs.size() != 1 || !op.output()->type.is_static() ||
      !is_float(op.output()->type.dtype) || op.type().starts_with("constexpr_")) {
    return false;
  }
  std::int64_t elements = element_count(op.output()->type.shape);
  std::int64_t most = elements;
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      if (!value->type.is_tensor() || !value->type.is_static()) return false;
      most = std::max(most, element_count(value->type.shape));
    }
  }
  const bool is_product = op.type() == "conv" || op.type() == "linear" || op.type() == "matmul";
  // A product's cost: what it gives times what it sums over, which is no more than its weight.
  return most >= kLarge || (is_product && elements * 64 >= kLarge);
}

// A program of one op.
Tensor Walk::run_by_engine(const mil::Op& op) {
  auto program = std::make_shared<mil::Program>();
  mil::Function& function = program->add_function("main", function_.opset);
  mil::Builder builder(function);
  std::map<const mil::Value*, mil::Value*> made;
  std::vector<std::vector<float>> floats;
  std::vector<engine::Feed> feeds;
  floats.reserve(op.inputs.size() * 8);
  mil::Builder::Bindings bindings;
  std::vector<Tensor> kept;
  for (const mil::Input& input : op.inputs) {
    std::vector<mil::Value*> values;
    for (const mil::Value* value : input.values) {
      mil::Value*& copy = made[value];
      if (copy == nullptr) {
        const std::string name = "v" + std::to_string(made.size());
        if (value->is_constant()) {
          copy = builder.constant(name, value->constant);
        } else {
          copy = builder.input(name, value->type);
          kept.push_back(get(*value));
          const Tensor& tensor = kept.back();
          feeds.push_back({copy->name, tensor.dtype(), tensor.data().data(), tensor.count()});
        }
      }
      values.push_back(copy);
    }
    bindings.emplace_back(input.name, std::move(values));
  }
  mil::Value* output = builder.add(op.type(), "result", std::move(bindings));
  builder.set_outputs({output});
  const auto executable = engine::Executable::compile(
      program, "main", {.arithmetic = place_.arithmetic, .pool = place_.pool, .fuse = false});
  const DType dtype = held_as(op.output()->type.dtype);
  const std::int64_t count = element_count(op.output()->type.shape);
  std::vector<std::byte> bytes(
      static_cast<std::size_t>(size_bytes(dtype, static_cast<std::uint64_t>(count))));
  const engine::Fetch fetches[] = {{output->name, dtype, bytes.data(), count}};
  executable->run(feeds, nullptr, fetches);
  return Tensor(dtype, op.output()->type.shape, own_bytes(std::move(bytes)));
}

void Walk::settle(const mil::Op& op, const mil::Value& output, Tensor found) {
  by_name_[output.name] = &output;
  std::optional<Expected> expected;
  if (output.type.is_tensor()) {
    expected = expectations_.find(output.name, found.shape());
  }
  std::set<std::string> unproven;
  for (const mil::Input& input : op.inputs) {
    for (const mil::Value* value : input.values) {
      const auto of = unproven_.find(value);
      if (of != unproven_.end()) unproven.insert(of->second.begin(), of->second.end());
    }
  }
  unproven.insert(op.name);
  unproven_[&output] = std::move(unproven);
  if (!expected) {
    values_[&output] = std::move(found);
    return;
  }
  ++location_.checked;
  const std::vector<float> floats = found.to_floats();
  const double error = lane_error(floats, *expected, step());
  if (!(error <= place_.tolerance)) {
    report(op, output, floats, *expected, error, "");
  } else {
    probe(op, output);
  }
  unproven_.erase(&output);
  std::vector<float> right = expected->values;
  for (std::size_t i = 0; i < right.size(); ++i) {
    // How low a hidden score lies is the program's affair.
    if (right[i] == -INFINITY) right[i] = floats[i] <= kHidden ? floats[i] : -1e4f;
  }
  values_[&output] =
      convert(Tensor::from_floats(DType::kF32, found.shape(), right), held_as(output.type.dtype));
}

// An epsilon shows only where inputs are as small as it is.
void Walk::probe(const mil::Op& op, const mil::Value& output) {
  if (op.type() != "layer_norm") return;
  const auto probe = expectations_.find_probe(output.name, output.type.shape);
  if (!probe) return;
  const mil::Value* x = op.find_input("x");
  const Tensor kept = get(*x);
  std::vector<float> scaled = kept.to_floats();
  for (float& value : scaled) value *= probe->scale;
  // In fp32 whatever the arithmetic: only the constants are on trial.
  const engine::Arithmetic arithmetic = place_.arithmetic;
  place_.arithmetic = engine::Arithmetic::kFloat32;
  values_[x] = Tensor::from_floats(DType::kF32, kept.shape(), scaled);
  const std::vector<float> found = evaluate(op)[0].to_floats();
  values_[x] = kept;
  place_.arithmetic = arithmetic;
  const double error = lane_error(found, probe->expected);
  if (error <= place_.tolerance) return;
  report(op, output, found, probe->expected, error,
         "right for its own input, wrong for the same input times " + number_text(probe->scale) +
             ": the epsilon");
}

Fault Walk::fault(std::string op, const Shape& shape, std::span<const float> found,
                  const Expected& expected, double error) const {
  Fault made{.package = place_.package,
             .function = function_.name,
             .op = std::move(op),
             .position = place_.position,
             .error = error,
             .tolerance = place_.tolerance};
  std::size_t worst = 0;
  double furthest = -1;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double off = deviation(found[i], expected.values[i]);
    if (off > furthest) {
      furthest = off;
      worst = i;
    }
  }
  if (!found.empty()) {
    const float wanted = expected.values[worst];
    made.worst = index_text(worst, shape) + " is " + number_text(found[worst]) + ", expected " +
                 (wanted == -INFINITY ? "hidden (below -1000)" : number_text(wanted));
  }
  made.found = range_of(found);
  made.expected = range_of(expected.values);
  return made;
}

void Walk::report(const mil::Op& op, const mil::Value& output, std::span<const float> found,
                  const Expected& expected, double error, std::string note) {
  Fault made = fault(op.name, output.type.shape, found, expected, error);
  made.type = op.type();
  made.note = std::move(note);
  for (const mil::Input& input : op.inputs) {
    const auto of = std::find_if(input.values.begin(), input.values.end(),
                                 [](const mil::Value* value) { return !value->is_constant(); });
    if (of == input.values.end()) continue;
    made.before = range_of(get(**of).to_floats());
    break;
  }
  if (const auto of = unproven_.find(&output); of != unproven_.end() && of->second.size() > 1) {
    made.suspects.assign(of->second.begin(), of->second.end());
  }
  location_.faults.push_back(std::move(made));
}

}  // namespace anemone::gate
