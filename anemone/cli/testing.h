#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"

// For tests alone.
namespace anemone::cli {

struct Outcome {
  int status = 0;
  std::string out;
  std::string err;  // of an Error "code: message", as main.cc would put into its own words
};

// Runs a command as the tool would, with strings for streams.
inline Outcome run_command(std::string_view name, const std::vector<std::string>& arguments,
                           const std::string& in = "", StopFlag* stop = nullptr) {
  StopFlag never;
  std::istringstream input(in);
  std::ostringstream out, err;
  const Console console{.in = input, .out = out, .err = err, .stop = stop ? stop : &never};
  Outcome outcome;
  try {
    outcome.status = command_named(name).run(console, arguments);
  } catch (const Error& error) {
    outcome.status = exit_status(error.code());
    err << anemone::name(error.code()) << ": " << error.what();
  }
  outcome.out = out.str();
  outcome.err = err.str();
  return outcome;
}

// The checkpoint that the repository ships.
inline std::string tiny_checkpoint() { return ANEMONE_MODELS_DIR "/tiny-qwen3"; }

}  // namespace anemone::cli
