#include "anemone/cli/nearest.h"

#include <gtest/gtest.h>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/testing/message_of.h"

namespace anemone::cli {
namespace {

TEST(Nearest, CountsEditsWithSwapsAsOne) {
  EXPECT_EQ(edit_distance("", ""), 0);
  EXPECT_EQ(edit_distance("abc", ""), 3);
  EXPECT_EQ(edit_distance("convert", "convrt"), 1);
  EXPECT_EQ(edit_distance("convert", "ocnvert"), 1);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3);
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  const std::string_view names[] = {"convert", "inspect", "run"};
  EXPECT_EQ(suggestion("conver", names), "; did you mean 'convert'?");
  EXPECT_EQ(suggestion("rum", names), "; did you mean 'run'?");
  EXPECT_EQ(suggestion("serve", names), "");
  EXPECT_EQ(suggestion(std::string(1000, 'x'), names), "");
}

TEST(Commands, AreFoundByNameOrTheNearestIsNamed) {
  EXPECT_EQ(command_named("run").name, "run");
  EXPECT_EQ(testing::message_of([] { command_named("tokenise"); }),
            "usage: there is no command 'tokenise'; did you mean 'tokenize'?");
  EXPECT_EQ(testing::message_of([] { command_named(""); }), "usage: there is no command ''");
  for (const Command* command : all_commands()) {
    EXPECT_FALSE(command->says.empty() || command->usage.empty()) << command->name;
  }
}

}  // namespace
}  // namespace anemone::cli
