#include "anemone/checkpoint/decode.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/half.h"
#include "anemone/checkpoint/dequantize.h"
#include "anemone/checkpoint/half_kernels.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

constexpr std::int64_t kChunk = 4096;  // elements worked on at a time; a multiple of every block

std::string what_of(const CheckpointTensor& tensor) {
  return tensor.file + ": tensor " + in_quotes(tensor.stored_name);
}

void require_readable(const CheckpointTensor& tensor) {
  if (is_readable(tensor.encoding)) return;
  throw Error(Code::kUnsupported, what_of(tensor) + " is stored as " +
                                      std::string(name(tensor.encoding)) +
                                      "; weights are read from " + readable_encodings());
}

// The encoded bytes of whole blocks that cover the stored elements [first, first + count), and
// which element of them is `first`. Points into the map if there is one, else into `storage`.
struct Encoded {
  const std::byte* bytes;
  std::int64_t blocks;
  std::int64_t skip;
};
Encoded encoded(const CheckpointTensor& tensor, std::int64_t first, std::int64_t count,
                std::vector<std::byte>& storage) {
  const EncodingInfo& row = info(tensor.encoding);
  const std::int64_t begin = first / row.block_elements;
  const std::int64_t end = (first + count + row.block_elements - 1) / row.block_elements;
  const auto at = static_cast<std::size_t>(begin * row.block_bytes);
  const auto size = static_cast<std::size_t>((end - begin) * row.block_bytes);
  const std::span<const std::byte> all = tensor.data->view();
  Encoded made{nullptr, end - begin, first - begin * row.block_elements};
  if (all.empty()) {
    storage.resize(size);
    tensor.data->read(at, storage);
    made.bytes = storage.data();
  } else {
    made.bytes = all.subspan(at, size).data();
  }
  return made;
}

// Scratch for blocks that are only partly wanted: kChunk elements and a block on either side.
struct Scratch {
  std::vector<std::byte> bytes;
  std::vector<float> floats;
};

// At most kChunk stored elements, as floats.
void decode_stored(const CheckpointTensor& tensor, std::int64_t first, std::span<float> out,
                   Scratch& scratch) {
  const auto count = static_cast<std::int64_t>(out.size());
  const Encoded from = encoded(tensor, first, count, scratch.bytes);
  if (const DequantizeBlocks decode = find_dequantizer(tensor.encoding)) {
    const std::int64_t whole = from.blocks * info(tensor.encoding).block_elements;
    if (whole == count) {
      decode(from.bytes, from.blocks, out.data());
    } else {
      scratch.floats.resize(static_cast<std::size_t>(whole));
      decode(from.bytes, from.blocks, scratch.floats.data());
      std::copy_n(scratch.floats.begin() + from.skip, count, out.begin());
    }
    return;
  }
  switch (tensor.encoding) {
    case Encoding::kF32:
      std::memcpy(out.data(), from.bytes, out.size_bytes());
      return;
    case Encoding::kF16:
      for (std::size_t i = 0; i < out.size(); ++i) {
        f16 value;
        std::memcpy(&value.bits, from.bytes + 2 * i, 2);
        out[i] = to_float(value);
      }
      return;
    case Encoding::kBF16:
      for (std::size_t i = 0; i < out.size(); ++i) {
        bf16 value;
        std::memcpy(&value.bits, from.bytes + 2 * i, 2);
        out[i] = to_float(value);
      }
      return;
    default:
      ANEMONE_CHECK(false) << name(tensor.encoding);
  }
}

// At most kChunk stored elements, as fp16.
HalfStats halve_stored(const CheckpointTensor& tensor, std::int64_t first,
                       std::span<std::uint16_t> out, Scratch& scratch) {
  if (find_dequantizer(tensor.encoding) != nullptr) {
    float floats[kChunk];
    decode_stored(tensor, first, {floats, out.size()}, scratch);
    return f32_to_f16(reinterpret_cast<const std::byte*>(floats), out.size(), out.data());
  }
  const auto* from =
      encoded(tensor, first, static_cast<std::int64_t>(out.size()), scratch.bytes).bytes;
  switch (tensor.encoding) {
    case Encoding::kF32:
      return f32_to_f16(from, out.size(), out.data());
    case Encoding::kBF16:
      return bf16_to_f16(from, out.size(), out.data());
    case Encoding::kF16:
      return copy_f16(from, out.size(), out.data());
    default:
      ANEMONE_CHECK(false) << name(tensor.encoding);
  }
  return {};
}

// Where row `row` (of the first axis) of a head-wise interleaved tensor is stored: the two halves
// of a head, each in order, lie alternately. See CheckpointTensor::interleaved_rows.
std::int64_t stored_row(std::int64_t row, std::int64_t head_rows) {
  const std::int64_t in_head = row % head_rows;
  const std::int64_t half = head_rows / 2;
  return row - in_head + (in_head < half ? 2 * in_head : 2 * (in_head - half) + 1);
}

// Calls `work(stored, logical, count)` for pieces of [first, first + count) that are stored in one
// run, at most kChunk elements each, in order.
template <typename Work>
void for_each_piece(const CheckpointTensor& tensor, std::int64_t first, std::int64_t count,
                    const Work& work) {
  // An interleaved vector (a bias) is a column.
  const std::int64_t columns = tensor.shape.size() <= 1 ? 1 : tensor.columns();
  const std::int64_t end = first + count;
  for (std::int64_t at = first; at < end;) {
    std::int64_t piece = std::min(kChunk, end - at);
    std::int64_t stored = at;
    if (tensor.interleaved_rows > 0) {
      const std::int64_t row = at / columns;
      const std::int64_t column = at % columns;
      piece = std::min(piece, columns - column);
      stored = stored_row(row, tensor.interleaved_rows) * columns + column;
    }
    work(stored, at, piece);
    at += piece;
  }
}

// Looks closer at a chunk that holds something fp16 cannot.
void note_unusual(const CheckpointTensor& tensor, std::int64_t stored, std::int64_t logical,
                  std::int64_t count, Scratch& scratch, F16Report& report) {
  float floats[kChunk];
  decode_stored(tensor, stored, {floats, static_cast<std::size_t>(count)}, scratch);
  const auto note = [&](std::int64_t& counter, std::optional<F16Report::Found>& first,
                        std::int64_t i) {
    ++counter;
    if (!first || logical + i < first->index) first = {logical + i, floats[i]};
  };
  for (std::int64_t i = 0; i < count; ++i) {
    const float magnitude = std::abs(floats[i]);
    if (std::isnan(floats[i])) {
      note(report.nans, report.first_nan, i);
    } else if (std::isinf(floats[i])) {
      note(report.infinities, report.first_infinity, i);
    } else {
      report.max_magnitude = std::max(report.max_magnitude, magnitude);
      if (magnitude >= kOverflowF16) note(report.overflows, report.first_overflow, i);
    }
  }
}

// Elements [first, first + out.size()) of the decoded tensor; `report` may be null.
void produce(const CheckpointTensor& tensor, std::int64_t first, std::span<std::uint16_t> out,
             Scratch& scratch, F16Report* report) {
  const auto count = static_cast<std::int64_t>(out.size());
  for_each_piece(
      tensor, first, count, [&](std::int64_t stored, std::int64_t logical, std::int64_t piece) {
        const auto into =
            out.subspan(static_cast<std::size_t>(logical - first), static_cast<std::size_t>(piece));
        const HalfStats stats = halve_stored(tensor, stored, into, scratch);
        if (report == nullptr) return;
        report->elements += piece;
        report->flushed += static_cast<std::int64_t>(stats.flushed);
        if (stats.max_bits >= std::bit_cast<std::uint32_t>(kOverflowF16)) {
          note_unusual(tensor, stored, logical, piece, scratch, *report);
        } else {
          report->max_magnitude =
              std::max(report->max_magnitude, std::bit_cast<float>(stats.max_bits));
        }
      });
}

std::string place(const CheckpointTensor& tensor, std::int64_t index) {
  Shape at(tensor.shape.size());
  for (std::size_t axis = at.size(); axis-- > 0;) {
    at[axis] = index % tensor.shape[axis];
    index /= tensor.shape[axis];
  }
  return to_string(at);
}

}  // namespace

void decode_f32(const CheckpointTensor& tensor, std::int64_t first_row, std::span<float> out) {
  require_readable(tensor);
  const std::int64_t columns = tensor.columns();
  const auto count = static_cast<std::int64_t>(out.size());
  if (count == 0) return;
  ANEMONE_CHECK(first_row >= 0 && columns > 0 && count % columns == 0 &&
                first_row <= tensor.rows() && count / columns <= tensor.rows() - first_row)
      << tensor.name << ": " << count << " elements from row " << first_row;
  Scratch scratch;
  const std::int64_t first = first_row * columns;
  for_each_piece(
      tensor, first, count, [&](std::int64_t stored, std::int64_t logical, std::int64_t piece) {
        decode_stored(
            tensor, stored,
            out.subspan(static_cast<std::size_t>(logical - first), static_cast<std::size_t>(piece)),
            scratch);
      });
}

std::vector<float> decode_f32(const CheckpointTensor& tensor) {
  require_readable(tensor);
  std::vector<float> made(static_cast<std::size_t>(tensor.count()));
  decode_f32(tensor, 0, made);
  return made;
}

void F16Report::merge(const F16Report& other) {
  const auto earlier = [](std::optional<Found>& mine, const std::optional<Found>& theirs) {
    if (theirs && (!mine || theirs->index < mine->index)) mine = theirs;
  };
  elements += other.elements;
  overflows += other.overflows;
  infinities += other.infinities;
  nans += other.nans;
  flushed += other.flushed;
  max_magnitude = std::max(max_magnitude, other.max_magnitude);
  earlier(first_overflow, other.first_overflow);
  earlier(first_infinity, other.first_infinity);
  earlier(first_nan, other.first_nan);
}

F16Bytes::F16Bytes(CheckpointTensor tensor) : tensor_(std::move(tensor)) {
  require_readable(tensor_);
}

std::size_t F16Bytes::size_bytes() const { return static_cast<std::size_t>(tensor_.count()) * 2; }

// The parts of [begin, end) that are not in `seen` yet, which then has them too.
static std::vector<std::pair<std::int64_t, std::int64_t>> add_range(
    std::map<std::int64_t, std::int64_t>& seen, std::int64_t begin, std::int64_t end) {
  std::vector<std::pair<std::int64_t, std::int64_t>> fresh;
  auto it = seen.upper_bound(begin);
  if (it != seen.begin() && std::prev(it)->second >= begin) --it;
  std::int64_t from = begin;
  std::int64_t whole_begin = begin;
  std::int64_t whole_end = end;
  while (it != seen.end() && it->first <= end) {
    if (from < it->first) fresh.emplace_back(from, it->first);
    from = std::max(from, it->second);
    whole_begin = std::min(whole_begin, it->first);
    whole_end = std::max(whole_end, it->second);
    it = seen.erase(it);
  }
  if (from < end) fresh.emplace_back(from, end);
  seen.emplace(whole_begin, whole_end);
  return fresh;
}

void F16Bytes::read(std::size_t at, std::span<std::byte> out) const {
  ANEMONE_CHECK(at % 2 == 0 && out.size() % 2 == 0);
  ANEMONE_CHECK(at <= size_bytes() && out.size() <= size_bytes() - at);
  if (out.empty()) return;
  const auto begin = static_cast<std::int64_t>(at / 2);
  const auto end = begin + static_cast<std::int64_t>(out.size() / 2);
  std::vector<std::pair<std::int64_t, std::int64_t>> fresh;
  {
    const std::lock_guard lock(mutex_);
    fresh = add_range(seen_, begin, end);
  }
  // The halves are made where they are wanted, or by way of a buffer if that is an odd address.
  const bool is_aligned =
      reinterpret_cast<std::uintptr_t>(out.data()) % alignof(std::uint16_t) == 0;
  Scratch scratch;
  F16Report found;
  const auto make = [&](std::int64_t first, std::int64_t last, F16Report* report) {
    std::byte* to = out.data() + (first - begin) * 2;
    const auto count = static_cast<std::size_t>(last - first);
    if (is_aligned) {
      produce(tensor_, first, {reinterpret_cast<std::uint16_t*>(to), count}, scratch, report);
      return;
    }
    std::vector<std::uint16_t> halves(count);
    produce(tensor_, first, halves, scratch, report);
    std::memcpy(to, halves.data(), count * 2);
  };
  std::int64_t done = begin;
  for (const auto& [first, last] : fresh) {
    if (done < first) make(done, first, nullptr);
    make(first, last, &found);
    done = last;
  }
  if (done < end) make(done, end, nullptr);
  if (found.elements > 0) {
    const std::lock_guard lock(mutex_);
    report_.merge(found);
  }
}

F16Report F16Bytes::report() const {
  const std::lock_guard lock(mutex_);
  return report_;
}

std::shared_ptr<const F16Bytes> f16_bytes(const CheckpointTensor& tensor) {
  return std::make_shared<F16Bytes>(tensor);
}

F16Report scan_f16(const CheckpointTensor& tensor, ThreadPool* pool) {
  require_readable(tensor);
  constexpr std::int64_t kGrain = 64 * kChunk;
  std::mutex mutex;
  F16Report all;
  const auto work = [&](std::int64_t begin, std::int64_t end, int) {
    Scratch scratch;
    F16Report found;
    std::uint16_t halves[kChunk];
    for (std::int64_t at = begin; at < end; at += kChunk) {
      const auto count = static_cast<std::size_t>(std::min(kChunk, end - at));
      produce(tensor, at, {halves, count}, scratch, &found);
    }
    const std::lock_guard lock(mutex);
    all.merge(found);
  };
  if (pool != nullptr) {
    pool->parallel_for(tensor.count(), kGrain, work);
  } else {
    work(0, tensor.count(), 0);
  }
  return all;
}

void require_finite_f16(const CheckpointTensor& tensor, const F16Report& report) {
  const auto complain = [&](const std::string& found, const F16Report::Found& first,
                            std::int64_t count, const std::string& allowed) {
    char value[32] = "nan";
    if (!std::isnan(first.value)) {
      std::snprintf(value, sizeof value, "%.9g", static_cast<double>(first.value));
    }
    throw Error(Code::kNumeric,
                what_of(tensor) + " holds " + found + " (" + value + " at " +
                    place(tensor, first.index) +
                    (count == 1 ? "" : ", and " + std::to_string(count - 1) + " more") +
                    "); allowed: " + allowed);
  };
  if (report.nans > 0) complain("a NaN", *report.first_nan, report.nans, "numbers");
  if (report.infinities > 0) {
    complain("an infinity", *report.first_infinity, report.infinities, "finite numbers");
  }
  if (report.overflows > 0) {
    complain("a value too large for fp16", *report.first_overflow, report.overflows,
             "magnitudes below 65520");
  }
}

}  // namespace anemone
