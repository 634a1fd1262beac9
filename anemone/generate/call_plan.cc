#include "anemone/generate/call_plan.h"

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone::generate {
namespace {

struct RoleName {
  Role role;
  std::string_view name;
  bool is_integer;
};
constexpr RoleName kRoles[] = {
    {Role::kHidden, "hidden", false},    {Role::kInputIds, "input_ids", true},
    {Role::kPosition, "position", true}, {Role::kCos, "cos", false},
    {Role::kSin, "sin", false},          {Role::kMask, "mask", false},
    {Role::kWrite, "write", false},      {Role::kCache, "kv", false},
    {Role::kLast, "last", false},        {Role::kSlidingMask, "sliding_mask", false},
};

const RoleName* find_role(std::string_view name) {
  for (const RoleName& row : kRoles) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

struct Place {
  const Bundle& bundle;
  std::string_view package;
  std::string_view function;

  [[noreturn]] void fail(const std::string& what) const {
    throw Error(Code::kBadInput, (bundle.folder / package).string() + ": function '" +
                                     std::string(function) + "' " + what);
  }
};

void require_type(const Place& place, std::string_view kind, const Port& port, const Shape& shape,
                  bool is_integer) {
  const bool type_fits = is_integer ? port.type.dtype == DType::kI32 : is_float(port.type.dtype);
  if (port.type.is_tensor() && type_fits && port.type.shape == shape) return;
  const mil::Type wanted = mil::Type::tensor(is_integer ? DType::kI32 : DType::kF16, shape);
  place.fail("has the " + std::string(kind) + " '" + port.name + "' of type " +
             mil::to_string(port.type) + "; allowed: " + mil::to_string(wanted));
}

// "'decode', 'prefill'"
std::string listed(const Predictor& predictor) {
  std::string all;
  for (const auto& function : predictor.functions()) {
    all += (all.empty() ? "'" : ", '") + function.name + "'";
  }
  return all.empty() ? "none" : all;
}

}  // namespace

bool CallPlan::takes(Role role) const {
  return std::find(inputs.begin(), inputs.end(), role) != inputs.end();
}

std::string_view name(Role role) {
  for (const RoleName& row : kRoles) {
    if (row.role == role) return row.name;
  }
  ANEMONE_CHECK(false) << "a role without a name";
  return "";
}

Shape shape_of(Role role, const Bundle& bundle, std::int64_t rows, std::int64_t layers) {
  const bool host = bundle.kv == "host";
  switch (role) {
    case Role::kHidden:
      return {1, rows, bundle.hidden_size};
    case Role::kInputIds:
      return {1, rows};
    case Role::kPosition:
      return {1};
    case Role::kCos:
    case Role::kSin:
      return {1, 1, rows, bundle.head_dim};
    case Role::kMask:
    case Role::kSlidingMask:
      return {1, 1, rows, host ? bundle.context + rows : bundle.context};
    case Role::kWrite:
      return {1, 1, bundle.context, rows};
    case Role::kCache:
      return {2 * layers, bundle.num_key_value_heads, bundle.context, bundle.head_dim};
    case Role::kLast:
      return {1, 1, rows};
  }
  ANEMONE_CHECK(false) << "a role without a shape";
  return {};
}

RangedMasks require_ranged(const Predictor& predictor, const Bundle& bundle) {
  const std::string& package = bundle.model_package;
  const FunctionInterface* interface = predictor.find_function(kRangedFunction);
  if (!interface) {
    throw Error(Code::kBadInput, (bundle.folder / package).string() + ": has no function '" +
                                     kRangedFunction + "', but " + listed(predictor));
  }
  const Place place{bundle, package, kRangedFunction};
  const auto require = [&](std::string_view kind, const Port* port, std::string_view name,
                           const Shape& shape, bool is_integer) {
    if (!port) place.fail("has no " + std::string(kind) + " '" + std::string(name) + "'");
    require_type(place, kind, *port, shape, is_integer);
  };
  require("input", interface->find_input(kRangedIds), kRangedIds, {1, kUnknown}, true);
  // One mask, or one for each kind of layer.
  const Port* sliding =
      bundle.sliding_window > 0 ? interface->find_input(kRangedSlidingMask) : nullptr;
  const Port* full = interface->find_input(kRangedMask);
  const Shape mask = {1, 1, kUnknown, kUnknown};
  if (full != nullptr || sliding == nullptr) require("input", full, kRangedMask, mask, false);
  if (sliding != nullptr) require("input", sliding, kRangedSlidingMask, mask, false);
  require("output", interface->find_output(bundle.model_output), bundle.model_output,
          {1, kUnknown, bundle.vocab_size}, false);
  for (const Port& port : interface->inputs) {
    if (port.name == kRangedIds || port.name == kRangedMask || &port == sliding) continue;
    place.fail("asks for the input '" + port.name + "'; allowed: '" + kRangedIds + "', '" +
               kRangedMask + "'" +
               (bundle.sliding_window > 0 ? std::string(", '") + kRangedSlidingMask + "'" : ""));
  }
  return {full != nullptr, sliding != nullptr};
}

CallPlan plan_call(const Predictor& predictor, const Bundle& bundle, std::string_view package,
                   std::string_view function, std::int64_t rows, std::int64_t layers,
                   const std::vector<Role>& required, const std::vector<ExpectedOutput>& outputs) {
  const FunctionInterface* interface = predictor.find_function(function);
  if (!interface) {
    throw Error(Code::kBadInput, (bundle.folder / package).string() + ": has no function '" +
                                     std::string(function) + "', but " + listed(predictor));
  }
  const Place place{bundle, package, function};
  CallPlan plan{.function = std::string(function), .rows = rows};
  for (const Port& port : interface->inputs) {
    const RoleName* role = find_role(port.name);
    if (!role || (role->role == Role::kCache && bundle.kv != "host")) {
      place.fail("asks for the input '" + port.name + "', which a bundle with kv \"" + bundle.kv +
                 "\" does not have");
    }
    if (role->role == Role::kSlidingMask && bundle.sliding_window == 0) {
      place.fail("asks for the input '" + port.name +
                 "', which a bundle without sliding_window does not have");
    }
    require_type(place, "input", port, shape_of(role->role, bundle, rows, layers),
                 role->is_integer);
    plan.inputs.push_back(role->role);
  }
  for (const Role role : required) {
    if (!plan.takes(role)) place.fail("has no input '" + std::string(name(role)) + "'");
  }
  for (const ExpectedOutput& output : outputs) {
    const Port* port = interface->find_output(output.name);
    if (!port) place.fail("has no output '" + output.name + "'");
    require_type(place, "output", *port, output.shape, false);
  }
  return plan;
}

}  // namespace anemone::generate
