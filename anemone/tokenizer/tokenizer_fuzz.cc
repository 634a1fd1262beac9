#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/tokenizer/tokenizer.h"
#include "anemone/tokenizer/utf8.h"

// A file from a stranger; a text with a bit of everything, half a character among it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using anemone::StreamDecoder;
  using anemone::Tokenizer;
  constexpr std::string_view kText =
      "Hello <s>w\xC3\xB6rld</s>\xE2\x82 12,345 e\xCC\x81\n\n  \t\xE2\x96\x81 \xE4\xB8\xAD don't "
      "<|im_end|>\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7  aaaa ";
  try {
    const auto tokenizer =
        Tokenizer::from_json({reinterpret_cast<const char*>(data), size}, "tokenizer.json");
    for (const bool parse_special : {true, false}) {
      const auto ids = tokenizer.encode(kText, {.parse_special = parse_special});
      for (const bool skip_special : {true, false}) {
        StreamDecoder stream(tokenizer, {.skip_special = skip_special});
        std::string text;
        for (const int id : ids) {
          text += stream.push(id);
          ANEMONE_CHECK(anemone::is_utf8(text));
        }
        text += stream.flush();
        ANEMONE_CHECK(text == tokenizer.decode(ids, {.skip_special = skip_special}));
        ANEMONE_CHECK(anemone::is_utf8(text));
      }
    }
  } catch (const anemone::Error&) {
  }
  return 0;
}
