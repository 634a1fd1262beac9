#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/evidence/evidence.h"
#include "anemone/evidence/placement.h"
#include "anemone/ladder/ladder.h"

namespace anemone::ladder {

// What is known of one experiment.
struct Known {
  std::string id = {};
  enum class Result : std::uint8_t {
    kUnrun,
    kUnclear,  // run; it tells nothing about the Neural Engine
    kPasses,
    kFails,
  };
  Result result = Result::kUnrun;
  // Of the form that the result rests on, or of the tiny one if only that was run.
  evidence::Verdict verdict = {};
  std::string form = {};
};

struct Node {
  std::string id = {};  // of a hypothesis or a rung
  std::string says = {};
  Standing standing = Standing::kUndecided;
  std::string because = {};                // in words
  std::vector<std::string> evidence = {};  // experiments that it rests on
  std::vector<std::string> together = {};  // confounded: the others of its set
};

struct Verdict {
  std::string base = {};                 // what suspects were added to; empty: no base has run
  std::vector<Node> rungs = {};          // "it runs on the Neural Engine"
  std::vector<Node> hypotheses = {};     // "it keeps the block off the Neural Engine"
  std::vector<std::string> causes = {};  // sentences, one a cause
  bool is_complete = false;              // every suspect is supported, refuted or confounded
  // Two experiments that contradict each other: the graph with more in it passed.
  std::vector<std::string> contradiction = {};
  std::optional<std::string> next = {};  // the experiment that decides most
};

// A verdict on placement rests on filled forms alone, so where a ladder has none all stays
// undecided.
Known known(std::string_view id, const std::vector<evidence::Record>& records);
Verdict conclude(const Ladder& ladder, const std::vector<evidence::Record>& records);

std::string_view name(Standing standing);
// `how` says where the records come from: "measured", or "played back".
std::string to_text(const Verdict& verdict, std::string_view how = "measured");
OrderedJson to_json(const Verdict& verdict);

}  // namespace anemone::ladder
