#include <algorithm>

#include "anemone/engine/planner.h"
#include "anemone/engine/row_program.h"

// Ops become a row program.
namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;
using Source = RowProgram::Source;
using Kind = RowProgram::Kind;

constexpr std::int64_t kPiece = 1024;  // elements at a time: registers stay in the first cache
constexpr std::int64_t kLongestRow = 16384;  // rows in whole
// Rows that lie across go by blocks: of a cache line of columns, of more where rows are short.
constexpr std::int64_t kColumnsAtOnce = 16;
constexpr std::int64_t kBlock = 8192;

bool is_reduction(std::string_view op) { return op.starts_with("reduce_"); }

std::int64_t product(const Shape& shape, std::size_t first, std::size_t last) {
  std::int64_t count = 1;
  for (std::size_t i = first; i < last; ++i) count *= shape[i];
  return count;
}

// Turns ops into instructions. Values inside have a source; those from outside become inputs.
class Compiler {
 public:
  Compiler(Lowering& lowering, Planner& planner, const std::vector<const Op*>& ops,
           const Value* in_place)
      : lowering_(lowering), planner_(planner), ops_(ops), in_place_(in_place) {}

  std::optional<RowProgram> compile() {
    shape_ = ops_.back()->output()->type.shape;
    if (element_count(shape_) == 0 || shape_.size() > RowProgram::kMostAxes) return std::nullopt;
    if (!find_rows()) return std::nullopt;
    if (in_place_ != nullptr) {
      if (by_rows_) return std::nullopt;
      add_outside(*in_place_, in_place_->type.shape);
    }
    for (const Op* op : ops_) {
      for (const auto& output : op->outputs) inside_[output.get()] = {};
    }
    for (const Op* op : ops_) {
      if (!add(*op)) return std::nullopt;
    }
    if (outside_.size() > RowProgram::kMostInputs) return std::nullopt;
    use_registers_again();
    lay_out();
    return std::move(program_);
  }

 private:
  struct Outside {
    const Value* value;
    Shape shape;  // of the result that it is stretched to
    Source source;
  };

  // Whether ops need rows in whole, and which axes those have then: all from the first that an op
  // names on, or, where every op that names axes sums over them and others follow, those alone.
  bool find_rows() {
    std::size_t first = shape_.size(), last = 0;
    bool has_parts = false;
    const auto need = [&](const Value* x, const Value* axes) {
      by_rows_ = true;
      const auto rank = static_cast<std::int64_t>(x->type.shape.size());
      const Tensor* known = axes == nullptr ? nullptr : planner_.constant(*axes);
      if (rank != static_cast<std::int64_t>(shape_.size()) || known == nullptr) return false;
      for (std::int64_t axis : known->to_ints()) {
        axis += axis < 0 ? rank : 0;
        first = std::min(first, static_cast<std::size_t>(axis));
        last = std::max(last, static_cast<std::size_t>(axis) + 1);
      }
      return true;
    };
    for (const Op* op : ops_) {
      const std::string_view type = op->type();
      if (is_reduction(type) && !need(op->find_input("x"), op->find_input("axes"))) return false;
      if (type == "split" && !need(op->find_input("x"), op->find_input("axis"))) return false;
      if (type == "concat" && !need(op->find_inputs("values").front(), op->find_input("axis"))) {
        return false;
      }
      has_parts |= type == "concat" || type == "split" || type.starts_with("slice_by_");
    }
    by_rows_ |= has_parts;
    if (!by_rows_) return true;
    if (first == shape_.size()) return false;
    axis_ = first;
    last_ = has_parts || product(shape_, last, shape_.size()) == 1 ? shape_.size() : last;
    columns_ = product(shape_, last_, shape_.size());
    // What is between may be longer than the result.
    for (const Op* op : ops_) {
      for (const auto& output : op->outputs) row_ = std::max(row_, row_of(output->type.shape));
      for (const char* name : {"x", "y"}) {
        const Value* value = op->find_input(name);
        if (value != nullptr) row_ = std::max(row_, row_of(value->type.shape));
      }
    }
    return row_ <= kLongestRow;
  }

  bool lies_across() const { return columns_ > 1; }

  // Elements of a row of a value of this shape; 0 if it is no row of the program's.
  std::int64_t row_of(const Shape& shape) const {
    if (shape.size() != shape_.size()) return 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if ((i < axis_ || i >= last_) && shape[i] != shape_[i]) return 0;
    }
    return product(shape, axis_, last_);
  }

  // Where an operand is found by an op whose result has this shape.
  std::optional<Source> source_of(const Value* value, const Shape& shape) {
    const auto found = inside_.find(value);
    if (found != inside_.end()) {
      if (found->second.index == kNowhere) return std::nullopt;
      if (by_rows_ && !found->second.is_number() && value->type.shape != shape) return std::nullopt;
      if (!by_rows_ && !are_same_but_units(value->type.shape, shape)) return std::nullopt;
      return found->second;
    }
    return add_outside(*value, shape);
  }

  std::optional<Source> add_outside(const Value& value, const Shape& shape) {
    if (!is_float(value.type.dtype)) return std::nullopt;
    for (const Outside& one : outside_) {
      if (one.value == &value && one.shape == shape) return one.source;
    }
    Source source{.is_register = false, .index = static_cast<int>(outside_.size())};
    if (by_rows_) {
      const Shape& own = value.type.shape;
      if (own.size() > shape.size()) return std::nullopt;
      const std::size_t skipped = shape.size() - own.size();
      // Over the axes of a row, and over those that follow: all elements or one.
      for (const auto& [begin, end] : {std::pair(axis_, last_), std::pair(last_, shape.size())}) {
        bool full = true, one = true;
        for (std::size_t i = begin; i < end; ++i) {
          const std::int64_t extent = i < skipped ? 1 : own[i - skipped];
          full = full && extent == shape[i];
          one = one && extent == 1;
        }
        if (!full && !one) return std::nullopt;
        if (begin == axis_) source.length = one ? 1 : product(shape, axis_, last_);
      }
    }
    outside_.push_back({&value, shape, source});
    return source;
  }

  // A new register for a result; the last op's is the output.
  Source result_for(const Op& op) {
    Source to{.is_register = true, .index = -1};
    const Shape& shape = op.output()->type.shape;
    if (by_rows_) to.length = row_of(shape);
    if (&op != ops_.back()) to.index = program_.registers++;
    return to;
  }

  bool add(const Op& op) {
    const std::string_view type = op.type();
    const Value& output = *op.output();
    if (type == "greater" || type == "greater_equal") {
      comparisons_[&output] = &op;
      inside_[&output].index = kNowhere;
      return &op != ops_.back();
    }
    if (!is_float(output.type.dtype)) return false;
    if (type == "slice_by_index" || type == "slice_by_size" || type == "split") return add_part(op);
    if (by_rows_ ? row_of(output.type.shape) == 0
                 : !are_same_but_units(output.type.shape, shape_)) {
      return false;
    }
    if (type == "reshape" || type == "expand_dims" || type == "squeeze") return add_reshape(op);
    if (type == "concat") return add_concat(op);
    if (is_reduction(type)) return add_reduction(op);
    if (type == "select") return add_select(op);
    if (type == "tile") return add_tile(op);
    RowProgram::Instruction made;
    made.rounds = planner_.rounds(output.type);
    const Value* x = op.find_input("x");
    if (x == nullptr) return false;
    const mil::Call call = planner_.call_of(op);
    const Lowering own(planner_, op, call);
    const auto a = source_of(x, output.type.shape);
    if (!a) return false;
    made.in[0] = *a;
    if (type == "cast" || type == "identity") {
      if (!is_float(x->type.dtype)) return false;
      // Without a rounding nothing is to be done, but for the output to be written.
      if ((!made.rounds || x->type.dtype == DType::kF16) && &op != ops_.back()) {
        inside_[&output] = *a;
        return true;
      }
      made.kind = Kind::kUnary;
      made.unary = {.row = rounding_row()};
      if (!made.rounds || x->type.dtype == DType::kF16) made.kind = Kind::kCopy;
    } else if (const UnaryChoice unary = choose_unary(own); unary.row != nullptr) {
      made.kind = Kind::kUnary;
      made.unary = unary;
    } else {
      made.kind = Kind::kBinary;
      made.binary = choose_binary(type, made.rounds);
      const Value* y = op.find_input("y");
      const auto b =
          made.binary == nullptr || y == nullptr ? std::nullopt : source_of(y, output.type.shape);
      if (!b) return false;
      made.in[1] = *b;
    }
    // One number for a row where the result is a row: only binary rows take those.
    if (made.kind != Kind::kBinary && a->is_number() && row_count(output.type.shape) != 1) {
      return false;
    }
    put(op, made);
    return true;
  }

  std::int64_t row_count(const Shape& shape) const {
    return by_rows_ ? row_of(shape) : element_count(shape);
  }

  void put(const Op& op, RowProgram::Instruction& made) {
    made.to = result_for(op);
    inside_[op.output()] = made.to;
    program_.instructions.push_back(made);
  }

  // slice_by_index, slice_by_size, split: parts of a row, where it lies.
  bool add_part(const Op& op) {
    const Value* x = op.find_input("x");
    const Shape& shape = x->type.shape;
    if (row_of(shape) == 0) return false;
    const auto whole = source_of(x, shape);
    if (!whole || whole->is_number()) return false;
    const std::int64_t inner = product(shape, axis_ + 1, shape.size());
    const mil::Call call = planner_.call_of(op);
    std::vector<View> parts;
    // As the planner would see them, of a tensor that lies row-major.
    View dense = dense_view(0, DType::kF32, shape);
    if (op.type() == "split") {
      std::int64_t begin = 0;
      for (const auto& output : op.outputs) {
        parts.push_back(sliced(dense, axis_, begin, output->type.shape[axis_]));
        begin += output->type.shape[axis_];
      }
    } else {
      const auto part = part_of(op, call, dense);
      if (!part) return false;
      parts.push_back(*part);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const View& part = parts[i];
      // Along the first axis of rows alone, and without gaps.
      if (part.strides != dense.strides || part.shape.size() != shape.size()) return false;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (axis != axis_ && part.shape[axis] != shape[axis]) return false;
      }
      if (part.offset % inner != 0 || part.offset >= shape[axis_] * inner) return false;
      Source source = *whole;
      source.offset += part.offset;
      source.length = part.shape[axis_] * inner;
      if (source.length == 1) return false;
      inside_[op.outputs[i].get()] = source;
    }
    return true;
  }

  bool add_concat(const Op& op) {
    const Value& output = *op.output();
    if (const Value* interleave = op.find_input("interleave")) {
      const Tensor* known = planner_.constant(*interleave);
      if (known == nullptr || known->integer(0) != 0) return false;
    }
    const Source to = result_for(op);
    std::int64_t at = 0;
    for (const Value* value : op.find_inputs("values")) {
      const std::int64_t count = row_of(value->type.shape);
      const auto from = source_of(value, value->type.shape);
      if (count < 2 || !from) return false;
      RowProgram::Instruction made;
      made.kind = Kind::kCopy;
      made.in[0] = *from;
      made.to = to;
      made.to.offset = at;
      made.to.length = count;
      program_.instructions.push_back(made);
      at += count;
    }
    inside_[&output] = to;
    return at == to.length;
  }

  bool add_reduction(const Op& op) {
    const Value* x = op.find_input("x");
    const auto from = source_of(x, x->type.shape);
    RowProgram::Instruction made;
    made.reduce = choose_reduce(op.type(), !lies_across());
    if (!from || from->is_number() || made.reduce == nullptr) return false;
    // All of the row, and nothing else: what keeps its axes is a number for each row.
    if (row_of(op.output()->type.shape) != 1 || from->length != row_of(x->type.shape)) return false;
    made.kind = Kind::kReduce;
    made.in[0] = *from;
    made.factor = reduce_factor(op.type(), from->length);
    made.rounds = planner_.rounds(op.output()->type);
    put(op, made);
    return true;
  }

  // Axes of one element come or go: the elements stay in a row as they are.
  bool add_reshape(const Op& op) {
    const Value* x = op.find_input("x");
    if (by_rows_ || &op == ops_.back() || !are_same_but_units(x->type.shape, shape_)) return false;
    const auto source = source_of(x, x->type.shape);
    if (!source) return false;
    inside_[op.output()] = *source;
    return true;
  }

  // One number of each row stands for the whole row as it is.
  bool add_tile(const Op& op) {
    const Value* x = op.find_input("x");
    if (&op == ops_.back() || row_of(x->type.shape) != 1) return false;
    const auto number = source_of(x, x->type.shape);
    if (!number || !number->is_number()) return false;
    inside_[op.output()] = *number;
    return true;
  }

  bool add_select(const Op& op) {
    const auto found = comparisons_.find(op.find_input("cond"));
    if (found == comparisons_.end()) return false;
    const Shape& shape = op.output()->type.shape;
    RowProgram::Instruction made;
    made.kind = Kind::kSelect;
    made.select = choose_select(found->second->type());
    const Value* operands[] = {found->second->find_input("x"), found->second->find_input("y"),
                               op.find_input("a"), op.find_input("b")};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto source = source_of(operands[i], shape);
      if (!source) return false;
      made.in[i] = *source;
    }
    put(op, made);
    return true;
  }

  // Registers whose value nobody reads any more hold later ones.
  void use_registers_again() {
    const auto count = static_cast<std::size_t>(program_.registers);
    std::vector<std::size_t> last(count, 0);
    auto& instructions = program_.instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      for (const Source& in : instructions[i].in) {
        if (in.is_register && in.index >= 0) last[static_cast<std::size_t>(in.index)] = i;
      }
    }
    std::vector<int> place(count, -1);
    std::vector<int> free;
    int places = 0;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      Source& to = instructions[i].to;
      if (to.index >= 0) {
        int& at = place[static_cast<std::size_t>(to.index)];
        if (at < 0) {
          if (free.empty()) {
            at = places++;
          } else {
            at = free.back();
            free.pop_back();
          }
        }
      }
      std::vector<int> done;
      for (const Source& in : instructions[i].in) {
        if (!in.is_register || in.index < 0 || last[static_cast<std::size_t>(in.index)] != i) {
          continue;
        }
        const int at = place[static_cast<std::size_t>(in.index)];
        if (std::find(done.begin(), done.end(), at) == done.end()) done.push_back(at);
      }
      free.insert(free.end(), done.begin(), done.end());
    }
    for (auto& instruction : instructions) {
      for (Source& in : instruction.in) {
        if (in.is_register && in.index >= 0) in.index = place[static_cast<std::size_t>(in.index)];
      }
      if (instruction.to.index >= 0) {
        instruction.to.index = place[static_cast<std::size_t>(instruction.to.index)];
      }
    }
    program_.registers = places;
  }

  // How far apart elements lie along axes [first, last) seen as one; 0 for one element, absent if
  // they are not equally far apart.
  static std::optional<std::int64_t> step_of(const Shape& strides, const Shape& shape,
                                             std::size_t first, std::size_t last) {
    std::optional<std::int64_t> step;
    std::int64_t count = 1;
    for (std::size_t i = last; i-- > first;) {
      if (shape[i] == 1) continue;
      if (!step) step = strides[i];
      if (strides[i] != *step * count) return std::nullopt;
      count *= shape[i];
    }
    return step.value_or(0);
  }

  // Whether what lies so, and is stretched to `shape`, has rows without gaps; or, where those lie
  // across, rows of equal steps and columns without gaps.
  bool lies_well(const View& at, const Shape& shape) const {
    const std::size_t skipped = shape.size() - at.shape.size();
    Shape own(skipped, 1), strides(skipped, 0);
    own.insert(own.end(), at.shape.begin(), at.shape.end());
    strides.insert(strides.end(), at.strides.begin(), at.strides.end());
    const auto steps = step_of(strides, own, axis_, last_);
    const auto columns = step_of(strides, own, last_, shape.size());
    if (!lies_across()) return steps && (*steps == 1 || product(own, axis_, last_) == 1);
    return steps && columns && (*columns == 1 || product(own, last_, shape.size()) == 1);
  }

  // An outside value, with rows that lie without gaps.
  View view_of(const Outside& one) {
    View view = one.value == in_place_ ? planner_.view(*one.value) : planner_.runs(*one.value);
    if (!by_rows_) {
      // Only what is stretched by its user may stand still along a row.
      for (std::size_t i = 0; i < view.shape.size(); ++i) {
        if (view.strides[i] == 0 && view.shape[i] != 1) return planner_.dense(*one.value);
      }
      return view;
    }
    return lies_well(view, one.shape) ? view : planner_.dense(*one.value);
  }

  // A view that is stretched to `shape`, with the result's axes of one element instead.
  View under_result(View view, const Shape& shape) const {
    if (shape == shape_) return view;
    const Shape strides = stretched(view, shape);
    view.shape = shape_;
    view.strides.assign(shape_.size(), 0);
    std::size_t from = 0;
    for (std::size_t i = 0; i < shape_.size(); ++i) {
      if (shape_[i] == 1) continue;
      while (shape[from] == 1) ++from;
      view.strides[i] = strides[from++];
    }
    return view;
  }

  View result_in_place() const {
    return under_result(planner_.view(*in_place_), in_place_->type.shape);
  }

  void lay_out() {
    std::vector<View> views;
    for (const Outside& one : outside_) {
      views.push_back(by_rows_ ? view_of(one) : under_result(view_of(one), one.shape));
    }
    std::vector<int> operands;
    for (const View& view : views) operands.push_back(lowering_.read(view));
    if (!by_rows_) {
      // Rows as long as all operands allow.
      const View result =
          in_place_ != nullptr ? result_in_place() : dense_view(-1, DType::kF32, shape_);
      std::vector<const View*> all;
      for (const View& view : views) all.push_back(&view);
      all.push_back(&result);
      const auto walk = merged_walk(shape_, all);
      program_.length = walk.extents.back();
      program_.piece = std::min(program_.length, kPiece);
      program_.extents.assign(walk.extents.begin(), walk.extents.end() - 1);
      for (std::size_t v = 0; v < all.size(); ++v) {
        RowProgram::Walk lies;
        std::copy(walk.strides[v].begin(), walk.strides[v].end() - 1, lies.strides.begin());
        lies.is_number = walk.strides[v].back() == 0 && program_.length > 1;
        if (v + 1 < all.size()) {
          program_.inputs.push_back(lies);
        } else {
          program_.output = lies;
        }
      }
      for (auto& instruction : program_.instructions) {
        for (Source& in : instruction.in) {
          if (!in.is_register && in.index >= 0 &&
              program_.inputs[static_cast<std::size_t>(in.index)].is_number) {
            in.length = 1;
          }
        }
      }
    } else {
      lay_out_rows(views);
    }
    lowering_.scratch(program_.scratch_bytes() * static_cast<std::size_t>(lowering_.threads()));
    if (in_place_ != nullptr) {
      const View view = result_in_place();
      planner_.set_view(*ops_.back()->output(), view);
      lowering_.read(view);
    } else {
      lowering_.write_over(overwritable(operands));
    }
  }

  void lay_out_rows(const std::vector<View>& views) {
    program_.by_rows = true;
    program_.length = program_.piece = row_;
    if (lies_across()) {
      program_.columns = columns_;
      program_.width = std::min(
          columns_, std::max(kColumnsAtOnce, kBlock / row_ / kColumnsAtOnce * kColumnsAtOnce));
      program_.piece = row_ * program_.width;
    }
    const auto rank = static_cast<std::ptrdiff_t>(axis_);
    program_.extents.assign(shape_.begin(), shape_.begin() + rank);
    const auto walk_of = [&](const Shape& strides, const Shape& shape) {
      RowProgram::Walk lies;
      std::copy(strides.begin(), strides.begin() + rank, lies.strides.begin());
      if (!lies_across()) return lies;
      // Stretched axes stand still.
      lies.element = step_of(strides, shape, axis_, last_).value_or(0);
      lies.column = step_of(strides, shape, last_, shape.size()).value_or(0);
      return lies;
    };
    for (std::size_t v = 0; v < views.size(); ++v) {
      program_.inputs.push_back(walk_of(stretched(views[v], outside_[v].shape), outside_[v].shape));
    }
    program_.output = walk_of(dense_view(-1, DType::kF32, shape_).strides, shape_);
  }

  // Of the operands of inputs, those that the output may be written over: whose rows begin where
  // the output's do, and that nothing reads once part of the row is written.
  std::vector<int> overwritable(const std::vector<int>& operands) const {
    std::vector<bool> may(operands.size());
    for (std::size_t v = 0; v < may.size(); ++v) {
      may[v] = !program_.inputs[v].is_number &&
               program_.inputs[v].element == program_.output.element &&
               program_.inputs[v].column == program_.output.column;
      for (std::size_t i = 0; i < program_.extents.size(); ++i) {
        const bool same = program_.inputs[v].strides[i] == program_.output.strides[i];
        may[v] = may[v] && (same || program_.extents[i] == 1);
      }
    }
    bool is_written = false;
    for (const auto& instruction : program_.instructions) {
      for (const Source& in : instruction.in) {
        if (is_written && !in.is_register && in.index >= 0) {
          may[static_cast<std::size_t>(in.index)] = false;
        }
      }
      is_written |= instruction.to.index < 0;
    }
    std::vector<int> found;
    for (std::size_t v = 0; v < may.size(); ++v) {
      if (may[v]) found.push_back(operands[v]);
    }
    return found;
  }

  static constexpr int kNowhere = -2;

  Lowering& lowering_;
  Planner& planner_;
  const std::vector<const Op*>& ops_;
  const Value* in_place_;
  Shape shape_;
  bool by_rows_ = false;
  std::size_t axis_ = 0;  // the first of a row
  std::size_t last_ = 0;  // the first behind a row
  std::int64_t row_ = 1;  // the longest
  std::int64_t columns_ = 1;
  RowProgram program_;
  std::unordered_map<const Value*, Source> inside_;
  std::unordered_map<const Value*, const Op*> comparisons_;
  std::vector<Outside> outside_;
};

}  // namespace

std::optional<RowProgram> plan_rows(Lowering& lowering, Planner& planner,
                                    const std::vector<const Op*>& ops, const Value* in_place) {
  return Compiler(lowering, planner, ops, in_place).compile();
}

}  // namespace anemone::engine
