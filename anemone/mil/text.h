#pragma once

#include <string>
#include <string_view>

#include "anemone/mil/program.h"

namespace anemone::mil {

struct PrintOptions {
  // Constants of more elements than this print as a summary, "tensor<fp16, [1024, 1024]>(...)",
  // which does not parse back; negative prints everything in full.
  std::int64_t max_elements = -1;
  // False leaves `const` ops out and spells small constants where they are used (larger ones keep
  // their name); such a text is for reading and does not parse back.
  bool show_constants = true;
};

// The program as text, in the manner of Core ML's own .mil files (docs/formats/mil-text.md has the
// grammar). print -> parse -> print gives the same text, and every constant the same bits (with
// max_elements negative and show_constants true).
std::string print(const Program& program, const PrintOptions& options = {});
std::string print(const Function& function, const PrintOptions& options = {});

// Throws Error(kBadInput) with `what`, line and column. Nothing is inferred beyond what the text
// says: run verify() on the result.
Program parse(std::string_view text, std::string_view what);

}  // namespace anemone::mil
