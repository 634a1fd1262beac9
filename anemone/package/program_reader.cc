#include "anemone/package/program_reader.h"

#include <unordered_set>

#include "anemone/mil/op.h"
#include "anemone/package/types.h"
#include "anemone/package/values.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

// Functions are looked up one by one; no real package has more than a few dozen.
constexpr std::size_t kMaxFunctions = 4096;

bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }

// MIL's grammar. Words that only the text form reserves are let through here (mil::verify names
// them): the runtime takes them, and older converters wrote them.
// Source: coremltools 9.0, mlmodel/format/MIL.proto.
bool has_name_syntax(std::string_view name) {
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '@'; });
}

void require_name(const std::string& name, const char* of) {
  if (has_name_syntax(name)) return;
  throw Error(Code::kBadInput, "the name " + shown(name) + " of " + of +
                                   " is no identifier; allowed: [A-Za-z_][A-Za-z0-9_@]*");
}

template <typename Map>
std::vector<typename Map::const_pointer> sorted_entries(const Map& map) {
  std::vector<typename Map::const_pointer> entries;
  for (const auto& entry : map) entries.push_back(&entry);
  std::sort(entries.begin(), entries.end(),
            [](const auto* a, const auto* b) { return a->first < b->first; });
  return entries;
}

template <typename Map>
void require_no_attributes(const Map& attributes, const char* of) {
  if (attributes.empty()) return;
  throw Error(Code::kUnsupported, std::string(of) + " has the attribute " +
                                      shown(sorted_entries(attributes).front()->first) +
                                      "; none are known");
}

class FunctionReader {
 public:
  FunctionReader(const spec::Function& from, mil::Function& to, const WeightFiles& weights)
      : from_(from), to_(to), weights_(weights) {}

  void read() {
    require_no_attributes(from_.attributes(), "it");
    for (const spec::NamedValueType& input : from_.inputs()) {
      mil::Value* value = to_.inputs.emplace_back(read_value(input, "an input")).get();
      if (!value->type.is_tensor() && !value->type.is_state()) {
        throw Error(Code::kUnsupported, "input " + in_quotes(value->name) + " is of type " +
                                            mil::to_string(value->type) +
                                            "; allowed are tensors and states");
      }
      define(value);
    }
    const spec::Block& block = from_.block_specializations().at(from_.opset());
    if (block.inputs_size() > 0) {
      throw Error(Code::kBadInput, "its block has inputs of its own; only nested blocks may");
    }
    read_block(block, to_.body);
    // A value that a function gives twice is one output: features.cc.
    std::unordered_set<const mil::Value*> given;
    std::erase_if(to_.body.outputs, [&](const mil::Value* v) { return !given.insert(v).second; });
    if (has_repeats_) make_names_unique();
  }

 private:
  std::unique_ptr<mil::Value> read_value(const spec::NamedValueType& from, const char* what) {
    require_name(from.name(), what);
    auto value = std::make_unique<mil::Value>();
    value->name = from.name();
    value->type = within([&] { return std::string(what) + " " + in_quotes(from.name()); },
                         [&] { return read_type(from.type()); });
    return value;
  }

  void define(mil::Value* value) {
    const auto [known, is_new] = names_.try_emplace(value->name, value);
    if (!is_new) {
      if (known->second != nullptr) {
        throw Error(Code::kBadInput, in_quotes(value->name) + " is defined twice");
      }
      known->second = value;
      has_repeats_ = true;
    }
    scope_.push_back(known->first);
  }

  mil::Value* resolve(const std::string& name) {
    const auto found = names_.find(name);
    if (found != names_.end() && found->second != nullptr) return found->second;
    const bool is_later = defines(from_.block_specializations().at(from_.opset()), name);
    throw Error(Code::kBadInput, "uses " + shown(name) +
                                     (is_later ? " before it is defined or outside of its block"
                                               : ", which nothing defines"));
  }

  static bool defines(const spec::Block& block, const std::string& name) {
    const auto is_it = [&](const spec::NamedValueType& value) { return value.name() == name; };
    if (std::any_of(block.inputs().begin(), block.inputs().end(), is_it)) return true;
    for (const spec::Operation& op : block.operations()) {
      if (std::any_of(op.outputs().begin(), op.outputs().end(), is_it)) return true;
      for (const spec::Block& nested : op.blocks()) {
        if (defines(nested, name)) return true;
      }
    }
    return false;
  }

  void read_block(const spec::Block& from, mil::Block& to) {
    require_no_attributes(from.attributes(), "a block");
    const std::size_t outer = scope_.size();
    for (const spec::NamedValueType& input : from.inputs()) {
      define(to.inputs.emplace_back(read_value(input, "a block input")).get());
    }
    to.ops.reserve(static_cast<std::size_t>(from.operations_size()));
    for (const spec::Operation& op : from.operations()) {
      within([&] { return op_place(op); }, [&] { to.ops.push_back(read_op(op)); });
    }
    for (const std::string& output : from.outputs()) {
      to.outputs.push_back(within([] { return std::string("an output of a block"); },
                                  [&] { return resolve(output); }));
    }
    for (; scope_.size() > outer; scope_.pop_back()) names_.at(scope_.back()) = nullptr;
  }

  // "op 'y_0' (softmax)", for messages about an op that may be broken in any way.
  static std::string op_place(const spec::Operation& op) {
    const auto name = op.attributes().find("name");
    std::string text;
    if (name != op.attributes().end()) {
      const auto& strings = name->second.immediate_value().tensor().strings().values();
      if (!strings.empty()) text = strings.Get(0);
    }
    if (text.empty() && op.outputs_size() > 0) text = op.outputs(0).name();
    return "op " + shown(text) + " (" + printable(op.type(), 80) + ")";
  }

  std::unique_ptr<mil::Op> read_op(const spec::Operation& from) {
    auto op = std::make_unique<mil::Op>();
    op->def = mil::find_op(from.type());
    if (op->def == nullptr) throw Error(Code::kUnsupported, "no op of that type is known");
    const bool is_const = from.type() == "const";
    const bool is_constexpr = from.type().starts_with("constexpr_");

    read_inputs(from, *op);
    for (const auto* attribute : sorted_entries(from.attributes())) {
      const auto& [name, value] = *attribute;
      within([&, &key = name] { return "attribute " + shown(key); },
             [&, &key = name, &read = value] {
               if (key == "name") {
                 op->name = read_string(read);
               } else if (is_constexpr) {
                 // The forms before iOS 18 keep their parameters here.
                 bind_literal(read, op->inputs.emplace_back(mil::Input{key, {}}), *op);
               } else if (!is_const || key != "val") {
                 throw Error(Code::kUnsupported,
                             std::string("is unknown; allowed: name") + (is_const ? ", val" : ""));
               }
             });
    }
    sort_inputs(*op);

    if (from.blocks_size() != op->def->blocks) {
      throw Error(Code::kBadInput, "has " + std::to_string(from.blocks_size()) +
                                       " blocks; it needs " + std::to_string(op->def->blocks));
    }
    for (const spec::Block& block : from.blocks()) {
      read_block(block, *op->blocks.emplace_back(std::make_unique<mil::Block>()));
    }
    for (const spec::NamedValueType& output : from.outputs()) {
      mil::Value* value = op->outputs.emplace_back(read_value(output, "an output")).get();
      value->producer = op.get();
    }
    if (is_const) read_const(from, *op);
    // Only now: an op does not see its own outputs.
    for (const auto& output : op->outputs) define(output.get());

    if (op->name.empty()) op->name = op->outputs.empty() ? from.type() : op->outputs[0]->name;
    has_repeats_ |= !op_names_.insert(op->name).second;
    return op;
  }

  void read_inputs(const spec::Operation& from, mil::Op& op) {
    for (const auto& [name, argument] : from.inputs()) {
      mil::Input& input = op.inputs.emplace_back(mil::Input{name, {}});
      within([&] { return "parameter " + shown(input.name); },
             [&, &bindings = argument.arguments()] {
               for (const spec::Argument::Binding& binding : bindings) {
                 if (binding.has_value()) {
                   bind_literal(binding.value(), input, op);
                 } else {
                   input.values.push_back(resolve(binding.name()));
                 }
               }
             });
    }
  }

  void bind_literal(const spec::Value& from, mil::Input& input, mil::Op& op) {
    Constant constant = read_constant(from, weights_);
    auto value = std::make_unique<mil::Value>();
    value->type = std::move(constant.type);
    value->constant = std::move(constant.tensor);
    input.values.push_back(op.literals.emplace_back(std::move(value)).get());
  }

  // In the catalogue's order, whatever order the file's map had.
  static void sort_inputs(mil::Op& op) {
    const auto rank = [&](const std::string& name) {
      std::size_t i = 0;
      for (const mil::InputDef& def : op.def->inputs) {
        if (def.name == name) return i;
        ++i;
      }
      return i;
    };
    std::sort(op.inputs.begin(), op.inputs.end(), [&](const mil::Input& a, const mil::Input& b) {
      const std::size_t x = rank(a.name);
      const std::size_t y = rank(b.name);
      return x != y ? x < y : a.name < b.name;
    });
  }

  void read_const(const spec::Operation& from, mil::Op& op) {
    const auto found = from.attributes().find("val");
    if (found == from.attributes().end()) {
      throw Error(Code::kBadInput, "has no attribute 'val'");
    }
    if (op.outputs.size() != 1 || !op.inputs.empty()) {
      throw Error(Code::kBadInput, "has " + std::to_string(op.outputs.size()) + " outputs and " +
                                       std::to_string(op.inputs.size()) +
                                       " inputs; a const has one and none");
    }
    Constant constant = within([] { return std::string("attribute 'val'"); },
                               [&] { return read_constant(found->second, weights_); });
    mil::Value& output = *op.outputs.front();
    if (output.type.kind == mil::Type::Kind::kList && output.type.length == kUnknown) {
      output.type.length = constant.type.length;
    }
    if (output.type != constant.type) {
      throw Error(Code::kBadInput, "its output is declared as " + mil::to_string(output.type) +
                                       ", but its value is " + mil::to_string(constant.type));
    }
    output.constant = std::move(constant.tensor);
  }

  // Names that stand in two blocks side by side are legal in the file, but not in a Function.
  // Inputs and outputs keep theirs.
  void make_names_unique() {
    std::unordered_set<std::string> values;
    std::unordered_set<std::string> ops;
    std::unordered_set<const mil::Value*> kept;
    for (const auto& input : to_.inputs) kept.insert(input.get());
    for (const mil::Value* output : to_.body.outputs) kept.insert(output);
    for (const mil::Value* value : kept) values.insert(value->name);
    std::unordered_map<std::string, int> next;  // suffix of a repeated name; spares a long search
    const auto settle = [&](std::string& name, std::unordered_set<std::string>& taken) {
      const std::string base = name;
      while (!taken.insert(name).second) name = base + "_" + std::to_string(++next[base]);
    };
    mil::for_each_op(to_.body, [&](const mil::Op& op, int) {
      // All of it was made here, so it may be changed here.
      settle(const_cast<mil::Op&>(op).name, ops);
      for (const auto& block : op.blocks) {
        for (const auto& input : block->inputs) settle(input->name, values);
      }
      for (const auto& output : op.outputs) {
        if (!kept.contains(output.get())) settle(output->name, values);
      }
    });
  }

  const spec::Function& from_;
  mil::Function& to_;
  const WeightFiles& weights_;
  // Every name so far (they live in their values, which do not move), and the value that is visible
  // under it; null when its block is over.
  std::unordered_map<std::string_view, mil::Value*> names_;
  std::vector<std::string_view> scope_;  // visible names in order of definition
  std::unordered_set<std::string_view> op_names_;
  bool has_repeats_ = false;
};

mil::Opset read_opset(const spec::Function& from) {
  if (const auto opset = mil::find_opset_by_name(from.opset())) {
    if (!from.block_specializations().contains(from.opset())) {
      std::string found;
      for (const auto* entry : sorted_entries(from.block_specializations())) {
        found += (found.empty() ? " only for " : ", ") + shown(entry->first);
      }
      throw Error(Code::kBadInput, "speaks opset " + in_quotes(from.opset()) + ", but has " +
                                       (found.empty() ? "no block" : "blocks" + found));
    }
    return *opset;
  }
  std::string known;
  for (const auto opset : {mil::Opset::kIos15, mil::Opset::kIos16, mil::Opset::kIos17,
                           mil::Opset::kIos18, mil::Opset::kIos26}) {
    known += (known.empty() ? "" : ", ") + std::string(mil::info(opset).name);
  }
  throw Error(Code::kUnsupported, "speaks opset " + shown(from.opset()) + "; known are " + known);
}

}  // namespace

mil::Program read_program(const spec::Program& from, const WeightFiles& weights) {
  if (from.version() != 1) {
    throw Error(Code::kUnsupported, "the ML Program is of version " +
                                        std::to_string(from.version()) + "; version 1 is handled");
  }
  mil::Program program;
  for (const auto* entry : sorted_entries(from.attributes())) {
    const auto& [name, value] = *entry;
    if (name != "buildInfo") {
      throw Error(Code::kUnsupported,
                  "the ML Program has the attribute " + shown(name) + "; allowed: buildInfo");
    }
    program.build_info = within([] { return std::string("the attribute 'buildInfo'"); },
                                [&, &read = value] { return read_string_map(read); });
  }
  if (from.functions().size() > kMaxFunctions) {
    throw Error(Code::kLimit, "the ML Program has " + std::to_string(from.functions().size()) +
                                  " functions; at most " + std::to_string(kMaxFunctions) +
                                  " are handled");
  }
  for (const auto* entry : sorted_entries(from.functions())) {
    const auto& [name, function] = *entry;
    within([&, &key = name] { return "function " + shown(key); },
           [&, &key = name, &read = function] {
             require_name(key, "a function");
             mil::Function& made = program.add_function(key, read_opset(read));
             FunctionReader(read, made, weights).read();
           });
  }
  if (program.functions.empty()) throw Error(Code::kBadInput, "the ML Program has no functions");
  return program;
}

}  // namespace anemone::package
