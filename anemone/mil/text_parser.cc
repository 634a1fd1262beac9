#include <charconv>

#include "anemone/base/error.h"
#include "anemone/mil/op.h"
#include "anemone/mil/text.h"
#include "anemone/mil/text_elements.h"
#include "anemone/mil/text_lexer.h"

namespace anemone::mil {
namespace {

using Kind = Token::Kind;

// Deep enough for anything that MIL allows; shallow enough for any stack.
constexpr int kMaxDepth = 64;
constexpr std::size_t kMaxRank = 16;
constexpr std::size_t kMaxParameters = 256;

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

bool starts_type(const Token& token) {
  if (token.kind != Kind::kWord) return false;
  for (const std::string_view word : {"tensor", "state", "list", "tuple", "dict"}) {
    if (token.text == word) return true;
  }
  return find_dtype_by_name(token.text).has_value();
}

class Parser {
 public:
  Parser(std::string_view text, std::string_view what) : lex_(text, what) {}

  Program program() {
    Program program;
    expect_word("program");
    lex_.expect("(");
    if (!(lex_.now().kind == Kind::kNumber && lex_.now().text == "1.0")) {
      lex_.fail_expecting("the version 1.0");
    }
    lex_.take();
    lex_.expect(")");
    if (lex_.take_if("[")) program.build_info = build_info();
    lex_.expect("{");
    while (!lex_.take_if("}")) function(program);
    if (lex_.now().kind != Kind::kEnd) lex_.fail_expecting("the end of the text");
    return program;
  }

 private:
  // Counts levels of nesting for as long as it lives.
  class Deeper {
   public:
    explicit Deeper(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMaxDepth) {
        parser_.lex_.fail("nested deeper than " + std::to_string(kMaxDepth) + " levels");
      }
    }
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  void expect_word(std::string_view word) {
    if (!lex_.now().is_word(word)) lex_.fail_expecting(in_quotes(word));
    lex_.take();
  }

  // Items up to `close`, with commas between.
  template <typename Item>
  void separated(std::string_view close, Item item) {
    if (lex_.take_if(close)) return;
    do {
      item();
    } while (lex_.take_if(","));
    lex_.expect(close);
  }

  std::string name(std::string_view thing) {
    if (lex_.now().kind == Kind::kWord) return std::string(lex_.take().text);
    if (lex_.now().kind == Kind::kString) return lex_.unquoted(lex_.take());
    lex_.fail_expecting(thing);
  }

  std::string string() {
    if (lex_.now().kind != Kind::kString) lex_.fail_expecting("a string");
    return lex_.unquoted(lex_.take());
  }

  std::int64_t extent(std::string_view thing) {
    const Token token = lex_.now();
    std::int64_t value = -1;
    if (token.kind == Kind::kNumber) {
      const char* end = token.text.data() + token.text.size();
      const auto result = std::from_chars(token.text.data(), end, value);
      if (result.ec != std::errc() || result.ptr != end) value = -1;
    }
    if (value < 0) lex_.fail_expecting(thing);
    lex_.take();
    return value;
  }

  // buildInfo = dict<string, string>({{"a", "b"}, ...})], after the bracket.
  std::map<std::string, std::string> build_info() {
    std::map<std::string, std::string> entries;
    expect_word("buildInfo");
    lex_.expect("=");
    const Token place = lex_.now();
    const Type text = Type::scalar(DType::kString);
    const Type found = type();
    if (found.kind != Type::Kind::kDictionary || found.parts != std::vector<Type>{text, text}) {
      lex_.fail(place.text, "buildInfo is " + to_string(found) + "; allowed: dict<string, string>");
    }
    lex_.expect("(");
    lex_.expect("{");
    separated("}", [&] {
      lex_.expect("{");
      const Token key_place = lex_.now();
      const std::string key = string();
      lex_.expect(",");
      if (!entries.emplace(key, string()).second) {
        lex_.fail(key_place.text, "the key stands twice");
      }
      lex_.expect("}");
    });
    lex_.expect(")");
    lex_.expect("]");
    return entries;
  }

  void function(Program& program) {
    expect_word("func");
    const Token place = lex_.now();
    const std::string function_name = name("a function's name");
    if (program.find_function(function_name) != nullptr) {
      lex_.fail(place.text, "a second function " + in_quotes(function_name));
    }
    lex_.expect("<");
    const Token target = lex_.now();
    if (target.kind != Kind::kWord) lex_.fail_expecting("a target such as ios18");
    const auto opset = find_opset_by_target(target.text);
    if (!opset) {
      lex_.fail("unknown target " + in_quotes(target.text) +
                "; allowed: ios15, ios16, ios17, ios18, ios26");
    }
    lex_.take();
    lex_.expect(">");
    Function& function = program.add_function(function_name, *opset);
    scopes_.assign(1, {});
    lex_.expect("(");
    parameters(function.inputs);
    body(function.body);
    lex_.expect(";");
    scopes_.clear();
  }

  // "TYPE name, ...)", after the parenthesis.
  void parameters(std::vector<std::unique_ptr<Value>>& values) {
    separated(")", [&] {
      values.push_back(declaration());
      define(values.back().get());
    });
  }

  std::unique_ptr<Value> declaration() {
    auto value = std::make_unique<Value>();
    value->type = type();
    value->name = name("a value's name");
    return value;
  }

  // A name may be defined anew (verify() reports it); the last definition counts.
  void define(Value* value) { scopes_.back()[value->name] = value; }

  Value* find(std::string_view value_name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
      const auto found = scope->find(value_name);
      if (found != scope->end()) return found->second;
    }
    return nullptr;
  }

  Value* defined() {
    const Token place = lex_.now();
    const std::string value_name = name("a value's name");
    Value* value = find(value_name);
    if (value == nullptr) {
      lex_.fail(place.text, "value " + in_quotes(value_name) + " is not defined before this");
    }
    return value;
  }

  void body(Block& block) {
    lex_.expect("{");
    while (!lex_.take_if("}")) statement(block);
    lex_.expect("->");
    lex_.expect("(");
    separated(")", [&] { block.outputs.push_back(defined()); });
  }

  void statement(Block& block) {
    auto op = std::make_unique<Op>();
    if (starts_type(lex_.now())) {
      do {
        op->outputs.push_back(declaration());
        op->outputs.back()->producer = op.get();
      } while (lex_.take_if(","));
      lex_.expect("=");
    }
    const Token place = lex_.now();
    if (place.kind != Kind::kWord) lex_.fail_expecting("an op or a type");
    op->def = find_op(place.text);
    if (op->def == nullptr) lex_.fail("there is no op " + in_quotes(place.text));
    lex_.take();
    lex_.expect("(");
    separated(")", [&] { input(*op); });
    if (lex_.take_if("[")) separated("]", [&] { attribute(*op); });
    if (lex_.now().is("(") || lex_.now().is("{")) {
      do {
        nested_block(*op);
      } while (lex_.take_if(","));
    }
    lex_.expect(";");
    for (const auto& output : op->outputs) define(output.get());
    block.ops.push_back(std::move(op));
  }

  void nested_block(Op& op) {
    const Deeper deeper(*this);
    scopes_.emplace_back();
    Block& block = *op.blocks.emplace_back(std::make_unique<Block>());
    if (lex_.take_if("(")) parameters(block.inputs);
    body(block);
    scopes_.pop_back();
  }

  void input(Op& op) {
    const Token place = lex_.now();
    if (op.inputs.size() == kMaxParameters) {
      lex_.fail("more than " + std::to_string(kMaxParameters) + " parameters");
    }
    Input bound;
    bound.name = name("a parameter's name");
    refuse_second(op, bound.name, place);
    lex_.expect("=");
    if (lex_.take_if("(")) {
      separated(")", [&] { bound.values.push_back(operand(op)); });
    } else {
      bound.values.push_back(operand(op));
    }
    op.inputs.push_back(std::move(bound));
  }

  void refuse_second(const Op& op, std::string_view parameter, const Token& place) const {
    for (const Input& input : op.inputs) {
      if (input.name == parameter) {
        lex_.fail(place.text, "parameter " + in_quotes(parameter) + " is bound twice");
      }
    }
  }

  bool at_literal() const {
    return starts_type(lex_.now()) && (lex_.after() == '(' || lex_.after() == '<');
  }

  Value* operand(Op& op) {
    if (!at_literal()) return defined();
    op.literals.push_back(literal());
    return op.literals.back().get();
  }

  void attribute(Op& op) {
    const Token place = lex_.now();
    const std::string attribute_name = name("an attribute's name");
    lex_.expect("=");
    if (!at_literal()) lex_.fail_expecting("a value such as int32(1)");
    const Token value_place = lex_.now();
    auto value = literal();
    if (attribute_name == "name") {
      if (value->type != Type::scalar(DType::kString)) {
        lex_.fail(value_place.text,
                  "an op's name is " + to_string(value->type) + "; allowed: string");
      }
      op.name = value->constant->strings().front();
    } else if (op.type() == "const") {
      if (attribute_name != "val" || op.outputs.size() != 1) {
        lex_.fail(place.text,
                  attribute_name != "val"
                      ? "a const has no attribute " + in_quotes(attribute_name)
                      : "a const has one output, not " + std::to_string(op.outputs.size()));
      }
      op.output()->constant = std::move(value->constant);
    } else if (op.def->find_input(attribute_name) != nullptr) {
      // The older constexpr_* ops keep their parameters here.
      refuse_second(op, attribute_name, place);
      op.literals.push_back(std::move(value));
      op.inputs.push_back({attribute_name, {op.literals.back().get()}});
    } else {
      lex_.fail(place.text,
                "op " + in_quotes(op.type()) + " has no attribute " + in_quotes(attribute_name));
    }
  }

  Type type() {
    const Deeper deeper(*this);
    const Token word = lex_.now();
    if (!starts_type(word)) lex_.fail_expecting("a type");
    lex_.take();
    if (const auto dtype = find_dtype_by_name(word.text)) return Type::scalar(*dtype);
    lex_.expect("<");
    Type result;
    if (word.text == "tensor") {
      result.dtype = dtype();
      lex_.expect(",");
      shape(result);
    } else if (word.text == "state" || word.text == "list") {
      const Token place = lex_.now();
      result = type();
      if (!result.is_tensor()) {
        lex_.fail(place.text, "a " + std::string(word.text) + " of " + to_string(result) +
                                  "; allowed: of tensors");
      }
      result.kind = Type::Kind::kState;
      if (word.text == "list") {
        result.kind = Type::Kind::kList;
        lex_.expect(",");
        if (!lex_.take_if("?")) result.length = extent("a length or '?'");
      }
    } else {
      result.kind = word.text == "tuple" ? Type::Kind::kTuple : Type::Kind::kDictionary;
      while (!lex_.now().is(">")) {
        result.parts.push_back(type());
        if (!lex_.take_if(",")) break;
      }
      if (word.text == "dict" && result.parts.size() != 2) {
        lex_.fail(word.text, "a dict has two types, not " + std::to_string(result.parts.size()));
      }
    }
    lex_.expect(">");
    return result;
  }

  DType dtype() {
    const auto found = lex_.now().kind == Kind::kWord ? find_dtype_by_name(lex_.now().text)
                                                      : std::optional<DType>();
    if (!found) lex_.fail_expecting("an element type such as fp16");
    lex_.take();
    return *found;
  }

  void shape(Type& type) {
    const Token place = lex_.now();
    lex_.expect("[");
    if (lex_.take_if("...")) {
      type.has_rank = false;
      return lex_.expect("]");
    }
    Shape known;
    separated("]", [&] {
      if (type.shape.size() == kMaxRank) {
        lex_.fail("more than " + std::to_string(kMaxRank) + " dimensions");
      }
      if (lex_.take_if("?")) {
        type.shape.push_back(kUnknown);
      } else {
        type.shape.push_back(extent("an extent or '?'"));
        known.push_back(type.shape.back());
      }
    });
    if (!checked_element_count(known)) lex_.fail(place.text, "more than 2^48 elements");
  }

  // "int32(1)", "tensor<fp16, [2]>([1, 2])", "list<string, 1>(["a"])"
  std::unique_ptr<Value> literal() {
    const Token place = lex_.now();
    auto value = std::make_unique<Value>();
    value->type = type();
    const Type& type = value->type;
    const bool is_list = type.kind == Type::Kind::kList;
    if ((!type.is_tensor() && !is_list) || !type.is_static() || (is_list && type.length < 0)) {
      lex_.fail(place.text,
                "a value of type " + to_string(type) + "; allowed: of a static tensor or list");
    }
    Shape shape = type.shape;
    if (is_list) shape.insert(shape.begin(), type.length);
    if (!checked_element_count(shape)) lex_.fail(place.text, "more than 2^48 elements");
    lex_.expect("(");
    if (lex_.now().is("...")) lex_.fail("the elements are left out ('...'): the text is a summary");
    if (lex_.now().is_word("BLOBFILE")) {
      lex_.fail("the elements are in a file: read the package, not its text");
    }
    Elements elements(type.dtype);
    if (element_count(shape) == 0) {
      lex_.expect("[");
      lex_.expect("]");
    } else {
      this->elements(elements, shape, 0);
    }
    lex_.expect(")");
    value->constant = std::make_shared<const Tensor>(elements.finish(std::move(shape)));
    return value;
  }

  void elements(Elements& into, const Shape& shape, std::size_t axis) {
    if (axis == shape.size()) return element(into);
    lex_.expect("[");
    for (std::int64_t i = 0; i < shape[axis]; ++i) {
      if (i > 0) {
        if (!lex_.now().is(",")) {
          lex_.fail_expecting("',' (" + std::to_string(shape[axis]) + " in a row; " +
                              std::to_string(i) + " so far)");
        }
        lex_.take();
      }
      elements(into, shape, axis + 1);
    }
    if (!lex_.now().is("]")) {
      lex_.fail_expecting("']' (after " + std::to_string(shape[axis]) + " in a row)");
    }
    lex_.take();
  }

  void element(Elements& into) {
    const Token token = lex_.now();
    std::string wrong;
    if (token.kind == Kind::kString) {
      wrong = into.add_string(lex_.unquoted(token));
    } else if (token.is_word("true") || token.is_word("false")) {
      wrong = into.add_bool(token.text == "true");
    } else if (token.is_word("nan") && lex_.after() == '(') {
      lex_.take();
      lex_.expect("(");
      wrong = into.add_pattern(pattern());
      lex_.take();
      if (!lex_.now().is(")")) lex_.fail_expecting("')'");
    } else if (token.kind == Kind::kNumber || token.is_word("inf") || token.is_word("nan")) {
      wrong = into.add_number(token.text);
    } else {
      lex_.fail_expecting("an element");
    }
    if (!wrong.empty()) lex_.fail(token.text, wrong);
    lex_.take();
  }

  // The current token as 0x...
  std::uint64_t pattern() const {
    const std::string_view text = lex_.now().text;
    std::uint64_t bits = 0;
    if (lex_.now().kind == Kind::kNumber && text.starts_with("0x")) {
      const char* end = text.data() + text.size();
      const auto result = std::from_chars(text.data() + 2, end, bits, 16);
      if (result.ec == std::errc() && result.ptr == end && text.size() > 2) return bits;
    }
    lex_.fail_expecting("a bit pattern such as 0x7e01");
  }

  Lexer lex_;
  int depth_ = 0;
  std::vector<std::unordered_map<std::string_view, Value*>> scopes_;
};

}  // namespace

Program parse(std::string_view text, std::string_view what) { return Parser(text, what).program(); }

}  // namespace anemone::mil
