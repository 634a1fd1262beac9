#include "anemone/cli/console.h"

#include "anemone/base/error.h"

namespace anemone::cli {

void Console::flush_out() const {
  out.flush();
  if (!out) throw Error(Code::kIo, "standard output cannot be written to");
}

void Console::print(const OrderedJson& json) const { out << to_line(json) << '\n'; }

}  // namespace anemone::cli
