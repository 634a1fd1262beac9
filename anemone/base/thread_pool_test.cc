#include "anemone/base/thread_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>

namespace anemone {
namespace {

TEST(ThreadPool, CoversEveryIndexOnceWhateverTheGrain) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const std::int64_t count : {0, 1, 7, 64, 1001}) {
      for (const std::int64_t grain : {1, 3, 2000}) {
        std::vector<std::atomic<int>> hits(static_cast<std::size_t>(count));
        pool.parallel_for(count, grain, [&](std::int64_t begin, std::int64_t end, int thread) {
          ASSERT_LT(thread, threads);
          for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
        });
        for (const auto& hit : hits) EXPECT_EQ(hit, 1);
      }
    }
  }
}

TEST(ThreadPool, WakesItsThreadsAfterTheySlept) {
  ThreadPool pool(3);
  std::atomic<std::int64_t> sum{0};
  for (int round = 0; round < 50; ++round) {
    if (round % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    pool.parallel_for(100, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) sum += i;
    });
  }
  EXPECT_EQ(sum, 50 * 4950);
}

TEST(ThreadPool, DoesNotWaitForThreadsThatComeLate) {
  // Many more threads than processors, and calls too short for most of them to join.
  ThreadPool pool(16);
  for (int round = 0; round < 2000; ++round) {
    // A call's own data, gone when it returns: a thread that joined late would touch it.
    std::vector<int> hits(3);
    pool.parallel_for(3, 1, [&](std::int64_t begin, std::int64_t end, int) {
      for (std::int64_t i = begin; i < end; ++i) ++hits[static_cast<std::size_t>(i)];
    });
    EXPECT_EQ(hits, (std::vector<int>{1, 1, 1}));
  }
}

TEST(ThreadPool, ServesTwoCallersOneAfterTheOther) {
  ThreadPool pool(2);
  std::atomic<int> total{0};
  const auto caller = [&] {
    for (int i = 0; i < 200; ++i) {
      pool.parallel_for(16, 1, [&](std::int64_t begin, std::int64_t end, int) {
        total += static_cast<int>(end - begin);
      });
    }
  };
  std::thread other(caller);
  caller();
  other.join();
  EXPECT_EQ(total, 2 * 200 * 16);
}

}  // namespace
}  // namespace anemone
