#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "anemone/package/package.h"

// Pipelines of ML Programs: models in a row, each of which takes by name what the caller or a model
// before it gave.
namespace anemone::package {

struct Pipeline;

// A model of a pipeline: an ML Program, or a pipeline again.
struct Member {
  // What the package calls it, or else its place: "0", "1", ...
  std::string name;
  std::variant<Model, std::unique_ptr<Pipeline>> model;
};

struct Pipeline {
  enum class Kind : std::uint8_t { kPlain, kClassifier, kRegressor };
  Kind kind = Kind::kPlain;
  int specification_version = 0;
  Interface interface;
  Metadata metadata;
  std::vector<Member> members;  // in the order in which they run; at least one
};

std::string_view name(Pipeline::Kind kind);  // "pipeline", as in the file format

// What the caller of a member sees: of several functions, the default one's.
const Interface& interface_of(const Member& member);

using AnyModel = std::variant<Model, Pipeline>;

// load() for whatever can be run. A pipeline is sound when it gives every feature that it promises,
// and every input of a member has a source of the same kind and, where both are fixed, shape; its
// members are as load() would have them. Throws Error; one in a member names the member.
AnyModel load_any(const std::filesystem::path& package);

// The same from memory; see load_from_memory.
AnyModel load_any_from_memory(std::span<const std::byte> specification,
                              std::shared_ptr<const Bytes> weights, std::string_view what);

}  // namespace anemone::package
