#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/base/files.h"
#include "anemone/cli/testing.h"
#include "anemone/cli/tiny_bundle.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::cli {
namespace {

namespace fs = std::filesystem;
using anemone::testing::TempDir;
using ::testing::HasSubstr;

std::vector<Json> lines(const std::string& text) {
  std::vector<Json> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(Json::parse(line));
  return all;
}

// A copy of the bundle, to be changed.
struct Spoilt {
  Spoilt() { fs::copy(tiny_bundle(), dir / "bundle", fs::copy_options::recursive); }
  std::string path() const { return (dir / "bundle").string(); }
  TempDir dir;
};

TEST(Verify, SaysHowStrictItWas) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "minutes long under sanitizers, where engine/strict_test.cc runs the same sums";
#endif
  const auto outcome =
      run_command("verify", {tiny_bundle(), "--against", tiny_checkpoint(), "--positions=16",
                             "--accumulate=float16", "--ane-hazards", "subnormals,slice-range",
                             "--min-cosine=0.9", "--json"});
  EXPECT_EQ(outcome.err, "");
  const Json report = lines(outcome.out).back();
  EXPECT_EQ(report.at("arithmetic"), "float16, sums in float16, hazards subnormals slice-range");
  const Json plain = lines(run_command("verify", {tiny_bundle(), "--against", tiny_checkpoint(),
                                                  "--positions=16", "--json"})
                               .out)
                         .back();
  EXPECT_LT(report.at("ways").at(0).at("worst_cosine"), plain.at("ways").at(0).at("worst_cosine"));
}

TEST(Verify, RefusesHazardsThatAreNone) {
  const auto outcome = run_command(
      "verify", {tiny_bundle(), "--against", tiny_checkpoint(), "--ane-hazards", "gremlins"});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_THAT(outcome.err, HasSubstr("'gremlins' is none; allowed: product-range, "));
}

TEST(Verify, PassesWhatConvertMadeAndSaysWhatItLookedAt) {
  const auto outcome =
      run_command("verify", {tiny_bundle(), "--against", tiny_checkpoint(), "--rows", "--json"});
  EXPECT_EQ(outcome.err, "");
  EXPECT_EQ(outcome.status, 0);
  const auto found = lines(outcome.out);
  // The context is 64 long, and so is the text: 64 positions by blocks, 16 by decode.
  ASSERT_EQ(found.size(), 81u);
  EXPECT_EQ(found[0].at("position"), 0);
  EXPECT_GT(found[0].at("cosine"), 0.9999);
  const Json& report = found.back();
  EXPECT_EQ(report.at("passed"), true);
  EXPECT_EQ(report.at("failures"), Json::array());
  EXPECT_EQ(report.at("ways").size(), 2u);
  EXPECT_EQ(report.at("ways")[1].at("last_position"), 63);
  EXPECT_EQ(report.at("boundaries").size(), 2u);
  EXPECT_EQ(report.at("input").at("source"), "the text that comes with the tool");
  EXPECT_LT(std::abs(report.at("perplexity").at("change").get<double>()), 0.005);
}

TEST(Verify, PrintsATable) {
  const auto outcome = run_command("verify", {tiny_bundle(), "--against", tiny_checkpoint(),
                                              "--positions", "20", "--arithmetic", "float32"});
  EXPECT_EQ(outcome.status, 0);
  EXPECT_THAT(outcome.out,
              HasSubstr("input      20 token ids: the text that comes with the tool\n"));
  EXPECT_THAT(outcome.out,
              HasSubstr("\nblocks         84           84          0        0 100.0 %"));
  EXPECT_THAT(outcome.out, HasSubstr("\npassed (bundle "));
}

TEST(Verify, FailsWithStatusOneAndNamesTheOp) {
  const Spoilt spoilt;
  // The packages are right; what the host feeds them is not.
  const fs::path file = fs::path(spoilt.path()) / "bundle.json";
  Json bundle = load_json(file);
  bundle["rotary"]["inv_freq"][0] = 0.9;
  write_file(file, bundle.dump());
  const auto outcome =
      run_command("verify", {spoilt.path(), "--against", tiny_checkpoint(), "--where"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("\nfailed: cosine: position "));
  EXPECT_THAT(outcome.out, HasSubstr("\nFAILED (bundle "));
  EXPECT_THAT(outcome.out,
              HasSubstr("\nfirst fault: input 'cos' of layers_00.mlpackage, prefill at "
                        "position 0, relative error "));
  const auto json =
      run_command("verify", {spoilt.path(), "--against", tiny_checkpoint(), "--where", "--json"});
  EXPECT_EQ(json.status, 1);
  const auto found = lines(json.out);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].at("passed"), false);
  EXPECT_EQ(found[1].at("where").at("faults")[0].at("op"), "input 'cos'");
}

TEST(Verify, TakesThresholdsFromAFileAndFromFlags) {
  const TempDir dir;
  const std::string file = (dir / "t.json").string();
  write_file(file, R"({"max_kl": 0})");
  const auto with = [&](const char* flag, const std::string& value) {
    return run_command(
        "verify", {tiny_bundle(), "--against", tiny_checkpoint(), "--positions", "8", flag, value});
  };
  const auto strict = with("--thresholds", file);
  EXPECT_EQ(strict.status, 1);
  EXPECT_THAT(strict.out, HasSubstr("failed: kl: position "));
  EXPECT_EQ(with("--min-cosine", "1").status, 1);
  EXPECT_EQ(with("--min-cosine", "2").err,
            "bad-input: thresholds: 'min_cosine' is 2.0; allowed: a number from 0 to 1");
  write_file(file, R"({"kl": 0})");
  EXPECT_THAT(with("--thresholds", file).err,
              HasSubstr("'kl' is no threshold; there are near_tie"));
}

TEST(Verify, RefusesToCompareABundleWithItself) {
  const auto outcome = run_command("verify", {tiny_bundle(), "--against", tiny_bundle()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.out, HasSubstr("failed: itself: "));
  EXPECT_THAT(outcome.out, HasSubstr(" is compared with itself, which proves nothing\nFAILED"));
}

TEST(Verify, TakesRandomIdsWhereThereIsNoTokenizerAndSaysSo) {
  const Spoilt spoilt;
  const fs::path file = fs::path(spoilt.path()) / "bundle.json";
  Json bundle = load_json(file);
  bundle["tokenizer"] = false;
  write_file(file, bundle.dump());
  const auto outcome =
      run_command("verify", {spoilt.path(), "--against", tiny_checkpoint(), "--positions", "10"});
  EXPECT_EQ(outcome.status, 0) << outcome.out;
  EXPECT_THAT(outcome.out,
              HasSubstr("input      10 token ids: random ids, seed 1 (there is no tokenizer)\n"));
}

TEST(Verify, RefusesWhatItCannotDo) {
  EXPECT_EQ(run_command("verify", {tiny_bundle()}).err, "usage: verify needs --against CHECKPOINT");
  EXPECT_EQ(run_command("verify", {"b", "--against", "c", "--text", "t", "--tokens", "u"}).err,
            "usage: verify takes one of --text and --tokens");
  const auto many = run_command(
      "verify",
      {tiny_bundle(), "--against", tiny_checkpoint(), "--tokens", "-", "--positions", "9"},
      "1 2 3");
  EXPECT_EQ(many.err, "bad-input: -: has 3 token ids; --positions asks for 9");
  const auto beyond =
      run_command("verify", {tiny_bundle(), "--against", tiny_checkpoint(), "--positions", "65"});
  EXPECT_EQ(beyond.err, "limit: the prompt has 65 tokens; the context holds 64");
}

TEST(Verify, StopsWhenAskedTo) {
  StopFlag stop;
  stop.set();
  const auto outcome =
      run_command("verify", {tiny_bundle(), "--against", tiny_checkpoint()}, "", &stop);
  EXPECT_EQ(outcome.status, 130);
  EXPECT_EQ(outcome.out, "");
}

}  // namespace
}  // namespace anemone::cli
