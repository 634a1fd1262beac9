#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "anemone/engine/kernels/row_functions.h"
#include "anemone/mil/program.h"

namespace anemone::engine {

class Planner;

// Several ops run over one row after another (or piece of a row): what they give to each other
// stays in the first cache. Each does to each element what it would do by itself, roundings
// included, so that results have the bits of the ops one by one.
class RowProgram {
 public:
  static constexpr std::size_t kMostInputs = 16;
  static constexpr std::size_t kMostAxes = 6;

  // A row, or part of one, of an input or of a register.
  struct Source {
    bool is_register = false;
    int index = -1;
    std::int64_t offset = 0;
    std::int64_t length = 0;  // 1 for a number that stands for a whole row; 0: as long as the piece
    bool is_number() const { return length == 1; }
  };
  enum class Kind : std::uint8_t { kUnary, kBinary, kSelect, kReduce, kCopy };
  struct Instruction {
    Kind kind = Kind::kCopy;
    std::array<Source, 4> in = {};
    Source to = {};  // a register with index -1 is the output
    UnaryChoice unary = {};
    BinaryFunction binary = nullptr;
    SelectFunction select = nullptr;
    ReduceFunction reduce = nullptr;
    float factor = 1;
    bool rounds = false;
  };
  // Where an input's (or the output's) rows begin: strides of the axes outside of rows.
  struct Walk {
    std::array<std::int64_t, kMostAxes> strides = {};
    bool is_number = false;  // does not move along the row
    // Of rows that lie across: how far apart their elements are, and rows beside one another (1, or
    // 0 where all have the same).
    std::int64_t element = 0;
    std::int64_t column = 0;
  };

  std::vector<Instruction> instructions;
  std::vector<Walk> inputs;
  Walk output;
  std::vector<std::int64_t> extents;  // of the axes outside of rows
  std::int64_t length = 1;            // of a row
  std::int64_t piece = 0;             // elements at a time; rows in whole if some op needs them
  int registers = 0;
  bool by_rows = false;
  // Rows along axes that others follow lie across memory, as many beside one another as those
  // others have elements. They run `width` at a time, and registers hold that many, element by
  // element.
  std::int64_t columns = 0;  // 0: rows lie along memory
  std::int64_t width = 0;

  // For each thread.
  std::size_t scratch_bytes() const;
  // `operands` holds the inputs from `first` on, then scratch, then the output.
  void run(const Run& run, int first) const;
  // The same for elements [begin, begin + count) of the output alone, by this thread; only if rows
  // are not needed in whole and the output is row-major.
  void run_part(const Run& run, int first, std::int64_t begin, std::int64_t count,
                int thread) const;
  bool can_run_part() const { return !by_rows; }

 private:
  struct Bases;
  Bases bases(const Run& run, int first) const;
  // Where the operands of a row begin.
  void enter_row(const Bases& bases, std::int64_t row, const float** in, float** out) const;
  void piece_at(const float* const* in, std::int64_t at, std::int64_t n, float* registers,
                float* out) const noexcept;
  void run_across(const Run& run, const Bases& bases) const;
  void block_at(const float* const* in, std::int64_t n, float* registers,
                float* out) const noexcept;
};

// The same extents in the same order but for axes of one element: the same elements in a row.
bool are_same_but_units(const Shape& a, const Shape& b);

// The ops (in running order, the last one giving the result) as a row program over operands of
// `lowering`: inputs, scratch, output. With `in_place`, that value's memory is both first input and
// output. Absent, with nothing asked of the lowering, if they cannot be run so.
std::optional<RowProgram> plan_rows(Lowering& lowering, Planner& planner,
                                    const std::vector<const mil::Op*>& ops,
                                    const mil::Value* in_place);

}  // namespace anemone::engine
