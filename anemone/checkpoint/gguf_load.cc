#include <algorithm>
#include <set>

#include "anemone/checkpoint/checkpoint_state.h"
#include "anemone/checkpoint/gguf.h"
#include "anemone/checkpoint/words.h"

namespace anemone {
namespace {

// A split model's parts are called PREFIX-00001-of-00003.gguf and carry split.no (from 0) and
// split.count. Source: llama.cpp tools/gguf-split/README.md and ggml docs/gguf.md, "Shards".
struct SplitName {
  std::string prefix;
  std::int64_t part = 0;  // from 1
  std::int64_t parts = 0;
};

std::optional<std::int64_t> five_digits(std::string_view text) {
  std::int64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<SplitName> parse_split_name(std::string_view file_name) {
  constexpr std::string_view kForm = "-00001-of-00003.gguf";
  if (file_name.size() < kForm.size()) return std::nullopt;
  const std::string_view end = file_name.substr(file_name.size() - kForm.size());
  const auto part = five_digits(end.substr(1, 5));
  const auto parts = five_digits(end.substr(10, 5));
  if (end[0] != '-' || end.substr(6, 4) != "-of-" || end.substr(15) != ".gguf" || !part || !parts) {
    return std::nullopt;
  }
  return SplitName{std::string(file_name.substr(0, file_name.size() - kForm.size())), *part,
                   *parts};
}

std::string split_name(const SplitName& like, std::int64_t part) {
  const auto padded = [](std::int64_t n) {
    const std::string digits = std::to_string(n);
    return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
  };
  return like.prefix + "-" + padded(part) + "-of-" + padded(like.parts) + ".gguf";
}

GgufFile load_part(const std::filesystem::path& path) {
  return read_gguf(std::make_shared<MappedFile>(path), path.string());
}

std::int64_t split_count(const GgufFile& file) {
  const std::int64_t parts = file.metadata.find_count("split.count").value_or(1);
  if (parts > 99'999) {
    bad_input(file.file + ": metadata 'split.count' is " + std::to_string(parts) +
              "; allowed: at most 99999");
  }
  return parts;
}

void require_part(const GgufFile& file, std::int64_t index, std::int64_t parts) {
  const std::int64_t found_parts = split_count(file);
  const std::int64_t found = file.metadata.find_count("split.no").value_or(0);
  if (found != index || found_parts != parts) {
    bad_input(file.file + ": says that it is part " + std::to_string(found + 1) + " of " +
              std::to_string(found_parts) + ", but its name says part " +
              std::to_string(index + 1) + " of " + std::to_string(parts));
  }
}

void require_split_whole(const std::vector<GgufFile>& parts) {
  std::set<std::string_view> names;
  std::int64_t tensors = 0;
  for (const GgufFile& part : parts) {
    for (const CheckpointTensor& tensor : part.tensors) {
      ++tensors;
      if (!names.insert(tensor.stored_name).second) {
        bad_input(part.file + ": tensor " + in_quotes(tensor.stored_name) +
                  " stands in another part of the model too");
      }
    }
  }
  const auto promised = parts[0].metadata.find_count("split.tensors.count");
  if (promised && *promised != tensors) {
    bad_input(parts[0].file + ": metadata 'split.tensors.count' is " + std::to_string(*promised) +
              ", but the parts hold " + std::to_string(tensors) + " tensors");
  }
}

}  // namespace

std::vector<GgufFile> load_gguf(const std::filesystem::path& path) {
  std::vector<GgufFile> parts;
  parts.push_back(load_part(path));
  const std::int64_t count = split_count(parts[0]);
  if (count <= 1) return parts;

  const auto name = parse_split_name(path.filename().string());
  if (!name || name->parts != count) {
    const std::int64_t index = parts[0].metadata.find_count("split.no").value_or(0);
    bad_input(path.string() + ": is part " + std::to_string(index + 1) + " of a model split into " +
              std::to_string(count) +
              ", whose other parts are found by name only; allowed: a name " + "that ends in " +
              in_quotes(split_name({"", 0, count}, index + 1)));
  }
  require_part(parts[0], name->part - 1, count);
  std::vector<std::string> missing;
  for (std::int64_t part = 1; part <= count; ++part) {
    const std::string wanted = split_name(*name, part);
    if (!is_there(path.parent_path() / wanted)) missing.push_back(wanted);
  }
  if (!missing.empty()) {
    throw Error(Code::kNotFound, path.string() + ": is part " + std::to_string(name->part) +
                                     " of " + std::to_string(count) + ", and beside it is no " +
                                     listed(missing));
  }
  GgufFile given = std::move(parts[0]);
  parts.clear();
  for (std::int64_t part = 1; part <= count; ++part) {
    if (part == name->part) {
      parts.push_back(std::move(given));
    } else {
      parts.push_back(load_part(path.parent_path() / split_name(*name, part)));
      require_part(parts.back(), part - 1, count);
    }
  }
  require_split_whole(parts);
  return parts;
}

}  // namespace anemone
