#include "anemone/tokenizer/tokenizer.h"

#include <algorithm>
#include <unordered_map>

#include "anemone/base/error.h"
#include "anemone/tokenizer/added_vocabulary.h"
#include "anemone/tokenizer/decoder.h"
#include "anemone/tokenizer/model.h"
#include "anemone/tokenizer/normalizer.h"
#include "anemone/tokenizer/post_processor.h"
#include "anemone/tokenizer/pre_tokenizer.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

// A word that came before has the ids that it had then. Bounded, so that a long text of ever new
// words costs no more memory than its ids.
constexpr std::size_t kMaxCachedWords = 1u << 15;
constexpr std::size_t kMaxCachedBytes = 128;  // of a word

const Json* find_part(const TokenizerFile& file, const char* key) {
  const auto found = file.rest.find(key);
  return found == file.rest.end() || found->is_null() ? nullptr : &*found;
}

void check_top_level(const TokenizerFile& file, std::string_view what) {
  constexpr std::string_view kParts[] = {"version",        "truncation", "padding",
                                         "added_tokens",   "normalizer", "pre_tokenizer",
                                         "post_processor", "decoder",    "model"};
  for (const auto& [key, value] : file.rest.items()) {
    if (std::find(std::begin(kParts), std::end(kParts), key) == std::end(kParts)) {
      throw Error(Code::kUnsupported,
                  std::string(what) + ": has a part '" + key + "', which anemone does not know");
    }
  }
  if (const Json* version = find_part(file, "version"); version != nullptr && *version != "1.0") {
    throw Error(Code::kUnsupported, std::string(what) + ": 'version' is " + to_line(*version) +
                                        "; anemone reads \"1.0\"");
  }
}

}  // namespace

struct Tokenizer::Parts {
  std::string what;
  std::unique_ptr<const Model> model;
  std::unique_ptr<const Normalizer> normalizer;       // may be null
  std::unique_ptr<const PreTokenizer> pre_tokenizer;  // may be null
  std::unique_ptr<const AddedVocabulary> added;
  Surroundings around;
  Decoder decoder;
  int vocab_size = 0;
  std::vector<int> barred;  // ids of control tokens but for the unknown one, sorted

  Parts(TokenizerFile& file, std::string_view name) : what(name) {
    check_top_level(file, what);
    model = make_model(file, what);
    if (const Json* part = find_part(file, "normalizer")) {
      normalizer = make_normalizer(Fields(*part, what, "normalizer"));
    }
    if (const Json* part = find_part(file, "pre_tokenizer")) {
      pre_tokenizer = make_pre_tokenizer(Fields(*part, what, "pre_tokenizer"));
    }
    if (const Json* part = find_part(file, "post_processor")) {
      around = read_post_processor(Fields(*part, what, "post_processor"));
    }
    if (const Json* part = find_part(file, "decoder")) {
      decoder = Decoder(Fields(*part, what, "decoder"));
    }
    added = std::make_unique<AddedVocabulary>(file, *model, normalizer.get(), what);
    int highest = model->vocab().highest_id();
    for (const AddedToken& token : added->tokens()) {
      highest = std::max(highest, token.id);
      if (added->is_special(token.content) && token.id != model->unknown_id()) {
        barred.push_back(token.id);
      }
    }
    vocab_size = highest + 1;
  }

  std::optional<std::string_view> token(int id) const {
    if (const AddedToken* token = added->find(id)) return token->content;
    return model->vocab().text(id);
  }

  Pieces cut(std::string_view text, bool special) const;
  void run_model(const Pieces& pieces, bool special, std::vector<int>& ids) const;
};

// Added tokens of the raw text, normalization of what lies between them, added tokens of that, and
// the pre-tokenizer on the rest.
Pieces Tokenizer::Parts::cut(std::string_view text, bool special) const {
  Pieces pieces;
  pieces.text.reserve(text.size());
  NormalText between;
  for (const auto& span : added->split(text, false, special)) {
    if (span.id >= 0) {
      pieces.pieces.push_back({0, 0, 0, span.id});
      continue;
    }
    between.text = text.substr(span.begin, span.end - span.begin);
    between.from_start = span.begin == 0 ? utf8_length(text[0]) : 0;
    if (normalizer != nullptr) normalizer->apply(between);
    const std::size_t base = pieces.text.size();
    pieces.text += between.text;
    for (const auto& part : added->split(between.text, true, special)) {
      const std::size_t from_start =
          between.from_start > part.begin ? std::min(between.from_start, part.end) - part.begin : 0;
      pieces.pieces.push_back({base + part.begin, base + part.end, from_start, part.id});
    }
  }
  if (pre_tokenizer != nullptr) pre_tokenizer->apply(pieces);
  return pieces;
}

void Tokenizer::Parts::run_model(const Pieces& pieces, bool special, std::vector<int>& ids) const {
  static const std::vector<int> kNone;
  const std::vector<int>& none_of = special ? kNone : barred;
  ModelScratch scratch;
  struct Range {
    std::size_t begin, end;  // in `ids`
  };
  std::unordered_map<std::string_view, Range> known;
  const bool cache = pieces.pieces.size() > 64;
  for (const Pieces::Piece& piece : pieces.pieces) {
    if (piece.id >= 0) {
      ids.push_back(piece.id);
      continue;
    }
    const std::string_view word = pieces.view(piece);
    const bool cached = cache && word.size() <= kMaxCachedBytes;
    if (cached) {
      if (const auto found = known.find(word); found != known.end()) {
        for (std::size_t i = found->second.begin; i < found->second.end; ++i) ids.push_back(ids[i]);
        continue;
      }
    }
    const std::size_t begin = ids.size();
    model->encode(word, none_of, scratch, ids);
    if (cached && known.size() < kMaxCachedWords) known.emplace(word, Range{begin, ids.size()});
  }
}

Tokenizer::Tokenizer(std::unique_ptr<const Parts> parts) : parts_(std::move(parts)) {}
Tokenizer::Tokenizer(Tokenizer&&) noexcept = default;
Tokenizer& Tokenizer::operator=(Tokenizer&&) noexcept = default;
Tokenizer::~Tokenizer() = default;

Tokenizer Tokenizer::from_json(std::string_view text, std::string_view what) {
  TokenizerFile file = read_tokenizer_file(text, what);
  return Tokenizer(std::make_unique<const Parts>(file, what));
}

std::vector<int> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::string repaired;
  if (!is_utf8(text)) {
    repaired = repair_utf8(text);
    text = repaired;
  }
  std::vector<int> ids;
  if (options.add_special) ids = parts_->around.before;
  parts_->run_model(parts_->cut(text, options.parse_special), options.parse_special, ids);
  if (options.add_special) {
    ids.insert(ids.end(), parts_->around.after.begin(), parts_->around.after.end());
  }
  return ids;
}

std::string Tokenizer::decode(std::span<const int> ids, DecodeOptions options) const {
  StreamDecoder stream(*this, options);
  std::string text;
  for (const int id : ids) text += stream.push(id);
  return text + stream.flush();
}

std::optional<int> Tokenizer::token_id(std::string_view token) const {
  if (const auto id = parts_->added->find_id(token)) return id;
  return parts_->model->vocab().find(token);
}

std::optional<std::string_view> Tokenizer::token(int id) const { return parts_->token(id); }

bool Tokenizer::is_special(int id) const {
  const auto text = parts_->token(id);
  return text && parts_->added->is_special(*text);
}

int Tokenizer::vocab_size() const { return parts_->vocab_size; }
const std::vector<AddedToken>& Tokenizer::added_tokens() const { return parts_->added->tokens(); }
const std::vector<int>& Tokenizer::prefix_ids() const { return parts_->around.before; }
const std::vector<int>& Tokenizer::suffix_ids() const { return parts_->around.after; }

struct StreamDecoder::State {
  const Tokenizer::Parts* parts;
  Tokenizer::DecodeOptions options;
  std::string out;
  std::unique_ptr<DecodeStep> chain;

  std::string take_out() { return std::exchange(out, std::string()); }
};

StreamDecoder::StreamDecoder(const Tokenizer& tokenizer, Tokenizer::DecodeOptions options)
    : state_(std::make_unique<State>()) {
  state_->parts = tokenizer.parts_.get();
  state_->options = options;
  state_->chain = state_->parts->decoder.start(state_->out);
}
StreamDecoder::StreamDecoder(StreamDecoder&&) noexcept = default;
StreamDecoder& StreamDecoder::operator=(StreamDecoder&&) noexcept = default;
StreamDecoder::~StreamDecoder() = default;

std::string StreamDecoder::push(int id) {
  const auto& parts = *state_->parts;
  const auto token = parts.token(id);
  if (!token || (state_->options.skip_special && parts.added->is_special(*token))) return "";
  const AddedToken* added = parts.added->find(id);
  state_->chain->take(added != nullptr ? parts.added->decoded(*added) : *token, true);
  return state_->take_out();
}

std::string StreamDecoder::flush() {
  state_->chain->finish();
  return state_->take_out();
}

}  // namespace anemone
