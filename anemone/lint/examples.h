#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "anemone/lint/lint.h"

// What the tests of rules are made of: tiny programs, one that a rule fires on and one near miss
// for each fact that it rests on. examples_test.cc runs them all and misses none.
namespace anemone::lint {

struct Example {
  std::string_view fact = {};   // "O01"
  std::string_view ports = {};  // of the function `main`; in the shorthand of program_of
  std::string_view statements = {};
  std::string_view outputs = "y";
  // Of the rule's first finding; "" is a near miss: the rule must not fire.
  std::string_view message = {};
  std::string_view opset = "ios18";
  std::string_view target = {};
  std::string_view chip = {};
  std::uint64_t weight_bytes = 0;
  // Of the inputs whose names begin with x.
  std::optional<FlexibleInput::Kind> flexible = {};
  std::string_view coremltools = {};  // the version that made the package
  // Whole functions instead of ports, statements and outputs.
  std::string_view functions = {};
  // A program that `verify` refuses, as other tools' or later systems' may be.
  bool is_unsound = false;
};

#define ANEMONE_RULE_EXAMPLES(stem)                         \
  extern const std::span<const Example> examples_of_##stem; \
  const std::span<const Example> examples_of_##stem

// The program of an example. Shorthand for MIL text: f16[1,4] for tensor<fp16, [1, 4]>, with f32,
// i8, i16, i32, u8, u16, b and so on alike; i32[2](3,4) for a vector's value; f16[2,3](=0.5) for a
// tensor that is 0.5 all over; f16(1), i32(2), b(true), s("valid") for scalars.
mil::Program program_of(const Example& example);
// The findings on it.
std::vector<Finding> findings_of(const Example& example, const mil::Program& program);

}  // namespace anemone::lint
