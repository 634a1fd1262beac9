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
  // Makes SIGINT and its like set `stop` from now on; until then they end the process at once.
  void (*catch_signals)() = nullptr;

  // To be called before work that has something to clean up, and after the last read of standard
  // input, which no flag could end.
  void stop_gently() const {
    if (catch_signals) catch_signals();
  }
  // Writes what was printed so far. Throws Error(kIo) if the system refuses it, a full disk say.
  void flush_out() const;
  // One object a line, always valid UTF-8.
  void print(const OrderedJson& json) const;
};

}  // namespace anemone::cli
