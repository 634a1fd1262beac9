#pragma once

#include <string>

#include "anemone/base/error.h"

// Helpers that only tests include.
namespace anemone::testing {

// "bad-input: what the error says", or "" if nothing was thrown.
template <typename Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return std::string(name(error.code())) + ": " + error.what();
  }
  return "";
}

}  // namespace anemone::testing
