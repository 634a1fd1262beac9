#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "anemone/base/error.h"
#include "anemone/base/json.h"
#include "anemone/tokenizer/known_pre_tokenizers.h"
#include "anemone/tokenizer/tokenizer.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

// Source: ggml-org/ggml docs/gguf.md, tokenizer.ggml.token_type.
enum TokenType : std::int32_t {
  kNormal = 1,
  kUnknown = 2,
  kControl = 3,
  kUserDefined = 4,
  kUnused = 5,
  kByte = 6
};

std::string quote(std::string_view text) { return to_line(Json(text)); }

class Writer {
 public:
  Writer(const Vocabulary& vocabulary, std::string_view what)
      : vocabulary_(vocabulary), what_(what) {
    const std::size_t count = vocabulary.tokens.size();
    if (count == 0) fail("tokenizer.ggml.tokens is empty");
    if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) fail("too many tokens");
    check_count("scores", vocabulary.scores.size());
    check_count("token_type", vocabulary.token_types.size());
    texts_.reserve(count);
    ids_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      std::string text = vocabulary.tokens[i];
      if (!is_utf8(text)) fail("token " + std::to_string(i) + " is not UTF-8");
      // A tokenizer.json tells tokens apart by their text.
      if (text.empty()) text = "[EMPTY_" + std::to_string(i) + "]";
      texts_.push_back(std::move(text));
      const auto [found, fresh] = ids_.emplace(texts_.back(), static_cast<int>(i));
      if (!fresh) {
        fail("the token '" + texts_.back() + "' stands twice, at " + std::to_string(found->second) +
             " and " + std::to_string(i));
      }
    }
    check_id("bos_token_id", vocabulary.bos_token_id);
    check_id("eos_token_id", vocabulary.eos_token_id);
    check_id("unknown_token_id", vocabulary.unknown_token_id);
    check_id("padding_token_id", vocabulary.padding_token_id);
    for (const std::int64_t id : vocabulary.eog_token_ids) check_id("an end-of-generation id", id);
  }

  std::string byte_level(std::string_view pre) const {
    if (pre.empty()) {
      fail_unsupported(
          "tokenizer.ggml.pre is missing, and how this vocabulary cuts words is not to be "
          "guessed; name one of " +
          known_pre_tokenizer_names());
    }
    const KnownPreTokenizer* known = find_known_pre_tokenizer(pre);
    if (known == nullptr) {
      fail_unsupported("tokenizer.ggml.pre is '" + std::string(pre) +
                       "', a pre-tokenizer that anemone does not know; if it cuts words as one of "
                       "these does, name that one: " +
                       known_pre_tokenizer_names());
    }
    if (vocabulary_.merges.empty()) fail("tokenizer.ggml.merges is empty");
    std::string steps = "{\"type\":\"Sequence\",\"pretokenizers\":[";
    steps += known->pre_tokenizer;
    if (!known->no_byte_level) {
      steps += std::string(known->pre_tokenizer.empty() ? "" : ",") +
               "{\"type\":\"ByteLevel\",\"add_prefix_space\":" +
               (vocabulary_.add_space_prefix.value_or(false) ? "true" : "false") +
               ",\"trim_offsets\":true,\"use_regex\":" + (known->gpt2_words ? "true" : "false") +
               "}";
    }
    steps += "]}";
    const std::string decoder =
        R"({"type":"ByteLevel","add_prefix_space":true,"trim_offsets":true,"use_regex":true})";
    return document(known->nfc ? R"({"type":"NFC"})" : "null", steps, decoder, given_merges(), "",
                    known->ignore_merges, false,
                    vocabulary_.add_bos_token.value_or(known->add_bos));
  }

  // SentencePiece's BPE: the pieces' scores stand for merges, best first.
  std::string sentence_piece() const {
    if (vocabulary_.scores.empty()) fail("tokenizer.ggml.scores is missing");
    return raw_text(merges_from_scores(), vocabulary_.add_space_prefix.value_or(true),
                    vocabulary_.add_bos_token.value_or(true));
  }

  // The same with its merges spelled out. Source: ggml-org/llama.cpp, src/llama-vocab.cpp,
  // "gemma4".
  std::string raw_bpe() const {
    if (vocabulary_.merges.empty()) fail("tokenizer.ggml.merges is empty");
    return raw_text(given_merges(), vocabulary_.add_space_prefix.value_or(false),
                    vocabulary_.add_bos_token.value_or(false));
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(Code::kBadInput, std::string(what_) + ": " + why);
  }
  [[noreturn]] void fail_unsupported(const std::string& why) const {
    throw Error(Code::kUnsupported, std::string(what_) + ": " + why);
  }

 private:
  void check_count(const char* key, std::size_t count) const {
    if (count != 0 && count != vocabulary_.tokens.size()) {
      fail(std::string("tokenizer.ggml.") + key + " has " + std::to_string(count) +
           " entries for " + std::to_string(vocabulary_.tokens.size()) + " tokens");
    }
  }
  void check_id(const char* key, std::optional<std::int64_t> id) const {
    if (id && (*id < 0 || static_cast<std::uint64_t>(*id) >= vocabulary_.tokens.size())) {
      fail(std::string(key) + " is " + std::to_string(*id) + "; the vocabulary has " +
           std::to_string(vocabulary_.tokens.size()) + " tokens");
    }
  }

  std::int32_t type_of(std::size_t id) const {
    const std::int32_t type =
        vocabulary_.token_types.empty() ? std::int32_t{kNormal} : vocabulary_.token_types[id];
    return type == 0 ? std::int32_t{kNormal} : type;
  }

  // A row of the embedding that no token stands for, as llama.cpp's converter names it.
  bool is_padding(std::size_t id) const {
    return type_of(id) == kUnused && texts_[id] == "[PAD" + std::to_string(id) + "]";
  }

  bool ends_or_begins(std::size_t id) const {
    const auto is = [&](std::optional<std::int64_t> other) {
      return other && static_cast<std::size_t>(*other) == id;
    };
    return is(vocabulary_.bos_token_id) || is(vocabulary_.eos_token_id) ||
           std::any_of(vocabulary_.eog_token_ids.begin(), vocabulary_.eog_token_ids.end(), is);
  }

  std::string given_merges() const {
    std::string merges;
    for (std::size_t i = 0; i < vocabulary_.merges.size(); ++i) {
      const std::string& merge = vocabulary_.merges[i];
      // The first half may begin with a space, but has no other.
      const auto space = merge.find(' ', 1);
      if (space == std::string::npos || !is_utf8(merge)) {
        fail("tokenizer.ggml.merges: entry " + std::to_string(i) + " is '" + repair_utf8(merge) +
             "'; it must be two texts with a space between them");
      }
      append_merge(merges, std::string_view(merge).substr(0, space),
                   std::string_view(merge).substr(space + 1));
    }
    return merges;
  }

  static void append_merge(std::string& merges, std::string_view left, std::string_view right) {
    merges += merges.empty() ? "[" : ",[";
    merges += quote(left) + "," + quote(right) + "]";
  }

  // Every way to join two pieces into a third, those of the best piece first; of one piece the way
  // with the longest left half. Source: huggingface/transformers 5, convert_slow_tokenizer.py,
  // which turns SentencePiece models into BPE by this order.
  std::string merges_from_scores() const {
    struct Way {
      float score;
      std::size_t left_codes, right_codes;
      int piece;
      std::size_t cut;  // bytes of the left half
    };
    const auto joins = [&](std::string_view text) {
      const auto found = ids_.find(text);
      if (found == ids_.end()) return false;
      const std::int32_t type = type_of(static_cast<std::size_t>(found->second));
      return type == kNormal || type == kUserDefined;
    };
    std::vector<Way> ways;
    for (std::size_t id = 0; id < texts_.size(); ++id) {
      const std::string_view text = texts_[id];
      if (std::isnan(vocabulary_.scores[id]))
        fail("the score of token " + std::to_string(id) + " is NaN");
      if (!joins(text)) continue;
      const std::size_t codes = count_codes(text);
      std::size_t left = 0;
      for (std::size_t cut = utf8_length(text[0]); cut < text.size();
           cut += utf8_length(text[cut])) {
        ++left;
        if (joins(text.substr(0, cut)) && joins(text.substr(cut))) {
          ways.push_back({vocabulary_.scores[id], left, codes - left, static_cast<int>(id), cut});
        }
      }
    }
    std::stable_sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
      if (a.score != b.score) return a.score > b.score;
      if (a.left_codes != b.left_codes) return a.left_codes > b.left_codes;
      return a.right_codes > b.right_codes;
    });
    std::string merges;
    for (const Way& way : ways) {
      const std::string_view text = texts_[static_cast<std::size_t>(way.piece)];
      append_merge(merges, text.substr(0, way.cut), text.substr(way.cut));
    }
    return merges;
  }

  std::string raw_text(const std::string& merges, bool prefix_space, bool add_bos) const {
    if (vocabulary_.remove_extra_whitespaces.value_or(false)) {
      fail_unsupported(
          "tokenizer.ggml.remove_extra_whitespaces is true; anemone keeps white space as it is");
    }
    constexpr std::string_view kToLetter =
        R"({"type":"Replace","pattern":{"String":" "},"content":"▁"})";
    std::string normalizer(kToLetter);
    if (prefix_space) {
      normalizer = R"({"type":"Sequence","normalizers":[{"type":"Prepend","prepend":"▁"},)" +
                   std::string(kToLetter) + "]}";
    }
    std::string decoder =
        R"({"type":"Sequence","decoders":[{"type":"Replace","pattern":{"String":"▁"},"content":" "},)"
        R"({"type":"ByteFallback"},{"type":"Fuse"})";
    if (prefix_space) decoder += R"(,{"type":"Strip","content":" ","start":1,"stop":0})";
    decoder += "]}";
    const bool bytes = ids_.contains("<0x00>") && ids_.contains("<0xFF>");
    std::string unknown;
    if (vocabulary_.unknown_token_id) {
      unknown = texts_[static_cast<std::size_t>(*vocabulary_.unknown_token_id)];
    }
    return document(normalizer, "null", decoder, merges, unknown, false, bytes, add_bos);
  }

  std::string added_tokens() const {
    std::string tokens;
    for (std::size_t id = 0; id < texts_.size(); ++id) {
      const std::int32_t type = type_of(id);
      const bool special = type == kControl || type == kUnknown || ends_or_begins(id);
      if (!special && type != kUserDefined) continue;
      tokens += std::string(tokens.empty() ? "" : ",") + "\n    {\"id\":" + std::to_string(id) +
                ",\"content\":" + quote(texts_[id]) +
                ",\"single_word\":false,\"lstrip\":false,\"rstrip\":false,\"normalized\":false,"
                "\"special\":" +
                (special ? "true" : "false") + "}";
    }
    return tokens;
  }

  std::string post_processor(bool add_bos) const {
    const bool add_eos = vocabulary_.add_eos_token.value_or(false);
    std::string before, after, special;
    const auto add = [&](const char* key, std::optional<std::int64_t> id, std::string& side) {
      if (!id)
        fail(std::string("is to begin or end every text with ") + key + ", which is missing");
      const std::string text = quote(texts_[static_cast<std::size_t>(*id)]);
      side = "{\"SpecialToken\":{\"id\":" + text + ",\"type_id\":0}}";
      const std::string entry = text + ":{\"id\":" + text + ",\"ids\":[" + std::to_string(*id) +
                                "],\"tokens\":[" + text + "]}";
      if (special != entry) special += (special.empty() ? "" : ",") + entry;
    };
    if (add_bos) add("bos_token_id", vocabulary_.bos_token_id, before);
    if (add_eos) add("eos_token_id", vocabulary_.eos_token_id, after);
    if (special.empty()) return "null";
    const auto sequence = [&](const char* name, const char* type) {
      return (before.empty() ? "" : before + ",") + "{\"Sequence\":{\"id\":\"" + name +
             "\",\"type_id\":" + type + "}}" + (after.empty() ? "" : "," + after);
    };
    return "{\"type\":\"TemplateProcessing\",\"single\":[" + sequence("A", "0") + "],\"pair\":[" +
           sequence("A", "0") + "," + sequence("B", "1") + "],\"special_tokens\":{" + special +
           "}}";
  }

  std::string document(const std::string& normalizer, const std::string& pre_tokenizer,
                       const std::string& decoder, const std::string& merges,
                       const std::string& unknown, bool ignore_merges, bool byte_fallback,
                       bool add_bos) const {
    std::string text = "{\n  \"version\":\"1.0\",\n  \"truncation\":null,\n  \"padding\":null,\n";
    text += "  \"added_tokens\":[" + added_tokens() + "],\n";
    text += "  \"normalizer\":" + normalizer + ",\n";
    text += "  \"pre_tokenizer\":" + pre_tokenizer + ",\n";
    text += "  \"post_processor\":" + post_processor(add_bos) + ",\n";
    text += "  \"decoder\":" + decoder + ",\n";
    text += "  \"model\":{\n    \"type\":\"BPE\",\n    \"dropout\":null,\n    \"unk_token\":" +
            (unknown.empty() ? "null" : quote(unknown)) +
            ",\n    \"continuing_subword_prefix\":null,\n    \"end_of_word_suffix\":null,\n"
            "    \"fuse_unk\":" +
            (unknown.empty() ? "false" : "true") +
            ",\n    \"byte_fallback\":" + (byte_fallback ? "true" : "false") +
            ",\n    \"ignore_merges\":" + (ignore_merges ? "true" : "false") + ",\n    \"vocab\":{";
    const char* comma = "";
    for (std::size_t id = 0; id < texts_.size(); ++id) {
      if (is_padding(id)) continue;
      text += comma + quote(texts_[id]) + ":" + std::to_string(id);
      comma = ",";
    }
    text += "},\n    \"merges\":[" + merges + "]\n  }\n}\n";
    return text;
  }

  const Vocabulary& vocabulary_;
  std::string_view what_;
  std::vector<std::string> texts_;
  std::unordered_map<std::string_view, int> ids_;
};

}  // namespace

std::string tokenizer_json_from_vocabulary(const Vocabulary& vocabulary, std::string_view what,
                                           std::string_view pre_override) {
  const Writer writer(vocabulary, what);
  if (vocabulary.model == "gpt2") {
    return writer.byte_level(pre_override.empty() ? std::string_view(vocabulary.pre)
                                                  : pre_override);
  }
  if (!pre_override.empty() && (vocabulary.model == "llama" || vocabulary.model == "gemma4")) {
    writer.fail_unsupported("the pre-tokenizer '" + std::string(pre_override) +
                            "' is named, but a vocabulary of the model '" + vocabulary.model +
                            "' is used without one");
  }
  if (vocabulary.model == "llama") return writer.sentence_piece();
  if (vocabulary.model == "gemma4") return writer.raw_bpe();
  writer.fail_unsupported("tokenizer.ggml.model is '" + vocabulary.model +
                          "'; anemone knows gpt2, llama and gemma4");
}

}  // namespace anemone
