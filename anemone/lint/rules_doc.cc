#include "anemone/lint/rules_doc.h"

#include <string_view>
#include <vector>

#include "anemone/lint/facts.h"
#include "anemone/lint/lint.h"

namespace anemone::lint {
namespace {

std::string joined(std::span<const std::string_view> words) {
  std::string text;
  for (const std::string_view word : words) text += (text.empty() ? "" : ", ") + std::string(word);
  return text;
}

void add_rule(std::string& text, const Rule& rule) {
  text += "\n## " + std::string(rule.id) + "\n\n";
  text += "**" + std::string(name(rule.severity)) + "**, " + std::string(name(rule.confidence)) +
          "; " + std::string(rule.scope.says) + "; " + joined(rule.facts) + "\n\n";
  text += "Looks at " + std::string(rule.looks_at) + ". Predicted: " + std::string(rule.says) + ".";
  if (rule.moves) text += " The op is taken to leave the engine.";
  text += "\n";
  if (!rule.disagreement.empty()) {
    text += "\nThe sources disagree: " + std::string(rule.disagreement) + ".\n";
  }
  if (!rule.rewrite.empty()) text += "\nInstead: " + std::string(rule.rewrite) + ".\n";
  text += "\n";
  for (const Source& source : rule.sources) {
    text += "- " + std::string(name(source.confidence)) + ": " + std::string(source.where) + "\n";
  }
}

}  // namespace

std::string rules_markdown() {
  std::string text =
      "# Rules of `anemone lint`\n\n"
      "Written by the tool from its catalogue (`anemone/lint/rules/`) and compared by a test: do "
      "not\n"
      "edit; `ANEMONE_UPDATE_GOLDEN=1 anemone_lint_test` writes it again.\n\n"
      "Everything here is predicted from published statements; no device was asked. Under each "
      "rule stand\n"
      "its severity, on whose word it rests, where it holds, and the facts of the last table that "
      "it covers.\n"
      "Severities, worst first: barred, rejected, silent, numeric, leaves-ane, build, slow, "
      "note. Only Apple's\n"
      "word or a measurement (by others, on hardware that they name) makes a rule worse than "
      "slow. What is known\n"
      "from the private route to the engine alone, past Core ML, is a note.\n";
  for (const Rule* rule : rules()) add_rule(text, *rule);
  text +=
      "\n# Facts\n\n"
      "The rows of published facts that the rules come from, and why some became no rule.\n\n"
      "| fact | about | rule, or why there is none |\n|---|---|---|\n";
  for (const Fact& fact : facts()) {
    std::string covered;
    for (const Rule* rule : rules()) {
      for (const std::string_view id : rule->facts) {
        if (id == fact.id) covered += (covered.empty() ? "`" : ", `") + std::string(rule->id) + "`";
      }
    }
    text += "| " + std::string(fact.id) + " | " + std::string(fact.says) + " | " +
            (covered.empty() ? std::string(fact.why_not) : covered) + " |\n";
  }
  return text;
}

}  // namespace anemone::lint
