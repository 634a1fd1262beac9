#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers as people read them. Units are decimal.
namespace anemone::cli {

std::string bytes_text(std::uint64_t bytes);    // "11.5 MB"
std::string count_text(std::uint64_t count);    // "5.77 M"
std::string grouped(std::uint64_t count);       // "5,771,520"
std::string seconds_text(double seconds);       // "0.034 s", "2 min 05 s"
std::string fixed(double value, int decimals);  // "12.3"
// "1 token", "2 tokens"
std::string plural(std::uint64_t count, std::string_view noun);

}  // namespace anemone::cli
