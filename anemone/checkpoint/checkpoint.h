#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/base/json.h"
#include "anemone/base/vocabulary.h"
#include "anemone/checkpoint/encoding.h"
#include "anemone/tensor/shape.h"

namespace anemone {

// One tensor of a checkpoint: where its encoded bytes lie. Costs no memory until decoded
// (decode_f32 and f16_bytes, in decode.h). Safe to share between threads.
struct CheckpointTensor {
  std::string name;         // Hugging Face's spelling: "model.layers.0.self_attn.q_proj.weight"
  std::string stored_name;  // the file's own: "blk.0.attn_q.weight"
  std::string file;         // for messages
  Shape shape;              // outermost first
  Encoding encoding = Encoding::kF32;
  std::shared_ptr<const Bytes>
      data;  // raw encoded bytes, mapped; exactly what shape and encoding take
  // Above 0: rows come in heads of this many, and those of a head are stored interleaved (0, D/2,
  // 1, D/2 + 1, ...), as GGUF files of the llama architecture keep q and k. Decoding undoes it.
  std::int64_t interleaved_rows = 0;

  // The tensor seen as a matrix: columns() is the last extent. One row if it has rank 1 or 0.
  std::int64_t rows() const;
  std::int64_t columns() const;
  std::int64_t count() const { return element_count(shape); }
};

// A language model's checkpoint: config, tensors and side files. Files are mapped, never copied.
// Immutable; copies share everything; safe to share between threads.
class Checkpoint {
 public:
  // `path` is a Hugging Face folder (config.json with model.safetensors, or with
  // model.safetensors.index.json and its shards), a .gguf file (any part of a split one), or a
  // folder that holds one GGUF model and no safetensors. Reads and checks every header, so that
  // what is missing, cut short or malformed is reported here and not in the middle of the work.
  // Throws Error.
  static Checkpoint load(const std::filesystem::path& path);

  bool is_gguf() const;
  const std::filesystem::path& path() const;

  // config.json as it is written, which may be in either of two spellings: see normalised_config.
  // For GGUF the config.json that the metadata amounts to.
  const Json& config() const;
  // The file that config() stands in, for messages.
  const std::string& config_file() const;
  // generation_config.json; {} when absent. For GGUF: bos, eos (all ids that end generation) and
  // pad.
  const Json& generation_config() const;

  // In the order of their names. Names are in Hugging Face's spelling for GGUF too, if its
  // architecture is one whose tensors are known (llama, qwen2, qwen3); else as stored.
  std::span<const CheckpointTensor> tensors() const;
  // Null if there is none.
  const CheckpointTensor* find(std::string_view name) const;

  // GGUF only; absent also when such a file carries no tokenizer.
  const std::optional<Vocabulary>& vocabulary() const;
  // A file of a Hugging Face folder, such as tokenizer.json, if it is there. Absent for GGUF.
  std::optional<std::filesystem::path> side_file(std::string_view file_name) const;

  struct State;
  explicit Checkpoint(std::shared_ptr<const State> state) : state_(std::move(state)) {}

 private:
  std::shared_ptr<const State> state_;
};

// config.json in one spelling, whichever it came in: that of transformers 5.
//   rope_theta, rope_scaling  ->  rope_parameters {rope_type, rope_theta, ...}, always an object
//   with a
//                                 rope_type ("default" if nothing was said; the old key "type"
//                                 goes); rope_theta only if the config has one
//   torch_dtype               ->  dtype
//   partial_rotary_factor     ->  rope_parameters.partial_rotary_factor
// Every other key stays as it is. `what` (a file's name) starts the message of the Error(kBadInput)
// that is thrown when two spellings of one thing disagree or have the wrong type.
Json normalised_config(const Json& config, std::string_view what);

}  // namespace anemone
