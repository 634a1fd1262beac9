#pragma once

#include <string>

#include "anemone/cli/testing.h"
#include "anemone/testing/temp_dir.h"

// For tests alone: the shipped checkpoint, converted.
namespace anemone::cli {

// Converts with these options beside CHECKPOINT and -o; must succeed.
inline void convert_tiny(const std::string& output, std::vector<std::string> options) {
  options.insert(options.end(), {tiny_checkpoint(), "-o", output});
  const Outcome outcome = run_command("convert", options);
  ANEMONE_CHECK(outcome.status == 0) << outcome.err;
}

// In two parts with a context of 64, made once for the whole test program.
inline const std::string& tiny_bundle() {
  static const testing::TempDir dir;
  static const std::string path = [] {
    const std::string made = (dir / "tiny").string();
    convert_tiny(made, {"--context", "64", "--parts", "2"});
    return made;
  }();
  return path;
}

}  // namespace anemone::cli
