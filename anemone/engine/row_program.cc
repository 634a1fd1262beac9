#include "anemone/engine/row_program.h"

#include <algorithm>
#include <cstring>

#include "anemone/engine/planner.h"

namespace anemone::engine {
namespace {

using mil::Op;
using mil::Value;
using Source = RowProgram::Source;
using Kind = RowProgram::Kind;

constexpr std::int64_t kPiece = 1024;  // elements at a time: registers stay in the first cache
constexpr std::int64_t kLongestRow = 16384;  // rows in whole
constexpr std::int64_t kGrain = 16384;       // elements worth a piece of work of their own

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
      add_outside(*in_place_, shape_);
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

  // Whether ops need rows in whole, and which axes those have then.
  bool find_rows() {
    std::size_t first = shape_.size();
    const auto need = [&](const Value* x, const Value* axes) {
      by_rows_ = true;
      const auto rank = static_cast<std::int64_t>(x->type.shape.size());
      const Tensor* known = axes == nullptr ? nullptr : planner_.constant(*axes);
      if (rank != static_cast<std::int64_t>(shape_.size()) || known == nullptr) return false;
      for (std::int64_t axis : known->to_ints()) {
        axis += axis < 0 ? rank : 0;
        first = std::min(first, static_cast<std::size_t>(axis));
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
      if (type == "slice_by_index" || type == "slice_by_size") by_rows_ = true;
    }
    if (!by_rows_) return true;
    if (first == shape_.size()) return false;
    axis_ = first;
    row_ = product(shape_, axis_, shape_.size());
    return row_ <= kLongestRow;
  }

  // Elements of a row of a value of this shape; 0 if it is no row of the program's.
  std::int64_t row_of(const Shape& shape) const {
    if (shape.size() != shape_.size()) return 0;
    for (std::size_t i = 0; i < axis_; ++i) {
      if (shape[i] != shape_[i]) return 0;
    }
    return product(shape, axis_, shape.size());
  }

  // Where an operand is found by an op whose result has this shape.
  std::optional<Source> source_of(const Value* value, const Shape& shape) {
    const auto found = inside_.find(value);
    if (found != inside_.end()) {
      if (found->second.index == kNowhere) return std::nullopt;
      if (by_rows_ && !found->second.is_number() && value->type.shape != shape) return std::nullopt;
      if (!by_rows_ && value->type.shape != shape) return std::nullopt;
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
      bool full = true, one = true;
      for (std::size_t i = axis_; i < shape.size(); ++i) {
        const std::int64_t extent = i < skipped ? 1 : own[i - skipped];
        full = full && extent == shape[i];
        one = one && extent == 1;
      }
      if (!full && !one) return std::nullopt;
      source.length = one ? 1 : product(shape, axis_, shape.size());
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
    if (by_rows_ ? row_of(output.type.shape) == 0 : output.type.shape != shape_) return false;
    if (type == "concat") return add_concat(op);
    if (is_reduction(type)) return add_reduction(op);
    if (type == "select") return add_select(op);
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
    made.reduce = choose_reduce(op.type(), true);
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
    const auto lies_in_rows = [&](const View& at) {
      const std::size_t skipped = one.shape.size() - at.shape.size();
      std::int64_t step = 1;
      for (std::size_t i = one.shape.size(); i-- > axis_;) {
        if (i < skipped || at.shape[i - skipped] == 1) continue;
        if (at.strides[i - skipped] != step) return false;
        step *= at.shape[i - skipped];
      }
      return true;
    };
    return lies_in_rows(view) ? view : planner_.dense(*one.value);
  }

  void lay_out() {
    std::vector<View> views;
    for (const Outside& one : outside_) views.push_back(view_of(one));
    std::vector<int> operands;
    for (const View& view : views) operands.push_back(lowering_.read(view));
    if (!by_rows_) {
      // Rows as long as all operands allow.
      const View result =
          in_place_ != nullptr ? planner_.view(*in_place_) : dense_view(-1, DType::kF32, shape_);
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
      program_.by_rows = true;
      program_.length = program_.piece = row_;
      program_.extents.assign(shape_.begin(), shape_.begin() + static_cast<std::ptrdiff_t>(axis_));
      for (std::size_t v = 0; v < views.size(); ++v) {
        const Shape strides = stretched(views[v], outside_[v].shape);
        RowProgram::Walk lies;
        std::copy(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(axis_),
                  lies.strides.begin());
        program_.inputs.push_back(lies);
      }
      std::int64_t stride = row_;
      for (std::size_t i = axis_; i-- > 0;) {
        program_.output.strides[i] = stride;
        stride *= shape_[i];
      }
    }
    lowering_.scratch(program_.scratch_bytes() * static_cast<std::size_t>(lowering_.threads()));
    if (in_place_ != nullptr) {
      const View view = planner_.view(*in_place_);
      planner_.set_view(*ops_.back()->output(), view);
      lowering_.read(view);
    } else {
      lowering_.write_over(overwritable(operands));
    }
  }

  // Of the operands of inputs, those that the output may be written over: whose rows begin where
  // the output's do, and that nothing reads once part of the row is written.
  std::vector<int> overwritable(const std::vector<int>& operands) const {
    std::vector<bool> may(operands.size());
    for (std::size_t v = 0; v < may.size(); ++v) {
      may[v] = !program_.inputs[v].is_number;
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
  std::int64_t row_ = 0;
  RowProgram program_;
  std::unordered_map<const Value*, Source> inside_;
  std::unordered_map<const Value*, const Op*> comparisons_;
  std::vector<Outside> outside_;
};

}  // namespace

std::size_t RowProgram::scratch_bytes() const {
  const std::int64_t floats = (piece + 15) / 16 * 16;
  return static_cast<std::size_t>(registers * floats) * sizeof(float);
}

void RowProgram::piece_at(const float* const* in, std::int64_t at, std::int64_t n, float* memory,
                          float* out) const noexcept {
  const std::int64_t floats = (piece + 15) / 16 * 16;
  const auto pointer = [&](const Source& source) -> const float* {
    if (source.is_register) return memory + source.index * floats + source.offset;
    const auto i = static_cast<std::size_t>(source.index);
    return in[i] + source.offset + (source.is_number() ? 0 : at);
  };
  for (const Instruction& i : instructions) {
    float* to = (i.to.index < 0 ? out : memory + i.to.index * floats) + i.to.offset;
    const std::int64_t count = i.to.length == 0 ? n : i.to.length;
    const auto stride = [](const Source& source) { return source.is_number() ? 0 : 1; };
    switch (i.kind) {
      case Kind::kUnary:
        i.unary.row(pointer(i.in[0]), to, count, i.unary.a, i.unary.b);
        break;
      case Kind::kBinary:
        i.binary(pointer(i.in[0]), stride(i.in[0]), pointer(i.in[1]), stride(i.in[1]), to, count);
        break;
      case Kind::kSelect:
        i.select({pointer(i.in[0]), pointer(i.in[1]), pointer(i.in[2]), pointer(i.in[3]),
                  stride(i.in[0]), stride(i.in[1]), stride(i.in[2]), stride(i.in[3])},
                 to, count);
        break;
      case Kind::kReduce:
        i.reduce({pointer(i.in[0]), to, i.in[0].length, 1, i.factor}, 0, 1, i.rounds);
        break;
      case Kind::kCopy:
        std::memmove(to, pointer(i.in[0]), static_cast<std::size_t>(count) * sizeof(float));
        break;
    }
  }
}

struct RowProgram::Bases {
  const float* in[kMostInputs];
  std::byte* scratch;
  float* out;
};

RowProgram::Bases RowProgram::bases(const Run& run, int first) const {
  Bases at{};
  const auto count = static_cast<int>(inputs.size());
  for (int v = 0; v < count; ++v) at.in[v] = run.in<float>(first + v);
  at.scratch = run.out<std::byte>(first + count);
  at.out = run.out<float>(first + count + 1);
  return at;
}

void RowProgram::enter_row(const Bases& bases, std::int64_t row, const float** in,
                           float** out) const {
  const std::size_t count = inputs.size();
  std::copy_n(bases.in, count, in);
  *out = bases.out;
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    const std::int64_t index = row % extents[axis];
    row /= extents[axis];
    for (std::size_t v = 0; v < count; ++v) in[v] += index * inputs[v].strides[axis];
    *out += index * output.strides[axis];
  }
}

void RowProgram::run(const Run& run, int first) const {
  const Bases bases = this->bases(run, first);
  const std::int64_t pieces = (length + piece - 1) / piece;
  std::int64_t rows = 1;
  for (const std::int64_t extent : extents) rows *= extent;
  run.share_by_thread(rows * pieces,
                      std::max<std::int64_t>(1, kGrain / std::max<std::int64_t>(1, piece)),
                      [&](std::int64_t begin, std::int64_t end, int thread) {
                        auto* memory = reinterpret_cast<float*>(
                            bases.scratch + static_cast<std::size_t>(thread) * scratch_bytes());
                        const float* in[kMostInputs];
                        std::int64_t row = -1;
                        float* out = nullptr;
                        for (std::int64_t unit = begin; unit < end; ++unit) {
                          if (unit / pieces != row) {
                            row = unit / pieces;
                            enter_row(bases, row, in, &out);
                          }
                          const std::int64_t at = unit % pieces * piece;
                          piece_at(in, at, std::min(piece, length - at), memory, out + at);
                        }
                      });
}

void RowProgram::run_part(const Run& run, int first, std::int64_t begin, std::int64_t count,
                          int thread) const {
  const Bases bases = this->bases(run, first);
  auto* memory =
      reinterpret_cast<float*>(bases.scratch + static_cast<std::size_t>(thread) * scratch_bytes());
  const float* in[kMostInputs];
  std::int64_t row = -1;
  float* out = nullptr;
  for (const std::int64_t end = begin + count; begin < end;) {
    if (begin / length != row) {
      row = begin / length;
      enter_row(bases, row, in, &out);
    }
    const std::int64_t at = begin % length;
    const std::int64_t n = std::min({piece, length - at, end - begin});
    piece_at(in, at, n, memory, out + at);
    begin += n;
  }
}

std::optional<RowProgram> plan_rows(Lowering& lowering, Planner& planner,
                                    const std::vector<const Op*>& ops, const Value* in_place) {
  return Compiler(lowering, planner, ops, in_place).compile();
}

}  // namespace anemone::engine
