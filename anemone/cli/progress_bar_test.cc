#include "anemone/cli/progress_bar.h"

#include <gtest/gtest.h>

#include <sstream>

namespace anemone::cli {
namespace {

TEST(ProgressLine, ShowsShareBytesAndTheTimeToGo) {
  EXPECT_EQ(progress_line("head", 500000000, 1000000000, 10, 80),
            "head [===================>                  ] 50 %  500 MB of 1.00 GB  ETA 0:10");
  EXPECT_EQ(progress_line("head", 0, 1000, 10, 60),
            "head [>                           ] 0 %  0 bytes of 1.00 kB");
  EXPECT_EQ(progress_line("x", 1, 10000, 1, 30), "x 0 %  1 byte of 10.0 kB  ETA");
  EXPECT_EQ(progress_line("x", 10, 10, 0.1, 40), "x [=======] 100 %  10 bytes of 10 bytes");
  for (int columns = 0; columns < 120; ++columns) {
    EXPECT_LT(progress_line("layers_00.mlpackage", 123456789, 987654321, 3, columns).size(),
              static_cast<std::size_t>(std::max(columns, 1)));
  }
}

TEST(ProgressBar, PrintsTenTimesASecondAndWipesItself) {
  std::istringstream in;
  std::ostringstream out, err;
  const Console console{
      .in = in, .out = out, .err = err, .err_is_terminal = true, .err_columns = 50};
  double now = 100;
  {
    ProgressBar bar(console, [&] { return now; });
    bar.update("a", 1, 2);
    now += 0.05;
    bar.update("b", 1, 2);
    now += 0.06;
    bar.update("c", 2, 2);
  }
  const std::string printed = err.str();
  EXPECT_NE(printed.find("a ["), std::string::npos);
  EXPECT_EQ(printed.find("b ["), std::string::npos);
  EXPECT_NE(printed.find("c ["), std::string::npos);
  EXPECT_TRUE(printed.ends_with("\r\x1b[K"));
  EXPECT_EQ(out.str(), "");
}

TEST(ProgressBar, IsSilentWithoutATerminal) {
  std::istringstream in;
  std::ostringstream out, err;
  const Console console{.in = in, .out = out, .err = err};
  {
    ProgressBar bar(console);
    bar.update("a", 1, 2);
  }
  EXPECT_EQ(err.str(), "");
}

}  // namespace
}  // namespace anemone::cli
