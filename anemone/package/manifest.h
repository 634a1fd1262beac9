#pragma once

#include <filesystem>
#include <string>

namespace anemone::package {

// Where a package keeps its parts. Source: coremltools 9.0, modelpackage/src/ModelPackage.cpp.
inline constexpr const char* kManifestFile = "Manifest.json";
inline constexpr const char* kDataFolder = "Data";
inline constexpr const char* kAuthor = "com.apple.CoreML";
inline constexpr const char* kModelFile = "model.mlmodel";
inline constexpr const char* kWeightsFolder = "weights";

// Checks Manifest.json and gives the path of the model's specification. Throws Error(kBadInput,
// kNotFound, kUnsupported) naming the manifest's file.
std::filesystem::path find_specification(const std::filesystem::path& package);

// Identifiers are UUIDs in form, made from the contents.
struct ManifestIds {
  std::string model;
  std::string weights;  // empty: the package has no weights
};
std::string manifest_text(const ManifestIds& ids);

}  // namespace anemone::package
