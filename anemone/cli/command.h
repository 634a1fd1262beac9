#pragma once

#include <span>
#include <string>
#include <string_view>

#include "anemone/cli/console.h"

namespace anemone::cli {

using Arguments = std::span<const std::string>;

// One command of the tool. Its file in commands/ defines it with ANEMONE_DEFINE_COMMAND.
struct Command {
  std::string_view name = {};
  std::string_view says = {};   // one line in the list of commands
  std::string_view usage = {};  // what stands behind "anemone NAME " in the usage line
  // Gives the exit status. Throws Error.
  int (*run)(const Console& console, Arguments arguments) = nullptr;
};

#define ANEMONE_DEFINE_COMMAND(stem)   \
  extern const Command command_##stem; \
  constinit const Command command_##stem

// In the order of commands.inc.
std::span<const Command* const> all_commands();
// Throws Error(kUsage) with the nearest name if there is no such command.
const Command& command_named(std::string_view name);

}  // namespace anemone::cli
