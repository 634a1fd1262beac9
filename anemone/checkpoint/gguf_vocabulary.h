#pragma once

#include <optional>

#include "anemone/base/vocabulary.h"
#include "anemone/checkpoint/gguf.h"

namespace anemone {

// The tokenizer.ggml.* keys and the chat template; absent if the file has no tokenizer.
std::optional<Vocabulary> gguf_vocabulary(const GgufMetadata& metadata);

}  // namespace anemone
