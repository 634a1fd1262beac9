#pragma once

#include <vector>

#include "anemone/tokenizer/tokenizer_file.h"

namespace anemone {

// The ids that a post-processor puts around one text.
struct Surroundings {
  std::vector<int> before, after;
};
Surroundings read_post_processor(const Fields& fields);

}  // namespace anemone
