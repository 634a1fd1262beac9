#include "anemone/base/error.h"
#include "anemone/tokenizer/tokenizer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using anemone::Tokenizer;
  try {
    const auto tokenizer =
        Tokenizer::from_json({reinterpret_cast<const char*>(data), size}, "tokenizer.json");
    const auto ids = tokenizer.encode("Hello <s>w\xC3\xB6rld\xE2\x82 12 \n");
    tokenizer.decode(ids);
  } catch (const anemone::Error&) {
  }
  return 0;
}
