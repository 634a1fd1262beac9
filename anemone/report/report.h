#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/lint/lint.h"
#include "anemone/package/package.h"

// Programs as one page for a browser: every op in order, where it would run and why, what it costs.
// The page needs no network, and nothing that a package says can become markup in it.
namespace anemone::report {

// A package with the name that the page calls it by. The model outlives the call.
struct Source {
  std::string name = {};
  const package::Model* model = nullptr;
  lint::Subject subject = {};  // of the model
};

// The processors that Core ML tells apart.
enum class Device : std::uint8_t { kCpu, kGpu, kAne };

// What a machine said of one op. It is joined to the op by function and first output.
struct MeasuredOp {
  std::string function = {};
  std::string output = {};
  std::optional<Device> preferred = {};
  std::vector<Device> supported = {};
  std::optional<double> cost = {};  // share of the function's, 0 to 1
};

// One machine's word on one function of a package under one choice of processors.
struct Measurement {
  std::string package = {};   // Source::name
  std::string machine = {};   // "Apple M4, Mac16,1, macOS 15.5 (24F74), 2026-03-01"
  std::string setting = {};   // "cpu+ane"
  bool allows_engine = true;  // else what prefers another unit contradicts nothing
  std::string verdict = {};   // on the package as a whole, in the evidence's own words
  std::vector<MeasuredOp> ops = {};
};

// What one value held while the program ran on the CPU: `anemone ranges --json`.
struct ValueRange {
  std::string package = {};  // Source::name
  std::string value = {};
  double max_magnitude = 0;
  std::optional<double> median = {};      // magnitudes that half, and 99.9 % of the elements
  std::optional<double> nearly_all = {};  // stay below
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;
};

struct Options {
  std::string title = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // shown at the head of the page
  lint::Options lint = {};
  std::vector<Measurement> measurements = {};
  std::vector<ValueRange> ranges = {};
};

// What a page is about, in figures.
struct Summary {
  std::uint64_t functions = 0;
  std::uint64_t ops = 0;
  std::uint64_t findings = 0;
  std::uint64_t away = 0;        // ops predicted to leave the engine
  std::uint64_t measured = 0;    // ops with a measurement
  std::uint64_t agreements = 0;  // measured where it was predicted
  std::uint64_t contradictions = 0;
};

// The data that the page holds, docs/report.md; and, where asked for, its figures.
OrderedJson data(std::span<const Source> sources, const Options& options,
                 Summary* summary = nullptr);

// The page, valid UTF-8.
std::string page(const OrderedJson& data);

}  // namespace anemone::report
