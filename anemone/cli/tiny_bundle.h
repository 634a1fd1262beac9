#pragma once

#include <string>
#include <vector>

// For tests alone: the shipped checkpoint, converted.
namespace anemone::cli {

// Converts with these options beside CHECKPOINT and -o; must succeed.
void convert_tiny(const std::string& output, std::vector<std::string> options);

// In two parts with a context of 64, made once for the whole test program.
const std::string& tiny_bundle();

}  // namespace anemone::cli
