#include "anemone/plan/plan.h"

#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/generate/bundle.h"
#include "anemone/package/package.h"

namespace anemone::plan {
namespace {

double bytes_ms(double bytes, double gb_per_s) { return bytes / gb_per_s / 1e6; }
double flops_ms(double flops, double tflop_per_s) { return flops / tflop_per_s / 1e9; }

std::vector<Traffic> traffic_of_package(const std::filesystem::path& path, const std::string& name,
                                        std::int64_t context) {
  const auto model = package::load(path);
  std::vector<Traffic> functions;
  for (const auto& function : model.program.functions) {
    functions.push_back(traffic_of(*function, context));
    functions.back().package = name;
  }
  return functions;
}

// The functions of that name, in the order of their packages.
Step step_of(const Model& model, const std::string& name, std::int64_t rows,
             const std::vector<std::string>& packages) {
  Step step{.name = name, .rows = rows};
  for (const std::string& package : packages) {
    for (const Traffic& one : model.functions) {
      if (one.package == package && one.function == name) step.calls.push_back(one);
    }
  }
  return step;
}

OrderedJson to_json(const Range& range) {
  return {{"low", range.low}, {"likely", range.likely}, {"high", range.high}};
}

OrderedJson to_json(const Constant& constant) {
  OrderedJson json = to_json(constant.value);
  json["unit"] = constant.unit;
  json["derived"] = constant.is_derived;
  json["source"] = constant.source;
  return json;
}

OrderedJson to_json(const Traffic& traffic) {
  OrderedJson json;
  json["package"] = traffic.package;
  json["function"] = traffic.function;
  json["weight_bytes"] = traffic.weight_bytes;
  json["cache_read_bytes"] = traffic.cache_read_bytes;
  json["cache_written_bytes"] = traffic.cache_written_bytes;
  json["boundary_bytes"] = traffic.boundary_bytes;
  json["bytes"] = traffic.bytes();
  json["spilled_bytes"] = traffic.spilled_bytes;
  json["flops"] = traffic.flops;
  json["exact"] = traffic.is_exact;
  return json;
}

OrderedJson to_json(const Estimate& estimate) {
  OrderedJson json;
  json["milliseconds"] = to_json(estimate.milliseconds);
  json["bytes_ms"] = estimate.bytes_ms;
  json["flops_ms"] = estimate.flops_ms;
  json["dispatch_ms"] = estimate.dispatch_ms;
  json["bound_by"] = estimate.bound;
  return json;
}

OrderedJson results(const Model& model, const Chip& chip) {
  OrderedJson found = OrderedJson::array();
  for (const Step& step : model.steps) {
    OrderedJson json{{"step", step.name}, {"rows", step.rows}, {"calls", step.calls.size()}};
    const Estimate estimated = estimate(step.calls, chip);
    json.update(to_json(estimated));
    json["tokens_per_second"] =
        to_json(estimated.tokens_per_second(static_cast<double>(step.rows)));
    found.push_back(std::move(json));
  }
  if (!model.steps.empty()) return found;
  for (const Traffic& function : model.functions) {
    OrderedJson json{{"step", function.function}, {"rows", nullptr}, {"calls", 1}};
    json.update(to_json(estimate({&function, 1}, chip)));
    found.push_back(std::move(json));
  }
  return found;
}

}  // namespace

Range Estimate::tokens_per_second(double rows) const {
  return {1000 * rows / milliseconds.high, 1000 * rows / milliseconds.likely,
          1000 * rows / milliseconds.low};
}

Estimate estimate(std::span<const Traffic> calls, const Chip& chip) {
  const Range &bandwidth = chip.bandwidth.value, &compute = chip.compute.value,
              &dispatch = dispatch_ms().value;
  Estimate total;
  for (const Traffic& call : calls) {
    const auto bytes = static_cast<double>(call.bytes());
    const auto spilled = static_cast<double>(call.spilled_bytes);
    const auto flops = static_cast<double>(call.flops);
    const double moving = bytes_ms(bytes, bandwidth.likely);
    const double computing = flops_ms(flops, compute.likely);
    total.bytes_ms += moving;
    total.flops_ms += computing;
    total.dispatch_ms += dispatch.likely;
    total.milliseconds.low +=
        std::max(bytes_ms(bytes, bandwidth.high), flops_ms(flops, compute.high)) + dispatch.low;
    total.milliseconds.likely += std::max(moving, computing) + dispatch.likely;
    total.milliseconds.high +=
        std::max(bytes_ms(bytes + spilled, bandwidth.low), flops_ms(flops, compute.low)) +
        dispatch.high;
  }
  total.bound = total.bytes_ms >= total.flops_ms ? "bytes" : "flops";
  return total;
}

Model load_model(const std::filesystem::path& path) {
  Model model{.path = path};
  if (!generate::is_bundle(path)) {
    const auto name = path.has_filename() ? path.filename() : path.parent_path().filename();
    model.functions = traffic_of_package(path, name.string(), 0);
    return model;
  }
  const generate::Bundle bundle = generate::load_bundle(path);
  const auto packages = bundle.packages();
  for (const std::string& package : packages) {
    for (Traffic& one : traffic_of_package(path / package, package, bundle.context)) {
      model.functions.push_back(std::move(one));
    }
  }
  model.context = bundle.context;
  if (bundle.kind == generate::Bundle::Kind::kRanged) {
    // Any number of ids by one function, counted as one.
    model.steps.push_back({.name = "decode", .rows = 1, .calls = model.functions});
    return model;
  }
  model.steps.push_back(step_of(model, "decode", 1, packages));
  // The head has no `prefill`: of a prompt only the last row's logits are wanted.
  model.steps.push_back(step_of(model, "prefill", bundle.prefill, packages));
  return model;
}

Model with_context(const Model& model, std::int64_t context) {
  if (!model.context) {
    throw Error(Code::kUnsupported,
                model.path.string() +
                    ": only of a bundle is it known what its context is; --context does not go "
                    "with a package");
  }
  Model changed = model;
  const double factor = static_cast<double>(context) / static_cast<double>(*model.context);
  changed.context = context;
  for (Traffic& one : changed.functions) one = with_context(std::move(one), factor);
  for (Step& step : changed.steps) {
    for (Traffic& one : step.calls) one = with_context(std::move(one), factor);
  }
  return changed;
}

OrderedJson to_json(const Model& model, std::span<const Chip* const> chips,
                    std::span<const std::int64_t> contexts) {
  OrderedJson json;
  json["predicted"] = true;
  json["path"] = model.path.string();
  json["context"] = model.context ? OrderedJson(*model.context) : OrderedJson();
  json["functions"] = OrderedJson::array();
  for (const Traffic& function : model.functions) json["functions"].push_back(to_json(function));
  json["dispatch"] = to_json(dispatch_ms());
  json["chips"] = OrderedJson::array();
  for (const Chip* chip : chips) {
    OrderedJson one{{"chip", chip->name},
                    {"bandwidth", to_json(chip->bandwidth)},
                    {"compute", to_json(chip->compute)},
                    {"contexts", OrderedJson::array()}};
    const auto add = [&](const Model& sized) {
      one["contexts"].push_back(
          {{"context", sized.context ? OrderedJson(*sized.context) : OrderedJson()},
           {"steps", results(sized, *chip)}});
    };
    if (contexts.empty()) add(model);
    for (const std::int64_t context : contexts) add(with_context(model, context));
    json["chips"].push_back(std::move(one));
  }
  return json;
}

}  // namespace anemone::plan
