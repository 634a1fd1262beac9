#pragma once

#include <filesystem>
#include <fstream>
#include <istream>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/cli/console.h"
#include "anemone/tokenizer/tokenizer.h"

namespace anemone::cli {

// Token ids out of a text: integers separated by white space or commas, or one JSON array of them.
// `what` (a file or an option) starts the message of the Error(kBadInput) that anything else is.
std::vector<int> parse_ids(std::string_view text, std::string_view what);

// A whole file or pipe; "-" is standard input. Throws Error(kLimit) beyond 1 GiB.
std::string read_input(const Console& console, const std::string& path);

// The lines of a file, one after another; "-" is standard input.
class LineReader {
 public:
  LineReader(const Console& console, const std::string& path);
  // False at the end.
  bool next(std::string& line);
  // All that is left. Throws Error(kLimit) beyond 1 GiB.
  std::string rest();
  // "FILE: line 3", for messages.
  std::string where() const;
  bool is_standard_input() const { return path_ == "-"; }

 private:
  std::string name() const;
  std::string path_;
  std::ifstream file_;
  std::istream* from_;
  std::uint64_t number_ = 0;
};

// The tokenizer of whatever `path` is: a checkpoint's folder, a GGUF file, a bundle, or a
// tokenizer.json itself. `pre_tokenizer` is for GGUF files whose own is not known. Throws Error.
Tokenizer load_tokenizer(const std::filesystem::path& path, std::string_view pre_tokenizer = "");

}  // namespace anemone::cli
