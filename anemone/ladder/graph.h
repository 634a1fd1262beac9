#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "anemone/mil/program.h"
#include "anemone/models/config.h"
#include "anemone/models/form.h"
#include "anemone/models/weights.h"
#include "anemone/package/package.h"

namespace anemone::ladder {

// What an experiment runs: a decoder, or a piece of one, in one form. Every field is one thing that
// two experiments may differ in.
struct Graph {
  enum class Piece : std::uint8_t {
    kMlp,
    kNorm,    // RMS norm of the residual stream
    kQkNorm,  // projections, the norms of queries and keys
    kRotary,  // projection, rotation by rows of cos and sin
    kScores,  // projections, scores, softmax, mix; no cache
    kHead,
    kBlock,
  };
  enum class Weights : std::uint8_t {
    kF16,
    kInt8,       // constexpr_affine_dequantize, one scale an output
    kInt8Block,  // constexpr_blockwise_shift_scale, one scale an output
  };

  Piece piece = Piece::kBlock;
  models::Form form = {};
  std::int64_t layers = 1;  // the piece so many times
  std::int64_t rows = 32;   // S
  std::int64_t states = 0;  // 0: as the form has them
  bool has_flexible_rows = false;
  bool reads_prefix = false;
  bool is_fp32 = false;
  bool has_mlp = false;  // each piece without many weights is followed by an MLP
  bool has_head = false;
  bool has_whole_head = false;
  Weights weights = Weights::kF16;
};

// One function `main`. `weights` must have as many layers as the graph.
mil::Program build_graph(const Graph& graph, const models::DecoderConfig& config,
                         models::DecoderWeights& weights);

// As a package describes it: extents that a call fixes are from 1 to graph.rows.
package::Model to_model(mil::Program program, const Graph& graph, const std::string& says);

// The position at which an experiment writes: not 0, so that a lost offset shows.
inline constexpr std::int64_t kWritePosition = 3;

// Inputs of build_graph's function, by name, in the types that it declares: seeded random rows, and
// what the host computes for positions from kWritePosition on.
std::map<std::string, Tensor, std::less<>> example_inputs(const Graph& graph,
                                                          const models::DecoderConfig& config,
                                                          const mil::Function& function);

}  // namespace anemone::ladder
