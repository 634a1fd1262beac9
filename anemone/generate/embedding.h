#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/base/half.h"
#include "anemone/generate/bundle.h"

namespace anemone::generate {

// The rows of a bundle's embedding, read where they lie: each file is mapped once, and nothing is
// copied. Safe to share between threads.
class Embedding {
 public:
  // Throws Error if a file is missing or ends before its tile does.
  explicit Embedding(const Bundle& bundle);

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  // `id` must lie in [0, rows()).
  std::span<const f16> row(std::int64_t id) const;

 private:
  struct Tile {
    std::int64_t first_row;
    std::span<const f16> values;
  };
  std::vector<std::shared_ptr<const MappedFile>> files_;
  std::vector<Tile> tiles_;  // by first_row
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
};

}  // namespace anemone::generate
