#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anemone/checkpoint/checkpoint.h"

namespace anemone::converter {

// What a bundle carries beside its packages, as texts to be written.
struct SideFiles {
  std::vector<std::pair<std::string, std::string>> files;  // name, contents
  bool has_tokenizer = false;
  int tokenizer_size = 0;  // 1 + the highest id
  std::optional<int> bos_token_id;
  std::vector<int> eos_token_ids;  // rising, each once
  std::vector<std::string> warnings;
};

// Collects tokenizer, template and generation config. A checkpoint without a tokenizer, or with one
// of a kind that is not known, is a warning; a tokenizer that breaks its own format is an Error.
SideFiles read_side_files(const Checkpoint& checkpoint, std::string_view pre_tokenizer);

}  // namespace anemone::converter
