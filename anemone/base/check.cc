#include "anemone/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace anemone::internal {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  words_ << file << ':' << line << ": check failed: " << condition << ' ';
}

CheckFailure::~CheckFailure() {
  std::fprintf(stderr, "%s\n", words_.str().c_str());
  std::abort();
}

}  // namespace anemone::internal
