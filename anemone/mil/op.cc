#include "anemone/mil/op.h"

#include <algorithm>

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone::mil {

// Each line of ops.inc twice: as a declaration, and as a row of the table.
#define ANEMONE_OP(op) extern const OpDef op_##op;
#include "anemone/mil/ops/ops.inc"
#undef ANEMONE_OP

namespace {

constexpr const OpDef* kOps[] = {
#define ANEMONE_OP(op) &op_##op,
#include "anemone/mil/ops/ops.inc"
#undef ANEMONE_OP
};

const std::unordered_map<std::string_view, const OpDef*>& ops_by_name() {
  static const auto* table = [] {
    auto* made = new std::unordered_map<std::string_view, const OpDef*>;
    for (const OpDef* op : kOps) made->emplace(op->name, op);
    return made;
  }();
  return *table;
}

std::string dtype_names(DTypeSet set) {
  std::string names;
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    if ((set >> i & 1) == 0) continue;
    names += (names.empty() ? "" : ", ") + std::string(name(static_cast<DType>(i)));
  }
  return names;
}

// Refuses extents that no computation may meet, so that inference can add and compare freely.
void check_shape(const Call& call, const std::string& thing, const Type& type) {
  Shape known;
  for (const std::int64_t extent : type.shape) {
    if (extent != kUnknown) known.push_back(extent);
  }
  if (!checked_element_count(known)) {
    call.fail(thing + "is " + to_string(type) + ", more elements than any memory holds");
  }
}

void check_argument(const Call& call, const InputDef& def, const Argument& argument) {
  const std::string thing = "parameter '" + std::string(def.name) + "' ";
  const Type& type = argument.type;
  if ((def.kinds & bit(type.kind)) == 0) {
    const char* wanted = def.kinds == kStates ? "state" : def.kinds == kLists ? "list" : "tensor";
    call.fail(thing + "is " + to_string(type) + "; a " + wanted + " is wanted");
  }
  if (type.kind == Type::Kind::kTuple || type.kind == Type::Kind::kDictionary) return;
  const DTypeSet dtypes = def.dtypes_in(call.opset());
  if ((dtypes & bit(type.dtype)) == 0) {
    call.fail(thing + "is " + std::string(name(type.dtype)) + "; allowed: " + dtype_names(dtypes));
  }
  if (!type.has_rank) {
    if (!call.def().unranked) call.fail(thing + "has no known rank, which this op needs");
  } else if (type.kind != Type::Kind::kList &&
             (type.rank() < def.min_rank || type.rank() > def.max_rank)) {
    const std::string allowed =
        def.min_rank == def.max_rank
            ? std::to_string(def.min_rank)
            : std::to_string(def.min_rank) + " to " + std::to_string(def.max_rank);
    call.fail(thing + "has rank " + std::to_string(type.rank()) + "; allowed: " + allowed);
  }
  if (def.is_const && argument.value == nullptr && !argument.is_folded) {
    call.fail(thing + "must be a constant");
  }
  check_shape(call, thing, type);
}

void check_presence(const Call& call, const InputDef& input, std::size_t bound) {
  const std::string thing = "parameter '" + std::string(input.name) + "'";
  if (!input.exists(call.opset())) {
    if (bound == 0) return;
    const std::string speaks =
        ", but the function speaks " + std::string(info(call.opset()).target);
    if (call.opset() < input.since) {
      call.fail(thing + " exists from " + std::string(info(input.since).target) + " on" + speaks);
    }
    call.fail(thing + " exists up to " + std::string(info(input.until).target) + speaks);
  }
  if (bound == 0 && !input.is_optional && !input.is_variadic && input.otherwise.index() == 0) {
    call.fail("lacks parameter '" + std::string(input.name) + "'");
  }
  if (bound > 1 && !input.is_variadic) {
    call.fail("binds " + std::to_string(bound) + " values to " + thing + ", which takes one");
  }
}

}  // namespace

const InputDef* OpDef::find_input(std::string_view parameter) const {
  for (const InputDef& input : inputs) {
    if (input.name == parameter) return &input;
  }
  return nullptr;
}

Opset OpDef::revision(Opset opset) const {
  Opset latest = since;
  for (const Opset candidate : revised) {
    if (candidate <= opset && candidate > latest) latest = candidate;
  }
  return latest;
}

const OpDef* find_op(std::string_view name) {
  const auto found = ops_by_name().find(name);
  return found == ops_by_name().end() ? nullptr : found->second;
}

std::span<const OpDef* const> all_ops() { return kOps; }

Call::Call(const OpDef& def, Opset opset, std::string op_name)
    : def_(&def), opset_(opset), op_name_(std::move(op_name)) {}

void Call::bind(std::string_view name, std::vector<Argument> arguments) {
  const InputDef* def = def_->find_input(name);
  if (def == nullptr) {
    std::string known;
    for (const InputDef& input : def_->inputs) {
      known += (known.empty() ? "" : ", ") + std::string(input.name);
    }
    fail("has no parameter '" + std::string(name) + "'; it has: " + known);
  }
  if (has(name)) fail("binds parameter '" + std::string(name) + "' twice");
  bound_.push_back({def->name, std::move(arguments)});
}

void Call::resolve() {
  for (Bound& bound : bound_) {
    for (Argument& argument : bound.arguments) {
      if (argument.value == nullptr || !argument.type.is_tensor()) continue;
      argument.type = Type::tensor(argument.value->dtype(), argument.value->shape());
    }
  }
}

std::string Call::where() const {
  return "op '" + op_name_ + "' (" + std::string(def_->name) + ")";
}

void Call::fail(const std::string& why) const {
  throw Error(Code::kBadInput, where() + ": " + why);
}

const InputDef& Call::parameter(std::string_view name) const {
  const InputDef* def = def_->find_input(name);
  ANEMONE_CHECK(def != nullptr) << def_->name << " has no parameter " << name;
  return *def;
}

bool Call::has(std::string_view name) const {
  return std::any_of(bound_.begin(), bound_.end(), [&](const Bound& b) { return b.name == name; });
}

std::span<const Argument> Call::arguments(std::string_view name) const {
  for (const Bound& b : bound_) {
    if (b.name == name) return b.arguments;
  }
  ANEMONE_CHECK(def_->find_input(name) != nullptr) << def_->name << " has no parameter " << name;
  return {};
}

const Type& Call::type(std::string_view name) const {
  const auto found = arguments(name);
  if (found.empty()) fail("lacks parameter '" + std::string(name) + "'");
  return found.front().type;
}

const Tensor* Call::find_tensor(std::string_view name) const {
  const auto found = arguments(name);
  return found.empty() ? nullptr : found.front().value;
}

const Tensor& Call::tensor(std::string_view name) const {
  const Tensor* found = find_tensor(name);
  if (found == nullptr) fail("the value of parameter '" + std::string(name) + "' is not known");
  return *found;
}

std::int64_t Call::integer(std::string_view name) const {
  if (!has(name)) {
    const auto* value = std::get_if<std::int64_t>(&parameter(name).otherwise);
    if (value == nullptr) fail("lacks parameter '" + std::string(name) + "'");
    return *value;
  }
  const Tensor& value = tensor(name);
  if (value.count() != 1) fail("parameter '" + std::string(name) + "' must be one number");
  return value.resident().integer(0);
}

double Call::number(std::string_view name) const {
  if (!has(name)) {
    const Default& otherwise = parameter(name).otherwise;
    if (const auto* value = std::get_if<double>(&otherwise)) return *value;
    if (const auto* whole = std::get_if<std::int64_t>(&otherwise))
      return static_cast<double>(*whole);
    fail("lacks parameter '" + std::string(name) + "'");
  }
  const Tensor& value = tensor(name);
  if (value.count() != 1) fail("parameter '" + std::string(name) + "' must be one number");
  return value.resident().number(0);
}

bool Call::boolean(std::string_view name) const {
  if (!has(name)) {
    const auto* value = std::get_if<bool>(&parameter(name).otherwise);
    if (value == nullptr) fail("lacks parameter '" + std::string(name) + "'");
    return *value;
  }
  const Tensor& value = tensor(name);
  if (value.count() != 1) fail("parameter '" + std::string(name) + "' must be one bool");
  return value.resident().integer(0) != 0;
}

std::string Call::text(std::string_view name) const {
  if (!has(name)) {
    const auto* value = std::get_if<std::string_view>(&parameter(name).otherwise);
    if (value == nullptr) fail("lacks parameter '" + std::string(name) + "'");
    return std::string(*value);
  }
  const Tensor& value = tensor(name);
  if (value.strings().size() != 1) fail("parameter '" + std::string(name) + "' must be one string");
  return value.strings().front();
}

std::vector<std::int64_t> Call::integers(std::string_view name) const {
  if (!has(name)) return {integer(name)};
  return tensor(name).to_ints();
}

std::optional<std::vector<std::int64_t>> Call::find_integers(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  return tensor(name).to_ints();
}

std::int64_t Call::axis(std::string_view name, std::int64_t rank) const {
  const std::int64_t given = integer(name);
  if (given < -rank || given >= rank) {
    fail("parameter '" + std::string(name) + "' is " + std::to_string(given) +
         "; allowed: " + std::to_string(-rank) + " to " + std::to_string(rank - 1));
  }
  return given < 0 ? given + rank : given;
}

Call call_of(const Op& op, Opset opset) {
  Call call(*op.def, opset, op.name);
  for (const Input& input : op.inputs) {
    std::vector<Argument> arguments;
    arguments.reserve(input.values.size());
    for (const Value* value : input.values) {
      const bool is_folded =
          value->producer != nullptr && value->producer->type().starts_with("constexpr_");
      arguments.push_back({value->type, value->constant.get(), is_folded});
    }
    call.bind(input.name, std::move(arguments));
  }
  for (const auto& block : op.blocks) {
    auto& types = call.block_outputs.emplace_back();
    for (const Value* output : block->outputs) types.push_back(output->type);
  }
  return call;
}

std::vector<Type> checked_infer(const Call& call) {
  const OpDef& def = call.def();
  if (call.opset() < def.since) {
    call.fail("exists from " + std::string(info(def.since).target) +
              " on, but the function speaks " + std::string(info(call.opset()).target));
  }
  std::array<std::optional<DType>, 26> domains;
  for (const InputDef& input : def.inputs) {
    const auto arguments = call.arguments(input.name);
    check_presence(call, input, arguments.size());
    for (const Argument& argument : arguments) {
      check_argument(call, input, argument);
      const char domain = input.domain_in(call.opset());
      if (domain == 0) continue;
      auto& seen = domains[static_cast<std::size_t>(domain - 'A')];
      if (!seen) seen = argument.type.dtype;
      if (*seen != argument.type.dtype) {
        call.fail("parameter '" + std::string(input.name) + "' is " +
                  std::string(name(argument.type.dtype)) + ", but another of its kind is " +
                  std::string(name(*seen)));
      }
    }
  }
  std::vector<Type> outputs = def.infer(call);
  for (const Type& output : outputs) check_shape(call, "the output ", output);
  return outputs;
}

}  // namespace anemone::mil
