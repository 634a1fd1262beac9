#include "anemone/base/progress.h"

#include "anemone/base/error.h"

namespace anemone {

void StopFlag::throw_if_set() const {
  if (is_set()) throw Error(Code::kInterrupted, "interrupted");
}

}  // namespace anemone
