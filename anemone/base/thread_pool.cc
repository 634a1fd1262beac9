#include "anemone/base/thread_pool.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace anemone {
namespace {

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// About 50 microseconds of spinning: longer than the gap between two ops, far shorter than a person
// can feel.
constexpr int kSpins = 2000;

}  // namespace

struct ThreadPool::Shared {
  std::mutex turn;  // held by the one caller of parallel_for

  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<std::uint64_t> generation{0};
  std::atomic<bool> stop{false};
  std::atomic<int> sleeping{0};

  const std::function<void(std::int64_t, std::int64_t, int)>* work = nullptr;
  std::int64_t count = 0;
  std::int64_t grain = 1;
  std::atomic<std::int64_t> next{0};
  std::atomic<int> busy{0};
  std::vector<std::thread> workers;

  void take_pieces(int thread) {
    for (;;) {
      const std::int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= count) return;
      (*work)(begin, std::min(begin + grain, count), thread);
    }
  }

  void serve(int thread) {
    std::uint64_t seen = 0;
    for (;;) {
      int spins = 0;
      while (generation.load(std::memory_order_acquire) == seen) {
        if (++spins < kSpins) {
          relax();
          continue;
        }
        std::unique_lock lock(mutex);
        sleeping.fetch_add(1);
        wake.wait(lock, [&] { return generation.load() != seen; });
        sleeping.fetch_sub(1);
      }
      seen = generation.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      take_pieces(thread);
      busy.fetch_sub(1, std::memory_order_release);
    }
  }

  void announce() {
    generation.fetch_add(1);
    if (sleeping.load() > 0) {
      { std::lock_guard lock(mutex); }
      wake.notify_all();
    }
  }
};

ThreadPool::ThreadPool(int threads)
    : threads_(threads > 0 ? threads : available()), shared_(std::make_unique<Shared>()) {
  for (int i = 1; i < threads_; ++i) {
    shared_->workers.emplace_back([shared = shared_.get(), i] { shared->serve(i); });
  }
}

ThreadPool::~ThreadPool() {
  shared_->stop.store(true, std::memory_order_release);
  {
    std::lock_guard lock(shared_->mutex);
    shared_->generation.fetch_add(1);
  }
  shared_->wake.notify_all();
  for (auto& worker : shared_->workers) worker.join();
}

void ThreadPool::parallel_for(std::int64_t count, std::int64_t grain,
                              const std::function<void(std::int64_t, std::int64_t, int)>& work) {
  if (count <= 0) return;
  grain = std::max<std::int64_t>(grain, 1);
  if (threads_ == 1 || count <= grain) {
    work(0, count, 0);
    return;
  }
  std::lock_guard turn(shared_->turn);
  shared_->work = &work;
  shared_->count = count;
  shared_->grain = grain;
  shared_->next.store(0, std::memory_order_relaxed);
  shared_->busy.store(threads_ - 1, std::memory_order_relaxed);
  shared_->announce();
  shared_->take_pieces(0);
  int spins = 0;
  while (shared_->busy.load(std::memory_order_acquire) > 0) {
    if (++spins < kSpins) {
      relax();
    } else {
      std::this_thread::yield();
    }
  }
}

int ThreadPool::available() {
  cpu_set_t set;
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cpus = CPU_COUNT(&set);
  // cgroup v2: "quota period" or "max period", in microseconds.
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (quota_file >> quota >> period && quota != "max" && period > 0) {
    cpus = std::min(cpus, std::max(1, static_cast<int>(std::stod(quota) / period + 0.5)));
  }
  return std::max(1, cpus);
}

}  // namespace anemone
