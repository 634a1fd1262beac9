#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "anemone/coreml/coreml.h"

namespace anemone::coreml {

// A package in the form that Core ML loads.
struct Compiled {
  std::filesystem::path path = {};      // NAME.mlmodelc
  std::optional<double> seconds = {};   // what compiling took; absent if it had been done before
  std::optional<Failure> failure = {};  // then the rest is empty
};

// Finds the compiled form of the package as it is now, in the folder that `options` name, or makes
// it. Its path depends on where the package lies and on the sizes and times of its files; what an
// earlier state of the package left there goes. Throws Error if a folder cannot be written.
Compiled compiled_package(const std::filesystem::path& package, const Options& options);

// The Error that stands for a Failure; `where` says whose: "x.mlpackage: function 'decode'".
[[noreturn]] void throw_failure(const std::string& where, Failure failure);

}  // namespace anemone::coreml
