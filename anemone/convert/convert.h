#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "anemone/base/json.h"
#include "anemone/base/progress.h"
#include "anemone/models/form.h"

namespace anemone::converter {

enum class Fp16Safe : std::uint8_t {
  kOff,   // the plain form
  kAuto,  // ranges are measured and, where fp16 would overflow, powers of two moved: same
          // arithmetic
};

enum class Interface : std::uint8_t {
  kAnemone,            // docs/formats/bundle.md: static shapes, functions decode and prefill
  kSwiftTransformers,  // one package that takes any number of ids, as Hugging Face's library loads
};

struct Options {
  std::filesystem::path checkpoint;  // a Hugging Face folder or a .gguf file
  std::filesystem::path output;      // the bundle's folder
  bool replace = false;              // an existing output is replaced instead of refused
  models::Form form;        // form.context 0: the smaller of 1,024 and the model's own limit
  std::int64_t parts = 0;   // 0: the fewest of at most 500 MB each
  std::int64_t layers = 0;  // keep the first so many; 0: all
  bool single = false;      // one package from token ids to logits
  Interface interface = Interface::kAnemone;
  // What the package says it was made from, a name on the Hugging Face hub; empty: the config's
  // _name_or_path, else the checkpoint's own name. For kSwiftTransformers.
  std::string model_name = {};
  bool tie_missing_head =
      false;  // an untied checkpoint without lm_head.weight may use the embedding
  Fp16Safe fp16_safe = Fp16Safe::kAuto;
  std::vector<std::string> ignored_keys;  // of config.json, though they may change the arithmetic
  std::string pre_tokenizer;  // for a GGUF whose tokenizer.ggml.pre is unknown: the one to use
  int threads = 0;            // 0: all
  Progress progress;
  const StopFlag* stop = nullptr;
};

struct Report {
  std::vector<std::filesystem::path> packages;  // relative to the bundle
  std::uint64_t written_bytes = 0;              // everything in the bundle
  std::uint64_t weight_bytes = 0;               // weight files alone
  std::uint64_t parameters = 0;                 // unique
  std::uint64_t flushed_to_zero = 0;            // non-zero weights too small for fp16
  std::vector<std::string> warnings;
  Json fp16_safe;  // what was measured and done (docs/formats/bundle.md); null when off
  double seconds = 0;
  double fp16_safe_seconds = 0;  // of them, spent on measuring
};

// Checkpoint to bundle in one call. Everything that can be checked is checked before the first byte
// is written; the output appears under its name only when complete. The bytes depend on checkpoint
// and options alone. Throws Error.
Report convert(const Options& options);

}  // namespace anemone::converter
