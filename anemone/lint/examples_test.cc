#include "anemone/lint/examples.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <random>
#include <set>

#include "anemone/base/error.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"

namespace anemone::lint {

#define ANEMONE_RULE(stem) extern const std::span<const Example> examples_of_##stem;
#include "anemone/lint/rules/rules.inc"
#undef ANEMONE_RULE

namespace {

struct Entry {
  std::string_view stem;
  std::span<const Example> examples;
};

std::vector<Entry> entries() {
  std::vector<Entry> all;
#define ANEMONE_RULE(stem) all.push_back({#stem, examples_of_##stem});
#include "anemone/lint/rules/rules.inc"
#undef ANEMONE_RULE
  return all;
}

std::string id_of(std::string_view stem) {
  std::string id(stem);
  std::replace(id.begin(), id.end(), '_', '-');
  return id;
}

// Rows to the depth of the shape, all alike.
std::string filled(std::span<const std::int64_t> shape, const std::string& value) {
  if (shape.empty()) return value;
  const std::string row = filled(shape.subspan(1), value);
  std::string text = "[";
  for (std::int64_t i = 0; i < shape[0]; ++i) text += (i == 0 ? "" : ", ") + row;
  return text + "]";
}

std::string expanded(std::string_view text) {
  static const std::map<std::string_view, std::string_view> kTypes = {
      {"f16", "fp16"},   {"f32", "fp32"},  {"f64", "fp64"},  {"bf16", "bf16"}, {"i4", "int4"},
      {"i8", "int8"},    {"i16", "int16"}, {"i32", "int32"}, {"i64", "int64"}, {"u1", "uint1"},
      {"u2", "uint2"},   {"u3", "uint3"},  {"u4", "uint4"},  {"u6", "uint6"},  {"u8", "uint8"},
      {"u16", "uint16"}, {"b", "bool"},    {"s", "string"}};
  std::string out;
  std::size_t at = 0;
  const auto is_word = [&](std::size_t i) {
    return i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) || text[i] == '_');
  };
  while (at < text.size()) {
    if (text[at] == '"') {
      const std::size_t end = text.find('"', at + 1) + 1;
      out += text.substr(at, end - at);
      at = end;
      continue;
    }
    if (!is_word(at)) {
      out += text[at++];
      continue;
    }
    std::size_t end = at;
    while (is_word(end)) ++end;
    const std::string_view word = text.substr(at, end - at);
    const auto type = kTypes.find(word);
    at = end;
    const bool is_scalar =
        end < text.size() && (text[end] == '(' || (text[end] == ' ' && is_word(end + 1)));
    if (type == kTypes.end() || (!is_scalar && (end == text.size() || text[end] != '['))) {
      out += word;
      continue;
    }
    if (is_scalar) {
      out += type->second;
      continue;
    }
    const std::size_t close = text.find(']', end);
    const std::string shape_words(text.substr(end, close + 1 - end));
    out += "tensor<" + std::string(type->second) + ", " + shape_words + ">";
    at = close + 1;
    if (at >= text.size() || text[at] != '(') continue;
    const std::size_t stop = text.find(')', at);
    const std::string inside(text.substr(at + 1, stop - at - 1));
    at = stop + 1;
    if (inside.starts_with("=")) {
      Shape shape;
      std::string number;
      for (const char c : shape_words) {
        if (std::isdigit(static_cast<unsigned char>(c))) {
          number += c;
        } else if (!number.empty()) {
          shape.push_back(std::stoll(number));
          number.clear();
        }
      }
      out += "(" + filled(shape, inside.substr(1)) + ")";
    } else {
      out += "([" + inside + "])";
    }
  }
  return out;
}

void name_ops(mil::Block& block, int& count) {
  for (auto& op : block.ops) {
    if (op->name.empty()) op->name = "op_" + std::to_string(count++);
    for (auto& nested : op->blocks) name_ops(*nested, count);
  }
}

}  // namespace

mil::Program program_of(const Example& example) {
  std::string body(example.functions);
  if (body.empty()) {
    body = "func main<" + std::string(example.opset) + ">(" + std::string(example.ports) + ") {\n" +
           std::string(example.statements) + "\n} -> (" + std::string(example.outputs) + ");";
  }
  std::string head = "program(1.0)\n";
  if (body.starts_with("[buildInfo")) {
    const std::size_t end = body.find('\n');
    head += body.substr(0, end + 1);
    body = body.substr(end + 1);
  }
  mil::Program program = mil::parse(head + "{\n" + expanded(body) + "\n}\n", "example.mil");
  for (auto& function : program.functions) {
    int count = 0;
    name_ops(function->body, count);
  }
  return program;
}

std::vector<Finding> findings_of(const Example& example, const mil::Program& program) {
  Subject subject{.program = &program,
                  .weight_bytes = example.weight_bytes,
                  .coremltools = std::string(example.coremltools)};
  if (example.flexible) {
    for (const auto& function : program.functions) {
      for (const auto& input : function->inputs) {
        if (!input->name.starts_with("x")) continue;
        subject.flexible.push_back({.function = function->name,
                                    .input = input->name,
                                    .kind = *example.flexible,
                                    .shapes = 3});
      }
    }
  }
  Options options;
  if (!example.chip.empty()) options.chip = find_chip(example.chip);
  if (!example.target.empty()) options.target = mil::find_opset_by_target(example.target);
  return lint(subject, options);
}

namespace {

TEST(Rules, FireOnTheirExampleAndNotOnItsNearMiss) {
  std::size_t tried = 0;
  for (const Entry& entry : entries()) {
    const Rule* rule = find_rule(id_of(entry.stem));
    ASSERT_NE(rule, nullptr) << entry.stem;
    for (const Example& example : entry.examples) {
      SCOPED_TRACE(std::string(entry.stem) + " " + std::string(example.fact) +
                   (example.message.empty() ? " near miss" : " fires"));
      mil::Program program;
      try {
        program = program_of(example);
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
        continue;
      }
      const auto defects = mil::verify(program);
      if (example.is_unsound) {
        EXPECT_FALSE(defects.empty()) << "the program is sound";
      } else {
        for (const mil::Defect& defect : defects)
          ADD_FAILURE() << defect.where << ": " << defect.what;
      }
      std::string first;
      for (const Finding& finding : findings_of(example, program)) {
        if (finding.rule == rule && first.empty()) first = finding.message;
      }
      EXPECT_EQ(first, example.message);
      ++tried;
    }
  }
  EXPECT_GE(tried, 2 * entries().size());
}

// What the parser takes need not be sound: ops without outputs, parameters of the wrong kind,
// shapes that disagree. No rule may fall over it.
TEST(Rules, TakeWhateverTheParserTakes) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  const auto up_to = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n)(random);
  };
  std::size_t parsed = 0;
  for (const Entry& entry : entries()) {
    for (const Example& example : entry.examples) {
      Example sound = example;
      sound.is_unsound = false;
      if (example.functions.empty() && example.statements.size() > 4000) continue;
      const std::string text = mil::print(program_of(sound));
      if (text.size() > 6000) continue;
      for (int i = 0; i < 8; ++i) {
        std::string changed = text;
        const std::size_t at = up_to(changed.size() - 1);
        static constexpr std::string_view kPieces[] = {"0", "9",    "?",     "-1",  "4294967296",
                                                       "x", "fp32", "int32", "[",   "]",
                                                       "(", ")",    ", ",    "conv"};
        switch (up_to(2)) {
          case 0:
            changed.erase(at, 1 + up_to(12));
            break;
          case 1:
            changed.insert(at, kPieces[up_to(std::size(kPieces) - 1)]);
            break;
          default: {
            // A whole op goes, or its outputs do.
            const std::size_t line = changed.rfind('\n', at);
            const std::size_t equals = changed.find(" = ", line == std::string::npos ? 0 : line);
            if (line != std::string::npos && equals != std::string::npos && equals > line) {
              changed.erase(line + 1, equals + 2 - line);
            }
          }
        }
        mil::Program program;
        try {
          program = mil::parse(changed, "changed.mil");
        } catch (const Error&) {
          continue;
        }
        ++parsed;
        findings_of(example, program);
        islands({.program = &program}, findings_of(example, program));
      }
    }
  }
  EXPECT_GT(parsed, 100u);
}

TEST(Rules, HaveAnExampleAndANearMissForEveryFact) {
  for (const Entry& entry : entries()) {
    const Rule* rule = find_rule(id_of(entry.stem));
    ASSERT_NE(rule, nullptr) << entry.stem;
    std::set<std::string_view> firing, missing;
    for (const Example& example : entry.examples) {
      (example.message.empty() ? missing : firing).insert(example.fact);
    }
    const std::set<std::string_view> facts(rule->facts.begin(), rule->facts.end());
    EXPECT_EQ(firing, facts) << entry.stem << ": programs that fire";
    EXPECT_EQ(missing, facts) << entry.stem << ": near misses";
  }
}

}  // namespace
}  // namespace anemone::lint
