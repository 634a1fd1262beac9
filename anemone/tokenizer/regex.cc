#include "anemone/tokenizer/regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

// A step is one try of PCRE2's matcher. Patterns that people use need a few a character.
constexpr std::uint64_t kBaseSteps = 10'000'000;
constexpr std::uint64_t kStepsPerByte = 64;
constexpr std::size_t kMaxPatternBytes = 1u << 16;
constexpr std::size_t kMinStackBytes = 32u << 10, kMaxStackBytes = 8u << 20;
constexpr std::uint32_t kMaxHeapKib = 512u
                                      << 10;  // the interpreter's, where the JIT stack is too small

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* p) const {
    Free(p);
  }
};

// What a match writes to: one per thread, shared by all patterns.
struct Scratch {
  std::unique_ptr<pcre2_match_data, Freed<pcre2_match_data_free>> match{
      pcre2_match_data_create(1, nullptr)};
  std::unique_ptr<pcre2_jit_stack, Freed<pcre2_jit_stack_free>> stack{
      pcre2_jit_stack_create(kMinStackBytes, kMaxStackBytes, nullptr)};
  std::unique_ptr<pcre2_match_context, Freed<pcre2_match_context_free>> context{
      pcre2_match_context_create(nullptr)};

  Scratch() {
    ANEMONE_CHECK(match && context) << "out of memory";
    if (stack) pcre2_jit_stack_assign(context.get(), nullptr, stack.get());
    pcre2_set_heap_limit(context.get(), kMaxHeapKib);
  }
};

std::string pcre2_words(int error) {
  PCRE2_UCHAR words[256];
  pcre2_get_error_message(error, words, sizeof words);
  return reinterpret_cast<const char*>(words);
}

using CodePointer = std::unique_ptr<pcre2_code, Freed<pcre2_code_free>>;

}  // namespace

struct Regex::Compiled {
  CodePointer code;
  std::string name;  // file, place and pattern, for messages
};

namespace {

CodePointer compile_pcre2(std::string_view pattern, std::uint32_t options,
                          const std::string& name) {
  const std::unique_ptr<pcre2_compile_context, Freed<pcre2_compile_context_free>> context(
      pcre2_compile_context_create(nullptr));
  ANEMONE_CHECK(context) << "out of memory";
  pcre2_set_newline(context.get(), PCRE2_NEWLINE_LF);
  pcre2_set_bsr(context.get(), PCRE2_BSR_UNICODE);
  int error = 0;
  PCRE2_SIZE at = 0;
  CodePointer code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                                 options | PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error,
                                 &at, context.get()));
  if (!code)
    throw Error(Code::kBadInput, name + " is no regular expression: " + pcre2_words(error));
  // Without JIT (a machine that has none) the interpreter does the same, slower.
  pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
  return code;
}

}  // namespace

Regex Regex::compile(std::string_view pattern, std::string_view what) {
  if (pattern.size() > kMaxPatternBytes) {
    throw Error(Code::kLimit, std::string(what) + ": a pattern of " +
                                  std::to_string(pattern.size()) + " bytes; at most " +
                                  std::to_string(kMaxPatternBytes) + " are allowed");
  }
  std::string name = std::string(what) + ": the pattern '" + std::string(pattern) + "'";
  auto code = compile_pcre2(translate_regex(pattern, name), 0, name);
  return Regex(std::make_shared<const Compiled>(Compiled{std::move(code), std::move(name)}));
}

Regex Regex::literal(std::string_view text) {
  std::string name = "the text '" + std::string(text) + "'";
  auto code = compile_pcre2(text, PCRE2_LITERAL, name);
  return Regex(std::make_shared<const Compiled>(Compiled{std::move(code), std::move(name)}));
}

std::optional<Regex::Match> Regex::find(std::string_view text, std::size_t from) const {
  thread_local Scratch scratch;
  const std::uint64_t steps = kBaseSteps + kStepsPerByte * text.size();
  pcre2_set_match_limit(scratch.context.get(),
                        static_cast<std::uint32_t>(std::min<std::uint64_t>(steps, 0xFFFFFFFFu)));
  const auto run = [&](std::uint32_t options) {
    return pcre2_match(code_->code.get(), reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                       from, options, scratch.match.get(), scratch.context.get());
  };
  int result = run(PCRE2_NO_UTF_CHECK);
  if (result == PCRE2_ERROR_JIT_STACKLIMIT) result = run(PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT);
  if (result == PCRE2_ERROR_NOMATCH) return std::nullopt;
  if (result < 0) {
    throw Error(Code::kLimit, code_->name + " cannot be matched against a text of " +
                                  std::to_string(text.size()) + " bytes: " + pcre2_words(result));
  }
  const PCRE2_SIZE* span = pcre2_get_ovector_pointer(scratch.match.get());
  // \K in a look-around can turn a match inside out; such a match takes nothing.
  return Match{span[0], std::max(span[0], span[1])};
}

std::size_t Regex::next_start(std::string_view text, std::size_t at) {
  return at + utf8_length(text[at]);
}

}  // namespace anemone
