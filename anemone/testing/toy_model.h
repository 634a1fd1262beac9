#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/generate/bundle.h"
#include "anemone/generate/predictor.h"

namespace anemone::testing {

// A decoder of a few numbers, computed by plain loops instead of an ML Program, that keeps every
// promise of docs/formats/bundle.md: for tests of what drives programs.
struct ToyOptions {
  bool single = false;
  std::string kv = "slice";
  std::vector<std::int64_t> layers = {2, 1};  // of each part
  std::vector<std::int64_t> head_tiles = {7, 5, 8};
  std::int64_t context = 64;
  std::int64_t prefill = 8;
  bool has_tokenizer = false;  // one of 16 tokens, so that the ids 16 to 19 have none
  std::vector<int> eos_token_ids = {3, 5};
};

// Writes bundle.json, the embedding and, if asked for, tokenizer.json.
generate::Bundle write_toy_bundle(const std::filesystem::path& folder, const ToyOptions& options);

// Opens the packages that bundle.json names, which need not be there. Each call is noted in `calls`
// (if not null) as "layers_00.mlpackage prefill 8": package, function, position. Not for several
// threads when `calls` is given.
generate::OpenPredictor toy_predictors(const generate::Bundle& bundle,
                                       std::vector<std::string>* calls = nullptr);

// The toy tokenizer: ids 3 and 5 are the control tokens <eos> and <end>; the others below 16 are
// the letters a to n, in order.
std::string toy_tokenizer_json();

}  // namespace anemone::testing
