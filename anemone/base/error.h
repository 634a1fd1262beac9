#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace anemone {

// What went wrong, coarsely. One table (error.cc) gives each code its exit status and HTTP status.
enum class Code {
  kUsage,        // a flag or a request that cannot be understood
  kBadInput,     // a file or a value that breaks its own format's rules
  kNotFound,     // a file, tensor, function or token that is not there
  kUnsupported,  // well-formed, but not something anemone handles
  kNumeric,      // values that the requested arithmetic cannot hold
  kLimit,        // longer or larger than a stated limit
  kIo,           // the operating system refused a read or a write
  kNoSpace,      // the disk is, or would be, full
  kInterrupted,  // the user asked to stop
};

// The one exception of the library: the world is wrong (a file, a flag, a request).
// The message names the file and the thing, what was found and what was allowed.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

// The code's name as JSON spells it: "bad-input".
std::string_view name(Code code);
// The exit status of a command that ended with this error; 2 and up.
int exit_status(Code code);
// The HTTP status of a request that ended with this error.
int http_status(Code code);

}  // namespace anemone
