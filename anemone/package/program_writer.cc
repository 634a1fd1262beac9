#include "anemone/package/program_writer.h"

#include <unordered_set>

#include "anemone/base/check.h"
#include "anemone/mil/op.h"
#include "anemone/package/values.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

bool is_constexpr(const mil::Op& op) { return op.type().starts_with("constexpr_"); }

// Parameters that the format wants as literals even though they are ordinary elsewhere.
// Source: coremltools 9.0, converters/mil/backend/mil/load.py (create_block).
bool must_be_literal(const mil::Op& op, std::string_view parameter) {
  if (op.type() == "classify") return parameter == "classes";
  if (op.type() == "reshape_like") {
    return parameter == "begins" || parameter == "ends" || parameter == "end_masks";
  }
  return false;
}

bool is_written_as_literal(const mil::Op& op, std::string_view parameter, const mil::Value& value) {
  if (value.constant == nullptr) return false;
  const bool is_literal = value.producer == nullptr && value.name.empty();
  const bool is_const = value.producer != nullptr && value.producer->type() == "const";
  return is_literal || (is_const && (is_constexpr(op) || must_be_literal(op, parameter)));
}

class FunctionWriter {
 public:
  FunctionWriter(const mil::Function& function, int threshold, BlobLayout& blobs)
      : function_(function), threshold_(threshold), blobs_(blobs) {}

  void write(spec::Function* to) {
    const std::string opset(mil::info(function_.opset).name);
    to->set_opset(opset);
    for (const auto& input : function_.inputs) write_value_type(*input, to->add_inputs());
    count_uses(function_.body);
    write_block(function_.body, &(*to->mutable_block_specializations())[opset]);
  }

 private:
  // Consts that are nothing but literals of others are not written as ops.
  void count_uses(const mil::Block& block) {
    for (const auto& op : block.ops) {
      for (const mil::Input& input : op->inputs) {
        for (const mil::Value* value : input.values) {
          (is_written_as_literal(*op, input.name, *value) ? as_literal_ : by_name_).insert(value);
        }
      }
      for (const auto& nested : op->blocks) count_uses(*nested);
    }
    by_name_.insert(block.outputs.begin(), block.outputs.end());
  }

  static void write_value_type(const mil::Value& value, spec::NamedValueType* to) {
    to->set_name(value.name);
    write_type(value.type, to->mutable_type());
  }

  void write_block(const mil::Block& block, spec::Block* to) {
    for (const auto& input : block.inputs) write_value_type(*input, to->add_inputs());
    to->mutable_operations()->Reserve(static_cast<int>(block.ops.size()));
    for (const auto& op : block.ops) {
      if (op->type() == "const" && as_literal_.contains(op->output()) &&
          !by_name_.contains(op->output())) {
        continue;
      }
      within([&] { return "op " + in_quotes(op->name) + " (" + std::string(op->type()) + ")"; },
             [&] { write_op(*op, to->add_operations()); });
    }
    for (const mil::Value* output : block.outputs) to->add_outputs(output->name);
  }

  void write_op(const mil::Op& op, spec::Operation* to) {
    to->set_type(std::string(op.type()));
    auto& attributes = *to->mutable_attributes();
    write_string(op.name, &attributes["name"]);
    if (op.type() == "const") {
      const mil::Value& output = *op.output();
      ANEMONE_CHECK(output.constant != nullptr) << op.name;
      write_literal(output, true, &attributes["val"]);
    }
    const bool in_attributes =
        is_constexpr(op) && op.def->revision(function_.opset) < mil::Opset::kIos18;
    for (const mil::Input& input : op.inputs) {
      if (in_attributes) {
        const mil::Value* value = input.values.size() == 1 ? input.values.front() : nullptr;
        if (value == nullptr || !is_written_as_literal(op, input.name, *value)) {
          throw Error(Code::kBadInput,
                      "parameter " + in_quotes(input.name) + " must be one constant before iOS 18");
        }
        write_literal(*value, true, &attributes[input.name]);
        continue;
      }
      spec::Argument& argument = (*to->mutable_inputs())[input.name];
      for (const mil::Value* value : input.values) {
        write_binding(op, input.name, *value, argument.add_arguments());
      }
    }
    for (const auto& nested : op.blocks) write_block(*nested, to->add_blocks());
    for (const auto& output : op.outputs) write_value_type(*output, to->add_outputs());
  }

  void write_binding(const mil::Op& op, const std::string& parameter, const mil::Value& value,
                     spec::Argument::Binding* to) {
    if (is_written_as_literal(op, parameter, value)) {
      // Readers take references to the weight file in literals of constexpr ops alone.
      write_literal(value, is_constexpr(op), to->mutable_value());
    } else if (must_be_literal(op, parameter) || value.name.empty()) {
      throw Error(Code::kBadInput, "parameter " + in_quotes(parameter) + " must be a constant");
    } else {
      to->set_name(value.name);
    }
  }

  void write_literal(const mil::Value& value, bool may_refer, spec::Value* to) {
    const Tensor& tensor = *value.constant;
    const bool as_blob = may_refer && value.type.is_tensor() && tensor.count() >= threshold_ &&
                         may_be_blob(tensor.dtype(), function_.opset);
    write_constant(value.type, tensor, as_blob ? &blobs_ : nullptr, to);
  }

  const mil::Function& function_;
  int threshold_;
  BlobLayout& blobs_;
  std::unordered_set<const mil::Value*> as_literal_;
  std::unordered_set<const mil::Value*> by_name_;
};

}  // namespace

void write_program(const mil::Program& program, int threshold, BlobLayout& blobs,
                   spec::Program* to) {
  to->set_version(1);
  if (!program.build_info.empty()) {
    write_string_map(program.build_info, &(*to->mutable_attributes())["buildInfo"]);
  }
  for (const auto& function : program.functions) {
    within([&] { return "function " + in_quotes(function->name); },
           [&] {
             FunctionWriter(*function, threshold, blobs)
                 .write(&(*to->mutable_functions())[function->name]);
           });
  }
}

}  // namespace anemone::package
