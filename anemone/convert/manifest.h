#pragma once

#include <string>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/convert/convert.h"
#include "anemone/convert/side_files.h"
#include "anemone/models/config.h"
#include "anemone/models/partition.h"

namespace anemone::convert {

// Where rows of the embedding lie.
struct EmbeddingTile {
  std::string file;
  std::uint64_t offset = 0;  // of the first row, in bytes
  models::Range rows;
};

// All that bundle.json says. docs/formats/bundle.md describes it.
struct Manifest {
  const models::DecoderConfig& config;
  const models::Form& form;
  const Options& options;
  const SideFiles& side;
  std::vector<std::pair<std::string, models::Range>> parts;  // package, layers
  std::vector<models::Range> head_tiles;
  std::vector<EmbeddingTile> embedding;
  std::uint64_t flushed_to_zero = 0;
  std::vector<std::string> warnings;
};

inline constexpr char kHeadPackage[] = "head.mlpackage";
inline constexpr char kSinglePackage[] = "model.mlpackage";
inline constexpr char kEmbeddingFile[] = "embedding.bin";

std::string to_text(const Manifest& manifest);

}  // namespace anemone::convert
