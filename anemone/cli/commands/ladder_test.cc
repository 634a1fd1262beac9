#include <gtest/gtest.h>

#include "anemone/cli/testing.h"

namespace anemone::cli {
namespace {

TEST(LadderCommand, NamesItsParts) {
  EXPECT_EQ(run_command("ladder", {"buidl"}).err,
            "usage: ladder: 'buidl' is no part of it; did you mean 'build'?; allowed: build, run, "
            "verdict");
  EXPECT_EQ(run_command("ladder", {}).err, "usage: ladder: build, run or verdict is missing");
  EXPECT_NE(run_command("ladder", {"--help"}).out.find("verdict  says what"), std::string::npos);
}

TEST(LadderCommand, RefusesARunnerThatIsNotThere) {
  EXPECT_EQ(run_command("ladder", {"run", "steps", "--runner", "mac"}).err,
            "usage: --runner 'mac': allowed are cpu, coreml and scripted:FILE");
#ifndef __APPLE__
  const auto outcome = run_command("ladder", {"run", "steps", "--runner", "coreml"});
  EXPECT_EQ(outcome.status, exit_status(Code::kUnsupported));
  EXPECT_TRUE(outcome.err.starts_with("unsupported: ")) << outcome.err;
#endif
}

TEST(LadderCommand, RefusesSizesThatCannotBe) {
  EXPECT_EQ(run_command("ladder", {"build", tiny_checkpoint(), "-o", "x", "--hidden", "20"}).err,
            "usage: --hidden 20: must be a multiple of 8");
  EXPECT_EQ(run_command("ladder",
                        {"build", tiny_checkpoint(), "-o", "x", "--context", "64", "--rows", "62"})
                .err,
            "usage: --rows 62: the context must hold 3 positions more");
}

}  // namespace
}  // namespace anemone::cli
