#pragma once

#include <cstdint>
#include <functional>
#include <memory>

namespace anemone {

// A fixed set of threads that share out index ranges. The caller works too, so a pool of 1 has no
// threads of its own. Workers spin briefly between calls (decode makes hundreds a token) and then
// sleep. One parallel_for at a time: a second caller waits for its turn.
class ThreadPool {
 public:
  // `threads` counts the caller; 0 means as many as the machine lets this process use.
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int threads() const { return threads_; }

  // Calls `work(begin, end, thread)` on consecutive pieces of [0, count) of about `grain` indices.
  // How the range is cut, and which thread takes which piece, may vary: work must not depend on it.
  // `work` must not throw.
  void parallel_for(std::int64_t count, std::int64_t grain,
                    const std::function<void(std::int64_t, std::int64_t, int)>& work);

  // The processors this process may run on (affinity and cgroup quota counted).
  static int available();

 private:
  struct Shared;
  int threads_;
  std::unique_ptr<Shared> shared_;
};

}  // namespace anemone
