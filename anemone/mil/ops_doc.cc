#include "anemone/mil/ops_doc.h"

#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

std::string dtype_words(DTypeSet set) {
  if (set == kAnyDType) return "any";
  std::string words;
  for (int i = 0; i <= static_cast<int>(DType::kU64); ++i) {
    if ((set >> i & 1) == 0) continue;
    words += (words.empty() ? "" : ", ") + std::string(name(static_cast<DType>(i)));
  }
  return words;
}

std::string kind_words(const InputDef& input) {
  if (input.kinds == kStates) return "state";
  if (input.kinds == kLists) return "list";
  if ((input.kinds & kLists) != 0 && (input.kinds & kTensors) != 0) return "tensor or list";
  return "";
}

std::string takes(const InputDef& input) {
  std::string words = kind_words(input);
  if (input.dtypes != kAnyDType || words.empty()) {
    words += (words.empty() ? "" : " of ") + dtype_words(input.dtypes);
  }
  if (input.ios17_dtypes != 0) {
    words +=
        "; from " + std::string(info(Opset::kIos17).target) + " " + dtype_words(input.ios17_dtypes);
  }
  return words;
}

std::string rank_words(const InputDef& input) {
  if (input.kinds == kStates || input.kinds == kLists) return "";
  if (input.min_rank == input.max_rank) return std::to_string(input.min_rank);
  return std::to_string(input.min_rank) + " to " + std::to_string(input.max_rank);
}

std::string default_words(const Default& otherwise) {
  if (const auto* value = std::get_if<bool>(&otherwise)) return *value ? "true" : "false";
  if (const auto* value = std::get_if<std::int64_t>(&otherwise)) return std::to_string(*value);
  if (const auto* value = std::get_if<std::string_view>(&otherwise)) {
    return "\"" + std::string(*value) + "\"";
  }
  std::array<char, 32> text;
  std::snprintf(text.data(), text.size(), "%g", std::get<double>(otherwise));
  return text.data();
}

// Whether a parameter must be bound, must be constant, repeats, shares a dtype, and when it exists.
std::string notes(const OpDef& op, const InputDef& input) {
  std::string words;
  const auto note = [&](const std::string& word) { words += (words.empty() ? "" : "; ") + word; };
  if (input.is_variadic) note("any number of values");
  if (input.is_const) note("constant");
  if (input.otherwise.index() != 0) {
    note("default " + default_words(input.otherwise));
  } else if (input.is_optional) {
    note("optional");
  }
  if (input.domain != 0) {
    std::string word = "dtype " + std::string(1, input.domain);
    if (input.ios17_domain != 0) {
      word += ", from " + std::string(info(Opset::kIos17).target) + " " +
              std::string(1, input.ios17_domain);
    }
    note(word);
  }
  if (input.since > op.since) note("from " + std::string(info(input.since).target));
  if (input.until < Opset::kIos26) note("up to " + std::string(info(input.until).target));
  return words;
}

std::string effect_words(Effect effect) {
  switch (effect) {
    case Effect::kNone:
      return "";
    case Effect::kReadsState:
      return " Reads a state.";
    case Effect::kWritesState:
      return " Writes a state.";
    case Effect::kRandom:
      return " Random.";
  }
  return "";
}

}  // namespace

std::string ops_markdown() {
  std::string text =
      "# Operations\n\n"
      "Written by the tool from its catalogue (`anemone/mil/ops/`) and compared by a test: do not\n"
      "edit; `ANEMONE_UPDATE_GOLDEN=1 anemone_mil_test` writes it again.\n\n"
      "Under each op stands the first opset that has it, those that changed its parameters, and "
      "its\n"
      "definition. `constant` parameters must be known before any call. Parameters with the same\n"
      "dtype letter have the same dtype. Ranks are the number of axes, 0 for a scalar.\n";
  for (const OpDef* op : all_ops()) {
    text += "\n## " + std::string(op->name) + "\n\n" + std::string(info(op->since).target);
    for (const Opset revised : op->revised)
      text += ", changed in " + std::string(info(revised).target);
    text += ": " + std::string(op->says) + "." + effect_words(op->effect);
    if (op->blocks > 0) text += " Holds " + std::to_string(op->blocks) + " blocks.";
    text += "\n";
    if (op->inputs.empty()) continue;
    text += "\n| parameter | takes | rank | notes |\n|---|---|---|---|\n";
    for (const InputDef& input : op->inputs) {
      text += "| `" + std::string(input.name) + "` | " + takes(input) + " | " + rank_words(input) +
              " | " + notes(*op, input) + " |\n";
    }
  }
  return text;
}

}  // namespace anemone::mil
