#include "anemone/cli/command.h"

#include "anemone/base/error.h"
#include "anemone/cli/nearest.h"

namespace anemone::cli {

#define ANEMONE_COMMAND(stem) extern const Command command_##stem;
#include "anemone/cli/commands/commands.inc"
#undef ANEMONE_COMMAND

namespace {

#define ANEMONE_COMMAND(stem) &command_##stem,
constexpr const Command* kCommands[] = {
#include "anemone/cli/commands/commands.inc"
};
#undef ANEMONE_COMMAND

}  // namespace

std::span<const Command* const> all_commands() { return kCommands; }

const Command& command_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Command* command : kCommands) {
    if (command->name == name) return *command;
    names.push_back(command->name);
  }
  throw Error(Code::kUsage,
              "there is no command '" + std::string(name) + "'" + suggestion(name, names));
}

}  // namespace anemone::cli
