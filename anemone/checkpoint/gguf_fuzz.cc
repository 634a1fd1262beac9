#include "anemone/base/error.h"
#include "anemone/checkpoint/decode.h"
#include "anemone/checkpoint/fuzz_seeds.h"
#include "anemone/checkpoint/gguf.h"
#include "anemone/checkpoint/test_files.h"

namespace {

using namespace anemone;
using checkpoint_test::GgufText;

GgufText llama() {
  GgufText text;
  text.string("general.architecture", "llama")
      .u32("llama.embedding_length", 32)
      .u32("llama.attention.head_count", 2)
      .u32("llama.attention.head_count_kv", 1)
      .u32("llama.attention.key_length", 8)
      .f32("llama.rope.freq_base", 1e4f)
      .string("llama.rope.scaling.type", "linear")
      .f32("llama.rope.scaling.factor", 1)
      .string("tokenizer.ggml.model", "gpt2")
      .strings("tokenizer.ggml.tokens", {"a", "b", "<|im_end|>"})
      .array("tokenizer.ggml.token_type", GgufType::kI32, 3, std::string(12, '\3'))
      .u32("tokenizer.ggml.eos_token_id", 2);
  text.tensor("blk.0.attn_q.weight", {32, 16}, 8, std::string(16 * 34, '\1'));
  text.tensor("token_embd.weight", {256, 1}, 12, std::string(144, '\1'));
  text.f32_tensor("blk.0.attn_k.bias", {8}, {1, 2, 3, 4, 5, 6, 7, 8});
  text.f32_tensor("rope_freqs.weight", {4}, {1, 2, 4, 8});
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  GgufText small;
  small.string("general.architecture", "qwen3").u32("general.alignment", 64);
  small.alignment = 64;
  small.tensor("output.weight", {2}, 30, "abcd");
  return checkpoint_test::start_from(argc, argv, {llama().build(), small.build()});
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* input, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(input), size);
  try {
    std::vector<GgufFile> parts;
    parts.push_back(read_gguf(checkpoint_test::bytes_of(text), "fuzz"));
    const Checkpoint checkpoint = gguf_checkpoint("fuzz", std::move(parts));
    normalised_config(checkpoint.config(), "fuzz");
    for (const CheckpointTensor& tensor : checkpoint.tensors()) {
      if (is_readable(tensor.encoding)) scan_f16(tensor);
    }
  } catch (const Error&) {
  }
  return 0;
}
