#include "anemone/base/error.h"

#include "anemone/base/check.h"

namespace anemone {
namespace {

struct Row {
  Code code;
  std::string_view name;
  int exit_status;
  int http_status;
};

constexpr Row kRows[] = {
    {Code::kUsage, "usage", 2, 400},
    {Code::kBadInput, "bad-input", 3, 422},
    {Code::kNotFound, "not-found", 4, 404},
    {Code::kUnsupported, "unsupported", 5, 501},
    {Code::kNumeric, "numeric", 6, 422},
    {Code::kLimit, "limit", 7, 400},
    {Code::kIo, "io", 8, 500},
    {Code::kNoSpace, "no-space", 9, 507},
    {Code::kInterrupted, "interrupted", 130, 499},
};

const Row& row(Code code) {
  for (const Row& r : kRows) {
    if (r.code == code) return r;
  }
  ANEMONE_CHECK(false) << "a code without a row";
  return kRows[0];
}

}  // namespace

std::string_view name(Code code) { return row(code).name; }
int exit_status(Code code) { return row(code).exit_status; }
int http_status(Code code) { return row(code).http_status; }

}  // namespace anemone
