#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string_view>

namespace anemone {

// Told of long work as it goes on: what is being done, how much of how much is done (bytes,
// mostly). The library never prints; a command turns this into a bar, a test into a list.
using Progress =
    std::function<void(std::string_view what, std::uint64_t done, std::uint64_t total)>;

// Set by a signal handler, read by long work, which then throws Error(kInterrupted).
class StopFlag {
 public:
  void set() { set_.store(true, std::memory_order_relaxed); }
  bool is_set() const { return set_.load(std::memory_order_relaxed); }
  void throw_if_set() const;

 private:
  std::atomic<bool> set_{false};
};

}  // namespace anemone
