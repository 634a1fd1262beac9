#include "anemone/package/manifest.h"
#include "anemone/package/package.h"
#include "anemone/package/pipeline.h"
#include "anemone/package/specification.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace fs = std::filesystem;

namespace {

// Says what a path that is no package is instead, as far as that can be seen.
void require_package(const fs::path& path) {
  std::error_code failed;
  const auto status = fs::status(path, failed);
  if (!fs::exists(status)) {
    throw Error(Code::kNotFound, path.string() + ": there is no such package");
  }
  if (!fs::is_directory(status)) {
    throw Error(Code::kUnsupported,
                path.string() +
                    ": is a file; a package (.mlpackage), which is a folder, or a bare "
                    "specification (.mlmodel) is wanted");
  }
  const bool has_manifest = fs::exists(path / kManifestFile, failed);
  if (!has_manifest &&
      (path.extension() == ".mlmodelc" || fs::exists(path / "coremldata.bin", failed))) {
    throw Error(Code::kUnsupported,
                path.string() +
                    ": is a compiled model (.mlmodelc); the package (.mlpackage) that "
                    "it was compiled from is wanted");
  }
}

fs::path specification_file(const fs::path& package) {
  // "model.mlpackage/" means "model.mlpackage".
  const fs::path path = package.has_filename() ? package : package.parent_path();
  // Core ML compiles a specification by itself, too; its weights, if any, lie beside it.
  std::error_code ignored;
  if (path.extension() == ".mlmodel" && fs::is_regular_file(path, ignored)) return path;
  require_package(path);
  return find_specification(path);
}

}  // namespace

Model load(const fs::path& package) {
  const fs::path file = specification_file(package);
  const MappedFile bytes(file);
  return read_specification(bytes.view(), WeightFiles(file.parent_path()), file.string());
}

AnyModel load_any(const fs::path& package) {
  const fs::path file = specification_file(package);
  const MappedFile bytes(file);
  return read_any_specification(bytes.view(), WeightFiles(file.parent_path()), file.string());
}

Model load_from_memory(std::span<const std::byte> specification,
                       std::shared_ptr<const Bytes> weights, std::string_view what) {
  const fs::path folder(what);
  return read_specification(specification, WeightFiles(folder, std::move(weights)),
                            (folder / kModelFile).string());
}

AnyModel load_any_from_memory(std::span<const std::byte> specification,
                              std::shared_ptr<const Bytes> weights, std::string_view what) {
  const fs::path folder(what);
  return read_any_specification(specification, WeightFiles(folder, std::move(weights)),
                                (folder / kModelFile).string());
}

}  // namespace anemone::package
