#include "anemone/convert/side_files.h"

#include <limits>
#include <set>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/tokenizer/tokenizer.h"

namespace anemone::converter {
namespace {

// Copied as they are when a folder has them.
constexpr std::string_view kCopied[] = {"tokenizer_config.json", "special_tokens_map.json",
                                        "chat_template.jinja", "generation_config.json",
                                        "config.json"};
// Tokenizers in other forms: named when tokenizer.json is missing.
constexpr std::string_view kOtherForms[] = {"tokenizer.model", "vocab.json", "merges.txt",
                                            "vocab.txt", "tiktoken.model"};

void collect_ids(const Json& config, std::string_view key, std::set<int>& ids) {
  const auto found = config.find(key);
  if (found == config.end()) return;
  for (const Json& id : found->is_array() ? *found : Json::array({*found})) {
    if (!id.is_number_integer()) continue;
    const auto number = id.get<std::int64_t>();
    if (number >= 0 && number <= std::numeric_limits<int>::max()) {
      ids.insert(static_cast<int>(number));
    }
  }
}

std::optional<int> first_id(const Json& config, std::string_view key) {
  std::set<int> ids;
  collect_ids(config, key, ids);
  if (ids.empty()) return std::nullopt;
  return *ids.begin();
}

// tokenizer_config.json spells a token as a string or as an added token's object.
std::string token_text(const Json& config, std::string_view key) {
  const auto found = config.find(key);
  if (found == config.end()) return "";
  if (found->is_string()) return found->get<std::string>();
  if (found->is_object() && found->contains("content") && found->at("content").is_string()) {
    return found->at("content").get<std::string>();
  }
  return "";
}

// A tokenizer_config.json that says what a GGUF file knows.
std::string tokenizer_config_of(const Vocabulary& vocabulary) {
  OrderedJson json;
  const auto name_of = [&](const std::optional<std::int64_t>& id) -> OrderedJson {
    if (!id || *id < 0 || *id >= static_cast<std::int64_t>(vocabulary.tokens.size()))
      return nullptr;
    return vocabulary.tokens[static_cast<std::size_t>(*id)];
  };
  json["bos_token"] = name_of(vocabulary.bos_token_id);
  json["eos_token"] = name_of(vocabulary.eos_token_id);
  json["pad_token"] = name_of(vocabulary.padding_token_id);
  json["unk_token"] = name_of(vocabulary.unknown_token_id);
  if (!vocabulary.chat_template.empty()) json["chat_template"] = vocabulary.chat_template;
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

std::optional<std::string> tokenizer_text(const Checkpoint& checkpoint,
                                          std::string_view pre_tokenizer, SideFiles& side) {
  if (checkpoint.is_gguf()) {
    const auto& vocabulary = checkpoint.vocabulary();
    if (!vocabulary) {
      side.warnings.push_back("the GGUF file has no vocabulary: the bundle takes token ids only");
      return std::nullopt;
    }
    side.files.emplace_back("tokenizer_config.json", tokenizer_config_of(*vocabulary));
    return tokenizer_json_from_vocabulary(*vocabulary, checkpoint.path().string(), pre_tokenizer);
  }
  if (const auto path = checkpoint.side_file("tokenizer.json")) return read_text(*path);
  std::string others;
  for (const std::string_view form : kOtherForms) {
    if (checkpoint.side_file(form)) others += (others.empty() ? "" : ", ") + std::string(form);
  }
  side.warnings.push_back("no tokenizer.json" +
                          (others.empty() ? "" : " (" + others + " is there, but is not read)") +
                          ": the bundle takes token ids only");
  return std::nullopt;
}

}  // namespace

SideFiles read_side_files(const Checkpoint& checkpoint, std::string_view pre_tokenizer) {
  SideFiles side;
  Json tokenizer_config = Json::object();
  for (const std::string_view name : kCopied) {
    const auto path = checkpoint.side_file(name);
    if (!path) continue;
    std::string text = read_text(*path);
    if (name == "tokenizer_config.json") tokenizer_config = parse_json(text, path->string());
    side.files.emplace_back(std::string(name), std::move(text));
  }
  const std::optional<std::string> text = tokenizer_text(checkpoint, pre_tokenizer, side);
  std::set<int> eos;
  collect_ids(checkpoint.generation_config(), "eos_token_id", eos);
  collect_ids(checkpoint.config(), "eos_token_id", eos);
  if (checkpoint.is_gguf()) {
    side.files.emplace_back("config.json", checkpoint.config().dump(2) + "\n");
    side.files.emplace_back("generation_config.json",
                            checkpoint.generation_config().dump(2) + "\n");
  }
  if (text) {
    const std::string what = checkpoint.is_gguf()
                                 ? checkpoint.path().string() + " (vocabulary)"
                                 : checkpoint.side_file("tokenizer.json")->string();
    try {
      const Tokenizer tokenizer = Tokenizer::from_json(*text, what);
      side.has_tokenizer = true;
      side.tokenizer_size = tokenizer.vocab_size();
      if (const auto id = tokenizer.token_id(token_text(tokenizer_config, "eos_token"))) {
        eos.insert(*id);
      }
    } catch (const Error& error) {
      if (error.code() != Code::kUnsupported) throw;
      side.warnings.push_back(std::string(error.what()) + ": the bundle takes token ids only");
    }
    side.files.emplace_back("tokenizer.json", *text);
  }
  side.eos_token_ids.assign(eos.begin(), eos.end());
  side.bos_token_id = first_id(checkpoint.generation_config(), "bos_token_id");
  if (!side.bos_token_id) side.bos_token_id = first_id(checkpoint.config(), "bos_token_id");
  if (side.eos_token_ids.empty()) {
    side.warnings.push_back("no end-of-text id is known: generation stops only at its limit");
  }
  return side;
}

}  // namespace anemone::converter
