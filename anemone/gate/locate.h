#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/base/progress.h"
#include "anemone/engine/engine.h"
#include "anemone/gate/comparison.h"
#include "anemone/generate/bundle.h"
#include "anemone/oracle/oracle.h"

namespace anemone::gate {

// An op whose result is not what its inputs explain.
struct Fault {
  std::string package = {};
  std::string function = {};
  std::string op = {};    // its name; "input 'mask'" for what the host makes
  std::string type = {};  // "conv"; empty for an input
  std::int64_t layer = -1;
  std::int64_t position = 0;  // of the block's first row
  double error = 0;           // relative, of the worst lane; infinite if values are not finite
  double tolerance = 0;
  std::string worst =
      {};             // the element that is furthest off: "[0, 17, 0, 3] is 1.5, expected 0.25"
  Range before = {};  // of the op's first input that is not constant
  Range found = {}, expected = {};
  std::string note = {};  // what else is known of it
  std::vector<std::string> suspects =
      {};  // the ops between it and the last values known to be right
};

// How far the bundle's own residual stream has drifted from the oracle's after each layer, nothing
// put right on the way.
struct Drift {
  std::int64_t layer = 0;
  Distance is = {};
  Range found, expected;
};

struct Location {
  std::vector<Fault> faults;  // in running order
  std::vector<Drift> drift;
  std::int64_t ops = 0;      // run
  std::int64_t checked = 0;  // whose results were compared
  std::int64_t positions = 0;
};

struct LocateOptions {
  std::vector<int> ids = {};
  engine::Arithmetic arithmetic = engine::Arithmetic::kFloat16;
  int threads = 0;
  // Of a lane's relative error. Absent: 1e-3 in fp32 (gains that hold a scale are rounded once, to
  // 5e-4), 2e-2 in fp16 (an op may lose a few units of 2^-11 to cancellation).
  std::optional<double> tolerance = std::nullopt;
  // Changes what the host is about to feed: stands for a host with a fault of its own.
  std::function<void(std::string_view input, std::span<float> values)> tamper = {};
  Progress progress = {};
  const StopFlag* stop = nullptr;
};

// Runs the bundle's programs op by op beside the oracle. Every op gets the oracle's own values for
// inputs, so that what is wrong with its result is its own fault, and faults do not hide one
// another. Throws Error(kUnsupported) if the packages' values do not bear the names that convert
// gives them.
Location locate(const generate::Bundle& bundle, const oracle::Oracle& oracle,
                const LocateOptions& options);

OrderedJson to_json(const Location& location);

}  // namespace anemone::gate
