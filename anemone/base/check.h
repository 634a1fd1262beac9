#pragma once

#include <sstream>

// ANEMONE_CHECK(condition) << "words": our own invariant. On in release too; aborts with file,
// line, condition and words. Never on outside data: that is Error's.
#define ANEMONE_CHECK(condition) \
  if (condition) [[likely]] {    \
  } else                         \
    ::anemone::internal::CheckFailure(__FILE__, __LINE__, #condition).words()

#ifdef NDEBUG
#define ANEMONE_DCHECK(condition) \
  if (true) {                     \
  } else                          \
    ::anemone::internal::CheckFailure(__FILE__, __LINE__, #condition).words()
#else
#define ANEMONE_DCHECK(condition) ANEMONE_CHECK(condition)
#endif

namespace anemone::internal {

class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  [[noreturn]] ~CheckFailure();
  std::ostream& words() { return words_; }

 private:
  std::ostringstream words_;
};

}  // namespace anemone::internal
