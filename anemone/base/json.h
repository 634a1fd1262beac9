#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace anemone {

using Json = nlohmann::json;
// Keeps keys in the order they were written in.
using OrderedJson = nlohmann::ordered_json;

// Parses strangers' JSON: bounded depth (512), valid UTF-8, the whole text. Throws Error(kBadInput)
// that starts with `what` (a file's name) and gives line and column. A repeated key is refused.
Json parse_json(std::string_view text, std::string_view what);
Json load_json(const std::filesystem::path& path);

// One line, always valid UTF-8: broken bytes become U+FFFD.
std::string to_line(const Json& json);
std::string to_line(const OrderedJson& json);

}  // namespace anemone
