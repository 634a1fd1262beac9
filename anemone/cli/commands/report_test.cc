#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/evidence/evidence.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

// The data that a page holds.
Json data_of(const std::string& page) {
  const auto begin = page.find('>', page.find("<script type=\"application/json\"")) + 1;
  return parse_json(page.substr(begin, page.find("</script>", begin) - begin), "page");
}

TEST(Report, ShowsEveryPackageOfABundle) {
  const testing::TempDir dir;
  const std::string path = (dir / "r.html").string();
  const auto outcome = run_command("report", {tiny_bundle(), "-o", path, "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_EQ(summary.at("predicted_off_engine"), 0);
  EXPECT_EQ(summary.at("measured"), 0);
  const Json data = data_of(read_text(path));
  ASSERT_EQ(data.at("packages").size(), 3u);
  EXPECT_EQ(data.at("packages")[0].at("name"), "layers_00.mlpackage");
  EXPECT_EQ(data.at("packages")[0].at("functions")[0].at("layers"),
            (Json{"before the layers", "layer 0", "layer 1", "layer 2"}));
  EXPECT_EQ(data.at("title"), "tiny");
}

TEST(Report, TakesRangesAndNamesTheLineThatIsWrong) {
  const testing::TempDir dir;
  const std::string ranges = (dir / "ranges.json").string();
  const std::string path = (dir / "r.html").string();
  write_file(ranges,
             "{\"package\":\"layers_00.mlpackage\",\"value\":\"layer_0_out\",\"max\":12.5,"
             "\"p50\":0.5,\"p99_9\":null,\"nans\":0,\"infinities\":1}\n");
  const auto outcome = run_command(
      "report", {tiny_bundle() + "/layers_00.mlpackage", "-o", path, "--ranges", ranges});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  const Json data = data_of(read_text(path));
  const Json& found = data.at("packages")[0].at("functions")[0].at("ranges");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0][1], 12.5);
  EXPECT_EQ(found[0][4], 0.5);
  EXPECT_TRUE(found[0][5].is_null());
  write_file(ranges, "\n{\"package\":\"p\",\"value\":\"v\",\"max\":\"x\"}\n");
  EXPECT_EQ(run_command("report", {tiny_bundle(), "-o", path, "--force", "--ranges", ranges}).err,
            "bad-input: " + ranges + ": line 2: 'max' must be a number, as ranges --json has it");
}

TEST(Report, JoinsEvidenceOfTheVerySamePackagesAlone) {
  const testing::TempDir dir;
  const std::string package = tiny_bundle() + "/head.mlpackage";
  const std::string file = (dir / "mac.json").string();
  const std::string path = (dir / "r.html").string();
  evidence::Record record{.experiment = "head",
                          .measured_at = "2026-03-01T10:00:00Z",
                          .tool = "anemone 0.1.0",
                          .runner = "coreml",
                          .function = "decode",
                          .machine = {.model = "Mac16,1",
                                      .chip = "Apple M4",
                                      .os = "macOS",
                                      .os_version = "15.5",
                                      .os_build = "24F74"},
                          .package = evidence::describe_package(package)};
  record.units["cpu+ane"].plan = evidence::Stage{};
  record.units["cpu+ane"].ops = {{.op = "ios18.layer_norm",
                                  .output = "final_norm_normed",
                                  .supported = {"cpu", "ane"},
                                  .preferred = "cpu"}};
  evidence::save_document({.records = {record}}, file);
  const auto outcome =
      run_command("report", {tiny_bundle(), "-o", path, "--json", "--evidence", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json summary = Json::parse(outcome.out);
  EXPECT_EQ(summary.at("measured"), 1);
  EXPECT_EQ(summary.at("agreements"), 0);
  EXPECT_EQ(summary.at("contradictions"), 1);
  const auto other = run_command("report", {tiny_bundle() + "/layers_00.mlpackage", "-o", path,
                                            "--force", "--evidence", file});
  EXPECT_EQ(other.err,
            "bad-input: " + file +
                ": none of its 1 records holds a compute plan of a package here (they are told by "
                "the hash of their files)");
}

TEST(Report, RefusesWhatItCannotShowOrReplace) {
  const testing::TempDir dir;
  const std::string path = (dir / "r.html").string();
  write_file(path, "mine");
  EXPECT_EQ(run_command("report", {tiny_bundle(), "-o", path}).err,
            "bad-input: " + path + ": already exists; --force replaces it");
  EXPECT_EQ(read_text(path), "mine");
  EXPECT_EQ(run_command("report", {"/none", "-o", path}).err,
            "not-found: /none: there is no such file or folder");
  EXPECT_EQ(run_command("report", {tiny_bundle()}).err, "usage: report needs -o FILE");
  EXPECT_EQ(run_command("report", {tiny_bundle(), "-o", dir.path().string()}).err,
            "bad-input: " + dir.path().string() + ": is a folder; -o takes a file");
}

}  // namespace
}  // namespace anemone::cli
