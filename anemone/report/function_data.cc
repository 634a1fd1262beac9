#include "anemone/report/function_data.h"

#include <algorithm>

#include "anemone/mil/cost.h"
#include "anemone/report/layers.h"

namespace anemone::report {
namespace {

// What a bound value is: number * kRefKinds + kind. docs/report.md.
enum RefKind : std::size_t { kOfOp, kOfFunction, kLiteral, kOfWeight, kOfBlock, kRefKinds };

enum PredictedUnit : int { kAne = 0, kAway = 1, kNone = 2 };

std::string type_text(const mil::Type& type) { return mil::to_string(type); }

class FunctionWriter {
 public:
  FunctionWriter(const FunctionContext& context, Strings& strings, WeightTable& weights)
      : context_(context), strings_(strings), weights_(weights) {
    for (const auto& input : context.function->inputs) {
      refs_[input.get()] = inputs_++ * kRefKinds + kOfFunction;
    }
    collect(context.function->body, 0, nullptr);
  }

  OrderedJson write(Summary& summary) {
    OrderedJson json;
    json["name"] = strings_.of(context_.function->name);
    json["opset"] = mil::info(context_.function->opset).target;
    write_ports(json);
    write_ops(json, summary);
    write_findings(json, summary);
    write_islands(json);
    write_measurements(json, summary);
    write_ranges(json);
    return json;
  }

 private:
  // Constants are not ops here: they stand as literals and weights where they are used.
  void collect(const mil::Block& block, int depth, const mil::Op* holder) {
    for (const auto& input : block.inputs) {
      refs_[input.get()] = strings_.of(input->name) * kRefKinds + kOfBlock;
    }
    for (const auto& op : block.ops) {
      if (op->type() == "const" || op->type().starts_with("constexpr_")) continue;
      index_[op.get()] = ops_.size();
      ops_.push_back(op.get());
      depths_.push_back(depth);
      top_.push_back(holder != nullptr ? holder : op.get());
      for (const auto& output : op->outputs) {
        refs_[output.get()] = values_++ * kRefKinds + kOfOp;
      }
      for (const auto& nested : op->blocks) collect(*nested, depth + 1, top_.back());
    }
  }

  std::size_t ref(const mil::Value& value) {
    const auto known = refs_.find(&value);
    if (known != refs_.end()) return known->second;
    if (is_literal(value)) {
      return strings_.of(literal_text(*value.constant)) * kRefKinds + kLiteral;
    }
    if (mil::is_fixed(value)) return weights_.use(value) * kRefKinds + kOfWeight;
    return strings_.of(value.name) * kRefKinds + kOfBlock;
  }

  OrderedJson port(const mil::Value& value) {
    return {strings_.of(value.name), strings_.of(type_text(value.type)),
            mil::size_bytes(value.type.is_state() ? value.type.wrapped() : value.type)};
  }

  void write_ports(OrderedJson& json) {
    OrderedJson inputs = OrderedJson::array();
    for (const auto& input : context_.function->inputs) inputs.push_back(port(*input));
    OrderedJson outputs = OrderedJson::array();
    for (const mil::Value* output : context_.function->body.outputs) {
      OrderedJson one = port(*output);
      one.push_back(ref(*output));
      outputs.push_back(std::move(one));
    }
    json["inputs"] = std::move(inputs);
    json["outputs"] = std::move(outputs);
  }

  int unit(std::size_t i) const {
    const auto found = context_.islands->island_of.find(top_[i]);
    if (found == context_.islands->island_of.end()) return kNone;
    return context_.islands->islands[found->second].unit == lint::Unit::kAne ? kAne : kAway;
  }

  void write_ops(OrderedJson& json, Summary& summary) {
    const Layers layers = layers_of(ops_);
    json["layers"] = layers.names;
    OrderedJson type = OrderedJson::array(), name = type, layer = type, units = type, island = type,
                depth = type, outputs = type, value = type, value_type = type, read = type,
                written = type, weight = type, flops = type, exact = type, bound = type;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      const mil::Op& op = *ops_[i];
      type.push_back(strings_.of(op.type()));
      name.push_back(strings_.of(op.name));
      layer.push_back(layers.of[i]);
      units.push_back(unit(i));
      if (unit(i) == kAway) ++summary.away;
      const auto found = context_.islands->island_of.find(top_[i]);
      island.push_back(found == context_.islands->island_of.end()
                           ? -1
                           : static_cast<std::int64_t>(found->second));
      depth.push_back(depths_[i]);
      outputs.push_back(op.outputs.size());
      for (const auto& output : op.outputs) {
        value.push_back(strings_.of(output->name));
        value_type.push_back(strings_.of(type_text(output->type)));
      }
      const mil::Cost cost = mil::cost_of(op);
      read.push_back(cost.read_bytes);
      written.push_back(cost.written_bytes);
      weight.push_back(cost.weight_bytes);
      flops.push_back(cost.flops);
      if (!cost.is_exact) exact.push_back(i);
      bound.push_back(inputs_of(op));
      for (const mil::Input& input : op.inputs) {
        for (const mil::Value* from : input.values) note_user(*from, i);
      }
    }
    summary.ops += ops_.size();
    json["type"] = std::move(type);
    json["op"] = std::move(name);
    json["layer"] = std::move(layer);
    json["unit"] = std::move(units);
    json["island"] = std::move(island);
    json["depth"] = std::move(depth);
    json["output_count"] = std::move(outputs);
    json["value"] = std::move(value);
    json["value_type"] = std::move(value_type);
    json["read"] = std::move(read);
    json["written"] = std::move(written);
    json["weight"] = std::move(weight);
    json["flops"] = std::move(flops);
    json["inexact"] = std::move(exact);
    json["bound"] = std::move(bound);
  }

  // What is said of a constant is shown at the first op that takes it.
  void note_user(const mil::Value& value, std::size_t i) {
    if (!mil::is_fixed(value) || value.producer == nullptr) return;
    if (!index_.emplace(value.producer, i).second) return;
    for (const mil::Input& input : value.producer->inputs) {
      for (const mil::Value* from : input.values) note_user(*from, i);
    }
  }

  // parameter, how many, refs; and so on.
  OrderedJson inputs_of(const mil::Op& op) {
    OrderedJson bound = OrderedJson::array();
    for (const mil::Input& input : op.inputs) {
      bound.push_back(strings_.of(input.name));
      bound.push_back(input.values.size());
      for (const mil::Value* value : input.values) bound.push_back(ref(*value));
    }
    return bound;
  }

  void write_findings(OrderedJson& json, Summary& summary) {
    OrderedJson all = OrderedJson::array();
    for (const lint::Finding& finding : context_.findings) {
      if (finding.function != context_.function->name) continue;
      ++summary.findings;
      all.push_back(finding_data(finding));
      const auto at = index_.find(finding.at);
      all.back()["at"] = at == index_.end() ? -1 : static_cast<std::int64_t>(at->second);
    }
    json["findings"] = std::move(all);
  }

  void write_islands(OrderedJson& json) {
    OrderedJson islands = OrderedJson::array();
    for (const lint::Island& island : context_.islands->islands) {
      islands.push_back({{"unit", lint::name(island.unit)},
                         {"ops", island.ops},
                         {"bytes", island.bytes},
                         {"flops", island.flops},
                         {"first", island.first},
                         {"last", island.last}});
    }
    OrderedJson crossings = OrderedJson::array();
    for (const lint::Crossing& crossing : context_.islands->crossings) {
      OrderedJson copies = OrderedJson::array();
      for (const lint::Copy& copy : crossing.copies) {
        copies.push_back({{"tensor", copy.tensor},
                          {"type", copy.dtype + " " + copy.shape},
                          {"bytes", copy.bytes}});
      }
      crossings.push_back({{"from", crossing.from},
                           {"to", crossing.to},
                           {"bytes", crossing.bytes},
                           {"copies", std::move(copies)}});
    }
    json["barred"] = context_.islands->is_barred;
    json["islands"] = std::move(islands);
    json["crossings"] = std::move(crossings);
    json["copied_bytes"] = context_.islands->copied_bytes;
  }

  // One row a machine and setting: by op the preferred device, the supported ones as bits, and the
  // cost. An op of which the machine says nothing has -1, 0 and null.
  void write_measurements(OrderedJson& json, Summary& summary) {
    std::unordered_map<std::string_view, std::size_t> by_output;
    for (std::size_t i = 0; i < ops_.size(); ++i) {
      if (!ops_[i]->outputs.empty()) by_output.emplace(ops_[i]->output()->name, i);
    }
    std::vector<char> is_measured(ops_.size());
    OrderedJson all = OrderedJson::array();
    for (const Measurement* measurement : context_.measurements) {
      std::vector<int> preferred(ops_.size(), -1), supported(ops_.size(), 0);
      OrderedJson cost = OrderedJson::array();
      for (std::size_t i = 0; i < ops_.size(); ++i) cost.push_back(nullptr);
      std::uint64_t agreements = 0, contradictions = 0;
      bool is_any = false;
      for (const MeasuredOp& op : measurement->ops) {
        const auto at = by_output.find(op.output);
        if (op.function != context_.function->name || at == by_output.end()) continue;
        const std::size_t i = at->second;
        is_any = true;
        for (const Device device : op.supported) supported[i] |= 1 << static_cast<int>(device);
        if (op.cost) cost[i] = *op.cost;
        if (!op.preferred) continue;
        preferred[i] = static_cast<int>(*op.preferred);
        is_measured[i] = 1;
        if (unit(i) == kNone || !measurement->allows_engine) continue;
        ++((unit(i) == kAne) == (*op.preferred == Device::kAne) ? agreements : contradictions);
      }
      if (!is_any) continue;
      summary.agreements += agreements;
      summary.contradictions += contradictions;
      all.push_back({{"machine", measurement->machine},
                     {"setting", measurement->setting},
                     {"engine", measurement->allows_engine},
                     {"verdict", measurement->verdict},
                     {"agreements", agreements},
                     {"contradictions", contradictions},
                     {"preferred", preferred},
                     {"supported", supported},
                     {"cost", std::move(cost)}});
    }
    summary.measured +=
        static_cast<std::uint64_t>(std::count(is_measured.begin(), is_measured.end(), char{1}));
    json["measured"] = std::move(all);
  }

  // By value's number: largest magnitude, NaNs, infinities, median, what 99.9 % stay below.
  void write_ranges(OrderedJson& json) {
    std::unordered_map<std::string_view, std::size_t> by_name;
    for (const mil::Op* op : ops_) {
      for (const auto& output : op->outputs) {
        by_name.emplace(output->name, refs_.at(output.get()) / kRefKinds);
      }
    }
    OrderedJson all = OrderedJson::array();
    for (const ValueRange* range : context_.ranges) {
      const auto at = by_name.find(range->value);
      if (at == by_name.end()) continue;
      const auto known = [](const std::optional<double>& figure) {
        return figure ? OrderedJson(*figure) : OrderedJson();
      };
      all.push_back({at->second, range->max_magnitude, range->nans, range->infinities,
                     known(range->median), known(range->nearly_all)});
    }
    json["ranges"] = std::move(all);
  }

  const FunctionContext& context_;
  Strings& strings_;
  WeightTable& weights_;
  std::vector<const mil::Op*> ops_;
  std::vector<int> depths_;
  std::vector<const mil::Op*> top_;  // the op of the function's body that each is or lies in
  std::unordered_map<const mil::Op*, std::size_t> index_;  // listed ops; constants' first users
  std::unordered_map<const mil::Value*, std::size_t> refs_;
  std::size_t inputs_ = 0;
  std::size_t values_ = 0;
};

}  // namespace

std::size_t Strings::of(std::string_view text) {
  const auto [at, is_new] = index_.emplace(text, index_.size());
  if (is_new) texts_.push_back(at->first);
  return at->second;
}

OrderedJson finding_data(const lint::Finding& finding) {
  const auto rules = lint::rules();
  const auto rule = std::find(rules.begin(), rules.end(), finding.rule) - rules.begin();
  OrderedJson json = {{"rule", rule}, {"message", finding.message}};
  if (!finding.output.empty()) json["output"] = finding.output;
  if (!finding.tensor.empty()) json["tensor"] = finding.tensor;
  if (!finding.dtype.empty()) json["type"] = finding.dtype + " " + finding.shape;
  json["bytes"] = finding.bytes;
  json["flops"] = finding.flops;
  json["share_bytes"] = finding.share_bytes;
  json["share_flops"] = finding.share_flops;
  return json;
}

OrderedJson function_data(const FunctionContext& context, Strings& strings, WeightTable& weights,
                          Summary& summary) {
  ++summary.functions;
  return FunctionWriter(context, strings, weights).write(summary);
}

}  // namespace anemone::report
