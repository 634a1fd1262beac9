#include "anemone/engine/plan_report.h"

#include <cstdio>

namespace anemone::engine {

double PlanReport::arena_ratio() const {
  return live_bytes == 0 ? 1.0 : static_cast<double>(arena_bytes) / static_cast<double>(live_bytes);
}

std::string PlanReport::text() const {
  if (!why_interpreted.empty()) {
    return "function " + function + ": interpreted, because " + why_interpreted + "\n";
  }
  std::string text;
  for (const Line& line : lines) {
    text += line.name + (line.op.empty() ? "" : " " + line.op) + ": " + line.how;
    if (!line.fused_with.empty()) text += " with " + line.fused_with;
    if (!line.where.empty()) text += ", " + line.where;
    if (!line.over.empty()) text += ", over " + line.over;
    if (line.bytes > 0) text += ", " + std::to_string(line.bytes) + " bytes";
    if (line.offset) text += " at " + std::to_string(*line.offset);
    text += "\n";
  }
  char ratio[32];
  std::snprintf(ratio, sizeof(ratio), "%.2f", arena_ratio());
  return text + "function " + function + ": " + std::to_string(steps) + " steps for " + target +
         (in_place > 0 ? ", " + std::to_string(in_place) + " in place" : "") + ", arena " +
         std::to_string(arena_bytes) + " bytes, " + ratio + " times the largest live set of " +
         std::to_string(live_bytes) + ", weights " + std::to_string(weight_bytes) + ", states " +
         std::to_string(state_bytes) + "\n";
}

OrderedJson PlanReport::json() const {
  if (!why_interpreted.empty()) {
    return {{"function", function}, {"interpreted", why_interpreted}};
  }
  OrderedJson ops = OrderedJson::array();
  for (const Line& line : lines) {
    OrderedJson one = {{"name", line.name}};
    if (!line.op.empty()) one["op"] = line.op;
    one["how"] = line.how;
    if (!line.fused_with.empty()) one["fused_with"] = line.fused_with;
    if (!line.where.empty()) one["where"] = line.where;
    if (!line.over.empty()) one["over"] = line.over;
    one["bytes"] = line.bytes;
    if (line.offset) one["offset"] = *line.offset;
    ops.push_back(std::move(one));
  }
  return {{"function", function},
          {"target", target},
          {"steps", steps},
          {"in_place", in_place},
          {"arena_bytes", arena_bytes},
          {"live_bytes", live_bytes},
          {"arena_ratio", arena_ratio()},
          {"weight_bytes", weight_bytes},
          {"state_bytes", state_bytes},
          {"plan", std::move(ops)}};
}

}  // namespace anemone::engine
