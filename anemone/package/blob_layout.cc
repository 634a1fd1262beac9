#include <xxhash.h>

#include <atomic>
#include <exception>
#include <mutex>

#include "anemone/base/check.h"
#include "anemone/package/blob_format.h"
#include "anemone/package/blobs.h"

namespace anemone::package {
namespace {

// Large enough that system calls cost nothing, small enough that a buffer a thread is little
// memory and that two threads share out even one large weight.
constexpr std::size_t kPieceBytes = std::size_t{2} << 20;

struct Piece {
  std::size_t blob;
  std::uint64_t at;  // in the blob
};

template <typename Record>
std::span<const std::byte> bytes_of(const Record& record) {
  return std::as_bytes(std::span(&record, 1));
}

}  // namespace

const BlobPlace& BlobLayout::add(const Tensor& tensor) {
  const DType dtype = tensor.dtype();
  ANEMONE_CHECK(info(dtype).blob != 0) << name(dtype);
  const Key key{tensor.bytes().get(), dtype, static_cast<std::uint64_t>(tensor.count())};
  const auto [known, is_new] = known_.try_emplace(key, blobs_.size());
  if (is_new) {
    BlobPlace place;
    place.metadata_offset =
        (end_ + kBlobAlignmentBytes - 1) / kBlobAlignmentBytes * kBlobAlignmentBytes;
    place.data_offset = place.metadata_offset + sizeof(BlobRecord);
    place.size_bytes = tensor.size_bytes();
    end_ = place.data_offset + place.size_bytes;
    blobs_.push_back({tensor.bytes(), dtype, key.count, place});
  }
  return blobs_[known->second].place;
}

std::unordered_map<const Bytes*, BlobPlace> BlobLayout::places() const {
  std::unordered_map<const Bytes*, BlobPlace> places;
  for (const Blob& blob : blobs_) places.emplace(blob.bytes.get(), blob.place);
  return places;
}

std::vector<std::uint64_t> BlobLayout::write(const std::filesystem::path& path,
                                             const SaveOptions& options) const {
  FileWriter file(path);
  file.extend_to(end_);
  file.write_at(0, bytes_of(BlobHeader{.count = static_cast<std::uint32_t>(blobs_.size())}));
  std::vector<Piece> pieces;
  for (std::size_t i = 0; i < blobs_.size(); ++i) {
    const Blob& blob = blobs_[i];
    file.write_at(blob.place.metadata_offset,
                  bytes_of(BlobRecord{
                      .dtype = static_cast<std::uint32_t>(info(blob.dtype).blob),
                      .size_bytes = blob.place.size_bytes,
                      .offset = blob.place.data_offset,
                      .padding_bits = blob_padding_bits(width_bits(blob.dtype), blob.count)}));
    for (std::uint64_t at = 0; at < blob.place.size_bytes; at += kPieceBytes) {
      pieces.push_back({i, at});
    }
  }

  std::vector<std::uint64_t> digests(pieces.size());
  std::vector<std::vector<std::byte>> buffers(
      static_cast<std::size_t>(options.pool != nullptr ? options.pool->threads() : 1));
  std::atomic<std::uint64_t> done{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;
  std::exception_ptr failure;  // of the first piece that failed
  std::size_t failed_piece = pieces.size();

  const auto write_piece = [&](std::size_t i, std::size_t thread) {
    const Blob& blob = blobs_[pieces[i].blob];
    const std::uint64_t at = pieces[i].at;
    const std::size_t size = std::min<std::uint64_t>(kPieceBytes, blob.place.size_bytes - at);
    std::span<const std::byte> data = blob.bytes->view();
    if (!data.empty()) {
      data = data.subspan(at, size);
    } else {
      std::vector<std::byte>& buffer = buffers[thread];
      if (buffer.empty()) buffer.resize(kPieceBytes);
      blob.bytes->read(at, std::span(buffer).first(size));
      data = std::span(buffer).first(size);
    }
    digests[i] = XXH3_64bits(data.data(), data.size());
    file.write_at(blob.place.data_offset + at, data);
    const std::uint64_t so_far = done.fetch_add(size) + size;
    if (thread == 0 && options.progress) options.progress("writing weights", so_far, end_);
  };
  const auto work = [&](std::int64_t begin, std::int64_t end, int thread) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      if (failed.load(std::memory_order_relaxed)) return;
      try {
        if (options.stop != nullptr) options.stop->throw_if_set();
        write_piece(i, static_cast<std::size_t>(thread));
      } catch (...) {
        failed.store(true, std::memory_order_relaxed);
        const std::lock_guard lock(mutex);
        if (i < failed_piece) {
          failed_piece = i;
          failure = std::current_exception();
        }
        return;
      }
    }
  };
  const auto count = static_cast<std::int64_t>(pieces.size());
  if (options.pool != nullptr) {
    options.pool->parallel_for(count, 1, work);
  } else {
    work(0, count, 0);
  }
  if (failure != nullptr) std::rethrow_exception(failure);
  file.close();
  if (options.progress) options.progress("writing weights", end_, end_);
  return digests;
}

}  // namespace anemone::package
