#include "anemone/generate/runner.h"

#include <gtest/gtest.h>

#include <thread>

#include "anemone/base/files.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"
#include "anemone/testing/toy_model.h"

namespace anemone::generate {
namespace {

using testing::message_of;
using testing::TempDir;
using testing::toy_predictors;
using testing::ToyOptions;
using testing::write_toy_bundle;

using Matrix = std::vector<std::vector<float>>;

// A toy bundle with its runner.
struct Toy {
  explicit Toy(const ToyOptions& toy = {}, Runner::Options options = {}, bool notes_calls = true)
      : bundle(write_toy_bundle(dir.path(), toy)) {
    options.open = toy_predictors(bundle, notes_calls ? &calls : nullptr);
    runner = Runner::load(dir.path(), options);
  }

  TempDir dir;
  Bundle bundle;
  std::vector<std::string> calls;
  std::unique_ptr<const Runner> runner;
};

std::vector<int> prompt(int count) {
  std::vector<int> ids;
  for (int i = 0; i < count; ++i) ids.push_back((7 * i + 3) % 20);
  return ids;
}

Matrix scores(Session& session, std::span<const int> ids) {
  Matrix rows;
  session.score(ids, [&](std::int64_t position, std::span<const float> logits) {
    EXPECT_EQ(position, static_cast<std::int64_t>(rows.size()));
    rows.emplace_back(logits.begin(), logits.end());
  });
  return rows;
}

std::vector<float> copy(std::span<const float> logits) { return {logits.begin(), logits.end()}; }

TEST(Session, TakesAPromptInWholeBlocksAndPadsTheLast) {
  Toy toy;
  Session session(*toy.runner);
  session.feed(prompt(19));
  EXPECT_EQ(toy.calls, (std::vector<std::string>{
                           "layers_00.mlpackage prefill 0", "layers_01.mlpackage prefill 0",
                           "layers_00.mlpackage prefill 8", "layers_01.mlpackage prefill 8",
                           "layers_00.mlpackage prefill 16", "layers_01.mlpackage prefill 16",
                           "head.mlpackage decode"}));
  EXPECT_EQ(session.position(), 19);
}

TEST(Session, TakesASingleIdByDecode) {
  Toy toy;
  Session session(*toy.runner);
  session.feed(prompt(9));
  EXPECT_EQ(toy.calls, (std::vector<std::string>{
                           "layers_00.mlpackage prefill 0", "layers_01.mlpackage prefill 0",
                           "layers_00.mlpackage decode 8", "layers_01.mlpackage decode 8",
                           "head.mlpackage decode"}));
}

TEST(Session, DecodesWhereABlockWouldPassTheEndOfTheContext) {
  Toy toy({.layers = {1}, .context = 64, .prefill = 24});
  Session session(*toy.runner);
  session.feed(prompt(51));
  // 24 + 24, and then 3 more: 48 + 24 is past 64.
  EXPECT_EQ(toy.calls, (std::vector<std::string>{
                           "layers_00.mlpackage prefill 0", "layers_00.mlpackage prefill 24",
                           "layers_00.mlpackage decode 48", "layers_00.mlpackage decode 49",
                           "layers_00.mlpackage decode 50", "head.mlpackage decode"}));
  session.feed(prompt(13));
  EXPECT_EQ(session.position(), 64);
}

TEST(Session, DecodesAllIfAskedTo) {
  Toy toy({.layers = {1}}, {.path = Path::kDecode});
  Session session(*toy.runner);
  session.feed(prompt(3));
  EXPECT_EQ(toy.calls, (std::vector<std::string>{
                           "layers_00.mlpackage decode 0", "layers_00.mlpackage decode 1",
                           "layers_00.mlpackage decode 2", "head.mlpackage decode"}));
}

TEST(Session, GivesTheSameLogitsByEveryPathKindAndCache) {
  // In full precision, so that a cache of the host's is not rounded either.
  constexpr auto kFull = engine::Arithmetic::kFloat32;
  const auto ids = prompt(64);
  Matrix expected;
  {
    Toy toy({}, {.arithmetic = kFull, .path = Path::kDecode});
    Session session(*toy.runner);
    for (const int id : ids) expected.push_back(copy(session.feed(std::span(&id, 1))));
  }
  for (const bool single : {false, true}) {
    for (const char* kv : {"slice", "blend", "host"}) {
      for (const std::int64_t prefill : {1, 8, 24}) {
        for (const Path path : {Path::kAuto, Path::kDecode}) {
          SCOPED_TRACE(std::string(single ? "single " : "parts ") + kv + " " +
                       std::to_string(prefill));
          Toy toy({.single = single, .kv = kv, .prefill = prefill},
                  {.arithmetic = kFull, .path = path, .scores = true});
          Session session(*toy.runner);
          EXPECT_EQ(scores(session, ids), expected);
          for (const int count : {1, 7, 8, 9, 50}) {
            session.reset();
            EXPECT_EQ(copy(session.feed(std::span(ids).first(static_cast<std::size_t>(count)))),
                      expected[static_cast<std::size_t>(count - 1)]);
          }
        }
      }
    }
  }
}

TEST(Session, AHostsCacheInFullPrecisionDiffersOnlyByRounding) {
  Toy half({.kv = "host"});
  Toy full({.kv = "host"}, {.arithmetic = engine::Arithmetic::kFloat32});
  Session a(*half.runner), b(*full.runner);
  const auto rounded = scores(a, prompt(20));
  const auto exact = scores(b, prompt(20));
  EXPECT_EQ(2 * a.state_bytes(), b.state_bytes());
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    for (std::size_t j = 0; j < exact[i].size(); ++j) {
      worst = std::max<double>(worst, std::abs(exact[i][j] - rounded[i][j]));
    }
  }
  EXPECT_GT(worst, 0);
  EXPECT_LT(worst, 0.02);
}

TEST(Session, DoesNotDependOnHowTheLayersAndTheHeadAreCut) {
  Toy one({.layers = {3}, .head_tiles = {20}});
  Session session(*one.runner);
  const auto expected = scores(session, prompt(40));
  for (const auto& layers : {std::vector<std::int64_t>{2, 1}, {1, 2}, {1, 1, 1}}) {
    for (const auto& tiles : {std::vector<std::int64_t>{10, 10}, {1, 19}, {7, 5, 8}}) {
      Toy toy({.layers = layers, .head_tiles = tiles});
      Session cut(*toy.runner);
      EXPECT_EQ(scores(cut, prompt(40)), expected);
    }
  }
}

TEST(Session, AfterAResetGivesTheSameBits) {
  for (const char* kv : {"slice", "blend", "host"}) {
    Toy toy({.kv = kv});
    Session session(*toy.runner);
    const auto first = copy(session.feed(prompt(21)));
    const auto second = copy(session.feed(prompt(1)));
    session.feed(prompt(40));
    session.reset();
    EXPECT_EQ(session.position(), 0);
    EXPECT_EQ(copy(session.feed(prompt(21))), first);
    EXPECT_EQ(copy(session.feed(prompt(1))), second);
  }
}

TEST(Session, TwoInterleavedOrOnTwoThreadsAreEachAsAlone) {
  Toy toy({}, {}, false);
  const auto alone = [&](int start) {
    Session session(*toy.runner);
    Matrix rows;
    for (int i = 0; i < 30; ++i) {
      const auto ids = prompt(start + i + 1);
      rows.push_back(copy(session.feed(std::span(ids).last(i == 0 ? 9 : 1))));
    }
    return rows;
  };
  const Matrix a = alone(10), b = alone(17);
  {
    Session one(*toy.runner), two(*toy.runner);
    for (int i = 0; i < 30; ++i) {
      const auto first = prompt(10 + i + 1), second = prompt(17 + i + 1);
      const auto at = static_cast<std::size_t>(i);
      EXPECT_EQ(copy(one.feed(std::span(first).last(i == 0 ? 9 : 1))), a[at]);
      EXPECT_EQ(copy(two.feed(std::span(second).last(i == 0 ? 9 : 1))), b[at]);
    }
  }
  Matrix c, d;
  std::thread other([&] { c = alone(10); });
  d = alone(17);
  other.join();
  EXPECT_EQ(c, a);
  EXPECT_EQ(d, b);
}

TEST(Session, RefusesWhatDoesNotFitWithBothNumbers) {
  Toy toy;
  Session session(*toy.runner);
  EXPECT_EQ(message_of([&] { session.feed(prompt(65)); }),
            "limit: the prompt has 65 tokens; the context holds 64");
  EXPECT_TRUE(toy.calls.empty());
  session.feed(prompt(60));
  EXPECT_EQ(message_of([&] { session.feed(prompt(5)); }),
            "limit: 5 tokens more do not fit: of the context's 64 positions 60 are taken");
  EXPECT_EQ(session.position(), 60);
}

TEST(Session, RefusesIdsOutsideOfTheVocabulary) {
  Toy toy;
  Session session(*toy.runner);
  EXPECT_EQ(message_of([&] {
              session.feed(std::vector<int>{1, 20});
            }),
            "bad-input: token id 20 at place 1; allowed: 0 to 19");
  EXPECT_EQ(message_of([&] { session.feed(std::vector<int>{-1}); }),
            "bad-input: token id -1 at place 0; allowed: 0 to 19");
  EXPECT_EQ(message_of([&] { session.feed({}); }), "bad-input: there are no token ids to run on");
}

TEST(Session, StopsBetweenBlocksWhenAskedTo) {
  Toy toy;
  Session session(*toy.runner);
  StopFlag stop;
  stop.set();
  EXPECT_EQ(message_of([&] { session.feed(prompt(9), &stop); }), "interrupted: interrupted");
  EXPECT_EQ(session.position(), 0);
}

TEST(Runner, HoldsFunctionsAgainstTheBundle) {
  const TempDir dir;
  const Bundle told = write_toy_bundle(dir.path(), {});
  // The packages are those of another bundle than bundle.json describes.
  const auto load = [&](const auto& change) {
    Bundle other = told;
    change(other);
    return message_of([&] { Runner::load(dir.path(), {.open = toy_predictors(other)}); });
  };
  const std::string part = "bad-input: " + (dir / "layers_00.mlpackage").string();
  EXPECT_EQ(load([](Bundle& bundle) { bundle.context = 128; }),
            part +
                ": function 'decode' has the input 'mask' of type tensor<fp16, [1, 1, 1, 128]>; "
                "allowed: tensor<fp16, [1, 1, 1, 64]>");
  EXPECT_EQ(load([](Bundle& bundle) { bundle.prefill = 4; }),
            part +
                ": function 'prefill' has the input 'hidden' of type tensor<fp16, [1, 4, 6]>; "
                "allowed: tensor<fp16, [1, 8, 6]>");
  EXPECT_EQ(load([](Bundle& bundle) { bundle.kv = "host"; }),
            part +
                ": function 'decode' has the input 'mask' of type tensor<fp16, [1, 1, 1, 65]>; "
                "allowed: tensor<fp16, [1, 1, 1, 64]>");
  EXPECT_EQ(load([](Bundle& bundle) { bundle.head_tiles[1].output = "logits"; }),
            "bad-input: " + (dir / "head.mlpackage").string() +
                ": function 'decode' has no output 'logits_1'");
  EXPECT_EQ(load([](Bundle&) {}), "");
}

TEST(Runner, NeedsTheTokenizerThatTheBundlePromises) {
  const TempDir dir;
  const Bundle bundle = write_toy_bundle(dir.path(), {.has_tokenizer = true});
  EXPECT_NE(Runner::load(dir.path(), {.open = toy_predictors(bundle)})->tokenizer(), nullptr);
  std::filesystem::remove(dir / "tokenizer.json");
  EXPECT_EQ(message_of([&] { Runner::load(dir.path(), {.open = toy_predictors(bundle)}); }),
            "not-found: " + (dir / "tokenizer.json").string() +
                ": cannot be opened: No such file or directory");
}

}  // namespace
}  // namespace anemone::generate
