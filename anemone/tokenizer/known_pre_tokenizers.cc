#include "anemone/tokenizer/known_pre_tokenizers.h"

namespace anemone {
namespace {

// The patterns are those of the models' own tokenizer.json files; which name stands for which comes
// from ggml-org/llama.cpp, src/llama-vocab.cpp (2026), which also quotes most of them.

// meta-llama/Meta-Llama-3-8B
constexpr std::string_view kLlama3 =
    R"({"type":"Split","pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// Qwen/Qwen2-7B: as Llama 3, but each digit by itself
constexpr std::string_view kQwen2 =
    R"({"type":"Split","pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// Qwen/Qwen3.5: marks belong to their letters
constexpr std::string_view kQwen35 =
    R"({"type":"Split","pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?[\\p{L}\\p{M}]+|\\p{N}| ?[^\\s\\p{L}\\p{M}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// HuggingFaceTB/SmolLM2-135M, bigcode/starcoder
constexpr std::string_view kDigits = R"({"type":"Digits","individual_digits":true})";
// deepseek-ai/DeepSeek-V3
constexpr std::string_view kDeepSeek3 =
    R"({"type":"Split","pattern":{"Regex":"\\p{N}{1,3}"},"behavior":"Isolated","invert":false},{"type":"Split","pattern":{"Regex":"[一-龥぀-ゟ゠-ヿ]+"},"behavior":"Isolated","invert":false},{"type":"Split","pattern":{"Regex":"[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// deepseek-ai/deepseek-coder-6.7b-base
constexpr std::string_view kDeepSeekCoder =
    R"({"type":"Split","pattern":{"Regex":"[\r\n]"},"behavior":"Isolated","invert":false},{"type":"Split","pattern":{"Regex":"\\s?\\p{L}+"},"behavior":"Isolated","invert":false},{"type":"Split","pattern":{"Regex":"\\s?\\p{P}+"},"behavior":"Isolated","invert":false},{"type":"Split","pattern":{"Regex":"[一-龥ࠀ-一가-퟿]+"},"behavior":"Isolated","invert":false},{"type":"Digits","individual_digits":true})";
// tiiuae/falcon-7b
constexpr std::string_view kFalcon =
    R"({"type":"Punctuation","behavior":"Contiguous"},{"type":"ByteLevel","add_prefix_space":false,"trim_offsets":true,"use_regex":true},{"type":"Digits","individual_digits":false},{"type":"Split","pattern":{"Regex":"[0-9][0-9][0-9]"},"behavior":"Isolated","invert":false})";
// mistralai/Mistral-Nemo-Base-2407
constexpr std::string_view kTekken =
    R"({"type":"Split","pattern":{"Regex":"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// openai/gpt-oss-20b, meta-llama/Llama-4
constexpr std::string_view kGpt4o =
    R"({"type":"Split","pattern":{"Regex":"[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// bigscience/bloom
constexpr std::string_view kBloom =
    R"({"type":"Split","pattern":{"Regex":" ?[^(\\s|[.,!?…。，、।۔،])]+"},"behavior":"Isolated","invert":false})";
// LumiOpen/Viking-7B
constexpr std::string_view kViking =
    R"({"type":"Split","pattern":{"Regex":" ?[^(\\s|[.,!?…。，、।۔،])]+"},"behavior":"Isolated","invert":false},{"type":"Digits","individual_digits":true})";
// inclusionAI/Ling-lite
constexpr std::string_view kBailing =
    R"({"type":"Split","pattern":{"Regex":"'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]++[\\r\\n]*|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// ByteDance-Seed/Seed-Coder-8B-Base
constexpr std::string_view kSeedCoder =
    R"({"type":"Split","pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1}| ?[^\\s\\p{L}\\p{N}\r\n]+|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";
// LGAI-EXAONE/K-EXAONE
constexpr std::string_view kExaoneMoe =
    R"({"type":"Split","pattern":{"Regex":"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?(?:\\p{L}\\p{M}*(?: \\p{L}\\p{M}*)*)+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]?|\\s*[\\r\\n]|\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false})";

struct Named {
  std::string_view name;
  KnownPreTokenizer known;
};

constexpr KnownPreTokenizer gpt2(bool nfc = false) { return {"", false, true, nfc, false, false}; }
constexpr KnownPreTokenizer digits(bool nfc = false) {
  return {kDigits, false, true, nfc, false, false};
}
constexpr KnownPreTokenizer llama3() { return {kLlama3, false, false, false, true, true}; }
constexpr KnownPreTokenizer plain(std::string_view steps, bool nfc = false) {
  return {steps, false, false, nfc, false, false};
}

constexpr Named kNamed[] = {
    {"bailingmoe", plain(kBailing)},
    {"bailingmoe2", plain(kBailing)},
    {"bloom", plain(kBloom)},
    {"chatglm-bpe", plain(kLlama3)},
    {"codeshell", digits()},
    {"command-r", digits(true)},
    {"dbrx", plain(kLlama3)},
    {"deepseek-coder", plain(kDeepSeekCoder)},
    {"deepseek-r1-qwen", plain(kQwen2, true)},
    {"deepseek-v3", plain(kDeepSeek3)},
    {"exaone", digits()},
    {"exaone-moe", plain(kExaoneMoe)},
    {"exaone4", gpt2()},
    {"falcon", {kFalcon, true, false, false, false, false}},
    {"falcon-h1", llama3()},
    {"falcon3", llama3()},
    {"glm4", plain(kLlama3)},
    {"gpt-2", gpt2()},
    {"gpt-4o", plain(kGpt4o)},
    {"gpt3-finnish", plain(kBloom)},
    {"granite-docling", gpt2()},
    {"hunyuan", plain(kQwen2)},
    {"hunyuan-dense", plain(kDeepSeek3)},
    {"jais", gpt2()},
    {"kanana2", plain(kGpt4o)},
    {"lfm2", llama3()},
    {"llama-bpe", llama3()},
    {"llama-v3", llama3()},
    {"llama3", llama3()},
    {"llama4", plain(kGpt4o)},
    {"megrez", plain(kQwen2, true)},
    {"mellum", gpt2()},
    {"midm-2.0", llama3()},
    {"minerva-7b", digits()},
    {"minimax-m2", plain(kGpt4o)},
    {"mpt", gpt2(true)},
    {"olmo", gpt2(true)},
    {"phi-2", gpt2()},
    {"pixtral", llama3()},
    {"poro-chat", plain(kBloom)},
    {"qwen2", plain(kQwen2, true)},
    {"qwen35", plain(kQwen35, true)},
    {"refact", digits()},
    {"seed-coder", plain(kSeedCoder)},
    {"smaug-bpe", plain(kLlama3)},
    {"smollm", digits()},
    {"stablelm2", plain(kQwen2, true)},
    {"starcoder", digits()},
    {"tekken", {kTekken, false, false, false, true, true}},
    {"trillion", gpt2()},
    {"viking", plain(kViking)},
};

}  // namespace

const KnownPreTokenizer* find_known_pre_tokenizer(std::string_view name) {
  for (const Named& named : kNamed) {
    if (named.name == name) return &named.known;
  }
  return nullptr;
}

std::string known_pre_tokenizer_names() {
  std::string names;
  for (const Named& named : kNamed) {
    const bool last = &named == std::end(kNamed) - 1;
    names += (names.empty() ? "" : last ? " and " : ", ") + std::string(named.name);
  }
  return names;
}

}  // namespace anemone
