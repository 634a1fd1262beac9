#include "anemone/lint/lint.h"

#include <algorithm>
#include <map>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/lint_subject.h"
#include "anemone/cli/nearest.h"
#include "anemone/cli/options.h"
#include "anemone/cli/words.h"
#include "anemone/generate/bundle.h"
#include "anemone/lint/facts.h"
#include "anemone/package/package.h"
#include "anemone/package/pipeline.h"

namespace anemone::cli {
extern const Command command_lint;
namespace {
namespace fs = std::filesystem;
using lint::Finding;
using lint::Rule;

struct Settings {
  std::string path;
  lint::Options options;
  lint::Severity fail_on = lint::Severity::kLeavesAne;
  std::string explain;  // a rule or a fact
  bool rules = false;
  bool islands = false;
  bool all = false;
  bool json = false;
};

// So many findings of one rule are shown to people; --all and --json show the rest.
constexpr std::size_t kShown = 3;

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

// The sentence under which a finding travels alone: with the disagreement, where there is one.
std::string whole_message(const Finding& finding) {
  const Rule& rule = *finding.rule;
  return rule.disagreement.empty()
             ? finding.message
             : finding.message + " (sources disagree: " + std::string(rule.disagreement) + ")";
}

OrderedJson text_or_null(const std::string& text) {
  return text.empty() ? OrderedJson() : OrderedJson(text);
}

OrderedJson to_json(const Finding& finding, const std::string& package) {
  const Rule& rule = *finding.rule;
  OrderedJson json = {{"rule", rule.id},
                      {"facts", rule.facts},
                      {"severity", name(rule.severity)},
                      {"confidence", name(rule.confidence)},
                      {"package", package},
                      {"function", text_or_null(finding.function)},
                      {"op", text_or_null(finding.op)},
                      {"output", text_or_null(finding.output)},
                      {"tensor", text_or_null(finding.tensor)},
                      {"shape", text_or_null(finding.shape)},
                      {"dtype", text_or_null(finding.dtype)},
                      {"message", whole_message(finding)},
                      {"rewrite", rule.rewrite},
                      {"scope", rule.scope.says},
                      {"bytes", finding.bytes},
                      {"flops", finding.flops},
                      {"share_bytes", finding.share_bytes},
                      {"share_flops", finding.share_flops},
                      {"basis", "predicted"}};
  return json;
}

OrderedJson sources_of(const Rule& rule) {
  OrderedJson sources = OrderedJson::array();
  for (const lint::Source& source : rule.sources) {
    sources.push_back({{"confidence", name(source.confidence)}, {"where", source.where}});
  }
  return sources;
}

OrderedJson to_json(const Rule& rule) {
  return {{"rule", rule.id},
          {"facts", rule.facts},
          {"severity", name(rule.severity)},
          {"confidence", name(rule.confidence)},
          {"scope", rule.scope.says},
          {"sources", sources_of(rule)},
          {"says", rule.says},
          {"rewrite", rule.rewrite},
          {"looks_at", rule.looks_at},
          {"disagreement", text_or_null(std::string(rule.disagreement))},
          {"direct", rule.is_direct}};
}

OrderedJson to_json(const lint::FunctionIslands& cut, const std::string& package) {
  OrderedJson islands = OrderedJson::array();
  for (const lint::Island& island : cut.islands) {
    islands.push_back({{"unit", name(island.unit)},
                       {"ops", island.ops},
                       {"bytes", island.bytes},
                       {"flops", island.flops},
                       {"first", island.first},
                       {"last", island.last}});
  }
  OrderedJson crossings = OrderedJson::array();
  for (const lint::Crossing& crossing : cut.crossings) {
    OrderedJson copies = OrderedJson::array();
    for (const lint::Copy& copy : crossing.copies) {
      copies.push_back({{"tensor", copy.tensor},
                        {"shape", copy.shape},
                        {"dtype", copy.dtype},
                        {"bytes", copy.bytes}});
    }
    crossings.push_back({{"from", crossing.from},
                         {"to", crossing.to},
                         {"bytes", crossing.bytes},
                         {"copies", std::move(copies)}});
  }
  return {{"package", package},
          {"function", cut.function},
          {"basis", "predicted"},
          {"barred", cut.is_barred},
          {"islands", std::move(islands)},
          {"crossings", std::move(crossings)},
          {"copied_bytes", cut.copied_bytes}};
}

std::string percent(double share) { return fixed(100 * share, 1) + " %"; }

void print_rule(const Console& console, const Rule& rule) {
  console.out << rule.id << "\n  severity    " << name(rule.severity) << "\n  confidence  "
              << name(rule.confidence) << (rule.is_direct ? " (the private route alone)" : "")
              << "\n  scope       " << rule.scope.says << "\n  facts       " << joined(rule.facts)
              << "\n  looks at    " << rule.looks_at << "\n  predicted   " << rule.says << '\n';
  if (!rule.disagreement.empty()) console.out << "  disagree    " << rule.disagreement << '\n';
  if (!rule.rewrite.empty()) console.out << "  instead     " << rule.rewrite << '\n';
  for (const lint::Source& source : rule.sources) {
    console.out << "  source      " << name(source.confidence) << ": " << source.where << '\n';
  }
}

// The rule of that id, or all that rest on that fact.
std::vector<const Rule*> rules_named(std::string_view name) {
  if (const Rule* rule = lint::find_rule(name); rule != nullptr) return {rule};
  std::vector<const Rule*> found;
  for (const Rule* rule : lint::rules()) {
    if (std::find(rule->facts.begin(), rule->facts.end(), name) != rule->facts.end())
      found.push_back(rule);
  }
  return found;
}

void explain(const Console& console, std::string_view name, bool json) {
  const std::vector<const Rule*> found = rules_named(name);
  for (const Rule* rule : found) {
    if (json) {
      console.print(to_json(*rule));
    } else {
      console.out << (rule == found.front() ? "" : "\n");
      print_rule(console, *rule);
    }
  }
  if (!found.empty()) return;
  const lint::Fact& fact = *lint::find_fact(name);
  if (json) {
    console.print({{"fact", fact.id}, {"says", fact.says}, {"why_not", fact.why_not}});
  } else {
    console.out << fact.id << ": " << fact.says << "\n  no rule: " << fact.why_not << '\n';
  }
}

void print_rules(const Console& console, bool json) {
  for (const Rule* rule : lint::rules()) {
    if (json) {
      console.print(to_json(*rule));
    } else {
      const auto column = [](std::string_view word, std::size_t width) {
        return std::string(word) + std::string(word.size() < width ? width - word.size() : 0, ' ');
      };
      console.out << column(rule->id, 24) << column(name(rule->severity), 12)
                  << column(name(rule->confidence), 12) << column(joined(rule->facts), 10) << ' '
                  << rule->says << '\n';
    }
  }
}

// "  decode: gather 'rows' fp16 [1, 64] (1.2 % of bytes, 0.0 % of FLOPs): ..."
void print_finding(const Console& console, const Finding& finding) {
  console.out << "    " << (finding.function.empty() ? "program" : finding.function);
  if (!finding.op.empty()) {
    console.out << ": " << finding.op;
    if (!finding.output.empty()) console.out << " '" << finding.output << "'";
  }
  if (!finding.tensor.empty()) {
    if (finding.tensor != finding.output) console.out << ", '" << finding.tensor << "'";
    console.out << ' ' << finding.dtype << ' ' << finding.shape;
  }
  if (finding.at != nullptr) {
    console.out << " (" << percent(finding.share_bytes) << " of bytes, "
                << percent(finding.share_flops) << " of FLOPs)";
  }
  console.out << ": " << finding.message << '\n';
}

void print_findings(const Console& console, const std::vector<Finding>& findings, bool all) {
  std::vector<const Rule*> order;
  std::map<const Rule*, std::vector<const Finding*>> by_rule;
  for (const Finding& finding : findings) {
    auto& group = by_rule[finding.rule];
    if (group.empty()) order.push_back(finding.rule);
    group.push_back(&finding);
  }
  for (const Rule* rule : order) {
    const auto& group = by_rule[rule];
    double bytes = 0, flops = 0;
    for (const Finding* finding : group) {
      bytes += finding->share_bytes;
      flops += finding->share_flops;
    }
    console.out << "  " << name(rule->severity) << "  " << rule->id << " (" << joined(rule->facts)
                << "; " << name(rule->confidence) << "; " << rule->scope.says
                << "): " << plural(group.size(), "finding") << ", at risk "
                << percent(std::min(1.0, bytes)) << " of bytes, " << percent(std::min(1.0, flops))
                << " of FLOPs\n";
    for (std::size_t i = 0; i < group.size() && (all || i < kShown); ++i) {
      print_finding(console, *group[i]);
    }
    if (!all && group.size() > kShown) {
      console.out << "    and " << group.size() - kShown << " more: --all lists them\n";
    }
    if (!rule->disagreement.empty()) {
      console.out << "    sources disagree: " << rule->disagreement << '\n';
    }
    if (!rule->rewrite.empty()) console.out << "    instead: " << rule->rewrite << '\n';
  }
}

void print_islands(const Console& console, const lint::FunctionIslands& cut, bool all) {
  console.out << "  function " << cut.function
              << ", predicted: " << plural(cut.islands.size(), "island") << ", "
              << plural(cut.crossings.size(), "crossing") << ", " << bytes_text(cut.copied_bytes)
              << " copied" << (cut.is_barred ? "; barred from the Neural Engine" : "") << '\n';
  if (cut.crossings.empty()) return;
  constexpr std::size_t kIslandsShown = 12;
  for (std::size_t i = 0; i < cut.islands.size() && (all || i < kIslandsShown); ++i) {
    const lint::Island& island = cut.islands[i];
    console.out << "    " << i << "  " << name(island.unit) << "  " << plural(island.ops, "op")
                << ", " << island.first;
    if (island.last != island.first) console.out << " to " << island.last;
    console.out << '\n';
    for (const lint::Crossing& crossing : cut.crossings) {
      if (crossing.from != i) continue;
      console.out << "       to " << crossing.to << ": " << bytes_text(crossing.bytes) << " in "
                  << plural(crossing.copies.size(), "tensor");
      std::size_t named = 0;
      for (const lint::Copy& copy : crossing.copies) {
        if (!all && named == kShown) {
          console.out << ", ...";
          break;
        }
        console.out << (named++ == 0 ? ": " : ", ") << copy.tensor << ' ' << copy.dtype << ' '
                    << copy.shape;
      }
      console.out << '\n';
    }
  }
  if (!all && cut.islands.size() > kIslandsShown) {
    console.out << "    and " << cut.islands.size() - kIslandsShown
                << " more islands: --all lists them\n";
  }
}

std::vector<std::string> packages_of(const fs::path& path) {
  if (generate::is_bundle(path)) return generate::load_bundle(path).packages();
  return {""};
}

// The worst severity found decides; absent if there was nothing.
std::optional<lint::Severity> lint_model(const Console& console, const Settings& settings,
                                         const package::Model& model, const std::string& shown) {
  const lint::Subject subject = lint_subject(model);
  const std::vector<Finding> findings = lint::lint(subject, settings.options);
  if (settings.json && !settings.islands) {
    for (const Finding& finding : findings) console.print(to_json(finding, shown));
  } else if (settings.json) {
    for (const lint::FunctionIslands& cut : lint::islands(subject, findings)) {
      console.print(to_json(cut, shown));
    }
  } else {
    const auto failing = std::count_if(
        findings.begin(), findings.end(),
        [&](const Finding& finding) { return finding.severity() <= settings.fail_on; });
    console.out << shown << ": predicted, by " << plural(lint::rules().size(), "rule") << ": "
                << plural(findings.size(), "finding") << ", " << failing << " of severity "
                << name(settings.fail_on) << " or worse\n";
    if (!settings.islands) print_findings(console, findings, settings.all);
    for (const lint::FunctionIslands& cut : lint::islands(subject, findings)) {
      print_islands(console, cut, settings.all);
    }
  }
  if (findings.empty()) return std::nullopt;
  return findings.front().severity();
}

std::optional<lint::Severity> worse(std::optional<lint::Severity> a,
                                    std::optional<lint::Severity> b) {
  return !a || (b && *b < *a) ? b : a;
}

// Each model of a pipeline by itself: PACKAGE:MODEL.
std::optional<lint::Severity> lint_pipeline(const Console& console, const Settings& settings,
                                            const package::Pipeline& pipeline,
                                            const std::string& shown) {
  std::optional<lint::Severity> worst;
  for (const package::Member& member : pipeline.members) {
    const std::string name = shown + ":" + member.name;
    const auto* model = std::get_if<package::Model>(&member.model);
    const auto found =
        model != nullptr
            ? lint_model(console, settings, *model, name)
            : lint_pipeline(console, settings,
                            *std::get<std::unique_ptr<package::Pipeline>>(member.model), name);
    worst = worse(worst, found);
  }
  return worst;
}

std::optional<lint::Severity> lint_package(const Console& console, const Settings& settings,
                                           const std::string& package) {
  const fs::path path =
      package.empty() ? fs::path(settings.path) : fs::path(settings.path) / package;
  const package::AnyModel any = package::load_any(path);
  const std::string shown = package.empty() ? path.lexically_normal().string() : package;
  if (const auto* model = std::get_if<package::Model>(&any)) {
    return lint_model(console, settings, *model, shown);
  }
  return lint_pipeline(console, settings, std::get<package::Pipeline>(any), shown);
}

void declare(Options& options, Settings& settings) {
  options.about(
      "Says which ops would leave the Neural Engine, by which rule, on whose word, and what to "
      "write instead. Predicted from published statements, never a result.");
  options.operand("PATH", settings.path, /*is_required=*/false);
  options.custom(
      "--chip C", false, "M1 to M5, A14 to A19: only rules that hold there (default: all chips)",
      [&settings](std::string_view value) {
        settings.options.chip = lint::find_chip(value);
        if (settings.options.chip) return;
        std::string names;
        for (const lint::Chip& chip : lint::chips()) {
          names += (names.empty() ? "" : ", ") + std::string(chip.name);
        }
        throw Error(Code::kUsage, "--chip is '" + std::string(value) + "'; allowed: " + names);
      });
  options.custom("--target OS", false,
                 "the system it will run on: ios15 to ios18, ios26, macos12 to macos15, macos26 "
                 "(default: what each function asks for)",
                 [&settings](std::string_view value) {
                   settings.options.target = mil::find_opset_by_target(value);
                   if (settings.options.target) return;
                   throw Error(Code::kUsage, "--target is '" + std::string(value) +
                                                 "'; allowed: ios15, ios16, ios17, ios18, ios26, "
                                                 "macos12, macos13, macos14, macos15, macos26");
                 });
  options.custom("--fail-on S", false,
                 "exit status 1 from this severity on: " + joined(lint::severity_names()) +
                     " (default: leaves-ane)",
                 [&settings](std::string_view value) {
                   const auto severity = lint::find_severity(value);
                   if (!severity) {
                     throw Error(Code::kUsage, "--fail-on is '" + std::string(value) +
                                                   "'; allowed: " + joined(lint::severity_names()) +
                                                   suggestion(value, lint::severity_names()));
                   }
                   settings.fail_on = *severity;
                 });
  options.custom(
      "--explain RULE", false,
      "what a rule looks at, and on whose word; a fact (O01) gives the rules that it has, "
      "or why there is none",
      [&settings](std::string_view value) {
        settings.explain = value;
        if (!rules_named(value).empty() || lint::find_fact(value) != nullptr) return;
        std::vector<std::string_view> ids;
        for (const Rule* rule : lint::rules()) ids.push_back(rule->id);
        throw Error(Code::kUsage, "there is no rule '" + std::string(value) + "'" +
                                      suggestion(value, ids) + "; --rules lists them");
      });
  options.flag("--rules", settings.rules, "lists the catalogue (docs/rules.md)");
  options.flag("--islands", settings.islands,
               "only where each function would be cut, and what is copied there");
  options.flag("--all", settings.all, "every finding, island and tensor, not the first few");
  options.flag("--json", settings.json,
               "findings (with --rules rules, with --islands functions), one object a line");
  options.example("anemone lint OUT --chip M4");
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_lint);
  declare(options, settings);
  if (!options.parse(console, arguments)) return 0;
  if (settings.rules || !settings.explain.empty()) {
    if (!settings.path.empty()) {
      throw Error(Code::kUsage, "--rules and --explain take no PATH");
    }
    if (settings.rules) {
      print_rules(console, settings.json);
    } else {
      explain(console, settings.explain, settings.json);
    }
    console.flush_out();
    return 0;
  }
  if (settings.path.empty()) throw Error(Code::kUsage, "lint: missing: PATH");
  bool fails = false;
  for (const std::string& package : packages_of(settings.path)) {
    const auto worst = lint_package(console, settings, package);
    fails = fails || (worst && *worst <= settings.fail_on);
  }
  console.flush_out();
  return fails ? 1 : 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(lint) = {.name = "lint",
                                .says = "what would leave the Neural Engine, and why",
                                .usage = "[options] (PATH | --rules | --explain RULE)",
                                .run = run};

}  // namespace anemone::cli
