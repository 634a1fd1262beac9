#include "anemone/ladder/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

#include "anemone/base/check.h"
#include "anemone/base/error.h"

namespace anemone::ladder {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kKeptBytes = 64 * 1024;  // from the beginning, and as much from the end
constexpr int kStepMs = 20;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// The beginning and the end of what passes by.
class Tail {
 public:
  void add(const char* bytes, std::size_t count) {
    const std::size_t first = std::min(count, kKeptBytes - head_.size());
    head_.append(bytes, first);
    tail_.append(bytes + first, count - first);
    if (tail_.size() > 2 * kKeptBytes) {
      left_out_ += tail_.size() - kKeptBytes;
      tail_.erase(0, tail_.size() - kKeptBytes);
    }
  }
  std::string text() const {
    if (left_out_ == 0) return head_ + tail_;
    return head_ + "\n... " + std::to_string(left_out_) + " bytes left out ...\n" + tail_;
  }

 private:
  std::string head_;
  std::string tail_;
  std::size_t left_out_ = 0;
};

[[noreturn]] void fail(const char* what) {
  throw Error(Code::kIo, std::string(what) + ": " + std::strerror(errno));
}

// In the child: only what is safe between fork and exec. `refusal` takes the reason why there was
// no exec, and closes with one.
[[noreturn]] void become(char* const* arguments, int output, int refusal) {
  ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (nothing >= 0) ::dup2(nothing, STDIN_FILENO);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvp(arguments[0], arguments);
  const int reason = errno;
  [[maybe_unused]] const auto written = ::write(refusal, &reason, sizeof(reason));
  // The child of a fork has no business in the parent's destructors.
  ::kill(::getpid(), SIGKILL);
  for (;;) ::pause();
}

// Both ends close at exec.
struct Pipe {
  Pipe() {
    if (::pipe(ends) != 0) fail("no pipe for a child process");
    for (const int end : ends) ::fcntl(end, F_SETFD, FD_CLOEXEC);
  }
  ~Pipe() {
    close_writer();
    ::close(ends[0]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_writer() {
    if (ends[1] >= 0) ::close(ends[1]);
    ends[1] = -1;
  }
  int ends[2] = {-1, -1};
};

}  // namespace

Ending run_process(const std::vector<std::string>& command, double timeout_seconds,
                   const StopFlag* stop) {
  ANEMONE_CHECK(!command.empty());
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  Pipe speech;
  Pipe refusal;
  ::fcntl(speech.ends[0], F_SETFL, O_NONBLOCK);
  const Clock::time_point start = Clock::now();
  const pid_t child = ::fork();
  if (child < 0) fail("no child process");
  if (child == 0) become(arguments.data(), speech.ends[1], refusal.ends[1]);
  ::setpgid(child, child);  // by whichever of the two comes first
  speech.close_writer();
  refusal.close_writer();
  int reason = 0;
  if (::read(refusal.ends[0], &reason, sizeof(reason)) == sizeof(reason)) {
    ::waitpid(child, nullptr, 0);
    throw Error(Code::kIo, command[0] + ": cannot be run: " + std::strerror(reason));
  }

  Ending ending;
  Tail tail;
  char buffer[8192];
  const auto drain = [&] {
    ssize_t got = 0;
    while ((got = ::read(speech.ends[0], buffer, sizeof(buffer))) > 0) {
      tail.add(buffer, static_cast<std::size_t>(got));
    }
    return got;
  };
  bool is_stopped = false;
  int status = 0;
  for (bool is_open = true;;) {
    if (is_open) {
      pollfd wait{.fd = speech.ends[0], .events = POLLIN, .revents = 0};
      ::poll(&wait, 1, kStepMs);
      is_open = drain() != 0;  // at the end it gives 0; nothing at the moment is -1
    } else {
      ::poll(nullptr, 0, kStepMs);
    }
    const pid_t gone = ::waitpid(child, &status, WNOHANG);
    if (gone == child) break;
    is_stopped = stop != nullptr && stop->is_set();
    ending.timed_out = !is_stopped && seconds_since(start) > timeout_seconds;
    if (!is_stopped && !ending.timed_out) continue;
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    break;
  }
  ::kill(-child, SIGKILL);  // what it left running
  drain();
  if (is_stopped) throw Error(Code::kInterrupted, "stopped while an experiment ran");
  ending.seconds = seconds_since(start);
  ending.said = tail.text();
  if (WIFEXITED(status)) ending.status = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ending.signal = WTERMSIG(status);
  return ending;
}

}  // namespace anemone::ladder
