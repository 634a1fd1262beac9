#include "anemone/cli/tiny_bundle.h"

#include <gtest/gtest.h>

#include <map>

#include "anemone/base/check.h"
#include "anemone/base/files.h"
#include "anemone/cli/testing.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {

void convert_tiny(const std::string& output, std::vector<std::string> options) {
  options.insert(options.end(), {tiny_checkpoint(), "-o", output});
  const Outcome outcome = run_command("convert", options);
  ANEMONE_CHECK(outcome.status == 0) << outcome.err;
}

const std::string& tiny_bundle() {
  static const testing::TempDir dir;
  static const std::string path = [] {
    const std::string made = (dir / "tiny").string();
    convert_tiny(made, {"--context", "64", "--parts", "2"});
    return made;
  }();
  return path;
}

namespace {

namespace fs = std::filesystem;

std::map<std::string, std::string> contents(const fs::path& folder) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) {
      files[fs::relative(entry.path(), folder).string()] = read_text(entry.path());
    }
  }
  return files;
}

TEST(TinyBundle, IsTheSameBytesWhateverThreadsMakeIt) {
  const testing::TempDir dir;
  const std::string again = (dir / "again").string();
  convert_tiny(again, {"--parts=2", "--context=64", "--threads", "1"});
  const auto first = contents(tiny_bundle());
  const auto second = contents(again);
  ASSERT_EQ(first.size(), second.size());
  EXPECT_GE(first.size(), 13u);  // three packages of three files, bundle.json and the tokenizer's
  for (const auto& [name, bytes] : first) {
    EXPECT_TRUE(second.contains(name) && second.at(name) == bytes) << name;
  }
}

}  // namespace
}  // namespace anemone::cli
