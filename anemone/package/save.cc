#include <xxhash.h>

#include <memory>

#include "anemone/base/check.h"
#include "anemone/base/files.h"
#include "anemone/package/blobs.h"
#include "anemone/package/manifest.h"
#include "anemone/package/specification.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace fs = std::filesystem;

namespace {

// The form of a random UUID (version 4), filled with a hash. `salt` tells a package's items apart.
std::string identifier(std::string_view specification, std::span<const std::uint64_t> digests,
                       std::uint64_t salt) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       XXH3_freeState);
  ANEMONE_CHECK(state != nullptr);
  XXH3_128bits_reset_withSeed(state.get(), salt);
  XXH3_128bits_update(state.get(), specification.data(), specification.size());
  XXH3_128bits_update(state.get(), digests.data(), digests.size_bytes());
  XXH128_canonical_t hash;
  XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state.get()));
  hash.digest[6] = static_cast<unsigned char>((hash.digest[6] & 0x0f) | 0x40);
  hash.digest[8] = static_cast<unsigned char>((hash.digest[8] & 0x3f) | 0x80);
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += kDigits[hash.digest[i] >> 4];
    text += kDigits[hash.digest[i] & 15];
  }
  return text;
}

ManifestIds identifiers(std::string_view specification, std::span<const std::uint64_t> digests,
                        bool has_weights) {
  return {.model = identifier(specification, digests, 1),
          .weights = has_weights ? identifier(specification, digests, 2) : ""};
}

// Makes a new folder and removes it again unless kept.
class NewFolder {
 public:
  explicit NewFolder(const fs::path& path) : path_(path) {
    std::error_code failed;
    if (!fs::create_directory(path, failed)) {
      if (failed) {
        const bool is_full = failed == std::errc::no_space_on_device;
        throw Error(is_full ? Code::kNoSpace : Code::kIo,
                    path.string() + ": cannot be made: " + failed.message());
      }
      throw Error(Code::kBadInput, path.string() + ": already exists");
    }
  }
  ~NewFolder() {
    std::error_code ignored;
    if (!kept_) fs::remove_all(path_, ignored);
  }
  NewFolder(const NewFolder&) = delete;
  NewFolder& operator=(const NewFolder&) = delete;
  void keep() { kept_ = true; }

 private:
  fs::path path_;
  bool kept_ = false;
};

void make_folder(const fs::path& path) {
  NewFolder folder(path);
  folder.keep();
}

}  // namespace

std::uint64_t planned_bytes(const Model& model, const SaveOptions& options) {
  BlobLayout blobs;
  const std::string specification =
      write_specification(model, options.blob_threshold_elements, blobs);
  const bool has_weights = blobs.count() > 0;
  return specification.size() + (has_weights ? blobs.file_bytes() : 0) +
         manifest_text(identifiers(specification, {}, has_weights)).size();
}

SaveReport save(const Model& model, const fs::path& package, const SaveOptions& options) {
  const fs::path path = package.has_filename() ? package : package.parent_path();
  BlobLayout blobs;
  const std::string specification =
      within([&] { return path.string(); },
             [&] { return write_specification(model, options.blob_threshold_elements, blobs); });

  NewFolder folder(path);
  const fs::path data = path / kDataFolder;
  const fs::path model_folder = data / kAuthor;
  make_folder(data);
  make_folder(model_folder);
  SaveReport report;
  std::vector<std::uint64_t> digests;
  const bool has_weights = blobs.count() > 0;
  if (has_weights) {
    make_folder(model_folder / kWeightsFolder);
    digests = blobs.write(model_folder / kWeightFile, options);
    report.bytes_written += blobs.file_bytes();
    report.blobs = blobs.places();
  }
  write_file(model_folder / kModelFile, specification);
  // The manifest last: without it nothing takes the folder for a package.
  const std::string manifest = manifest_text(identifiers(specification, digests, has_weights));
  write_file(path / kManifestFile, manifest);
  folder.keep();
  report.bytes_written += specification.size() + manifest.size();
  return report;
}

SaveReport write_blob_file(const fs::path& path, std::span<const Tensor> tensors,
                           const SaveOptions& options) {
  BlobLayout blobs;
  for (const Tensor& tensor : tensors) {
    if (info(tensor.dtype()).blob == 0) {
      throw Error(Code::kBadInput, path.string() + ": a weight file cannot hold elements of " +
                                       std::string(name(tensor.dtype())));
    }
    blobs.add(tensor);
  }
  blobs.write(path, options);
  return {.bytes_written = blobs.file_bytes(), .blobs = blobs.places()};
}

}  // namespace anemone::package
