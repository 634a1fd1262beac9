#include <gtest/gtest.h>

#include "anemone/generate/runner.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"
#include "anemone/testing/toy_model.h"

namespace anemone::generate {
namespace {

using anemone::testing::message_of;
using anemone::testing::TempDir;
using anemone::testing::toy_predictors;
using anemone::testing::write_toy_bundle;

struct Toy {
  Toy() : bundle(write_toy_bundle(dir.path(), {})) {
    Runner::Options options;
    options.open = toy_predictors(bundle);
    runner = Runner::load(dir.path(), options);
  }
  TempDir dir;
  Bundle bundle;
  std::unique_ptr<const Runner> runner;
};

std::vector<float> copy(std::span<const float> values) { return {values.begin(), values.end()}; }

TEST(Session, MovedBackGoesOnAsIfNothingHadFollowed) {
  Toy toy;
  Session session(*toy.runner), other(*toy.runner);
  session.feed(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5});
  session.move_to(4);
  EXPECT_EQ(session.position(), 4);
  const auto again = copy(session.feed(std::vector<int>{7}));
  other.feed(std::vector<int>{3, 1, 4, 1});
  EXPECT_EQ(again, copy(other.feed(std::vector<int>{7})));
}

TEST(Session, MovedForwardReachesTheEndOfTheContext) {
  Toy toy;
  Session session(*toy.runner);
  session.move_to(63);
  EXPECT_EQ(session.feed(std::vector<int>{7}).size(), 20u);
  EXPECT_EQ(session.position(), 64);
  session.move_to(64);
  EXPECT_EQ(message_of([&] { session.move_to(65); }),
            "limit: position 65; the context has 0 to 64");
  EXPECT_EQ(message_of([&] { session.move_to(-1); }),
            "limit: position -1; the context has 0 to 64");
}

TEST(Session, ShowsWhatCrossesFromPartToPart) {
  Toy toy;
  Session session(*toy.runner);
  std::vector<std::string> seen;
  session.set_watch([&](std::size_t part, std::int64_t position, std::span<const float> hidden) {
    seen.push_back(
        std::to_string(part) + " at " + std::to_string(position) + ": " +
        std::to_string(hidden.size() / static_cast<std::size_t>(toy.bundle.hidden_size)));
  });
  session.feed(std::vector<int>{3, 1, 4, 1, 5, 9, 2, 6, 5, 3});
  session.feed(std::vector<int>{5});
  // Rows of padding belong to no id.
  EXPECT_EQ(seen, (std::vector<std::string>{"0 at 0: 8", "1 at 0: 8", "0 at 8: 2", "1 at 8: 2",
                                            "0 at 10: 1", "1 at 10: 1"}));
  session.set_watch(nullptr);
  session.feed(std::vector<int>{5});
  EXPECT_EQ(seen.size(), 6u);
}

}  // namespace
}  // namespace anemone::generate
