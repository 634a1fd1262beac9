#include "anemone/engine/row_program.h"

#include <algorithm>
#include <cstring>

namespace anemone::engine {
namespace {

constexpr std::int64_t kGrain = 16384;  // elements worth a piece of work of their own

}  // namespace

bool are_same_but_units(const Shape& a, const Shape& b) {
  Shape more = a, fewer = b;
  std::erase(more, 1);
  std::erase(fewer, 1);
  return more == fewer;
}

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

void RowProgram::block_at(const float* const* in, std::int64_t n, float* memory,
                          float* out) const noexcept {
  const std::int64_t floats = (piece + 15) / 16 * 16;
  struct Place {
    const float* at;
    std::int64_t element;
    std::int64_t column;
  };
  const auto place = [&](const Source& source) -> Place {
    if (source.is_register) return {memory + source.index * floats, source.is_number() ? 0 : n, 1};
    const auto v = static_cast<std::size_t>(source.index);
    return {in[v], source.is_number() ? 0 : inputs[v].element, inputs[v].column};
  };
  for (const Instruction& i : instructions) {
    const bool is_output = i.to.index < 0;
    float* to = is_output ? out : memory + i.to.index * floats;
    if (i.kind == Kind::kReduce) {
      const Place x = place(i.in[0]);
      i.reduce({x.at, to, i.in[0].length, x.element, i.factor}, 0, n, i.rounds);
      continue;
    }
    const std::size_t count = i.kind == Kind::kSelect ? 4 : i.kind == Kind::kBinary ? 2 : 1;
    Place x[4] = {};
    const std::int64_t rows = i.to.length;
    const std::int64_t step = is_output ? columns : n;
    // All rows at once, if they lie behind one another for everybody.
    bool is_flat = rows == 1 || step == n;
    for (std::size_t v = 0; v < count; ++v) {
      x[v] = place(i.in[v]);
      is_flat = is_flat && (rows == 1 || x[v].element == n * x[v].column);
    }
    const std::int64_t calls = is_flat ? 1 : rows;
    const std::int64_t together = is_flat ? rows * n : n;
    for (std::int64_t k = 0; k < calls; ++k, to += step) {
      switch (i.kind) {
        case Kind::kUnary:
          i.unary.row(x[0].at, to, together, i.unary.a, i.unary.b);
          break;
        case Kind::kBinary:
          i.binary(x[0].at, x[0].column, x[1].at, x[1].column, to, together);
          break;
        case Kind::kSelect:
          i.select({x[0].at, x[1].at, x[2].at, x[3].at, x[0].column, x[1].column, x[2].column,
                    x[3].column},
                   to, together);
          break;
        case Kind::kReduce:
          break;
        case Kind::kCopy:
          std::memmove(to, x[0].at, static_cast<std::size_t>(together) * sizeof(float));
          break;
      }
      for (std::size_t v = 0; v < count; ++v) x[v].at += x[v].element;
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
  if (columns > 0) return run_across(run, bases);
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

void RowProgram::run_across(const Run& run, const Bases& bases) const {
  const std::int64_t blocks = (columns + width - 1) / width;
  std::int64_t rows = 1;
  for (const std::int64_t extent : extents) rows *= extent;
  run.share_by_thread(rows * blocks, std::max<std::int64_t>(1, kGrain / piece),
                      [&](std::int64_t begin, std::int64_t end, int thread) {
                        auto* memory = reinterpret_cast<float*>(
                            bases.scratch + static_cast<std::size_t>(thread) * scratch_bytes());
                        for (std::int64_t unit = begin; unit < end; ++unit) {
                          const float* in[kMostInputs];
                          float* out = nullptr;
                          enter_row(bases, unit / blocks, in, &out);
                          const std::int64_t column = unit % blocks * width;
                          for (std::size_t v = 0; v < inputs.size(); ++v) {
                            in[v] += column * inputs[v].column;
                          }
                          block_at(in, std::min(width, columns - column), memory, out + column);
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

}  // namespace anemone::engine
