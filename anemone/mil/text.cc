#include "anemone/mil/text.h"

#include "anemone/mil/op.h"
#include "anemone/mil/text_elements.h"

namespace anemone::mil {
namespace {

// With show_constants false, constants of at most this many elements are spelled where they are
// used: an axis, a shape, a pad, a begin or end.
constexpr std::int64_t kInlineElements = 8;

// True if the parser reads `name` as one word; other names are written in quotes.
bool is_word(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '@'; });
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  std::string take() { return std::move(out_); }

  void print(const Program& program) {
    out_ += "program(1.0)\n";
    if (!program.build_info.empty()) {
      out_ += "[buildInfo = dict<string, string>({";
      separate(program.build_info, [&](const auto& entry) {
        out_ += '{';
        append_quoted(out_, entry.first);
        out_ += ", ";
        append_quoted(out_, entry.second);
        out_ += '}';
      });
      out_ += "})]\n";
    }
    out_ += "{\n";
    depth_ = 1;
    for (const auto& function : program.functions) print(*function);
    out_ += "}\n";
  }

  void print(const Function& function) {
    indent();
    out_ += "func ";
    print_name(function.name);
    out_ += '<';
    out_ += info(function.opset).target;
    out_ += '>';
    print_parameters(function.inputs);
    out_ += ' ';
    print_body(function.body);
    out_ += ";\n";
  }

 private:
  template <typename Range, typename Print>
  void separate(const Range& range, Print print) {
    bool first = true;
    for (const auto& item : range) {
      if (!first) out_ += ", ";
      first = false;
      print(item);
    }
  }

  void indent() { out_.append(static_cast<std::size_t>(2 * depth_), ' '); }

  void print_name(std::string_view name) {
    if (is_word(name)) {
      out_ += name;
    } else {
      append_quoted(out_, name);
    }
  }

  void print_declaration(const Value& value) {
    out_ += to_string(value.type);
    out_ += ' ';
    print_name(value.name);
  }

  void print_parameters(const std::vector<std::unique_ptr<Value>>& values) {
    out_ += '(';
    separate(values, [&](const auto& value) { print_declaration(*value); });
    out_ += ')';
  }

  // "{ ... } -> (a, b)"
  void print_body(const Block& block) {
    out_ += "{\n";
    ++depth_;
    for (const auto& op : block.ops) print_op(*op);
    --depth_;
    indent();
    out_ += "} -> (";
    separate(block.outputs, [&](const Value* value) { print_name(value->name); });
    out_ += ')';
  }

  void print_op(const Op& op) {
    const bool is_const = op.type() == "const";
    if (is_const && !options_.show_constants) return;
    indent();
    separate(op.outputs, [&](const auto& value) { print_declaration(*value); });
    if (!op.outputs.empty()) out_ += " = ";
    out_ += op.type();
    out_ += '(';
    separate(op.inputs, [&](const Input& input) { print_input(op, input); });
    out_ += ')';
    const Tensor* contents =
        is_const && op.outputs.size() == 1 ? op.output()->constant.get() : nullptr;
    if (!op.name.empty() || contents != nullptr) print_attributes(op, contents);
    if (!op.blocks.empty()) out_ += ' ';
    separate(op.blocks, [&](const auto& block) {
      if (!block->inputs.empty()) {
        print_parameters(block->inputs);
        out_ += ' ';
      }
      print_body(*block);
    });
    out_ += ";\n";
  }

  void print_input(const Op& op, const Input& input) {
    print_name(input.name);
    out_ += " = ";
    const InputDef* def = op.def->find_input(input.name);
    if (input.values.size() == 1 && (def == nullptr || !def->is_variadic)) {
      print_operand(*input.values.front());
      return;
    }
    out_ += '(';
    separate(input.values, [&](const Value* value) { print_operand(*value); });
    out_ += ')';
  }

  void print_operand(const Value& value) {
    const bool is_literal = value.is_constant() && value.name.empty();
    const bool is_hidden = !options_.show_constants && value.is_constant() &&
                           value.producer != nullptr && value.producer->type() == "const" &&
                           value.constant->count() <= kInlineElements;
    if (is_literal || is_hidden) {
      print_constant(value.type, *value.constant);
    } else {
      print_name(value.name);
    }
  }

  void print_attributes(const Op& op, const Tensor* contents) {
    out_ += '[';
    if (!op.name.empty()) {
      out_ += "name = string(";
      append_quoted(out_, op.name);
      out_ += ')';
    }
    if (contents != nullptr) {
      if (!op.name.empty()) out_ += ", ";
      out_ += "val = ";
      print_constant(op.output()->type, *contents);
    }
    out_ += ']';
  }

  // The type is the contents' own (whether it is what the value promises is verify's business),
  // unless they are a list, which only the value's type can tell from a tensor.
  void print_constant(const Type& declared, const Tensor& contents) {
    const Shape& shape = contents.shape();
    Type type = Type::tensor(contents.dtype(), shape);
    if (declared.kind == Type::Kind::kList && !shape.empty()) {
      type = Type::list(contents.dtype(), Shape(shape.begin() + 1, shape.end()), shape.front());
    }
    out_ += to_string(type);
    out_ += '(';
    if (options_.max_elements >= 0 && contents.count() > options_.max_elements) {
      out_ += "...";
    } else if (contents.count() == 0) {
      out_ += "[]";
    } else {
      std::int64_t at = 0;
      print_elements(contents.resident(), 0, at);
    }
    out_ += ')';
  }

  void print_elements(const Tensor& contents, std::size_t axis, std::int64_t& at) {
    if (axis == contents.shape().size()) {
      append_element(out_, contents, at++);
      return;
    }
    out_ += '[';
    for (std::int64_t i = 0; i < contents.shape()[axis]; ++i) {
      if (i > 0) out_ += ", ";
      print_elements(contents, axis + 1, at);
    }
    out_ += ']';
  }

  PrintOptions options_;
  std::string out_;
  int depth_ = 0;
};

}  // namespace

std::string print(const Program& program, const PrintOptions& options) {
  Printer printer(options);
  printer.print(program);
  return printer.take();
}

std::string print(const Function& function, const PrintOptions& options) {
  Printer printer(options);
  printer.print(function);
  return printer.take();
}

}  // namespace anemone::mil
