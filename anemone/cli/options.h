#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/cli/command.h"

namespace anemone::cli {

// The options of one command: the only list, from which parsing, checks and --help come. A value is
// what follows in the next argument or behind '=', whatever it begins with; "--" ends the options;
// an option given twice is refused unless it may be repeated.
class Options {
 public:
  explicit Options(const Command& command) : command_(command) {}

  // `spelling` is the option with its value's name: "--context N", "-o OUT". Ranges and defaults
  // belong into `says`, where the reader looks for them.
  void flag(std::string_view spelling, bool& target, std::string_view says);
  void text(std::string_view spelling, std::optional<std::string>& target, std::string_view says);
  void texts(std::string_view spelling, std::vector<std::string>& target, std::string_view says);
  // With `automatic` the word "auto" is taken too, and leaves `target` at that value.
  void integer(std::string_view spelling, std::int64_t& target, std::int64_t low, std::int64_t high,
               std::string_view says, std::optional<std::int64_t> automatic = std::nullopt);
  void integer(std::string_view spelling, std::optional<std::int64_t>& target, std::int64_t low,
               std::int64_t high, std::string_view says);
  void number(std::string_view spelling, std::optional<double>& target, std::string_view says);
  void choice(std::string_view spelling, std::string& target,
              std::initializer_list<std::string_view> words, std::string_view says);
  // Whatever else: `take` throws Error(kUsage) for a value that it cannot take.
  void custom(std::string_view spelling, bool repeatable, std::string_view says,
              std::function<void(std::string_view value)> take);

  // What must, or may, stand on the command line beside the options; the optional ones last.
  void operand(std::string_view name, std::string& target, bool is_required = true);
  void about(std::string_view sentence) { about_ = sentence; }
  void example(std::string_view line) { example_ = line; }

  // False if help was asked for, which then was printed. Throws Error(kUsage).
  bool parse(const Console& console, Arguments arguments);
  std::string help() const;

 private:
  struct Option {
    std::string name;   // "--context"
    std::string value;  // "N"; empty for a flag
    std::string says;
    bool repeatable = false;
    bool is_given = false;
    std::function<void(std::string_view)> take;
  };
  struct Operand {
    std::string name;
    std::string* target;
    bool is_required;
  };

  Option& add(std::string_view spelling, std::string_view says,
              std::function<void(std::string_view)> take);
  Option& option_named(const std::string& name);

  const Command& command_;
  std::string about_;
  std::string example_;
  std::vector<Option> options_;
  std::vector<Operand> operands_;
};

// The whole of `text` as a number; absent if it is none.
std::optional<std::int64_t> find_integer(std::string_view text);
std::optional<double> find_number(std::string_view text);

}  // namespace anemone::cli
