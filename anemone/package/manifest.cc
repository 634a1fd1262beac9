#include "anemone/package/manifest.h"

#include <charconv>

#include "anemone/base/files.h"
#include "anemone/base/json.h"
#include "anemone/package/paths.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kMaxManifestBytes = 16u << 20;

const Json& member(const Json& object, const char* key, const std::string& of) {
  const auto found = object.find(key);
  if (found == object.end()) {
    throw Error(Code::kBadInput, of + " has no key '" + key + "'");
  }
  return *found;
}

std::string text(const Json& object, const char* key, const std::string& of) {
  const Json& value = member(object, key, of);
  if (!value.is_string()) {
    throw Error(Code::kBadInput,
                of + " has a " + value.type_name() + " as '" + key + "'; a string is wanted");
  }
  return value.get<std::string>();
}

// "1.0.0" and what came before it, should anything.
void check_version(const std::string& version) {
  int parts[3] = {};
  int count = 0;
  const char* at = version.data();
  const char* const end = at + version.size();
  for (; count < 3; ++count) {
    const auto [next, failed] = std::from_chars(at, end, parts[count]);
    if (failed != std::errc() || *at == '-') break;
    at = next;
    if (count < 2 && (at == end || *at++ != '.')) break;
  }
  if (count < 3 || at != end) {
    throw Error(Code::kBadInput, "the fileFormatVersion is " + in_quotes(version) +
                                     "; three numbers are wanted, as in 1.0.0");
  }
  if (std::tuple(parts[0], parts[1], parts[2]) > std::tuple(1, 0, 0)) {
    throw Error(Code::kUnsupported,
                "the fileFormatVersion is " + in_quotes(version) + "; at most 1.0.0 is known");
  }
}

}  // namespace

fs::path find_specification(const fs::path& package) {
  const fs::path file = package / kManifestFile;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    throw Error(Code::kNotFound,
                package.string() + ": has no " + kManifestFile + ", so it is no package");
  }
  const Json manifest = parse_json(read_text(file, kMaxManifestBytes), file.string());
  return within(
      [&] { return file.string(); },
      [&] {
        if (!manifest.is_object()) {
          throw Error(Code::kBadInput,
                      std::string("holds a ") + manifest.type_name() + "; an object is wanted");
        }
        check_version(text(manifest, "fileFormatVersion", "the manifest"));
        const std::string root = text(manifest, "rootModelIdentifier", "the manifest");
        const Json& items = member(manifest, "itemInfoEntries", "the manifest");
        if (!items.is_object()) {
          throw Error(Code::kBadInput, std::string("the manifest has a ") + items.type_name() +
                                           " as 'itemInfoEntries'; an object is wanted");
        }
        std::optional<fs::path> specification;
        for (const auto& [id, item] : items.items()) {
          const std::string of = "item " + in_quotes(id);
          if (!item.is_object()) {
            throw Error(Code::kBadInput,
                        of + " is a " + item.type_name() + "; an object is wanted");
          }
          for (const char* key : {"name", "author", "description"}) text(item, key, of);
          const std::string path = text(item, "path", of);
          if (!stays_inside(path)) {
            throw Error(Code::kBadInput, of + " has the path " + in_quotes(path) +
                                             "; allowed are paths inside 'Data'");
          }
          if (path.size() > kMaxPathBytes) {
            throw Error(Code::kLimit, of + " has the path " + in_quotes(path) +
                                          "; paths have at most " + std::to_string(kMaxPathBytes) +
                                          " bytes");
          }
          const fs::path there = package / kDataFolder / path;
          std::error_code failed;
          if (!fs::exists(there, failed)) {
            throw Error(Code::kNotFound,
                        of + " has the path " + in_quotes(path) + ", which is missing");
          }
          if (id == root) specification = there;
        }
        if (!specification) {
          throw Error(Code::kBadInput,
                      "the rootModelIdentifier " + in_quotes(root) + " names none of the items");
        }
        return *specification;
      });
}

std::string manifest_text(const ManifestIds& ids) {
  const auto item = [](const std::string& name, const char* description) {
    return Json{{"author", kAuthor},
                {"description", description},
                {"name", name},
                {"path", std::string(kAuthor) + "/" + name}};
  };
  Json items = {{ids.model, item(kModelFile, "CoreML Model Specification")}};
  if (!ids.weights.empty()) items[ids.weights] = item(kWeightsFolder, "CoreML Model Weights");
  const Json manifest = {{"fileFormatVersion", "1.0.0"},
                         {"itemInfoEntries", std::move(items)},
                         {"rootModelIdentifier", ids.model}};
  return manifest.dump(4) + "\n";
}

}  // namespace anemone::package
