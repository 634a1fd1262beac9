#include <gmock/gmock.h>

#include "anemone/base/json.h"
#include "anemone/package/manifest.h"
#include "anemone/package/testing.h"

namespace anemone::package {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// A sound package on disk, to be damaged.
class Damaged {
 public:
  Damaged() : path_(folder_.path() / "m.mlpackage") { save(small_model(), path_); }

  const fs::path& path() const { return path_; }
  // The message without the package's path.
  std::string refusal() const {
    std::string message = message_of([&] { load(path_); });
    for (auto at = message.find(path_.string()); at != std::string::npos;
         at = message.find(path_.string())) {
      message.replace(at, path_.string().size(), "m");
    }
    return message;
  }
  void edit_manifest(const std::function<void(Json&)>& edit) const {
    Json manifest = load_json(path_ / "Manifest.json");
    edit(manifest);
    write_file(path_ / "Manifest.json", manifest.dump());
  }
  // The item whose name is `name`.
  static Json& item(Json& manifest, const std::string& name) {
    for (auto& [id, item] : manifest.at("itemInfoEntries").items()) {
      if (item.at("name") == name) return item;
    }
    return manifest;
  }

 private:
  TempFolder folder_;
  fs::path path_;
};

TEST(Load, TakesAPathThatEndsInASlash) {
  const Damaged package;
  EXPECT_EQ(load(package.path() / "").program.functions.size(), 1u);
}

TEST(Load, TakesASpecificationByItself) {
  const Damaged package;
  const fs::path model = specification_of(package.path());
  EXPECT_EQ(load(model).program.functions.size(), 1u);
  const TempFolder folder;
  const fs::path empty = folder.path() / "a.mlmodel";
  write_file(empty, "");
  EXPECT_TRUE(message_of([&] { load(empty); }).starts_with(empty.string() + ": "));
}

TEST(Load, SaysWhatAPathIsThatIsNoPackage) {
  const Damaged package;
  EXPECT_EQ(message_of([] { load("/nowhere/m.mlpackage"); }),
            "/nowhere/m.mlpackage: there is no such package");
  EXPECT_EQ(code_of([] { load("/nowhere/m.mlpackage"); }), Code::kNotFound);
  EXPECT_EQ(message_of([&] { load(package.path() / "Manifest.json"); }),
            (package.path() / "Manifest.json").string() +
                ": is a file; a package (.mlpackage), which is a folder, or a bare specification "
                "(.mlmodel) is wanted");
  const TempFolder folder;
  for (const auto& compiled : {folder.path() / "a.mlmodelc", folder.path() / "b"}) {
    fs::create_directory(compiled);
    write_file(compiled / "coremldata.bin", "");
    EXPECT_EQ(message_of([&] { load(compiled); }),
              compiled.string() +
                  ": is a compiled model (.mlmodelc); the package (.mlpackage) that "
                  "it was compiled from is wanted");
  }
  EXPECT_EQ(message_of([&] { load(folder.path()); }),
            folder.path().string() + ": has no Manifest.json, so it is no package");
}

TEST(Load, RefusesBrokenManifests) {
  const std::string file = "m/Manifest.json: ";
  {
    const Damaged package;
    fs::remove(package.path() / "Manifest.json");
    EXPECT_EQ(package.refusal(), "m: has no Manifest.json, so it is no package");
    write_file(package.path() / "Manifest.json", "");
    EXPECT_THAT(package.refusal(), testing::StartsWith(file + "is not JSON at line 1"));
    write_file(package.path() / "Manifest.json", "[]");
    EXPECT_EQ(package.refusal(), file + "holds a array; an object is wanted");
  }
  for (const char* key : {"fileFormatVersion", "itemInfoEntries", "rootModelIdentifier"}) {
    const Damaged package;
    package.edit_manifest([&](Json& manifest) { manifest.erase(key); });
    EXPECT_EQ(package.refusal(), file + "the manifest has no key '" + key + "'");
    package.edit_manifest([&](Json& manifest) { manifest[key] = 1; });
    EXPECT_EQ(package.refusal(),
              file + (key == std::string("itemInfoEntries")
                          ? "the manifest has a number as 'itemInfoEntries'; an object is wanted"
                          : "the manifest has a number as '" + std::string(key) +
                                "'; a string is wanted"));
  }
  for (const char* key : {"path", "name", "author", "description"}) {
    const Damaged package;
    package.edit_manifest([&](Json& manifest) { Damaged::item(manifest, "weights").erase(key); });
    EXPECT_THAT(package.refusal(), HasSubstr(std::string(" has no key '") + key + "'"));
  }
}

TEST(Load, KnowsOneVersionOfTheManifest) {
  const Damaged package;
  const auto with = [&](const std::string& version) {
    package.edit_manifest([&](Json& manifest) { manifest["fileFormatVersion"] = version; });
    return package.refusal();
  };
  for (const char* version : {"1.0.0", "0.9.7"}) EXPECT_EQ(with(version), "no error");
  for (const std::string version : {"1.0.1", "1.1.0", "2.0.0"}) {
    EXPECT_EQ(with(version), "m/Manifest.json: the fileFormatVersion is '" + version +
                                 "'; at most 1.0.0 is known");
  }
  for (const std::string version :
       {"", "1", "1.0", "1.0.0.0", "1..0", "1.0.x", "-1.0.0", "1.-1.0", "99999999999.0.0"}) {
    EXPECT_EQ(with(version), "m/Manifest.json: the fileFormatVersion is '" + version +
                                 "'; three numbers are wanted, as in 1.0.0");
  }
}

TEST(Load, LetsNoManifestPointOutside) {
  for (const std::string path : {"../secret", "/etc/passwd", "com.apple.CoreML/../../x",
                                 "com.apple.CoreML//x", "", ".", "com.apple.CoreML/"}) {
    const Damaged package;
    package.edit_manifest(
        [&](Json& manifest) { Damaged::item(manifest, "model.mlmodel")["path"] = path; });
    EXPECT_THAT(package.refusal(),
                HasSubstr(" has the path '" + path + "'; allowed are paths inside 'Data'"));
  }
}

TEST(Load, RefusesItemsThatAreMissing) {
  const Damaged package;
  package.edit_manifest([&](Json& manifest) {
    Damaged::item(manifest, "weights")["path"] = "com.apple.CoreML/gone";
  });
  EXPECT_THAT(package.refusal(),
              HasSubstr(" has the path 'com.apple.CoreML/gone', which is missing"));
  const Damaged other;
  other.edit_manifest([&](Json& manifest) { manifest["rootModelIdentifier"] = "nobody"; });
  EXPECT_EQ(other.refusal(),
            "m/Manifest.json: the rootModelIdentifier 'nobody' names none of the items");
  const Damaged rootless;
  rootless.edit_manifest([&](Json& manifest) {
    for (auto& [id, item] : manifest.at("itemInfoEntries").items()) {
      if (item.at("name") == "weights") manifest["rootModelIdentifier"] = id;
    }
  });
  EXPECT_EQ(rootless.refusal(), "m/Data/com.apple.CoreML/weights: is not a regular file");
}

TEST(Load, RefusesADamagedSpecification) {
  const Damaged package;
  write_file(specification_of(package.path()), "");
  EXPECT_EQ(package.refusal(), "m/Data/com.apple.CoreML/model.mlmodel: is empty");
}

TEST(Load, RefusesAWeightFileThatIsCutOrMissing) {
  const std::string op =
      "m/Data/com.apple.CoreML/model.mlmodel: function 'main': op 'w' (const): attribute 'val': ";
  const std::string file = "m/Data/com.apple.CoreML/weights/weight.bin: ";
  const Damaged package;
  const fs::path weights = weights_of(package.path());
  fs::resize_file(weights, fs::file_size(weights) - 1);
  EXPECT_EQ(package.refusal(), op + file +
                                   "the blob at offset 64 has 48 bytes at 128, past the end of "
                                   "the file (175 bytes)");
  fs::resize_file(weights, 0);
  EXPECT_EQ(package.refusal(), op + file + "has 0 bytes; a weight file starts with a header of 64");
  fs::remove(weights);
  EXPECT_EQ(package.refusal(), op + file + "cannot be opened: No such file or directory");
}

TEST(Load, KeepsTheWeightsWhenTheFilesAreGone) {
  const Damaged package;
  const Model model = load(package.path());
  fs::remove_all(package.path());
  EXPECT_EQ(model.program.functions[0]->body.ops[0]->output()->constant->to_floats()[11], 11.5f);
}

}  // namespace
}  // namespace anemone::package
