#include <gmock/gmock.h>

#include <atomic>

#include "anemone/base/json.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"
#include "anemone/package/testing.h"

namespace anemone::package {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

// Bytes that exist only when asked for: each 8 bytes hold their own index.
class Pattern : public Bytes {
 public:
  explicit Pattern(std::size_t size_bytes) : size_bytes_(size_bytes) {}
  std::size_t size_bytes() const override { return size_bytes_; }
  std::span<const std::byte> view() const override { return {}; }
  void read(std::size_t at, std::span<std::byte> out) const override {
    EXPECT_EQ(at % 64, 0u);
    EXPECT_TRUE(out.size() % 64 == 0 || at + out.size() == size_bytes_);
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<std::byte>((at + i) / 8 >> ((at + i) % 8 * 8));
    }
    reads_.fetch_add(1);
  }
  int reads() const { return reads_.load(); }

 private:
  std::size_t size_bytes_;
  mutable std::atomic<int> reads_{0};
};

// A model of one large weight that is made as it is written.
Model pattern_model(std::shared_ptr<const Bytes> bytes) {
  const auto count = static_cast<std::int64_t>(bytes->size_bytes() / 2);
  Model model;
  mil::Builder b(model.program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {1}));
  mil::Value* w = b.constant("w", std::make_shared<const Tensor>(DType::kF16, Shape{count}, bytes));
  b.set_outputs({b.add("add", "y", {{"x", x}, {"y", w}})});
  return model;
}

TEST(Save, WritesWhatLoadReads) {
  const TempFolder folder;
  Model model = cache_model();
  model.metadata = {.short_description = "d",
                    .version = "3",
                    .author = "a",
                    .license = "l",
                    .user_defined = {{"k", "v"}, {"k2", ""}}};
  save(model, folder.path() / "m.mlpackage");
  const Model again = load(folder.path() / "m.mlpackage");
  EXPECT_EQ(mil::print(again.program), mil::print(model.program));
  EXPECT_EQ(again.program.build_info, model.program.build_info);
  EXPECT_EQ(again.metadata, model.metadata);
  EXPECT_EQ(again.default_function, "decode");
  EXPECT_TRUE(again.is_multifunction);
  EXPECT_EQ(again.specification_version, 9);
  for (const char* name : {"decode", "prefill"}) {
    EXPECT_EQ(again.interfaces.at(name), interface_of(*model.program.find_function(name)));
  }
  mil::require_sound(again.program, "again");

  save(again, folder.path() / "again.mlpackage");
  EXPECT_EQ(contents(folder.path() / "again.mlpackage"), contents(folder.path() / "m.mlpackage"));
}

TEST(Save, StoresOneWeightOnceForAllFunctionsAndShapes) {
  const TempFolder folder;
  const Model model = cache_model();
  const SaveReport report = save(model, folder.path() / "m.mlpackage");
  const fs::path weights = weights_of(folder.path() / "m.mlpackage");
  EXPECT_EQ(fs::file_size(weights), 64u + 64u + 16u * 64u * 2u);
  ASSERT_EQ(report.blobs.size(), 1u);
  EXPECT_EQ(report.blobs.begin()->second,
            (BlobPlace{.metadata_offset = 64, .data_offset = 128, .size_bytes = 2048}));

  const Model again = load(folder.path() / "m.mlpackage");
  std::vector<const Bytes*> found;
  for (const auto& function : again.program.functions) {
    for (const auto& op : function->body.ops) {
      if (op->type() != "const" || op->output()->constant->count() < 1024) continue;
      found.push_back(op->output()->constant->bytes().get());
      EXPECT_EQ(found.back()->owned_bytes(), 0u);  // mapped, not copied
    }
  }
  EXPECT_EQ(found, std::vector<const Bytes*>(4, found.front()));
}

TEST(Save, TheBytesDependOnTheModelAloneNotOnThreads) {
  const TempFolder folder;
  const auto bytes = std::make_shared<Pattern>((std::size_t{9} << 20) + 2);
  const Model model = pattern_model(bytes);
  save(model, folder.path() / "one");
  ThreadPool pool(3);
  save(model, folder.path() / "three", {.pool = &pool});
  EXPECT_GE(bytes->reads(), 10);
  const std::string one = contents(folder.path() / "one");
  EXPECT_TRUE(one == contents(folder.path() / "three"));

  // Another weight of the same size: another identifier, so that nothing takes one for the other.
  auto changed = std::make_shared<Pattern>(bytes->size_bytes());
  std::vector<std::byte> raw(changed->size_bytes());
  changed->read(0, raw);
  raw[raw.size() - 1] ^= std::byte{1};
  save(pattern_model(own_bytes(std::move(raw))), folder.path() / "other");
  EXPECT_NE(read_text(folder.path() / "one" / "Manifest.json"),
            read_text(folder.path() / "other" / "Manifest.json"));
}

TEST(Save, ReadsBackWhatWasMadeOnDemand) {
  const TempFolder folder;
  const auto bytes = std::make_shared<Pattern>((std::size_t{5} << 20) + 6);
  ThreadPool pool(2);
  save(pattern_model(bytes), folder.path() / "m", {.pool = &pool});
  const Model again = load(folder.path() / "m");
  const mil::Function& main = *again.program.functions.front();
  const Tensor& w = *main.body.ops.front()->output()->constant;
  std::vector<std::byte> wanted(bytes->size_bytes());
  bytes->read(0, wanted);
  ASSERT_EQ(w.data().size(), wanted.size());
  EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(), w.data().begin()));
}

TEST(Save, PlansExactlyTheBytesItWrites) {
  const TempFolder folder;
  int i = 0;
  for (const Model& model : {cache_model(), small_model(), small_model(mil::Opset::kIos15, 3)}) {
    const fs::path path = folder.path() / std::to_string(i++);
    const std::uint64_t planned = planned_bytes(model);
    EXPECT_EQ(save(model, path).bytes_written, planned);
    std::uint64_t found = 0;
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) found += entry.file_size();
    }
    EXPECT_EQ(found, planned);
  }
}

TEST(Save, WritesTheManifestThatOtherReadersWant) {
  const TempFolder folder;
  save(small_model(), folder.path() / "m");
  const Json manifest = load_json(folder.path() / "m" / "Manifest.json");
  EXPECT_EQ(manifest.at("fileFormatVersion"), "1.0.0");
  const Json& items = manifest.at("itemInfoEntries");
  ASSERT_EQ(items.size(), 2u);
  std::map<std::string, std::string> paths;
  for (const auto& [id, item] : items.items()) {
    EXPECT_THAT(id, testing::MatchesRegex("[0-9a-f]*-[0-9a-f]*-4[0-9a-f]*-[89ab][0-9a-f]*-"
                                          "[0-9a-f]*"));
    EXPECT_EQ(id.size(), 36u);
    EXPECT_EQ(item.at("author"), "com.apple.CoreML");
    paths[item.at("name")] = item.at("path");
    EXPECT_EQ(manifest.at("rootModelIdentifier") == id, item.at("name") == "model.mlmodel");
  }
  EXPECT_EQ(paths,
            (std::map<std::string, std::string>{{"model.mlmodel", "com.apple.CoreML/model.mlmodel"},
                                                {"weights", "com.apple.CoreML/weights"}}));
}

TEST(Save, LeavesTheWeightFileOutWhenNoConstantIsLarge) {
  const TempFolder folder;
  save(small_model(mil::Opset::kIos15, 9), folder.path() / "nine");
  EXPECT_FALSE(fs::exists(weights_of(folder.path() / "nine").parent_path()));
  EXPECT_EQ(load_json(folder.path() / "nine" / "Manifest.json").at("itemInfoEntries").size(), 1u);
  save(small_model(mil::Opset::kIos15, 10), folder.path() / "ten");
  EXPECT_EQ(fs::file_size(weights_of(folder.path() / "ten")), 64u + 64u + 40u);
  save(small_model(mil::Opset::kIos15, 10), folder.path() / "eleven",
       {.blob_threshold_elements = 11});
  EXPECT_FALSE(fs::exists(weights_of(folder.path() / "eleven")));
  for (const char* name : {"nine", "ten", "eleven"}) load(folder.path() / name);
}

TEST(Save, KeepsWideIntegersOutOfTheWeightFileBeforeIos18) {
  const TempFolder folder;
  for (const mil::Opset opset : {mil::Opset::kIos17, mil::Opset::kIos18}) {
    Model model;
    mil::Builder b(model.program.add_function("main", opset));
    mil::Value* x = b.input("x", mil::Type::tensor(DType::kI32, {1}));
    const Tensor many = Tensor::from_ints(DType::kI32, {10}, std::vector<std::int64_t>(10, -7));
    b.set_outputs({b.add("add", "y", {{"x", x}, {"y", b.constant("w", many)}})});
    const fs::path path = folder.path() / std::string(mil::info(opset).target);
    save(model, path);
    EXPECT_EQ(fs::exists(weights_of(path)), opset == mil::Opset::kIos18);
    const Model again = load(path);
    EXPECT_EQ(*again.program.functions[0]->body.ops[0]->output()->constant, many);
  }
}

TEST(Save, TellsProgressAndStopsWhenAsked) {
  const TempFolder folder;
  const Model model = pattern_model(std::make_shared<Pattern>(std::size_t{8} << 20));
  std::vector<std::uint64_t> seen;
  StopFlag stop;
  SaveOptions options;
  options.progress = [&](std::string_view, std::uint64_t done, std::uint64_t total) {
    EXPECT_LE(done, total);
    EXPECT_EQ(total, 128u + (8u << 20));
    seen.push_back(done);
  };
  options.stop = &stop;
  save(model, folder.path() / "m", options);
  ASSERT_GE(seen.size(), 4u);
  EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end()));
  EXPECT_EQ(seen.back(), 128u + (8u << 20));

  options.progress = [&](std::string_view, std::uint64_t, std::uint64_t) { stop.set(); };
  EXPECT_EQ(code_of([&] { save(model, folder.path() / "stopped", options); }), Code::kInterrupted);
  EXPECT_FALSE(fs::exists(folder.path() / "stopped"));
}

TEST(Save, AFailureLeavesNothingBehindAndSaysWhy) {
  class Broken : public Pattern {
   public:
    Broken() : Pattern(std::size_t{8} << 20) {}
    void read(std::size_t at, std::span<std::byte>) const override {
      throw Error(Code::kNumeric, "no number at " + std::to_string(at));
    }
  };
  const TempFolder folder;
  const Model model = pattern_model(std::make_shared<Broken>());
  EXPECT_EQ(message_of([&] { save(model, folder.path() / "m"); }), "no number at 0");
  EXPECT_FALSE(fs::exists(folder.path() / "m"));

  save(small_model(), folder.path() / "there");
  EXPECT_EQ(message_of([&] { save(small_model(), folder.path() / "there"); }),
            (folder.path() / "there").string() + ": already exists");
  load(folder.path() / "there");
  EXPECT_THAT(message_of([&] { save(small_model(), folder.path() / "no" / "m"); }),
              HasSubstr("cannot be made: No such file or directory"));
}

TEST(Save, RefusesASpecificationVersionThatIsTooLow) {
  const TempFolder folder;
  Model model = cache_model();
  model.specification_version = 8;
  EXPECT_EQ(message_of([&] { save(model, folder.path() / "m"); }),
            (folder.path() / "m").string() +
                ": the model asks for specification version 8, but what it uses needs 9");
  model.specification_version = 10;
  save(model, folder.path() / "m");
  EXPECT_EQ(load(folder.path() / "m").specification_version, 10);
}

TEST(Save, BlobFilesHoldTensorsThatNoProgramRefersTo) {
  const TempFolder folder;
  const auto bytes = std::make_shared<Pattern>(200);
  const std::vector<Tensor> tensors = {
      Tensor(DType::kF16, {10, 10}, bytes),
      Tensor::from_ints(DType::kU3, {7}, std::vector<std::int64_t>{7, 0, 1, 2, 3, 4, 5}),
      Tensor(DType::kF16, {100}, bytes)};
  const SaveReport report = write_blob_file(folder.path() / "w.bin", tensors);
  EXPECT_EQ(report.blobs.at(bytes.get()), (BlobPlace{64, 128, 200}));
  EXPECT_EQ(report.blobs.at(tensors[1].bytes().get()), (BlobPlace{384, 448, 3}));
  EXPECT_EQ(report.bytes_written, 451u);
  const std::string file = read_text(folder.path() / "w.bin");
  ASSERT_EQ(file.size(), 451u);
  EXPECT_EQ(file.substr(0, 8), std::string("\2\0\0\0\2\0\0\0", 8));
  EXPECT_EQ(file.substr(64, 16), std::string("\xEF\xBE\xAD\xDE\1\0\0\0\xC8\0\0\0\0\0\0\0", 16));
  EXPECT_EQ(file.substr(328, 56), std::string(56, '\0'));
  // 12: uint3; 3 bytes at 448; 3 bits of the last byte are padding.
  EXPECT_EQ(
      file.substr(384, 32),
      std::string("\xEF\xBE\xAD\xDE\x0C\0\0\0\3\0\0\0\0\0\0\0\xC0\1\0\0\0\0\0\0\3\0\0\0\0\0\0\0",
                  32));
  EXPECT_EQ(message_of([&] {
              write_blob_file(folder.path() / "b", std::vector<Tensor>{Tensor::scalar_bool(true)});
            }),
            (folder.path() / "b").string() + ": a weight file cannot hold elements of bool");
}

}  // namespace
}  // namespace anemone::package
