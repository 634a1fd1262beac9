#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "anemone/base/files.h"
#include "anemone/tokenizer/tokenizer.h"

// Ids and texts of thousands of hard lines, held to what Hugging Face `tokenizers` said of them;
// the files and their maker are in tests/oracle/tokenizer/.
namespace anemone {
namespace {

const std::filesystem::path kFolder = ANEMONE_TOKENIZER_ORACLE;

std::vector<std::string> split_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Undoes hard_text.py's escape().
std::string unescape(const std::string& line) {
  std::string bytes;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] != '\\') {
      bytes += line[i];
      continue;
    }
    switch (line.at(++i)) {
      case 'n':
        bytes += '\n';
        break;
      case 'r':
        bytes += '\r';
        break;
      case 'x':
        bytes += static_cast<char>(std::stoi(line.substr(i + 1, 2), nullptr, 16));
        i += 2;
        break;
      default:
        bytes += line[i];
    }
  }
  return bytes;
}

// FNV-1a, 64 bits folded to 32, in hex.
std::string hash(const std::string& text) {
  std::uint64_t value = 0xCBF29CE484222325u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  char hex[16];
  std::snprintf(hex, sizeof hex, "%08x", static_cast<std::uint32_t>(value ^ (value >> 32)));
  return hex;
}

std::string join(const std::vector<int>& ids, char by) {
  std::string text;
  for (const int id : ids) text += (text.empty() ? "" : std::string(1, by)) + std::to_string(id);
  return text;
}

// make_goldens.py's record().
std::string record(const Tokenizer& tokenizer, const std::vector<int>& ids) {
  std::vector<int> every_other;
  for (std::size_t i = 0; i < ids.size(); i += 2) every_other.push_back(ids[i]);
  return join(ids, ',') + "|" + tokenizer.decode(ids) + "|" +
         tokenizer.decode(ids, {.skip_special = true}) + "|" + tokenizer.decode(every_other);
}

class Golden : public ::testing::TestWithParam<std::pair<std::string, std::size_t>> {};

TEST_P(Golden, SaysWhatTokenizersSays) {
  const auto& [style, wanted] = GetParam();
  const auto path = kFolder / style / "tokenizer.json";
  const auto tokenizer = Tokenizer::from_json(read_text(path), path.string());
  const auto lines = split_lines(read_text(kFolder / "hard_lines.txt"));
  const auto golden = split_lines(read_text(kFolder / style / "golden.txt"));
  std::size_t hashed = 0, shown = 0;
  ASSERT_EQ(std::sscanf(golden.at(0).c_str(), "%zu lines hashed, %zu shown", &hashed, &shown), 2);
  ASSERT_EQ(hashed, wanted);
  ASSERT_GE(lines.size(), hashed);
  std::vector<std::string> hashes;
  for (std::size_t row = 1; hashes.size() < hashed; ++row) {
    std::istringstream in(golden.at(row));
    for (std::string word; in >> word;) hashes.push_back(word);
  }
  const std::size_t first_shown = 1 + (hashed + 9) / 10;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < hashed; ++i) {
    const auto ids = tokenizer.encode(unescape(lines[i]));
    if (i < shown) {
      EXPECT_EQ(join(ids, ' '), golden.at(first_shown + i)) << "line " << i + 1 << ": " << lines[i];
    }
    const std::string found = record(tokenizer, ids);
    if (hash(found) != hashes[i] && ++wrong <= 5) {
      ADD_FAILURE() << "line " << i + 1 << ": " << lines[i] << "\n  " << found;
    }
  }
  EXPECT_EQ(wrong, 0u) << "of " << hashed << " lines";
}

TEST_P(Golden, StreamsWhatItDecodes) {
  const auto& [style, wanted] = GetParam();
  const auto path = kFolder / style / "tokenizer.json";
  const auto tokenizer = Tokenizer::from_json(read_text(path), path.string());
  const auto lines = split_lines(read_text(kFolder / "hard_lines.txt"));
  for (std::size_t i = 0; i < lines.size(); i += 7) {
    const std::string bytes = unescape(lines[i]);
    const auto ids = tokenizer.encode(bytes);
    for (const bool skip_special : {false, true}) {
      StreamDecoder stream(tokenizer, {.skip_special = skip_special});
      std::string text;
      for (const int id : ids) text += stream.push(id);
      text += stream.flush();
      ASSERT_EQ(text, tokenizer.decode(ids, {.skip_special = skip_special})) << lines[i];
    }
  }
}

TEST_P(Golden, KeepsControlTokensOutOfStrangersText) {
  const auto& [style, wanted] = GetParam();
  const auto path = kFolder / style / "tokenizer.json";
  const auto tokenizer = Tokenizer::from_json(read_text(path), path.string());
  const auto lines = split_lines(read_text(kFolder / "hard_lines.txt"));
  std::size_t with = 0;
  for (std::size_t i = 0; i < 3000; ++i) {
    const std::string bytes = unescape(lines[i]);
    const auto is_control = [&](int id) {
      return tokenizer.is_special(id) && tokenizer.token(id) != "<unk>" &&
             tokenizer.token(id) != "[UNK]";
    };
    const auto safe = tokenizer.encode(bytes, {.add_special = false, .parse_special = false});
    EXPECT_TRUE(std::none_of(safe.begin(), safe.end(), is_control)) << lines[i];
    const auto open = tokenizer.encode(bytes, {.add_special = false});
    with += std::any_of(open.begin(), open.end(), is_control);
  }
  EXPECT_GT(with, 20u) << "lines with control tokens";
}

INSTANTIATE_TEST_SUITE_P(Styles, Golden,
                         ::testing::Values(std::pair{"qwen", 10000}, std::pair{"llama3", 10000},
                                           std::pair{"smollm", 10000}, std::pair{"gemma", 10000},
                                           std::pair{"llama2", 3000}, std::pair{"unigram", 3000},
                                           std::pair{"added", 3000}, std::pair{"bert", 2000}),
                         [](const auto& tested) { return tested.param.first; });

}  // namespace
}  // namespace anemone
