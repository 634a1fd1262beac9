#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/tokenizer/model.h"
#include "anemone/tokenizer/utf8.h"

namespace anemone {
namespace {

struct Merge {
  std::uint32_t rank;
  int id;
};

// (left id, right id) -> Merge, by open addressing: 16 bytes a slot.
class MergeMap {
 public:
  explicit MergeMap(std::size_t count) {
    std::size_t slots = 16;
    while (slots < count + count / 2) slots *= 2;
    slots_.resize(slots, Slot{-1, -1, 0, -1});
  }
  void put(int left, int right, Merge merge) {
    Slot& slot = slots_[slot_of(left, right)];
    slot = {left, right, merge.rank, merge.id};
  }
  const Merge* find(int left, int right) const {
    const Slot& slot = slots_[slot_of(left, right)];
    return slot.left < 0 ? nullptr : &slot.merge;
  }

 private:
  struct Slot {
    int left, right;
    Merge merge;
    Slot(int l, int r, std::uint32_t rank, int id) : left(l), right(r), merge{rank, id} {}
  };
  std::size_t slot_of(int left, int right) const {
    const auto key = (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) |
                     static_cast<std::uint32_t>(right);
    const std::uint64_t mixed = (key ^ (key >> 31)) * 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = static_cast<std::size_t>(mixed >> 32) & mask;
    while (slots_[at].left >= 0 && (slots_[at].left != left || slots_[at].right != right)) {
      at = (at + 1) & mask;
    }
    return at;
  }
  std::vector<Slot> slots_;
};

class Bpe : public Model {
 public:
  Bpe(const Fields& fields, TokenizerFile& file)
      : Model(std::move(file.vocab)), merges_(file.merges.size()) {
    if (fields.has("dropout") && !(fields.at("dropout").is_number() && fields.at("dropout") == 0)) {
      fields.fail("'dropout' is " + to_line(fields.at("dropout")) +
                  ": such a tokenizer gives other ids each time; allowed are null and 0");
    }
    prefix_ = fields.text("continuing_subword_prefix", "");
    suffix_ = fields.text("end_of_word_suffix", "");
    fuse_unknown_ = fields.flag("fuse_unk", false);
    ignore_merges_ = fields.flag("ignore_merges", false);
    if (fields.flag("byte_fallback", false)) byte_ids_ = byte_token_ids(vocab_);
    if (fields.has("unk_token")) {
      unknown_ = fields.text("unk_token");
      unknown_id_ = vocab_.find(unknown_).value_or(-1);
    }
    read_merges(fields, file.merges);
    if (prefix_.empty() && suffix_.empty()) {
      short_ids_.resize(kShortCodes, -1);
      std::string text;
      for (char32_t code = 0; code < kShortCodes; ++code) {
        text.clear();
        append_code(text, code);
        short_ids_[code] = vocab_.find(text).value_or(-1);
      }
    }
  }

  void encode(std::string_view word, const std::vector<int>& barred, ModelScratch& scratch,
              std::vector<int>& ids) const override {
    if (ignore_merges_) {
      if (const auto whole = vocab_.find(word); whole && !is_barred(barred, *whole)) {
        ids.push_back(*whole);
        return;
      }
    }
    scratch.symbols.clear();
    split(word, barred, scratch);
    merge(barred, scratch);
    for (std::int32_t at = scratch.symbols.empty() ? -1 : 0; at >= 0;
         at = scratch.symbols[static_cast<std::size_t>(at)].behind) {
      ids.push_back(scratch.symbols[static_cast<std::size_t>(at)].id);
    }
  }

 private:
  static constexpr char32_t kShortCodes =
      0x400;  // holds every character of byte-level vocabularies

  void read_merges(const Fields& fields, const MergeList& merges) {
    std::string merged;
    for (std::size_t i = 0; i < merges.size(); ++i) {
      const auto left = merges.left(i), right = merges.right(i);
      const auto left_id = vocab_.find(left), right_id = vocab_.find(right);
      merged = left;
      merged += right.starts_with(prefix_) ? right.substr(prefix_.size()) : right;
      const auto merged_id = vocab_.find(merged);
      if (!left_id || !right_id || !merged_id) {
        const std::string missing(!left_id ? left : !right_id ? right : merged);
        fields.fail("merge " + std::to_string(i) + " is '" + std::string(left) + "' and '" +
                    std::string(right) + "', but '" + missing + "' is not in the vocabulary");
      }
      merges_.put(*left_id, *right_id, {static_cast<std::uint32_t>(i), *merged_id});
    }
  }

  int find(std::string_view text, const std::vector<int>& barred) const {
    int id = -1;
    if (std::size_t at = 0; !short_ids_.empty() && text.size() <= 2) {
      const char32_t code = next_code(text, at);
      id = code < kShortCodes ? short_ids_[code] : vocab_.find(text).value_or(-1);
    } else {
      id = vocab_.find(text).value_or(-1);
    }
    return id >= 0 && is_barred(barred, id) ? -1 : id;
  }

  // One symbol a character; a character without a token becomes its bytes, the unknown token, or
  // nothing.
  void split(std::string_view word, const std::vector<int>& barred, ModelScratch& scratch) const {
    auto& symbols = scratch.symbols;
    const auto add = [&](int id) {
      const auto at = static_cast<std::int32_t>(symbols.size());
      symbols.push_back({id, at - 1, at + 1});
    };
    bool unknown = false;  // one is waiting, in case more of them follow
    for (std::size_t at = 0; at < word.size();) {
      const std::size_t begin = at;
      at += utf8_length(word[at]);
      std::string_view text = word.substr(begin, at - begin);
      if ((begin > 0 && !prefix_.empty()) || (at == word.size() && !suffix_.empty())) {
        scratch.text = begin > 0 ? prefix_ : "";
        scratch.text += text;
        if (at == word.size()) scratch.text += suffix_;
        text = scratch.text;
      }
      if (const int id = find(text, barred); id >= 0) {
        if (unknown) add(unknown_id_);
        unknown = false;
        add(id);
        continue;
      }
      if (!byte_ids_.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
            return byte_ids_[static_cast<unsigned char>(c)] >= 0;
          })) {
        for (const char c : text) add(byte_ids_[static_cast<unsigned char>(c)]);
        continue;
      }
      if (unknown_.empty()) continue;
      if (unknown_id_ < 0) {
        throw Error(Code::kBadInput, "the text has a character without a token, '" +
                                         std::string(word.substr(begin, at - begin)) +
                                         "', and the unknown token '" + unknown_ +
                                         "' is not in the vocabulary");
      }
      if (unknown && !fuse_unknown_) add(unknown_id_);
      unknown = true;
    }
    if (unknown) add(unknown_id_);
    if (!symbols.empty()) symbols.back().behind = -1;
  }

  // Joins the pair of the lowest rank, the leftmost of equals, until none is left.
  void merge(const std::vector<int>& barred, ModelScratch& scratch) const {
    auto& symbols = scratch.symbols;
    auto& heap = scratch.candidates;
    heap.clear();
    const auto worse = [](const ModelScratch::Candidate& a, const ModelScratch::Candidate& b) {
      return a.rank != b.rank ? a.rank > b.rank : a.at > b.at;
    };
    const auto candidate = [&](std::int32_t at) -> const Merge* {
      const auto& left = symbols[static_cast<std::size_t>(at)];
      if (left.behind < 0) return nullptr;
      const Merge* merge = merges_.find(left.id, symbols[static_cast<std::size_t>(left.behind)].id);
      return merge != nullptr && is_barred(barred, merge->id) ? nullptr : merge;
    };
    const auto offer = [&](std::int32_t at) {
      if (const Merge* merge = candidate(at)) {
        heap.push_back({merge->rank, static_cast<std::uint32_t>(at), merge->id});
        return true;
      }
      return false;
    };
    for (std::size_t at = 0; at + 1 < symbols.size(); ++at) offer(static_cast<std::int32_t>(at));
    std::make_heap(heap.begin(), heap.end(), worse);
    while (!heap.empty()) {
      std::pop_heap(heap.begin(), heap.end(), worse);
      const auto best = heap.back();
      heap.pop_back();
      auto& left = symbols[best.at];
      if (left.id < 0) continue;  // merged away
      const Merge* now = candidate(static_cast<std::int32_t>(best.at));
      if (now == nullptr || now->id != best.id) continue;  // its neighbour has changed
      auto& right = symbols[static_cast<std::size_t>(left.behind)];
      left.id = best.id;
      left.behind = right.behind;
      right.id = -1;
      if (left.behind >= 0) {
        symbols[static_cast<std::size_t>(left.behind)].before = static_cast<std::int32_t>(best.at);
        if (offer(static_cast<std::int32_t>(best.at)))
          std::push_heap(heap.begin(), heap.end(), worse);
      }
      if (left.before >= 0 && offer(left.before)) std::push_heap(heap.begin(), heap.end(), worse);
    }
  }

  MergeMap merges_;
  std::string prefix_, suffix_, unknown_;
  bool fuse_unknown_ = false, ignore_merges_ = false;
  std::vector<int> byte_ids_;   // empty without byte fallback
  std::vector<int> short_ids_;  // by code point; empty with a prefix or suffix
};

}  // namespace

std::unique_ptr<const Model> make_bpe(const Fields& fields, TokenizerFile& file) {
  if (file.vocab_is_list) fields.fail("'vocab' must be an object");
  if (!file.has_merges) {
    fields.fail(fields.has("merges") ? "'merges' must be a list" : "'merges' is missing");
  }
  auto model = std::make_unique<Bpe>(fields, file);
  file.merges = MergeList();
  return model;
}

}  // namespace anemone
