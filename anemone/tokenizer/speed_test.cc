#include <gtest/gtest.h>

#include <chrono>

#include "anemone/base/json.h"
#include "anemone/tokenizer/byte_level.h"
#include "anemone/tokenizer/tokenizer.h"
#include "anemone/tokenizer/utf8.h"

// Nothing here may take more than linear time, whatever the text. The limits are wide, for busy
// machines and sanitizers; what is quadratic misses them by far.
namespace anemone {
namespace {

constexpr std::size_t kQuarterMegabyte = 1u << 18;

double seconds_of(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// As large as Qwen's: 150,000 tokens, each but the bytes made by a merge.
std::string large_file() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte)
    tokens.emplace_back(byte_to_letter(static_cast<unsigned char>(byte)));
  std::string vocab, merges;
  std::size_t left = 0, right = 0;
  for (std::size_t i = 0; i < 256; ++i)
    vocab += (i == 0 ? "" : ",") + to_line(Json(tokens[i])) + ":" + std::to_string(i);
  while (tokens.size() < 150000) {  // all pairs of letters, then all triples
    const std::string merged = tokens[left] + tokens[right];
    merges += (merges.empty() ? "[" : ",[") + to_line(Json(tokens[left])) + "," +
              to_line(Json(tokens[right])) + "]";
    vocab += "," + to_line(Json(merged)) + ":" + std::to_string(tokens.size());
    tokens.push_back(merged);
    if (++right == 256) {
      right = 0;
      ++left;
    }
  }
  return R"({"version":"1.0","pre_tokenizer":{"type":"Sequence","pretokenizers":[{"type":"Split","pattern":{"Regex":)"
         R"("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|)"
         R"(\\s+(?!\\S)|\\s+"},"behavior":"Isolated","invert":false},{"type":"ByteLevel","add_prefix_space":false,)"
         R"("use_regex":false}]},"decoder":{"type":"ByteLevel"},"model":{"type":"BPE","vocab":{)" +
         vocab + "},\"merges\":[" + merges + "]}}";
}

TEST(Speed, LoadsALargeVocabularyAndEncodesMegabytes) {
  const std::string file = large_file();
  std::optional<Tokenizer> tokenizer;
  const double load = seconds_of([&] { tokenizer = Tokenizer::from_json(file, "large.json"); });
  RecordProperty("load_seconds", std::to_string(load));
  std::printf("loads %zu bytes in %.3f s\n", file.size(), load);
  EXPECT_LT(load, 20);
  EXPECT_EQ(tokenizer->vocab_size(), 150000);

  std::string prose;
  for (int i = 0; prose.size() < kQuarterMegabyte; ++i)
    prose += "word" + std::to_string(i * 7919 % 5000) + (i % 13 == 0 ? ".\n" : " ");
  std::string marks = "a";
  while (marks.size() < kQuarterMegabyte) marks += "\u0301\u0323";
  for (const auto& [name, text] :
       {std::pair<const char*, std::string>{"one letter", std::string(1u << 20, 'a')},
        {"spaces", std::string(kQuarterMegabyte, ' ')},
        {"line feeds", std::string(kQuarterMegabyte, '\n')},
        {"marks", marks},
        {"prose", prose}}) {
    std::vector<int> ids;
    const double encode = seconds_of([&, &text = text] { ids = tokenizer->encode(text); });
    std::string back;
    const double decode = seconds_of([&] { back = tokenizer->decode(ids); });
    std::printf("%zu bytes of %s: encode in %.3f s, decode in %.3f s\n", text.size(), name, encode,
                decode);
    EXPECT_EQ(back, text);
    EXPECT_LT(encode, 30) << name;
    EXPECT_LT(decode, 30) << name;
  }
}

TEST(Speed, MergesALongTextThatNothingCuts) {
  const auto tokenizer = Tokenizer::from_json(
      R"({"normalizer":{"type":"Replace","pattern":{"String":" "},"content":"▁"},"model":{"type":"BPE",
          "vocab":{"a":0,"aa":1,"aaaa":2,"▁":3,"▁a":4,"b":5},"merges":["a a","aa aa","▁ a"]}})",
      "t.json");
  std::string text;
  while (text.size() < kQuarterMegabyte) text += "aaaaaaa bab";
  std::vector<int> ids;
  EXPECT_LT(seconds_of([&] { ids = tokenizer.encode(text); }), 30);
  EXPECT_GT(ids.size(), text.size() / 4);
}

TEST(Speed, FindsTheBestPathThroughALongText) {
  Json vocab = Json::parse(R"([["<unk>",0]])");
  std::string piece;
  for (int i = 0; i < 16; ++i) vocab.push_back(Json::array({piece += 'a', -1.0 - i}));
  const auto tokenizer = Tokenizer::from_json(
      R"({"model":{"type":"Unigram","unk_id":0,"vocab":)" + to_line(vocab) + "}}", "t.json");
  std::vector<int> ids;
  EXPECT_LT(seconds_of([&] { ids = tokenizer.encode(std::string(kQuarterMegabyte, 'a')); }), 30);
  EXPECT_EQ(ids.size(), kQuarterMegabyte / 16);
  EXPECT_LT(seconds_of([&] { ids = tokenizer.encode(std::string(kQuarterMegabyte, 'b')); }), 30);
  EXPECT_EQ(ids.size(), 1u);  // unknown characters are one piece
}

}  // namespace
}  // namespace anemone
