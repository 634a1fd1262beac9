#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/generate/bundle.h"
#include "anemone/oracle/oracle.h"
#include "anemone/tensor/shape.h"

namespace anemone::gate {

// What a value of a program should hold, in the value's own shape.
struct Expected {
  // -infinity where a score is to be hidden: whatever is low enough is right.
  std::vector<float> values = {};
  // Elements of one lane are judged together: a channel over all rows, or a row of scores.
  std::function<std::size_t(std::size_t element)> lane = {};
  std::size_t lanes = 1;
};

// Powers of two by which a bundle's values differ from the checkpoint's own (--fp16-safe).
struct Shifts {
  int residual = 0;        // the stream is 2^-residual times
  std::vector<int> gated;  // by layer, up_proj and gated are 2^-n times
  int of_gated(std::int64_t layer) const {
    return static_cast<std::size_t>(layer) < gated.size() ? gated[static_cast<std::size_t>(layer)]
                                                          : 0;
  }
};
Shifts shifts_of(const generate::Bundle& bundle);
// Appends rows of a bundle's residual stream in the checkpoint's own measure.
void append_unscaled(const generate::Bundle& bundle, std::span<const float> hidden,
                     std::vector<float>& rows);

// What the oracle computed for one layer, or around the layers, by name: [rows, columns].
using Trace = std::map<std::string, std::vector<float>, std::less<>>;

// The rows that a program is called with.
struct Block {
  std::int64_t position = 0;
  std::int64_t rows = 1;
};

// Knows, for the names that convert gives to values, what they should hold: by the oracle's
// intermediates and, between them, by definition.
class Expectations {
 public:
  Expectations(const generate::Bundle& bundle, const oracle::Oracle& oracle, Block block);

  // The stream that enters the layer, and what the oracle saw in it; rows from position 0 on.
  void enter_layer(std::int64_t layer, std::span<const float> stream, const Trace& trace);
  // The end: the stream after the last layer, the rows after the final norm.
  void enter_head(std::span<const float> stream, std::span<const float> final_norm);

  // Absent if the name says nothing, or the shape is not one that it can have.
  std::optional<Expected> find(std::string_view value, const Shape& shape);
  // Of the residual stream as a part takes and gives it: [rows, hidden_size].
  std::vector<float> stream_rows() const;
  std::vector<float> cos_rows() const { return rotary(true); }
  std::vector<float> sin_rows() const { return rotary(false); }
  // As the host gives it, [rows, keys]: 0 where a row sees a key, -infinity elsewhere.
  // With a window, only where it is one of the last so many.
  std::vector<float> mask_rows(std::int64_t window) const;

  // For a layer_norm of concat(x, -x): what it should give for its input times `scale`, in which
  // its epsilon weighs as much as the input. Absent if there is no such norm or its epsilon
  // vanishes.
  struct Probe {
    float scale = 1;
    Expected expected;
  };
  std::optional<Probe> find_probe(std::string_view value, const Shape& shape);

 private:
  using Getter = std::function<float(std::int64_t row, std::int64_t head, std::int64_t element)>;
  // Heads of `width` elements for each row of the block; the stream is one head.
  struct Rows {
    std::int64_t heads = 1;
    std::int64_t width = 0;
    Getter at;
  };
  // x and y of a norm.
  struct Norm {
    Rows x, y;
    float epsilon = 0;         // that y was made with, in units of x
    float stored_epsilon = 0;  // rounded as the package holds it
  };
  struct Attention;

  std::optional<Rows> rows_of(std::string_view name);
  std::optional<Rows> layer_rows(std::string_view name);
  std::optional<Rows> rotation(std::string_view name);
  std::optional<Norm> norm_of(std::string_view name);
  std::optional<Expected> scores(std::string_view name, const Shape& shape);
  std::optional<Expected> cached(std::string_view name, const Shape& shape);
  std::optional<Expected> shared(std::string_view name, const Shape& shape) const;
  Expected logits(const Shape& shape, std::int64_t first) const;
  Rows matrix(const std::vector<float>& values, std::int64_t heads, double factor) const;
  std::vector<float> rotary(bool is_cos) const;
  const Attention& attention();

  const generate::Bundle& bundle_;
  const oracle::Oracle& oracle_;
  const oracle::Config& config_;
  Shifts shifts_;
  Block block_;
  std::int64_t layer_ = -1;
  std::vector<float> stream_;      // of all rows, as the oracle has it
  std::vector<float> final_norm_;  // of the block's rows
  const Trace* trace_ = nullptr;
  std::vector<float> cos_, sin_;
  std::shared_ptr<const Attention> attention_;  // of the layer, made when asked for
};

}  // namespace anemone::gate
