#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/mil/text.h"

// Whatever parses prints, parses again to the same text.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace mil = anemone::mil;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  mil::Program program;
  try {
    program = mil::parse(text, "fuzz");
  } catch (const anemone::Error&) {
    return 0;
  }
  const std::string printed = mil::print(program);
  ANEMONE_CHECK(mil::print(mil::parse(printed, "again")) == printed);
  return 0;
}
