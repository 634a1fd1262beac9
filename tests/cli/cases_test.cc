#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "case_file.h"

namespace anemone::tests {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> case_files() {
  std::vector<std::string> stems;
  for (const auto& entry : fs::directory_iterator(ANEMONE_CASES_DIR)) {
    if (entry.path().extension() == ".txt" && entry.path().stem() != "CMakeLists") {
      stems.push_back(entry.path().stem().string());
    }
  }
  std::sort(stems.begin(), stems.end());
  return stems;
}

class Cases : public ::testing::TestWithParam<std::string> {};

TEST_P(Cases, GoAsWrittenDown) {
  const fs::path file = fs::path(ANEMONE_CASES_DIR) / (GetParam() + ".txt");
  std::ifstream from(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(from), std::istreambuf_iterator<char>()};
  const auto expected = parse_cases(text);
  ASSERT_FALSE(expected.empty()) << file << " holds no command";

  std::string pattern = (fs::temp_directory_path() / "anemone-cli-XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  const auto found = run_cases(expected, pattern, ANEMONE_TOOL, ANEMONE_MODELS_DIR);
  fs::remove_all(pattern);

  if (std::getenv("ANEMONE_UPDATE_GOLDEN")) {
    std::ofstream(file, std::ios::binary) << print_cases(found);
    return;
  }
  for (std::size_t i = 0; i < expected.size(); ++i) {
    SCOPED_TRACE(file.string() + ":" + std::to_string(expected[i].line) + ": " +
                 expected[i].command);
    EXPECT_EQ(found[i].status, expected[i].status);
    EXPECT_EQ(found[i].out, expected[i].out);
    EXPECT_EQ(found[i].err, expected[i].err);
  }
}

INSTANTIATE_TEST_SUITE_P(Cli, Cases, ::testing::ValuesIn(case_files()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace anemone::tests
