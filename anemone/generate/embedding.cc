#include "anemone/generate/embedding.h"

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone::generate {

Embedding::Embedding(const Bundle& bundle)
    : rows_(bundle.vocab_size), columns_(bundle.hidden_size) {
  std::unordered_map<std::string, std::shared_ptr<const MappedFile>> by_name;
  for (const EmbeddingTile& tile : bundle.embedding_tiles) {
    auto& file = by_name[tile.file];
    if (!file) {
      file = std::make_shared<const MappedFile>(bundle.folder / tile.file);
      files_.push_back(file);
    }
    const auto needed = static_cast<std::uint64_t>(tile.rows * columns_) * sizeof(f16);
    const std::uint64_t size = file->size_bytes();
    if (tile.offset > size || needed > size - tile.offset) {
      throw Error(Code::kBadInput,
                  file->path().string() + ": embedding rows " + std::to_string(tile.first_row) +
                      " to " + std::to_string(tile.first_row + tile.rows - 1) + " take " +
                      std::to_string(needed) + " bytes at byte " + std::to_string(tile.offset) +
                      ", past the end of the file (" + std::to_string(size) + " bytes)");
    }
    const auto bytes = file->view().subspan(tile.offset, needed);
    tiles_.push_back(
        {tile.first_row, {reinterpret_cast<const f16*>(bytes.data()), bytes.size() / sizeof(f16)}});
  }
}

std::span<const f16> Embedding::row(std::int64_t id) const {
  ANEMONE_CHECK(id >= 0 && id < rows_) << id;
  const auto after = std::upper_bound(
      tiles_.begin(), tiles_.end(), id,
      [](std::int64_t wanted, const Tile& tile) { return wanted < tile.first_row; });
  const Tile& tile = *(after - 1);
  return tile.values.subspan(static_cast<std::size_t>((id - tile.first_row) * columns_),
                             static_cast<std::size_t>(columns_));
}

}  // namespace anemone::generate
