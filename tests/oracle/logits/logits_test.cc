// The shipped checkpoint, converted in every form and run by the engine, against transformers in
// fp32 on the same fp16-rounded weights (make_logits.py).
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>

#include "anemone/base/bytes.h"
#include "anemone/base/json.h"
#include "anemone/convert/convert.h"
#include "anemone/generate/generation.h"
#include "anemone/generate/runner.h"

namespace anemone {
namespace {

namespace fs = std::filesystem;
using generate::Runner;
using generate::Session;

// Below this margin between the two best logits of the oracle either choice is right.
constexpr float kNearTie = 0.05f;
// Of the whole matrix: |ours - theirs| / |theirs|, Frobenius.
constexpr double kRelativeError = 2e-3;

// Sanitizers make all this ten times slower and find what they find in the first few steps.
#ifdef __SANITIZE_ADDRESS__
constexpr std::size_t kTexts = 1;
constexpr std::size_t kSteps = 12;
#else
constexpr std::size_t kTexts = 10;
constexpr std::size_t kSteps = 64;
#endif

const fs::path& scratch() {
  static const struct Folder {
    fs::path path = fs::temp_directory_path() / ("anemone-oracle-" + std::to_string(::getpid()));
    Folder() { fs::create_directories(path); }
    ~Folder() { fs::remove_all(path); }
  } folder;
  return folder.path;
}

struct Variant {
  std::string name;
  converter::Options options;
  generate::Path path = generate::Path::kAuto;
};

std::vector<Variant> variants() {
  const auto make = [](std::string name, auto change) {
    Variant variant;
    variant.name = std::move(name);
    variant.options.form.context = 0;
    change(variant);
    return variant;
  };
  using models::KvWrite;
  using models::Layout;
  return {
      make("default", [](Variant&) {}),
      make("decode-path", [](Variant& v) { v.path = generate::Path::kDecode; }),
      make("bsc", [](Variant& v) { v.options.form.layout = Layout::kBsc; }),
      make("blend", [](Variant& v) { v.options.form.kv = KvWrite::kBlend; }),
      make("host", [](Variant& v) { v.options.form.kv = KvWrite::kHost; }),
      make("bsc-host",
           [](Variant& v) {
             v.options.form.layout = Layout::kBsc;
             v.options.form.kv = KvWrite::kHost;
           }),
      make("single", [](Variant& v) { v.options.single = true; }),
      make("ranged",
           [](Variant& v) { v.options.interface = converter::Interface::kSwiftTransformers; }),
      make("single-bsc-blend",
           [](Variant& v) {
             v.options.single = true;
             v.options.form.layout = Layout::kBsc;
             v.options.form.kv = KvWrite::kBlend;
           }),
      make("tiles", [](Variant& v) { v.options.form.head_tiles = 3; }),
      make("short-context",
           [](Variant& v) {
             v.options.form.context = 320;
             v.options.form.prefill = 32;
           }),
  };
}

fs::path bundle_of(Variant variant) {
  const fs::path folder = scratch() / variant.name;
  if (!fs::exists(folder)) {
    variant.options.checkpoint = ANEMONE_MODEL_DIR;
    variant.options.output = folder;
    converter::convert(variant.options);
  }
  return folder;
}

std::unique_ptr<const Runner> runner_of(const Variant& variant, engine::Arithmetic arithmetic) {
  Runner::Options options;
  options.arithmetic = arithmetic;
  options.threads = 2;
  options.path = variant.path;
  options.scores = true;
  return Runner::load(bundle_of(variant), options);
}

std::vector<int> golden_ids() {
  return load_json(ANEMONE_LOGITS_DIR "/tokens.json").at("ids").get<std::vector<int>>();
}

// The matrix of an .npy file of float32 that this folder's script wrote.
struct Golden {
  Golden() : file(ANEMONE_LOGITS_DIR "/logits.npy") {
    ByteReader reader(file.view(), "logits.npy");
    reader.seek(8);
    const std::size_t header = reader.u16("header length");
    reader.take(header, "header");
    const auto rest = reader.take(reader.left(), "data");
    values = {reinterpret_cast<const float*>(rest.data()), rest.size() / 4};
  }
  MappedFile file;
  std::span<const float> values;
};

std::size_t best(std::span<const float> row) {
  return static_cast<std::size_t>(std::max_element(row.begin(), row.end()) - row.begin());
}

float margin(std::span<const float> row) {
  const std::size_t top = best(row);
  float second = -INFINITY;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != top) second = std::max(second, row[i]);
  }
  return row[top] - second;
}

TEST(Logits, EqualThoseOfTransformersInEveryForm) {
  const Golden golden;
  const std::vector<int> ids = golden_ids();
  ASSERT_EQ(ids.size(), 256u);
  for (const Variant& variant : variants()) {
    if (kTexts < 10 && variant.name.find('-') != std::string::npos) continue;
    const auto runner = runner_of(variant, engine::Arithmetic::kFloat32);
    const auto vocab = static_cast<std::size_t>(runner->vocab_size());
    ASSERT_EQ(golden.values.size(), ids.size() * vocab);
    Session session(*runner);
    double error = 0, norm = 0;
    std::size_t rows = 0;
    session.score(ids, [&](std::int64_t position, std::span<const float> row) {
      const auto theirs = golden.values.subspan(static_cast<std::size_t>(position) * vocab, vocab);
      for (std::size_t i = 0; i < vocab; ++i) {
        error += std::pow(static_cast<double>(row[i]) - theirs[i], 2);
        norm += std::pow(static_cast<double>(theirs[i]), 2);
      }
      if (margin(theirs) > kNearTie) {
        EXPECT_EQ(best(row), best(theirs)) << variant.name << " position " << position;
      }
      ++rows;
    });
    EXPECT_EQ(rows, ids.size());
    EXPECT_LT(std::sqrt(error / norm), kRelativeError) << variant.name;
    RecordProperty("relative_error_" + variant.name, std::to_string(std::sqrt(error / norm)));
  }
}

struct Text {
  std::vector<int> prompt, ids;
  std::vector<float> margins;
};

std::vector<Text> golden_texts() {
  std::vector<Text> texts;
  const Json golden = load_json(ANEMONE_LOGITS_DIR "/greedy.json");
  for (const Json& one : golden.at("greedy")) {
    texts.push_back({one.at("prompt_ids"), one.at("ids"), one.at("margins")});
    EXPECT_EQ(texts.back().ids.size(), 64u);
    texts.back().ids.resize(kSteps);
  }
  EXPECT_EQ(texts.size(), 10u);
  texts.resize(kTexts);
  return texts;
}

std::vector<int> greedy(Session& session, const Text& text) {
  session.reset();
  generate::GenerateOptions options;
  options.max_tokens = static_cast<std::int64_t>(text.ids.size());
  options.ignore_eos = true;
  return generate::generate(session, text.prompt, options).ids;
}

TEST(Greedy, WritesWhatTransformersWritesUpToTheFirstNearTie) {
  const std::vector<Text> texts = golden_texts();
  for (const engine::Arithmetic arithmetic :
       {engine::Arithmetic::kFloat32, engine::Arithmetic::kFloat16}) {
    for (const Variant& variant : variants()) {
      if (arithmetic == engine::Arithmetic::kFloat32 && variant.name != "default") continue;
      const auto runner = runner_of(variant, arithmetic);
      Session session(*runner);
      // Every length of the ranged form is a plan of its own, which takes its time.
      const std::size_t count =
          std::min<std::size_t>(texts.size(), variant.name == "ranged" ? 2 : 10);
      for (std::size_t t = 0; t < count; ++t) {
        const std::vector<int> ids = greedy(session, texts[t]);
        ASSERT_EQ(ids.size(), texts[t].ids.size());
        for (std::size_t step = 0; step < ids.size(); ++step) {
          if (texts[t].margins[step] < kNearTie) {
            if (ids[step] != texts[t].ids[step]) {
              RecordProperty(variant.name + "_text_" + std::to_string(t),
                             "parts at the near tie of step " + std::to_string(step));
              break;
            }
          }
          ASSERT_EQ(ids[step], texts[t].ids[step]) << variant.name << ", text " << t << ", step "
                                                   << step << ", margin " << texts[t].margins[step];
        }
      }
    }
  }
}

TEST(Greedy, GivesTheSameBitsForAnyNumberOfParts) {
  const std::vector<Text> texts = golden_texts();
  std::vector<std::vector<float>> first_logits;
  for (const std::int64_t parts : {1, 2, 4, 6}) {
    Variant variant;
    variant.name = "parts-" + std::to_string(parts);
    variant.options.form.context = 0;
    variant.options.parts = parts;
    const auto runner = runner_of(variant, engine::Arithmetic::kFloat16);
    ASSERT_EQ(runner->bundle().parts.size(), static_cast<std::size_t>(parts));
    Session session(*runner);
    for (std::size_t t = 0; t < texts.size(); ++t) {
      session.reset();
      const auto prompt = session.feed(texts[t].prompt);
      std::vector<float> logits(prompt.begin(), prompt.end());
      for (std::size_t step = 0; step < 8; ++step) {
        const auto next = session.feed(std::span(&texts[t].ids[step], 1));
        logits.insert(logits.end(), next.begin(), next.end());
      }
      if (parts == 1) {
        first_logits.push_back(std::move(logits));
      } else {
        EXPECT_EQ(logits, first_logits[t]) << parts << " parts, text " << t;
      }
    }
  }
}

}  // namespace
}  // namespace anemone
