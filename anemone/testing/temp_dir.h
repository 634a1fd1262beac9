#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

#include "anemone/base/check.h"

namespace anemone::testing {

// A fresh folder that goes with the object.
class TempDir {
 public:
  TempDir() {
    std::string pattern = (std::filesystem::temp_directory_path() / "anemone-XXXXXX").string();
    ANEMONE_CHECK(::mkdtemp(pattern.data()) != nullptr) << pattern;
    path_ = pattern;
  }
  ~TempDir() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::filesystem::path& step) const { return path_ / step; }

 private:
  std::filesystem::path path_;
};

}  // namespace anemone::testing
