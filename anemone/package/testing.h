#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/package/sample_models.h"

// What this layer's tests share. Only _test.cc files include it.
namespace anemone::package {

// A folder of the test's own, gone with it.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "anemone-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << pattern;
    path_ = pattern;
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

template <typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

template <typename Work>
Code code_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return Code::kUsage;
}

inline std::filesystem::path specification_of(const std::filesystem::path& package) {
  return package / "Data/com.apple.CoreML/model.mlmodel";
}
inline std::filesystem::path weights_of(const std::filesystem::path& package) {
  return package / "Data/com.apple.CoreML/weights/weight.bin";
}

// Everything in a package, as one string.
inline std::string contents(const std::filesystem::path& package) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(package)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(package).string()] = read_text(entry.path());
  }
  std::string all;
  for (const auto& [name, text] : files) all += name + "\n" + text + "\n";
  return all;
}

}  // namespace anemone::package
