#include "anemone/convert/manifest.h"

#include "anemone/base/version.h"
#include "anemone/models/decoder.h"

namespace anemone::convert {
namespace {

OrderedJson rotary_json(const models::DecoderConfig& config) {
  OrderedJson rotary;
  rotary["inv_freq"] = config.inv_freq;
  rotary["attention_scaling"] = 1.0;
  return rotary;
}

OrderedJson embedding_json(const Manifest& manifest) {
  OrderedJson embedding;
  embedding["dtype"] = "fp16";
  embedding["columns"] = manifest.config.hidden_size;
  embedding["tiles"] = OrderedJson::array();
  for (const EmbeddingTile& tile : manifest.embedding) {
    embedding["tiles"].push_back({{"file", tile.file},
                                  {"offset", tile.offset},
                                  {"first_row", tile.rows.first},
                                  {"rows", tile.rows.count}});
  }
  return embedding;
}

OrderedJson head_json(const Manifest& manifest) {
  OrderedJson head;
  head["package"] = kHeadPackage;
  head["tiles"] = OrderedJson::array();
  for (std::size_t i = 0; i < manifest.head_tiles.size(); ++i) {
    head["tiles"].push_back({{"output", models::logits_name(i)},
                             {"first_row", manifest.head_tiles[i].first},
                             {"rows", manifest.head_tiles[i].count}});
  }
  return head;
}

OrderedJson conversion_json(const Manifest& manifest) {
  OrderedJson conversion;
  conversion["parts"] = manifest.parts.size();
  conversion["layers"] = manifest.config.num_hidden_layers;
  conversion["single"] = manifest.options.single;
  conversion["ignored_keys"] = manifest.options.ignored_keys;
  conversion["flushed_to_zero"] = manifest.flushed_to_zero;
  conversion["warnings"] = manifest.warnings;
  return conversion;
}

}  // namespace

std::string to_text(const Manifest& manifest) {
  const models::DecoderConfig& config = manifest.config;
  const models::Form& form = manifest.form;
  OrderedJson json;
  json["format"] = "anemone-bundle";
  json["version"] = 1;
  json["tool"] = std::string("anemone ") + kVersion;
  json["kind"] = manifest.options.single ? "single" : "parts";
  json["architecture"] = config.model_type;
  json["target"] = mil::info(form.target).target;
  json["layout"] = models::name(form.layout);
  json["kv"] = models::name(form.kv);
  json["vocab_size"] = config.vocab_size;
  json["hidden_size"] = config.hidden_size;
  json["num_hidden_layers"] = config.num_hidden_layers;
  json["num_attention_heads"] = config.num_attention_heads;
  json["num_key_value_heads"] = config.num_key_value_heads;
  json["head_dim"] = config.head_dim;
  json["context"] = form.context;
  json["prefill"] = form.prefill;
  json["mask_value"] = models::kMaskValue;
  json["rotary"] = rotary_json(config);
  if (manifest.options.single) {
    json["model"] = {{"package", kSinglePackage}, {"output", models::kLogits}};
  } else {
    json["parts"] = OrderedJson::array();
    for (const auto& [package, layers] : manifest.parts) {
      json["parts"].push_back(
          {{"package", package}, {"first_layer", layers.first}, {"layers", layers.count}});
    }
    json["head"] = head_json(manifest);
    json["embedding"] = embedding_json(manifest);
  }
  json["tokenizer"] = manifest.side.has_tokenizer;
  if (manifest.side.bos_token_id) {
    json["bos_token_id"] = *manifest.side.bos_token_id;
  } else {
    json["bos_token_id"] = nullptr;
  }
  json["eos_token_ids"] = manifest.side.eos_token_ids;
  json["conversion"] = conversion_json(manifest);
  return json.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace anemone::convert
