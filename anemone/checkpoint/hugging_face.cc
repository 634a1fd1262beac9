#include <algorithm>
#include <set>

#include "anemone/base/files.h"
#include "anemone/checkpoint/checkpoint_state.h"
#include "anemone/checkpoint/safetensors.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

namespace fs = std::filesystem;

using Shards = std::map<std::string, std::vector<std::string>>;  // file -> tensors it should hold

Json load_object(const fs::path& path) {
  Json json = load_json(path);
  if (!json.is_object()) {
    bad_input(path.string() + ": is of type " + std::string(json.type_name()) +
              "; allowed: object");
  }
  return json;
}

// A name that stays in the folder.
bool is_plain_file_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." &&
         name.find_first_of(std::string_view("/\\\0", 3)) == std::string::npos;
}

// Source: transformers 5.24.0, modeling_utils.py and utils/hub.py (get_checkpoint_shard_files).
Shards read_index(const fs::path& path) {
  const Json index = load_object(path);
  const auto map = index.find("weight_map");
  if (map == index.end() || !map->is_object()) {
    bad_input(path.string() + ": 'weight_map' is " +
              (map == index.end() ? "missing" : "of type " + std::string(map->type_name())) +
              "; allowed: an object of tensor names and file names");
  }
  Shards shards;
  for (const auto& [tensor, file] : map->items()) {
    if (!file.is_string()) {
      bad_input(path.string() + ": 'weight_map' gives tensor " + in_quotes(tensor) +
                " a value of type " + file.type_name() + "; allowed: a file name");
    }
    const auto& name = file.get_ref<const std::string&>();
    if (!is_plain_file_name(name)) {
      bad_input(path.string() + ": 'weight_map' puts tensor " + in_quotes(tensor) + " into " +
                in_quotes(name) + "; allowed: the name of a file in the same folder");
    }
    shards[name].push_back(tensor);
  }
  if (shards.empty()) bad_input(path.string() + ": 'weight_map' is empty");
  return shards;
}

struct Opened {
  std::map<std::string, SafetensorsFile> files;
  std::vector<std::string> complaints;
  std::vector<Code> codes;
};

// Opens every shard before it complains of any, so that one message names them all.
Opened open_all(const fs::path& folder, const Shards& shards) {
  Opened opened;
  for (const auto& [name, tensors] : shards) {
    const fs::path path = folder / name;
    try {
      opened.files[name] = read_safetensors(std::make_shared<MappedFile>(path), path.string());
    } catch (const Error& error) {
      opened.codes.push_back(error.code());
      opened.complaints.push_back(
          error.code() == Code::kNotFound ? path.string() + ": does not exist" : error.what());
    }
  }
  return opened;
}

std::vector<CheckpointTensor> load_shards(const fs::path& folder, const fs::path& index) {
  const Shards shards = read_index(index);
  Opened opened = open_all(folder, shards);
  if (!opened.complaints.empty()) {
    std::string all;
    for (const std::string& one : opened.complaints) all += (all.empty() ? "" : "; ") + one;
    const bool none_there = std::all_of(opened.codes.begin(), opened.codes.end(),
                                        [](Code code) { return code == Code::kNotFound; });
    throw Error(none_there ? Code::kNotFound : Code::kBadInput,
                index.string() + ": of the " + std::to_string(shards.size()) + " files it names, " +
                    std::to_string(opened.complaints.size()) + " cannot be used: " + all);
  }

  std::map<std::string, std::string> holder;  // tensor -> shard
  for (const auto& [name, file] : opened.files) {
    for (const CheckpointTensor& tensor : file.tensors) holder.emplace(tensor.name, name);
  }
  std::map<std::string, std::string> promised;
  for (const auto& [name, tensors] : shards) {
    std::set<std::string_view> held;
    for (const CheckpointTensor& tensor : opened.files[name].tensors) held.insert(tensor.name);
    for (const std::string& tensor : tensors) {
      promised.emplace(tensor, name);
      if (held.contains(tensor)) continue;
      const auto other = holder.find(tensor);
      bad_input(
          index.string() + ": puts tensor " + in_quotes(tensor) + " into " + in_quotes(name) +
          ", but " +
          (other == holder.end() ? "no file holds it" : "it is in " + in_quotes(other->second)));
    }
  }
  // A tensor that the index does not list is handed on too: it may be one that is needed, and one
  // that is not is for the architecture to refuse.
  std::vector<CheckpointTensor> all;
  for (auto& [name, file] : opened.files) {
    for (CheckpointTensor& tensor : file.tensors) {
      const auto place = promised.find(tensor.name);
      if (place == promised.end() || place->second == name) all.push_back(std::move(tensor));
    }
  }
  return all;
}

}  // namespace

Checkpoint load_hugging_face(const fs::path& folder) {
  Checkpoint::State state;
  state.path = folder;
  state.folder = folder;
  const fs::path config = folder / "config.json";
  if (!is_there(config)) {
    throw Error(Code::kNotFound, folder.string() + ": holds no config.json");
  }
  state.config = load_object(config);
  state.config_file = config.string();
  const fs::path generation = folder / "generation_config.json";
  if (is_there(generation)) state.generation_config = load_object(generation);

  const fs::path single = folder / "model.safetensors";
  if (is_there(single)) {
    state.tensors = read_safetensors(std::make_shared<MappedFile>(single), single.string()).tensors;
  } else {
    state.tensors = load_shards(folder, folder / "model.safetensors.index.json");
  }
  return make_checkpoint(std::move(state));
}

}  // namespace anemone
