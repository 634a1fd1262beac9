#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "anemone/checkpoint/checkpoint.h"

namespace anemone {

// What a Checkpoint shows; filled in by one of the loaders.
struct Checkpoint::State {
  std::filesystem::path path;
  std::filesystem::path folder;  // of the side files; empty for GGUF
  bool is_gguf = false;
  Json config = Json::object();
  std::string config_file;
  Json generation_config = Json::object();
  std::vector<CheckpointTensor> tensors;  // sorted by name
  std::optional<Vocabulary> vocabulary;
};

inline bool is_there(const std::filesystem::path& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

// A folder with config.json and safetensors.
Checkpoint load_hugging_face(const std::filesystem::path& folder);
// Sorts the tensors; names must differ.
Checkpoint make_checkpoint(Checkpoint::State state);

}  // namespace anemone
