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

// A call is open from the moment its fields are set until its caller runs out of pieces. Workers
// join open calls only; so one that is late, or has lost its processor to somebody else, is not
// waited for: the others do its share.
struct ThreadPool::Shared {
  // `door` holds the number of calls so far, whether the last is open, and how many workers are in.
  static constexpr std::uint64_t kInside = 0xffff;
  static constexpr std::uint64_t kOpen = 0x10000;
  static constexpr std::uint64_t kCall = 0x20000;

  std::mutex turn;  // held by the one caller of parallel_for

  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<std::uint64_t> door{0};
  std::atomic<bool> stop{false};
  std::atomic<int> sleeping{0};

  const std::function<void(std::int64_t, std::int64_t, int)>* work = nullptr;
  std::int64_t count = 0;
  std::int64_t grain = 1;
  std::atomic<std::int64_t> next{0};
  std::vector<std::thread> workers;

  void take_pieces(int thread) {
    for (;;) {
      const std::int64_t begin = next.fetch_add(grain, std::memory_order_relaxed);
      if (begin >= count) return;
      (*work)(begin, std::min(begin + grain, count), thread);
    }
  }

  // Enters the open call that `seen` shows, unless it has closed meanwhile.
  bool join(std::uint64_t seen) {
    while ((seen & kOpen) != 0) {
      if (door.compare_exchange_weak(seen, seen + 1, std::memory_order_acquire)) return true;
    }
    return false;
  }

  void serve(int thread) {
    std::uint64_t last = 0;  // the call that was looked at last
    for (;;) {
      int spins = 0;
      std::uint64_t seen = door.load(std::memory_order_acquire);
      while (seen / kCall == last) {
        if (++spins < kSpins) {
          relax();
        } else {
          std::unique_lock lock(mutex);
          sleeping.fetch_add(1);
          wake.wait(lock, [&] { return door.load() / kCall != last; });
          sleeping.fetch_sub(1);
        }
        seen = door.load(std::memory_order_acquire);
      }
      last = seen / kCall;
      if (stop.load(std::memory_order_acquire)) return;
      if (join(seen)) {
        take_pieces(thread);
        door.fetch_sub(1, std::memory_order_release);
      }
    }
  }

  void open() {
    door.fetch_add(kCall + kOpen);
    if (sleeping.load() > 0) {
      { std::lock_guard lock(mutex); }
      wake.notify_all();
    }
  }

  // No worker comes in any more; waits for those that are inside.
  void close() {
    door.fetch_and(~kOpen);
    int spins = 0;
    while ((door.load(std::memory_order_acquire) & kInside) != 0) {
      if (++spins < kSpins) {
        relax();
      } else {
        std::this_thread::yield();
      }
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
    shared_->door.fetch_add(Shared::kCall);
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
  shared_->open();
  shared_->take_pieces(0);
  shared_->close();
}

int ThreadPool::available() {
  int cpus = static_cast<int>(std::thread::hardware_concurrency());
#ifdef __linux__
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof(set), &set) == 0) cpus = CPU_COUNT(&set);
  // cgroup v2: "quota period" or "max period", in microseconds.
  std::ifstream quota_file("/sys/fs/cgroup/cpu.max");
  std::string quota;
  double period = 0;
  if (quota_file >> quota >> period && quota != "max" && period > 0) {
    cpus = std::min(cpus, std::max(1, static_cast<int>(std::stod(quota) / period + 0.5)));
  }
#endif
  return std::max(1, cpus);
}

}  // namespace anemone
