#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "anemone/base/error.h"
#include "anemone/base/printable.h"
#include "anemone/base/version.h"
#include "anemone/cli/command.h"

namespace anemone::cli {
namespace {

StopFlag stop;

void handle_stop(int) { stop.set(); }

void catch_signals() {
  // The first asks the work to end and clean up; a second one of the kind ends the process.
  struct sigaction action {};
  action.sa_handler = handle_stop;
  action.sa_flags = SA_RESETHAND;
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  // Under nohup the end of the terminal is not the end of the work.
  struct sigaction current {};
  ::sigaction(SIGHUP, nullptr, &current);
  if (current.sa_handler != SIG_IGN) ::sigaction(SIGHUP, &action, nullptr);
}

int terminal_columns() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void print_help(std::ostream& to) {
  std::size_t width = 0;
  for (const Command* command : all_commands()) width = std::max(width, command->name.size());
  to << "usage: anemone COMMAND [options] ...\n"
        "Language models for Apple's Neural Engine: Core ML programs, made and run anywhere.\n\n";
  for (const Command* command : all_commands()) {
    to << "  " << command->name << std::string(width - command->name.size() + 2, ' ')
       << command->says << '\n';
  }
  to << "\n'anemone COMMAND --help' tells more; 'anemone --version' the version.\n"
        "\nexample: anemone convert models/tiny-qwen3 -o tiny\n";
}

void report(const Console& console, bool json, Code code, const std::string& message,
            const Command* command) {
  if (json) {
    console.err << to_line(OrderedJson{{"error",
                                        {{"code", name(code)},
                                         {"message", message},
                                         {"exit_status", exit_status(code)}}}})
                << '\n';
    return;
  }
  console.err << "anemone: " << printable(message) << '\n';
  if (code != Code::kUsage) return;
  if (command) {
    console.err << "usage: anemone " << command->name << ' ' << command->usage << '\n';
  } else {
    console.err << "usage: anemone COMMAND [options] ...\n";
  }
}

int run(const Console& console, const std::vector<std::string>& arguments) {
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const Command* command = nullptr;
  Code code = Code::kUsage;
  std::string message;
  try {
    if (arguments.empty()) throw Error(Code::kUsage, "there is no command; --help lists them");
    const std::string& first = arguments[0];
    if (first == "--help" || first == "-h" || first == "help") {
      print_help(console.out);
      console.flush_out();
      return 0;
    }
    if (first == "--version") {
      console.out << "anemone " << kVersion << '\n';
      console.flush_out();
      return 0;
    }
    command = &command_named(first);
    return command->run(console, Arguments(arguments).subspan(1));
  } catch (const Error& error) {
    code = error.code();
    message = error.what();
  } catch (const std::bad_alloc&) {
    code = Code::kLimit;
    message = "out of memory";
  }
  report(console, json, code, message, command);
  return exit_status(code);
}

}  // namespace
}  // namespace anemone::cli

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  std::cin.tie(nullptr);
  // A reader that has seen enough ends the tool quietly, even if the parent ignores the signal.
  ::signal(SIGPIPE, SIG_DFL);
  const anemone::cli::Console console{.in = std::cin,
                                      .out = std::cout,
                                      .err = std::cerr,
                                      .err_is_terminal = ::isatty(STDERR_FILENO) == 1,
                                      .err_columns = anemone::cli::terminal_columns(),
                                      .stop = &anemone::cli::stop,
                                      .catch_signals = anemone::cli::catch_signals};
  return anemone::cli::run(console,
                           std::vector<std::string>(argv + std::min(argc, 1), argv + argc));
}
