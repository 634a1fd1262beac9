#include "anemone/checkpoint/checkpoint.h"

#include <algorithm>

#include "anemone/base/check.h"
#include "anemone/checkpoint/checkpoint_state.h"
#include "anemone/checkpoint/gguf.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    names.push_back(it->path().filename().string());
  }
  if (failed) {
    throw Error(Code::kIo, folder.string() + ": cannot be listed: " + failed.message());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Files that are one model: a single file, or the parts of one split model, of which the first
// counts.
std::vector<std::string> gguf_models(const std::vector<std::string>& files) {
  std::vector<std::string> models;
  for (const std::string& name : files) {
    if (!name.ends_with(".gguf")) continue;
    const auto of = name.rfind("-of-");
    const bool later_part = of != std::string::npos && of >= 6 && name.size() == of + 14 &&
                            name.substr(of - 6, 6) != "-00001";
    if (!later_part) models.push_back(name);
  }
  return models;
}

Checkpoint load_gguf_file(const fs::path& path) { return gguf_checkpoint(path, load_gguf(path)); }

Checkpoint load_folder(const fs::path& folder) {
  if (is_there(folder / "model.safetensors") || is_there(folder / "model.safetensors.index.json")) {
    return load_hugging_face(folder);
  }
  const std::vector<std::string> files = files_of(folder);
  std::vector<std::string> weights;
  for (const std::string& name : files) {
    if (name.ends_with(".safetensors") || name.ends_with(".bin") || name.ends_with(".pth") ||
        name.ends_with(".pt") || name.ends_with(".gguf")) {
      weights.push_back(name);
    }
  }
  const bool has_safetensors = std::any_of(files.begin(), files.end(), [](const std::string& name) {
    return name.ends_with(".safetensors");
  });
  const std::vector<std::string> models = gguf_models(files);
  if (models.size() == 1 && !has_safetensors) return load_gguf_file(folder / models[0]);
  if (models.size() > 1 && !has_safetensors) {
    throw Error(Code::kBadInput, folder.string() + ": holds more than one GGUF model (" +
                                     listed(models) + "); name the one that is meant");
  }
  throw Error(
      Code::kNotFound,
      folder.string() +
          ": holds no model.safetensors, no model.safetensors.index.json and no .gguf file" +
          (weights.empty() ? "" : " (found: " + listed(weights) + ")"));
}

}  // namespace

std::int64_t CheckpointTensor::columns() const { return shape.empty() ? 1 : shape.back(); }

std::int64_t CheckpointTensor::rows() const {
  std::int64_t rows = 1;
  for (std::size_t i = 0; i + 1 < shape.size(); ++i) rows *= shape[i];
  return rows;
}

Checkpoint Checkpoint::load(const fs::path& path) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) {
    throw Error(Code::kNotFound, path.string() + ": does not exist");
  }
  if (!fs::status_known(status)) {
    throw Error(Code::kIo, path.string() + ": cannot be looked at: " + failed.message());
  }
  if (fs::is_directory(status)) return load_folder(path);
  if (path.extension() == ".safetensors" || path.filename() == "config.json" ||
      path.filename() == "model.safetensors.index.json") {
    throw Error(Code::kUsage,
                path.string() + ": is one file of a checkpoint; name the folder that holds it");
  }
  return load_gguf_file(path);
}

Checkpoint make_checkpoint(Checkpoint::State state) {
  std::sort(state.tensors.begin(), state.tensors.end(),
            [](const CheckpointTensor& a, const CheckpointTensor& b) { return a.name < b.name; });
  for (std::size_t i = 1; i < state.tensors.size(); ++i) {
    const CheckpointTensor& tensor = state.tensors[i];
    const CheckpointTensor& before = state.tensors[i - 1];
    if (tensor.name == before.name) {
      bad_input(tensor.file + ": tensor " + in_quotes(tensor.stored_name) + " stands for " +
                in_quotes(tensor.name) + ", as does " + in_quotes(before.stored_name) +
                (before.file == tensor.file ? "" : " of " + before.file));
    }
  }
  return Checkpoint(std::make_shared<const Checkpoint::State>(std::move(state)));
}

bool Checkpoint::is_gguf() const { return state_->is_gguf; }
const fs::path& Checkpoint::path() const { return state_->path; }
const Json& Checkpoint::config() const { return state_->config; }
const std::string& Checkpoint::config_file() const { return state_->config_file; }
const Json& Checkpoint::generation_config() const { return state_->generation_config; }
std::span<const CheckpointTensor> Checkpoint::tensors() const { return state_->tensors; }
const std::optional<Vocabulary>& Checkpoint::vocabulary() const { return state_->vocabulary; }

const CheckpointTensor* Checkpoint::find(std::string_view name) const {
  const auto& all = state_->tensors;
  const auto it =
      std::lower_bound(all.begin(), all.end(), name,
                       [](const CheckpointTensor& t, std::string_view n) { return t.name < n; });
  return it != all.end() && it->name == name ? &*it : nullptr;
}

std::optional<fs::path> Checkpoint::side_file(std::string_view file_name) const {
  ANEMONE_CHECK(file_name.find('/') == std::string_view::npos) << file_name;
  if (state_->folder.empty()) return std::nullopt;
  fs::path path = state_->folder / file_name;
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  return path;
}

}  // namespace anemone
