#pragma once

// Hands libFuzzer inputs to start from; only _fuzz.cc files include it.

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "anemone/base/files.h"

namespace anemone::checkpoint_test {

// Writes the seeds to files and puts -seed_inputs on the command line, unless inputs are given
// there.
inline int start_from(int* argc, char*** argv, const std::vector<std::string>& seeds) {
  for (int i = 1; i < *argc; ++i) {
    if ((*argv)[i][0] != '-') return 0;
  }
  static std::string flag = "-seed_inputs=";
  static std::vector<char*> arguments(*argv, *argv + *argc);
  static std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::temp_directory_path();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    const std::string name = "anemone-seed-" + std::to_string(::getpid()) + "-" + std::to_string(i);
    files.push_back(folder / name);
    write_file(files.back(), seeds[i]);
    flag += (i > 0 ? "," : "") + files.back().string();
  }
  std::atexit([] {
    std::error_code ignored;
    for (const auto& file : files) std::filesystem::remove(file, ignored);
  });
  arguments.push_back(flag.data());
  arguments.push_back(nullptr);
  *argc += 1;
  *argv = arguments.data();
  return 0;
}

}  // namespace anemone::checkpoint_test
