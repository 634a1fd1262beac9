#include "anemone/tokenizer/added_vocabulary.h"

#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/tokenizer/unicode.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

AddedToken read_token(const Fields& fields) {
  AddedToken token;
  token.id = static_cast<int>(fields.integer("id", 0, kMaxTokenId));
  token.content = fields.text("content");
  token.single_word = fields.flag("single_word", false);
  token.lstrip = fields.flag("lstrip", false);
  token.rstrip = fields.flag("rstrip", false);
  token.special = fields.flag("special", false);
  token.normalized = fields.flag("normalized", !token.special);
  return token;
}

}  // namespace

AddedVocabulary::AddedVocabulary(const TokenizerFile& file, const Model& model,
                                 const Normalizer* normalizer, std::string_view what) {
  const auto list = file.rest.find("added_tokens");
  if (list == file.rest.end() || list->is_null()) return;
  if (!list->is_array()) {
    throw Error(Code::kBadInput, std::string(what) + ": 'added_tokens' must be a list");
  }
  for (std::size_t i = 0; i < list->size(); ++i) {
    add(read_token(Fields((*list)[i], what, "added_tokens[" + std::to_string(i) + "]")), model);
  }
  build_tries(normalizer);
  std::sort(tokens_.begin(), tokens_.end(),
            [](const AddedToken& a, const AddedToken& b) { return a.id < b.id; });
  for (std::size_t i = 0; i < tokens_.size(); ++i) places_[tokens_[i].id] = i;
  const bool words = std::any_of(tokens_.begin(), tokens_.end(),
                                 [](const AddedToken& token) { return token.single_word; });
  // Rust's \w, which has the two joiners.
  if (words) word_ = Regex::compile(R"(\G[[:word:]\x{200C}\x{200D}])", "a built-in pattern");
}

void AddedVocabulary::add(AddedToken token, const Model& model) {
  if (token.content.empty()) return;
  const int size = static_cast<int>(model.size());
  auto id = find_id(token.content);
  if (!id) id = model.vocab().find(token.content);
  token.id = id ? *id : highest_id_ >= size ? highest_id_ + 1 : size;
  highest_id_ = std::max(highest_id_, token.id);
  ids_[token.content] = token.id;
  if (token.special) special_.insert(token.content);
  if (const auto place = places_.find(token.id); place != places_.end()) {
    tokens_[place->second] = std::move(token);  // named again: the last word counts
    return;
  }
  places_[token.id] = tokens_.size();
  tokens_.push_back(std::move(token));
}

void AddedVocabulary::build_tries(const Normalizer* normalizer) {
  // Special tokens come first; of two tokens with one text the last is found.
  std::vector<const AddedToken*> order;
  for (const bool special : {false, true}) {
    for (auto token = tokens_.rbegin(); token != tokens_.rend(); ++token) {
      if (token->special == special) order.push_back(&*token);
    }
  }
  std::vector<std::pair<std::string_view, int>> raw, normalized;
  for (const AddedToken* token : order) {
    if (!token->normalized) {
      raw.emplace_back(token->content, token->id);
      continue;
    }
    NormalText text{token->content, 0};
    if (normalizer != nullptr) normalizer->apply(text);
    const std::string& kept = decoded_[token->id] = std::move(text.text);
    if (!kept.empty()) normalized.emplace_back(kept, token->id);
  }
  raw_ = Trie(std::move(raw));
  normalized_ = Trie(std::move(normalized));
}

std::optional<int> AddedVocabulary::find_id(std::string_view content) const {
  const auto found = ids_.find(std::string(content));
  if (found == ids_.end()) return std::nullopt;
  return found->second;
}

const AddedToken* AddedVocabulary::find(int id) const {
  const auto found = places_.find(id);
  return found == places_.end() ? nullptr : &tokens_[found->second];
}

std::string_view AddedVocabulary::decoded(const AddedToken& token) const {
  const auto found = decoded_.find(token.id);
  return found == decoded_.end() ? std::string_view(token.content) : found->second;
}

bool AddedVocabulary::is_special(std::string_view text) const {
  return special_.contains(std::string(text));
}

bool AddedVocabulary::at_word_border(std::string_view text, std::size_t at) const {
  return at == text.size() || !word_->find(text, at);
}

std::vector<AddedVocabulary::Span> AddedVocabulary::split(std::string_view text, bool normalized,
                                                          bool special) const {
  const Trie& trie = normalized ? normalized_ : raw_;
  std::vector<Span> spans;
  std::size_t done = 0;  // white space that a token took with it counts
  for (std::size_t at = 0; !trie.empty() && at < text.size();) {
    std::size_t length = 0;
    int id = -1;
    trie.for_each_prefix(text.substr(at), [&](std::size_t size, int found) {
      length = size;
      id = found;
    });
    if (id < 0) {
      ++at;
      continue;
    }
    std::size_t begin = at, end = at + length;
    at = end;
    const AddedToken& token = *find(id);
    if (!special && is_special(token.content)) continue;
    if (token.single_word && !(at_word_border(text, end) &&
                               (begin == 0 || at_word_border(text, previous_start(text, begin))))) {
      continue;
    }
    while (token.lstrip && begin > done) {
      std::size_t next = previous_start(text, begin);
      const std::size_t start = next;
      if (!is_white_space(next_code(text, next))) break;
      begin = start;
    }
    while (token.rstrip && end < text.size()) {
      std::size_t next = end;
      if (!is_white_space(next_code(text, next))) break;
      end = next;
    }
    // Only a token that takes white space on its left gives way to one that took it on its right.
    if (token.lstrip) begin = std::max(begin, done);
    if (begin >= end) continue;
    if (done < begin) spans.push_back({done, begin, -1});
    spans.push_back({begin, end, id});
    done = end;
  }
  if (done < text.size()) spans.push_back({done, text.size(), -1});
  return spans;
}

}  // namespace anemone
