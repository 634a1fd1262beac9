#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/lint/rule.h"
#include "anemone/mil/program.h"

// Says before anyone touches a Mac which op would leave the Neural Engine, by which rule, on whose
// word, and what to write instead. Everything here is predicted, never a result.
namespace anemone::lint {

// How a function's input may vary, as the package's description has it.
struct FlexibleInput {
  std::string function = {};
  std::string input = {};
  enum class Kind : std::uint8_t { kRange, kUnboundedRange, kEnumerated } kind = Kind::kRange;
  std::int64_t shapes = 0;  // of kEnumerated
};

// What is looked at: a program, and what only its package knows.
struct Subject {
  const mil::Program* program = nullptr;  // outlives the findings' use of `at`
  // Of the weight file; 0: counted from the program's constants.
  std::uint64_t weight_bytes = 0;
  // An input with unknown extents that is not named here is taken for a bounded range.
  std::vector<FlexibleInput> flexible = {};
  // The version of coremltools that its metadata name; what the program itself says counts as well.
  std::string coremltools = {};
};

// A chip with a Neural Engine, for rules that hold on some alone.
struct Chip {
  std::string_view name = {};  // "M4"
  int generation = 0;          // as in Scope
  bool is_phone = false;
};
// "m4", "M4 Pro", "A17 Pro", "Apple M1"; absent if it is not known.
std::optional<Chip> find_chip(std::string_view name);
std::span<const Chip> chips();

struct Options {
  std::optional<Chip> chip = {};          // absent: rules of every chip
  std::optional<mil::Opset> target = {};  // absent: what each function asks for
};

// Something that a rule predicts. A finding about a function or the program names no op.
struct Finding {
  const Rule* rule = nullptr;
  std::string function = {};  // "" of the whole program
  std::string op = {};        // its type: "gather"
  std::string output = {};    // the op's first output, by which plans and reports join
  std::string tensor = {};    // the value that it is about
  std::string shape = {};     // of the tensor: "[1, 64, ?]"
  std::string dtype = {};
  std::string message = {};
  std::uint64_t bytes = 0;  // that it puts at risk: of the op, of the function, or of the program
  std::uint64_t flops = 0;
  double share_bytes = 0;  // of the program's, 0 to 1
  double share_flops = 0;
  const mil::Op* at = nullptr;

  Severity severity() const { return rule->severity; }
};

// Everything that the catalogue has to say, worst first, then in program order. The program should
// be sound (mil::verify).
std::vector<Finding> lint(const Subject& subject, const Options& options = {});

std::span<const Rule* const> rules();
const Rule* find_rule(std::string_view id);  // null if there is none

// --- Where things would run. ---

enum class Unit : std::uint8_t {
  kAne,
  kAway,  // CPU or GPU: no rule knows which
};
std::string_view name(Unit unit);  // "ane", "cpu/gpu"

// Ops that may run one after another on one unit without a hand-over.
struct Island {
  Unit unit = Unit::kAne;
  std::uint64_t ops = 0;
  std::uint64_t bytes = 0;
  std::uint64_t flops = 0;
  std::string first = {};  // outputs of the first and the last op, in program order
  std::string last = {};
};
// A value that one island makes and another, on the other unit, takes.
struct Copy {
  std::string tensor = {};
  std::string shape = {};
  std::string dtype = {};
  std::uint64_t bytes = 0;
};
struct Crossing {
  std::size_t from = 0;  // islands
  std::size_t to = 0;
  std::vector<Copy> copies = {};
  std::uint64_t bytes = 0;
};
struct FunctionIslands {
  std::string function = {};
  bool is_barred = false;                // a finding keeps the whole function off the engine
  std::vector<Island> islands = {};      // in running order; as few as the findings allow
  std::vector<Crossing> crossings = {};  // a change of unit each
  std::uint64_t copied_bytes = 0;
  std::map<const mil::Op*, std::size_t> island_of = {};  // constants have none
};
// Where the ops of each function would run if the findings are right, and what is handed over.
// State ops and constants make no island; function inputs and outputs cost no crossing.
std::vector<FunctionIslands> islands(const Subject& subject, std::span<const Finding> findings);

}  // namespace anemone::lint
