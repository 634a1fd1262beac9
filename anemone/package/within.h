#pragma once

#include <string>
#include <string_view>

#include "anemone/base/error.h"
#include "anemone/base/printable.h"

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

// A stranger's text or name, fit for a message: bounded, on one line.
inline std::string in_quotes(std::string_view text) { return "'" + printable(text, 256) + "'"; }
inline std::string shown(std::string_view name) { return "'" + printable(name, 80) + "'"; }

}  // namespace anemone::package
