#include "anemone/gate/gate.h"
#include "anemone/gate/locate.h"

namespace anemone::gate {

OrderedJson to_json(const Row& row, double near_tie) {
  const Comparison& c = row.is;
  OrderedJson json = {
      {"position", row.position}, {"way", name(row.way)}, {"stretch", name(row.stretch)}};
  if (!c.reference_is_finite || !c.subject_is_finite) {
    json["finite"] = false;
    return json;
  }
  json.update({{"top1", c.subject_top},
               {"reference_top1", c.reference_top},
               {"equal", c.agrees()},
               {"margin", c.margin},
               {"subject_margin", c.subject_margin},
               {"near_tie", !c.agrees() && c.margin <= near_tie},
               {"top5_overlap", c.top5},
               {"kl", c.kl},
               {"cosine", c.cosine},
               {"relative_error", c.relative_error}});
  return json;
}

OrderedJson to_json(const Report& report) {
  OrderedJson json = {{"passed", report.passed()},        {"bundle", report.subject},
                      {"against", report.reference_path}, {"reference", report.reference},
                      {"arithmetic", report.arithmetic},  {"context", report.context}};
  OrderedJson ways = OrderedJson::array();
  for (const Summary& s : report.summaries) {
    ways.push_back({{"way", name(s.way)},
                    {"positions", s.positions},
                    {"first_position", s.first_position},
                    {"last_position", s.last_position},
                    {"top1_equal", s.agreeing},
                    {"near_ties", s.near_ties},
                    {"defects", s.defects},
                    {"top5_overlap", s.mean_top5},
                    {"mean_kl", s.mean_kl},
                    {"worst_kl", s.worst_kl},
                    {"worst_cosine", s.worst_cosine},
                    {"worst_cosine_at", s.worst_cosine_at},
                    {"worst_relative_error", s.worst_relative_error}});
  }
  json["ways"] = std::move(ways);
  if (report.perplexity) {
    json["perplexity"] = {{"predictions", report.perplexity->predictions},
                          {"bundle", report.perplexity->subject},
                          {"reference", report.perplexity->reference},
                          {"change", report.perplexity->change()}};
  }
  OrderedJson boundaries = OrderedJson::array();
  for (const Boundary& b : report.boundaries) {
    boundaries.push_back(
        {{"package", b.package},
         {"layer", b.layer},
         {"finite", b.is.is_finite},
         {"cosine", b.is.cosine},
         {"worst_cosine", b.worst_cosine},
         {"worst_cosine_at", b.worst_at},
         {"relative_error", b.is.is_finite ? OrderedJson(b.is.relative_error) : OrderedJson()}});
  }
  json["boundaries"] = std::move(boundaries);
  json["greedy"] = {{"steps", report.greedy.steps},
                    {"agreed", report.greedy.agreed},
                    {"ends_at_near_tie", report.greedy.ends_at_near_tie}};
  json["thresholds"] = to_json(report.thresholds);
  OrderedJson failures = OrderedJson::array();
  for (const Failure& failure : report.failures) {
    failures.push_back({{"check", failure.check}, {"what", failure.what}});
  }
  json["failures"] = std::move(failures);
  json["reference_seconds"] = report.reference_seconds;
  json["bundle_seconds"] = report.subject_seconds;
  return json;
}

namespace {

OrderedJson to_json(const Range& range) {
  OrderedJson json = {{"least", range.least}, {"greatest", range.greatest}};
  if (range.not_finite > 0) {
    json["not_finite"] = range.not_finite;
    json["first_not_finite"] = range.first_bad;
  }
  return json;
}

// JSON has no infinity.
OrderedJson finite(double value) {
  return std::isfinite(value) ? OrderedJson(value) : OrderedJson();
}

}  // namespace

OrderedJson to_json(const Location& location) {
  OrderedJson json = {
      {"ops", location.ops}, {"checked", location.checked}, {"positions", location.positions}};
  OrderedJson faults = OrderedJson::array();
  for (const Fault& fault : location.faults) {
    faults.push_back({{"package", fault.package},
                      {"function", fault.function},
                      {"op", fault.op},
                      {"type", fault.type},
                      {"position", fault.position},
                      {"error", finite(fault.error)},
                      {"tolerance", fault.tolerance},
                      {"worst", fault.worst},
                      {"input_range", to_json(fault.before)},
                      {"range", to_json(fault.found)},
                      {"expected_range", to_json(fault.expected)}});
    if (!fault.note.empty()) faults.back()["note"] = fault.note;
    if (!fault.suspects.empty()) faults.back()["suspects"] = fault.suspects;
  }
  json["faults"] = std::move(faults);
  OrderedJson drift = OrderedJson::array();
  for (const Drift& d : location.drift) {
    drift.push_back({{"layer", d.layer},
                     {"cosine", d.is.cosine},
                     {"relative_error", finite(d.is.relative_error)},
                     {"range", to_json(d.found)},
                     {"expected_range", to_json(d.expected)}});
  }
  json["drift"] = std::move(drift);
  return json;
}

}  // namespace anemone::gate
