#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/checkpoint/checkpoint.h"

namespace anemone {

// Value types of GGUF metadata, numbered as in the file.
enum class GgufType : std::uint32_t {
  kU8,
  kI8,
  kU16,
  kI16,
  kU32,
  kI32,
  kF32,
  kBool,
  kString,
  kArray,
  kU64,
  kI64,
  kF64,
};

struct GgufValue {
  GgufType type = GgufType::kU8;
  GgufType element = GgufType::kU8;  // of an array
  std::uint64_t count = 1;           // elements of an array
  std::span<const std::byte> raw;    // the encoded value (of an array: its elements), checked
};

// The metadata of a GGUF file. A find_ gives nothing if the key is absent, and throws
// Error(kBadInput) that names file and key if its value is of another type.
class GgufMetadata {
 public:
  GgufMetadata() = default;
  explicit GgufMetadata(std::string file) : file_(std::move(file)) {}

  const std::string& file() const { return file_; }
  // False if the key is there already.
  bool add(std::string_view key, const GgufValue& value) {
    return values_.emplace(key, value).second;
  }
  const GgufValue* find(std::string_view key) const;
  const std::map<std::string_view, GgufValue>& values() const { return values_; }

  std::optional<std::string> find_string(std::string_view key) const;
  std::optional<bool> find_bool(std::string_view key) const;
  // Of any integer type; from 0 to 2^63 - 1.
  std::optional<std::int64_t> find_count(std::string_view key) const;
  // Of any float or integer type; finite. A float32 becomes the shortest decimal that means it, so
  // that 1e-5 is 1e-5.
  std::optional<double> find_number(std::string_view key) const;
  std::vector<std::string> find_strings(std::string_view key) const;
  std::vector<float> find_floats(std::string_view key) const;
  std::vector<std::int64_t> find_integers(std::string_view key) const;

  // What the find_ functions throw.
  [[noreturn]] void wrong_type(std::string_view key, const GgufValue& value,
                               std::string_view allowed) const;

 private:
  const GgufValue* find_array(std::string_view key, std::string_view of) const;

  std::string file_;
  std::map<std::string_view, GgufValue> values_;
};

// One GGUF file, or one part of a split model. Views into `bytes`.
struct GgufFile {
  std::shared_ptr<const Bytes> bytes;
  std::string file;
  GgufMetadata metadata;
  std::vector<CheckpointTensor> tensors;  // as stored: GGUF's names, rows as they lie
};

// Reads and checks everything but the tensors' values: versions 2 and 3, little-endian. `file`
// names it in messages. Throws Error(kBadInput), and Error(kUnsupported) for what is well-formed
// but not handled: version 1, big-endian files, encodings without a decoder.
GgufFile read_gguf(const std::shared_ptr<const Bytes>& bytes, const std::string& file);

// Maps the file and, if it is one part of a split model, all other parts beside it; they come in
// order. Throws Error(kNotFound) that names the parts that are missing.
std::vector<GgufFile> load_gguf(const std::filesystem::path& path);

// A model out of its parts: config, vocabulary and tensors under Hugging Face's names.
Checkpoint gguf_checkpoint(const std::filesystem::path& path, std::vector<GgufFile> parts);

}  // namespace anemone
