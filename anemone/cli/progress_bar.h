#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "anemone/cli/console.h"

namespace anemone::cli {

// One line on the terminal's error stream that is written over and over, and wiped at the end.
// Nothing at all where that stream is no terminal.
class ProgressBar {
 public:
  using Clock = std::function<double()>;  // seconds
  explicit ProgressBar(const Console& console, Clock clock = {});
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Of bytes, mostly. Prints at most ten times a second.
  void update(std::string_view what, std::uint64_t done, std::uint64_t total);
  void wipe();

 private:
  const Console& console_;
  Clock clock_;
  double start_;
  double printed_ = -1;
  bool is_shown_ = false;
};

// "head.mlpackage [=====>    ] 52 %  0.78 of 1.50 GB  ETA 0:07", at most `columns` wide.
std::string progress_line(std::string_view what, std::uint64_t done, std::uint64_t total,
                          double seconds, int columns);

}  // namespace anemone::cli
