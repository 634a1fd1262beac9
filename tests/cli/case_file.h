#pragma once

#include <filesystem>
#include <string>
#include <vector>

// A file of commands with what they must do:
//
//   # words for the reader
//   $ anemone --version
//   > anemone 0.1.0          a line of stdout
//   ! anemone: ...           a line of stderr
//   = 2                      the exit status, if it is not 0
//
// Commands run in a POSIX shell, one after another in one fresh folder, with $MODELS naming the
// shipped checkpoints. `>\` and `!\` begin a last line that does not end.
namespace anemone::tests {

struct Case {
  std::string words;  // comments and empty lines before it, as they stand
  std::string command;
  std::string out;
  std::string err;
  int status = 0;
  int line = 0;
};

std::vector<Case> parse_cases(const std::string& text);
std::string print_cases(const std::vector<Case>& cases);

// Runs each command; gives the cases as they really went.
std::vector<Case> run_cases(const std::vector<Case>& cases, const std::filesystem::path& folder,
                            const std::filesystem::path& tool, const std::filesystem::path& models);

}  // namespace anemone::tests
