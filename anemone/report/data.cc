#include <set>

#include "anemone/base/version.h"
#include "anemone/mil/cost.h"
#include "anemone/report/function_data.h"
#include "anemone/report/report.h"

namespace anemone::report {
namespace {

// Only the rules that found something, in the catalogue's order; null holds the place of others.
OrderedJson rules_data(const std::set<const lint::Rule*>& used) {
  OrderedJson all = OrderedJson::array();
  for (const lint::Rule* rule : lint::rules()) {
    if (!used.contains(rule)) {
      all.push_back(nullptr);
      continue;
    }
    OrderedJson sources = OrderedJson::array();
    for (const lint::Source& source : rule->sources) {
      sources.push_back({lint::name(source.confidence), source.where});
    }
    all.push_back({{"id", rule->id},
                   {"severity", lint::name(rule->severity)},
                   {"confidence", lint::name(rule->confidence)},
                   {"moves", rule->moves},
                   {"scope", rule->scope.says},
                   {"says", rule->says},
                   {"rewrite", rule->rewrite},
                   {"disagreement", rule->disagreement},
                   {"facts", std::vector<std::string_view>(rule->facts.begin(), rule->facts.end())},
                   {"sources", std::move(sources)}});
  }
  return all;
}

OrderedJson weights_data(const WeightTable& table, Strings& strings) {
  OrderedJson all = OrderedJson::array();
  for (const Weight& weight : table.all()) {
    all.push_back({strings.of(weight.value->name), strings.of(mil::to_string(weight.value->type)),
                   strings.of(weight.stored_dtype), strings.of(weight.compression),
                   weight.stored_bytes, weight.dense_bytes, weight.uses});
  }
  return all;
}

OrderedJson package_data(const Source& source, const Options& options, Strings& strings,
                         std::set<const lint::Rule*>& used, Summary& summary) {
  const std::vector<lint::Finding> findings = lint::lint(source.subject, options.lint);
  const std::vector<lint::FunctionIslands> islands = lint::islands(source.subject, findings);
  std::vector<const Measurement*> measurements;
  for (const Measurement& measurement : options.measurements) {
    if (measurement.package == source.name) measurements.push_back(&measurement);
  }
  std::vector<const ValueRange*> ranges;
  for (const ValueRange& range : options.ranges) {
    if (range.package == source.name) ranges.push_back(&range);
  }
  WeightTable weights;
  OrderedJson functions = OrderedJson::array();
  const auto& all = source.model->program.functions;
  for (std::size_t i = 0; i < all.size(); ++i) {
    functions.push_back(function_data({.function = all[i].get(),
                                       .findings = findings,
                                       .islands = &islands[i],
                                       .measurements = measurements,
                                       .ranges = ranges},
                                      strings, weights, summary));
  }
  OrderedJson general = OrderedJson::array();
  for (const lint::Finding& finding : findings) {
    used.insert(finding.rule);
    if (!finding.function.empty()) continue;
    general.push_back(finding_data(finding));
    ++summary.findings;
  }
  return {{"name", source.name},
          {"specification", source.model->specification_version},
          {"default_function", source.model->default_function},
          {"description", source.model->metadata.short_description},
          {"functions", std::move(functions)},
          {"findings", std::move(general)},
          {"weights", weights_data(weights, strings)}};
}

}  // namespace

OrderedJson data(std::span<const Source> sources, const Options& options, Summary* summary) {
  Summary figures;
  Strings strings;
  std::set<const lint::Rule*> used;
  OrderedJson packages = OrderedJson::array();
  for (const Source& source : sources) {
    packages.push_back(package_data(source, options, strings, used, figures));
  }
  OrderedJson facts = OrderedJson::array();
  for (const auto& [name, value] : options.facts) facts.push_back({name, value});
  if (summary != nullptr) *summary = figures;
  return {{"format", "anemone-report"},
          {"version", 1},
          {"tool", std::string("anemone ") + kVersion},
          {"title", options.title},
          {"chip", options.lint.chip ? std::string(options.lint.chip->name) : ""},
          {"facts", std::move(facts)},
          {"severities", std::vector<std::string_view>(lint::severity_names().begin(),
                                                       lint::severity_names().end())},
          {"rules", rules_data(used)},
          {"packages", std::move(packages)},
          {"strings", strings.take()}};
}

}  // namespace anemone::report
