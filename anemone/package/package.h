#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/base/thread_pool.h"
#include "anemone/mil/program.h"

// Core ML packages (.mlpackage) of the ML Program type, in and out. docs/formats/package.md has the
// bytes.
namespace anemone::package {

// --- What a function takes and gives, as an application sees it. ---

struct SizeRange {
  std::int64_t lower = 0;
  std::int64_t upper = -1;  // -1: no upper bound
  friend bool operator==(const SizeRange&, const SizeRange&) = default;
};

// A multi-array: fp16, fp32, fp64, int32 or int8. At most one of the two forms of flexibility.
struct ArrayFeature {
  DType dtype = DType::kF32;
  // The default shape; [1] for a rank-0 input; empty where an output's is not known.
  Shape shape = {};
  std::vector<Shape> enumerated_shapes = {};
  std::vector<SizeRange> ranges = {};  // one a dimension; fixed ones have lower = upper
  // What an optional input holds when the caller gives none.
  std::variant<std::monostate, std::int32_t, float, double> default_value = {};
  friend bool operator==(const ArrayFeature&, const ArrayFeature&) = default;
};

enum class ColorSpace : std::uint8_t { kGrayscale, kRgb, kBgr, kGrayscaleF16 };

struct ImageFeature {
  std::int64_t width = 0;
  std::int64_t height = 0;
  ColorSpace color_space = ColorSpace::kRgb;
  std::vector<std::pair<std::int64_t, std::int64_t>> enumerated_sizes = {};  // width, height
  std::optional<std::pair<SizeRange, SizeRange>> range = {};                 // of width, of height
  friend bool operator==(const ImageFeature&, const ImageFeature&) = default;
};

enum class KeyType : std::uint8_t { kInt64, kString };

struct Int64Feature {
  friend bool operator==(const Int64Feature&, const Int64Feature&) = default;
};
struct DoubleFeature {
  friend bool operator==(const DoubleFeature&, const DoubleFeature&) = default;
};
struct StringFeature {
  friend bool operator==(const StringFeature&, const StringFeature&) = default;
};
struct DictionaryFeature {
  KeyType key = KeyType::kString;
  friend bool operator==(const DictionaryFeature&, const DictionaryFeature&) = default;
};
struct SequenceFeature {
  KeyType element = KeyType::kString;
  SizeRange length;
  friend bool operator==(const SequenceFeature&, const SequenceFeature&) = default;
};
struct StateFeature {
  ArrayFeature array;
  friend bool operator==(const StateFeature&, const StateFeature&) = default;
};

struct Feature {
  std::string name = {};
  std::string short_description = {};
  std::variant<ArrayFeature, ImageFeature, Int64Feature, DoubleFeature, StringFeature,
               DictionaryFeature, SequenceFeature, StateFeature>
      type = {};
  bool is_optional = false;
  friend bool operator==(const Feature&, const Feature&) = default;
};

struct Interface {
  std::vector<Feature> inputs = {};
  std::vector<Feature> outputs = {};
  std::vector<Feature> states = {};
  std::string predicted_feature = {};        // classifiers only
  std::string predicted_probabilities = {};  // classifiers only
  friend bool operator==(const Interface&, const Interface&) = default;
};

struct Metadata {
  std::string short_description = {};
  std::string version = {};
  std::string author = {};
  std::string license = {};
  std::map<std::string, std::string> user_defined = {};
  friend bool operator==(const Metadata&, const Metadata&) = default;
};

struct Model {
  mil::Program program;
  int specification_version = 0;  // 0: the smallest that will do
  // By function. save() derives what is missing with interface_of.
  std::map<std::string, Interface> interfaces;
  std::string default_function = "main";
  // False: the package describes the default function alone, in the form older systems read.
  bool is_multifunction = false;
  Metadata metadata;
};

// The features that follow from the function's types: multi-arrays, states, the outputs of
// `classify`. A rank-0 input becomes [1]; unknown extents of an input become 1 .. no bound, to be
// narrowed by the caller. Throws Error(kUnsupported) naming a value whose type no feature can have.
Interface interface_of(const mil::Function& function);

// The smallest specification version that allows what the model uses.
int needed_specification(const Model& model);

// --- Reading. ---

// Reads a package. Weights stay in the file: constants are views into one memory map, which the
// model keeps alive, and equal blob references share one Bytes. Checks the format and every
// reference, but infers no types: mil::verify does that. Throws Error naming file, thing, what was
// found and what is allowed.
Model load(const std::filesystem::path& package);

// The same from memory: the bytes of model.mlmodel and, if there is one, of weights/weight.bin.
// `what` stands for the package's path in messages.
Model load_from_memory(std::span<const std::byte> specification,
                       std::shared_ptr<const Bytes> weights, std::string_view what);

// --- Writing. ---

// Where a blob lies in its weight file.
struct BlobPlace {
  std::uint64_t metadata_offset = 0;  // what a specification refers to
  std::uint64_t data_offset = 0;
  std::uint64_t size_bytes = 0;
  friend bool operator==(const BlobPlace&, const BlobPlace&) = default;
};

struct SaveReport {
  std::uint64_t bytes_written = 0;  // of all files
  std::unordered_map<const Bytes*, BlobPlace> blobs;
};

struct SaveOptions {
  ThreadPool* pool = nullptr;  // null: the calling thread alone
  Progress progress = {};      // called on the calling thread, with bytes of the weight file
  const StopFlag* stop = nullptr;
  // Constants of fewer elements stand in the specification itself.
  int blob_threshold_elements = 10;
};

// Exactly what save() would write, in bytes, over all files.
std::uint64_t planned_bytes(const Model& model, const SaveOptions& options = {});

// Writes a package as a new folder; its parent must exist. Tensors that share one Bytes (and dtype)
// are stored once. The files depend on the model alone, never on threads or time. On failure
// nothing is left under that name. Throws Error.
SaveReport save(const Model& model, const std::filesystem::path& package,
                const SaveOptions& options = {});

// A bare weight file with the tensors in order, in the same blob format, for what no program refers
// to.
SaveReport write_blob_file(const std::filesystem::path& path, std::span<const Tensor> tensors,
                           const SaveOptions& options = {});

}  // namespace anemone::package
