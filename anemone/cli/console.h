#pragma once

#include <istream>
#include <ostream>
#include <string_view>

#include "anemone/base/json.h"
#include "anemone/base/progress.h"

namespace anemone::cli {

// Where a command reads and writes: results to `out`, words to `err`. Tests give it strings.
struct Console {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool err_is_terminal = false;
  int err_columns = 80;
  StopFlag* stop = nullptr;  // set when the user asks to stop; never null for a running command

  // Writes what was printed so far. Throws Error(kIo) if the system refuses it, a full disk say.
  void flush_out() const;
  // One object a line, always valid UTF-8.
  void print(const OrderedJson& json) const;
};

}  // namespace anemone::cli
