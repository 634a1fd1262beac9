#pragma once

#include <string>
#include <string_view>

#include "anemone/base/error.h"

namespace anemone::package {

// Runs `work`; an Error that leaves it gets `where()` put before its message. Costs nothing while
// all goes well, so that places need not be spelled out for things that are in order.
template <typename Where, typename Work>
decltype(auto) within(const Where& where, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw Error(error.code(), where() + ": " + error.what());
  }
}

inline std::string in_quotes(std::string_view text) { return "'" + std::string(text) + "'"; }

// A stranger's name, fit for a message: bounded, in quotes.
inline std::string shown(std::string_view name) {
  constexpr std::size_t kMost = 80;
  return in_quotes(name.size() <= kMost ? std::string(name)
                                        : std::string(name.substr(0, kMost)) + "...");
}

}  // namespace anemone::package
