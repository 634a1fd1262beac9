#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/cli/testing.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

std::string document(const std::string& outcome) {
  return R"({"format":"anemone-evidence","version":1,"records":[{"experiment":"mlp",
  "measured_at":"2026-11-30T06:00:00Z","tool":"anemone 0.1.0","runner":"cpu",
  "machine":{"chip":"x","os":"Linux","os_version":"6"},
  "package":{"name":"mlp.mlpackage","hash":"a:b","size_bytes":1},"outcome":")" +
         outcome + R"("}]})";
}

TEST(EvidenceCommand, ChecksShowsAndMerges) {
  const testing::TempDir folder;
  const std::string good = folder / "a.json";
  const std::string bad = folder / "b.json";
  write_file(good, document("ok"));
  write_file(bad, document("fine"));
  EXPECT_EQ(run_command("evidence", {"check", good}).out, good + ": 1 records, sound\n");
  const auto wrong = run_command("evidence", {"check", good, bad, "--json"});
  EXPECT_EQ(wrong.status, 1);
  EXPECT_EQ(Json::parse(wrong.out).at("problem"),
            "records[0].outcome: found \"fine\"; allowed: ok, error, crash, killed, hang, garbage, "
            "no-space");
  const std::string broken = folder / "c.json";
  write_file(broken, "{");
  const auto all = run_command("evidence", {"check", broken, good});
  EXPECT_EQ(all.status, 1);
  EXPECT_EQ(all.out.rfind(broken + ": is not JSON at line 1", 0), 0u) << all.out;
  EXPECT_NE(all.out.find(good + ": 1 records, sound\n"), std::string::npos);
  const std::string out = folder / "all.json";
  const auto merged = run_command("evidence", {"merge", good, good, "-o", out});
  EXPECT_EQ(merged.out, out + ": 1 records of 2 files; 1 were there twice\n") << merged.err;
  const auto shown = run_command("evidence", {"show", out, "--json"});
  EXPECT_EQ(Json::parse(shown.out).at("verdict"), "unmeasured");
  EXPECT_NE(run_command("evidence", {"show", out}).out.find("mlp: unmeasured"), std::string::npos);
}

TEST(EvidenceCommand, PrintsTheSchema) {
  const Json schema = Json::parse(run_command("evidence", {"check", "--schema"}).out);
  EXPECT_EQ(schema.at("title"), "anemone evidence, version 1");
}

TEST(EvidenceCommand, AsksForFiles) {
  EXPECT_EQ(run_command("evidence", {"show"}).err, "usage: evidence show: FILE is missing");
  EXPECT_EQ(run_command("evidence", {"merge", "a.json"}).err,
            "usage: evidence merge: -o OUT.json is missing");
}

}  // namespace
}  // namespace anemone::cli
