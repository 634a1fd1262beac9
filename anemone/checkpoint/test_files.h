#pragma once

// Files for the tests and fuzzers of this folder; nothing else includes it.

#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/checkpoint/gguf.h"

namespace anemone::checkpoint_test {

// A folder of the running test's own, removed at its end.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "anemone-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) std::abort();
    path_ = pattern;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, std::string_view text) const {
    write_file(path_ / name, text);
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

#ifdef ANEMONE_SOURCE_DIR  // the tests have it
inline std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(ANEMONE_SOURCE_DIR) / "tests/oracle/checkpoint" / name;
}
#endif

// "code: message" of the Error that `work` throws.
template <typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return "no error";
}

inline std::shared_ptr<const Bytes> bytes_of(std::string_view text) {
  const auto raw = as_bytes(text);
  return own_bytes({raw.begin(), raw.end()});
}

template <typename T>
std::string raw(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// A safetensors file: header (its length in front) and data.
inline std::string safetensors_text(std::string_view header, std::string_view data = "") {
  return raw<std::uint64_t>(header.size()) + std::string(header) + std::string(data);
}

// A GGUF file, field by field, so that tests can get any of them wrong.
struct GgufText {
  std::string magic = "GGUF";
  std::uint32_t version = 3;
  std::uint64_t more_tensors = 0;  // than there are
  std::uint64_t more_pairs = 0;
  std::uint64_t alignment = 32;  // used by the writer only
  std::string pairs;
  std::uint64_t pair_count = 0;
  std::string infos;
  std::uint64_t tensor_count = 0;
  std::string data;

  static std::string text(std::string_view s) {
    return raw<std::uint64_t>(s.size()) + std::string(s);
  }
  GgufText& pair(std::string_view key, GgufType type, const std::string& value) {
    pairs += text(key) + raw<std::uint32_t>(static_cast<std::uint32_t>(type)) + value;
    ++pair_count;
    return *this;
  }
  GgufText& string(std::string_view key, std::string_view value) {
    return pair(key, GgufType::kString, text(value));
  }
  GgufText& u32(std::string_view key, std::uint32_t value) {
    return pair(key, GgufType::kU32, raw(value));
  }
  GgufText& f32(std::string_view key, float value) { return pair(key, GgufType::kF32, raw(value)); }
  GgufText& flag(std::string_view key, bool value) {
    return pair(key, GgufType::kBool, raw<std::uint8_t>(value ? 1 : 0));
  }
  GgufText& array(std::string_view key, GgufType of, std::uint64_t count,
                  const std::string& values) {
    return pair(key, GgufType::kArray,
                raw<std::uint32_t>(static_cast<std::uint32_t>(of)) + raw(count) + values);
  }
  GgufText& strings(std::string_view key, const std::vector<std::string>& values) {
    std::string all;
    for (const std::string& value : values) all += text(value);
    return array(key, GgufType::kString, values.size(), all);
  }
  // `extents` innermost first, as the file has them.
  GgufText& info(std::string_view tensor, const std::vector<std::uint64_t>& extents,
                 std::uint32_t type, std::uint64_t offset) {
    infos += text(tensor) + raw(static_cast<std::uint32_t>(extents.size()));
    for (const std::uint64_t extent : extents) infos += raw(extent);
    infos += raw(type) + raw(offset);
    ++tensor_count;
    return *this;
  }
  GgufText& tensor(std::string_view tensor_name, const std::vector<std::uint64_t>& extents,
                   std::uint32_t type, const std::string& encoded) {
    data.resize((data.size() + alignment - 1) / alignment * alignment);
    info(tensor_name, extents, type, data.size());
    data += encoded;
    return *this;
  }
  GgufText& f32_tensor(std::string_view tensor_name, const std::vector<std::uint64_t>& extents,
                       const std::vector<float>& values) {
    return tensor(tensor_name, extents, 0,
                  {reinterpret_cast<const char*>(values.data()), values.size() * 4});
  }
  std::string build() const {
    std::string out = magic + raw(version) + raw(tensor_count + more_tensors) +
                      raw(pair_count + more_pairs) + pairs + infos;
    if (!data.empty()) out.resize((out.size() + alignment - 1) / alignment * alignment);
    return out + data;
  }
};

}  // namespace anemone::checkpoint_test
