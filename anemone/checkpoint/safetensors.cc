#include "anemone/checkpoint/safetensors.h"

#include <algorithm>

#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

// Source for the rules below: safetensors 0.8.0 (README.md, "Format"; limits and checks as tried
// with its reader: holes, overlaps and trailing bytes are refused, spaces around the header are
// not).
constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kMostHeaderBytes = 100'000'000;

struct Entry {
  CheckpointTensor tensor;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

std::uint64_t whole_number(const Json& value, const std::string& what) {
  if (!value.is_number_unsigned()) {
    bad_input(what + " is " + to_line(value).substr(0, 40) + "; allowed: a whole number from 0 up");
  }
  return value.get<std::uint64_t>();
}

const Json& field(const Json& entry, const char* key, Json::value_t type, const std::string& what) {
  const auto it = entry.find(key);
  if (it == entry.end()) bad_input(what + " has no '" + key + "'");
  if (it->type() != type) {
    bad_input(what + ": '" + key + "' is of type " + it->type_name() +
              "; allowed: " + Json(type).type_name());
  }
  return *it;
}

Shape read_shape(const Json& extents, const std::string& what) {
  Shape shape;
  for (const Json& extent : extents) {
    const std::uint64_t n = whole_number(extent, what + ": an extent of its shape");
    shape.push_back(static_cast<std::int64_t>(std::min<std::uint64_t>(n, INT64_MAX)));
  }
  return shape;
}

Entry read_entry(const std::string& name, const Json& entry, std::uint64_t data_bytes,
                 const std::string& file) {
  const std::string what = file + ": tensor " + in_quotes(name);
  if (!entry.is_object()) {
    bad_input(what + " is described by a value of type " + std::string(entry.type_name()) +
              "; allowed: object");
  }
  Entry made;
  const auto& dtype =
      field(entry, "dtype", Json::value_t::string, what).get_ref<const std::string&>();
  const auto encoding = find_encoding_by_safetensors(dtype);
  if (!encoding) {
    bad_input(what + " has the unknown dtype " + in_quotes(dtype) +
              "; weights are read from F32, F16 and BF16");
  }
  const EncodingInfo& row = info(*encoding);
  made.tensor.shape = read_shape(field(entry, "shape", Json::value_t::array, what), what);
  const auto count = checked_element_count(made.tensor.shape);
  if (!count) {
    bad_input(what + " has shape " + to_string(made.tensor.shape) +
              ", which is more than 2^48 elements");
  }
  const Json& offsets = field(entry, "data_offsets", Json::value_t::array, what);
  if (offsets.size() != 2) {
    bad_input(what + ": 'data_offsets' has " + std::to_string(offsets.size()) +
              " numbers; allowed: 2, begin and end");
  }
  made.begin = whole_number(offsets[0], what + ": the begin of its bytes");
  made.end = whole_number(offsets[1], what + ": the end of its bytes");
  const std::string range =
      "[" + std::to_string(made.begin) + ", " + std::to_string(made.end) + ")";
  if (made.begin > made.end) bad_input(what + " has the byte range " + range + ": it ends first");
  if (made.end > data_bytes) {
    bad_input(what + " ends at byte " + std::to_string(made.end) +
              " of the data section, past the section's end (" + std::to_string(data_bytes) +
              " bytes)");
  }
  if (*count % row.block_elements != 0) {
    bad_input(what + " has shape " + to_string(made.tensor.shape) + ", whose " +
              std::to_string(*count) + " elements of dtype " + dtype + " do not fill whole bytes");
  }
  const std::uint64_t needed = static_cast<std::uint64_t>(*count / row.block_elements) *
                               static_cast<unsigned>(row.block_bytes);
  if (made.end - made.begin != needed) {
    bad_input(what + " has dtype " + dtype + " and shape " + to_string(made.tensor.shape) +
              ", which take " + std::to_string(needed) + " bytes, but its byte range " + range +
              " holds " + std::to_string(made.end - made.begin));
  }
  made.tensor.name = made.tensor.stored_name = name;
  made.tensor.file = file;
  made.tensor.encoding = *encoding;
  return made;
}

std::map<std::string, std::string> read_metadata(const Json& metadata, const std::string& file) {
  std::map<std::string, std::string> made;
  if (metadata.is_null()) return made;
  if (!metadata.is_object()) {
    bad_input(file + ": '__metadata__' is of type " + std::string(metadata.type_name()) +
              "; allowed: an object of strings");
  }
  for (const auto& [key, value] : metadata.items()) {
    if (!value.is_string()) {
      bad_input(file + ": '__metadata__' holds a value of type " + value.type_name() + " under " +
                in_quotes(key) + "; allowed: strings only");
    }
    made.emplace(key, value.get<std::string>());
  }
  return made;
}

// Every byte of the data section belongs to exactly one tensor.
void require_exact_cover(std::span<const Entry> sorted, std::uint64_t data_bytes,
                         const std::string& file) {
  std::uint64_t at = 0;
  const Entry* before = nullptr;
  for (const Entry& entry : sorted) {
    if (entry.begin < at) {
      bad_input(file + ": tensor " + in_quotes(entry.tensor.name) + " begins at byte " +
                std::to_string(entry.begin) + " of the data section, inside tensor " +
                in_quotes(before->tensor.name) + ", which ends at byte " + std::to_string(at));
    }
    if (entry.begin > at) {
      bad_input(file + ": tensor " + in_quotes(entry.tensor.name) + " begins at byte " +
                std::to_string(entry.begin) +
                " of the data section, but what comes before it ends " + "at byte " +
                std::to_string(at) + "; allowed: no holes");
    }
    at = entry.end;
    before = &entry;
  }
  if (at != data_bytes) {
    bad_input(file + ": the tensors end at byte " + std::to_string(at) +
              " of the data section, but the file goes on for " + std::to_string(data_bytes - at) +
              " bytes");
  }
}

}  // namespace

SafetensorsFile read_safetensors(const std::shared_ptr<const Bytes>& bytes,
                                 const std::string& file) {
  const std::span<const std::byte> all = bytes->view();
  refuse_lfs_pointer(as_text(all), file);
  ByteReader reader(all, file);
  const std::uint64_t header_bytes = reader.u64("the header's length");
  if (header_bytes > reader.left()) {
    bad_input(file + ": the header's length is given as " + std::to_string(header_bytes) +
              " bytes, but only " + std::to_string(reader.left()) + " follow");
  }
  if (header_bytes > kMostHeaderBytes || header_bytes < 2) {
    bad_input(file + ": the header's length is given as " + std::to_string(header_bytes) +
              " bytes; allowed: 2 to " + std::to_string(kMostHeaderBytes));
  }
  const Json header =
      parse_json(as_text(reader.take(static_cast<std::size_t>(header_bytes), "header")),
                 file + ": the header");
  if (!header.is_object()) {
    bad_input(file + ": the header is of type " + std::string(header.type_name()) +
              "; allowed: object");
  }
  const std::uint64_t data_at = kLengthBytes + header_bytes;
  const std::uint64_t data_bytes = all.size() - data_at;

  SafetensorsFile made;
  std::vector<Entry> entries;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      made.metadata = read_metadata(entry, file);
    } else {
      entries.push_back(read_entry(name, entry, data_bytes, file));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tie(a.begin, a.end, a.tensor.name) < std::tie(b.begin, b.end, b.tensor.name);
  });
  require_exact_cover(entries, data_bytes, file);
  made.tensors.reserve(entries.size());
  for (Entry& entry : entries) {
    entry.tensor.data = slice_bytes(bytes, static_cast<std::size_t>(data_at + entry.begin),
                                    static_cast<std::size_t>(entry.end - entry.begin));
    made.tensors.push_back(std::move(entry.tensor));
  }
  return made;
}

}  // namespace anemone
