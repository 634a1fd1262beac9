#include "anemone/cli/progress_bar.h"

#include <chrono>

#include "anemone/cli/words.h"

namespace anemone::cli {
namespace {

constexpr double kIntervalSeconds = 0.1;
// Before that the rate is a guess.
constexpr double kEtaAfterSeconds = 0.5;

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// "1:05", "2:00:00"
std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  const auto two = [](std::uint64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  if (whole < 3600) return std::to_string(whole / 60) + ":" + two(whole % 60);
  return std::to_string(whole / 3600) + ":" + two(whole / 60 % 60) + ":" + two(whole % 60);
}

}  // namespace

std::string progress_line(std::string_view what, std::uint64_t done, std::uint64_t total,
                          double seconds, int columns) {
  const double share =
      total == 0 ? 0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  std::string tail = "] " + std::to_string(static_cast<int>(share * 100)) + " %  " +
                     bytes_text(done) + " of " + bytes_text(total);
  if (seconds >= kEtaAfterSeconds && share > 0) {
    tail += "  ETA " + clock_text(seconds / share * (1 - share));
  }
  const std::string head = std::string(what) + " [";
  const int room = columns - 1 - static_cast<int>(head.size() + tail.size());
  if (room < 4)
    return (std::string(what) + tail.substr(1))
        .substr(0, static_cast<std::size_t>(std::max(columns - 1, 0)));
  const auto width = static_cast<std::size_t>(std::min(room, 40));
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(width));
  std::string bar(filled, '=');
  if (filled < width) bar += ">" + std::string(width - filled - 1, ' ');
  return head + bar + tail;
}

ProgressBar::ProgressBar(const Console& console, Clock clock)
    : console_(console), clock_(clock ? std::move(clock) : steady_seconds), start_(clock_()) {}

ProgressBar::~ProgressBar() { wipe(); }

void ProgressBar::update(std::string_view what, std::uint64_t done, std::uint64_t total) {
  if (!console_.err_is_terminal) return;
  const double now = clock_() - start_;
  if (is_shown_ && now - printed_ < kIntervalSeconds) return;
  printed_ = now;
  is_shown_ = true;
  // Back to the line's start; what the last line had more is erased.
  console_.err << '\r' << progress_line(what, done, total, now, console_.err_columns) << "\x1b[K";
  console_.err.flush();
}

void ProgressBar::wipe() {
  if (!is_shown_) return;
  console_.err << "\r\x1b[K";
  console_.err.flush();
  is_shown_ = false;
}

}  // namespace anemone::cli
