#include "anemone/cli/options.h"

#include <charconv>
#include <cmath>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/cli/nearest.h"

namespace anemone::cli {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(Code::kUsage, what); }

std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// "a, b or c"
std::string listed(std::span<const std::string_view> words) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    all += (i == 0 ? "" : i + 1 == words.size() ? " or " : ", ") + std::string(words[i]);
  }
  return all;
}

std::int64_t integer_in(const std::string& name, std::string_view value, std::int64_t low,
                        std::int64_t high, bool takes_auto) {
  const auto number = find_integer(value);
  if (!number || *number < low || *number > high) {
    const bool has_end = high < std::numeric_limits<std::int64_t>::max();
    refuse(name + " is " + in_quotes(value) + "; allowed: an integer " +
           (has_end ? "from " + std::to_string(low) + " to " + std::to_string(high)
                    : "of at least " + std::to_string(low)) +
           (takes_auto ? ", or auto" : ""));
  }
  return *number;
}

}  // namespace

std::optional<std::int64_t> find_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> find_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // Too small for a double is as good as zero; too large is no number.
    const bool is_small = std::abs(std::strtod(std::string(text).c_str(), nullptr)) < 1;
    return is_small ? std::optional(0.0) : std::nullopt;
  }
  if (error != std::errc()) return std::nullopt;
  return value;
}

Options::Option& Options::add(std::string_view spelling, std::string_view says,
                              std::function<void(std::string_view)> take) {
  Option option;
  const auto space = spelling.find(' ');
  option.name = spelling.substr(0, space);
  if (space != std::string_view::npos) option.value = spelling.substr(space + 1);
  option.says = says;
  option.take = std::move(take);
  options_.push_back(std::move(option));
  return options_.back();
}

void Options::flag(std::string_view spelling, bool& target, std::string_view says) {
  add(spelling, says, [&target](std::string_view) { target = true; });
}

void Options::text(std::string_view spelling, std::optional<std::string>& target,
                   std::string_view says) {
  add(spelling, says, [&target](std::string_view value) { target = std::string(value); });
}

void Options::texts(std::string_view spelling, std::vector<std::string>& target,
                    std::string_view says) {
  add(spelling, says, [&target](std::string_view value) {
    target.emplace_back(value);
  }).repeatable = true;
}

void Options::integer(std::string_view spelling, std::int64_t& target, std::int64_t low,
                      std::int64_t high, std::string_view says,
                      std::optional<std::int64_t> automatic) {
  const std::string name(spelling.substr(0, spelling.find(' ')));
  add(spelling, says, [=, &target](std::string_view value) {
    target = automatic && value == "auto"
                 ? *automatic
                 : integer_in(name, value, low, high, automatic.has_value());
  });
}

void Options::integer(std::string_view spelling, std::optional<std::int64_t>& target,
                      std::int64_t low, std::int64_t high, std::string_view says) {
  const std::string name(spelling.substr(0, spelling.find(' ')));
  add(spelling, says,
      [=, &target](std::string_view value) { target = integer_in(name, value, low, high, false); });
}

void Options::number(std::string_view spelling, std::optional<double>& target,
                     std::string_view says) {
  const std::string name(spelling.substr(0, spelling.find(' ')));
  add(spelling, says, [=, &target](std::string_view value) {
    target = find_number(value);
    if (!target) refuse(name + " is " + in_quotes(value) + "; allowed: a number");
  });
}

void Options::choice(std::string_view spelling, std::string& target,
                     std::initializer_list<std::string_view> words, std::string_view says) {
  const std::string name(spelling.substr(0, spelling.find(' ')));
  std::vector<std::string_view> allowed(words);
  add(spelling, says, [name, allowed, &target](std::string_view value) {
    if (std::find(allowed.begin(), allowed.end(), value) == allowed.end()) {
      refuse(name + " is " + in_quotes(value) + "; allowed: " + listed(allowed));
    }
    target = std::string(value);
  });
}

void Options::custom(std::string_view spelling, bool repeatable, std::string_view says,
                     std::function<void(std::string_view)> take) {
  add(spelling, says, std::move(take)).repeatable = repeatable;
}

void Options::operand(std::string_view name, std::string& target, bool is_required) {
  operands_.push_back({std::string(name), &target, is_required});
}

Options::Option& Options::option_named(const std::string& name) {
  std::vector<std::string_view> names;
  for (Option& option : options_) {
    if (option.name == name) return option;
    names.push_back(option.name);
  }
  names.push_back("--help");
  refuse("there is no option " + in_quotes(name) + suggestion(name, names));
}

bool Options::parse(const Console& console, Arguments arguments) {
  bool options_end = false;
  std::size_t operands = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    if (options_end || argument.size() < 2 || argument[0] != '-') {
      if (operands == operands_.size()) {
        refuse(in_quotes(argument) + " is one argument too many");
      }
      *operands_[operands++].target = argument;
      continue;
    }
    if (argument == "--") {
      options_end = true;
      continue;
    }
    if (argument == "--help" || argument == "-h") {
      console.out << help();
      console.flush_out();
      return false;
    }
    const auto equals = argument.starts_with("--") ? argument.find('=') : std::string::npos;
    Option& option = option_named(argument.substr(0, equals));
    if (option.is_given && !option.repeatable) refuse(option.name + " is given twice");
    option.is_given = true;
    if (option.value.empty()) {
      if (equals != std::string::npos) refuse(option.name + " takes no value");
      option.take("");
    } else if (equals != std::string::npos) {
      option.take(std::string_view(argument).substr(equals + 1));
    } else if (i + 1 < arguments.size()) {
      option.take(arguments[++i]);
    } else {
      refuse(option.name + " needs a value: " + option.name + " " + option.value);
    }
  }
  if (operands < operands_.size() && operands_[operands].is_required) {
    refuse("missing: " + operands_[operands].name);
  }
  return true;
}

std::string Options::help() const {
  std::string text =
      "usage: anemone " + std::string(command_.name) + " " + std::string(command_.usage) + "\n";
  if (!about_.empty()) text += about_ + "\n";
  text += "\n";
  const auto left = [](const Option& option) {
    return option.value.empty() ? option.name : option.name + " " + option.value;
  };
  std::size_t width = std::string_view("--help").size();
  for (const Option& option : options_) width = std::max(width, left(option).size());
  const auto line = [&](const std::string& spelling, const std::string& says) {
    text += "  " + spelling + std::string(width - spelling.size() + 2, ' ') + says + "\n";
  };
  for (const Option& option : options_) line(left(option), option.says);
  line("--help", "this text");
  if (!example_.empty()) text += "\nexample: " + example_ + "\n";
  return text;
}

}  // namespace anemone::cli
