#include "anemone/cli/words.h"

#include <cstdio>

namespace anemone::cli {
namespace {

// Three digits that matter, and a unit.
std::string scaled(double value, const char* const* units) {
  while (value >= 999.5 && units[1]) {
    value /= 1000;
    ++units;
  }
  return fixed(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + " " + *units;
}

}  // namespace

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*f", decimals, value);
  return text;
}

std::string bytes_text(std::uint64_t bytes) {
  static constexpr const char* kUnits[] = {"bytes", "kB", "MB", "GB", "TB", nullptr};
  if (bytes < 1000) return std::to_string(bytes) + (bytes == 1 ? " byte" : " bytes");
  return scaled(static_cast<double>(bytes), kUnits);
}

std::string count_text(std::uint64_t count) {
  static constexpr const char* kUnits[] = {"", "k", "M", "G", "T", nullptr};
  if (count < 1000) return std::to_string(count);
  return scaled(static_cast<double>(count), kUnits);
}

std::string grouped(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

std::string seconds_text(double seconds) {
  if (seconds < 1) return fixed(seconds, 3) + " s";
  if (seconds < 9.95) return fixed(seconds, 1) + " s";
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  if (whole < 120) return std::to_string(whole) + " s";
  const std::string rest = std::to_string(whole % 60);
  return std::to_string(whole / 60) + " min " + (rest.size() < 2 ? "0" : "") + rest + " s";
}

std::string plural(std::uint64_t count, std::string_view noun) {
  return grouped(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

}  // namespace anemone::cli
