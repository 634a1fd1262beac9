#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/checkpoint/checkpoint.h"

namespace anemone {

struct SafetensorsFile {
  std::vector<CheckpointTensor> tensors;  // in the order of their bytes
  std::map<std::string, std::string> metadata;
};

// Reads and checks the header; the tensors are windows on `bytes`. `file` names it in messages.
// Throws Error(kBadInput) for what the reference implementation refuses too: a header that is not
// what the format says, and tensors that do not cover the data section exactly once.
SafetensorsFile read_safetensors(const std::shared_ptr<const Bytes>& bytes,
                                 const std::string& file);

}  // namespace anemone
