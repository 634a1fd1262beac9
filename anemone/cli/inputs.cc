#include "anemone/cli/inputs.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>

#include "anemone/base/error.h"
#include "anemone/checkpoint/checkpoint.h"

namespace anemone::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kSpace = " \t\r\n\f\v";
constexpr std::uint64_t kMaxInputBytes = 1u << 30;

[[noreturn]] void bad_id(std::string_view what, std::string_view found) {
  throw Error(Code::kBadInput,
              std::string(what) + ": " + std::string(found.substr(0, 40)) +
                  " is not a token id; allowed: integers from 0 to 2147483647, separated by white "
                  "space, or a JSON array of them");
}

std::vector<int> ids_of_json(std::string_view text, std::string_view what) {
  const Json json = parse_json(text, what);
  std::vector<int> ids;
  for (const Json& value : json) {
    const bool fits =
        value.is_number_unsigned() && value.get<std::uint64_t>() <= std::numeric_limits<int>::max();
    if (!fits) bad_id(what, to_line(value));
    ids.push_back(value.get<int>());
  }
  return ids;
}

}  // namespace

std::vector<int> parse_ids(std::string_view text, std::string_view what) {
  const auto start = text.find_first_not_of(kSpace);
  if (start != std::string_view::npos && text[start] == '[') return ids_of_json(text, what);
  std::vector<int> ids;
  const std::string separators = std::string(kSpace) + ",";
  for (auto at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    const auto end = std::min(text.find_first_of(separators, at), text.size());
    const auto word = text.substr(at, end - at);
    int id = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), id);
    if (error != std::errc() || stop != word.data() + word.size() || id < 0) {
      bad_id(what, "'" + std::string(word.substr(0, 30)) + "'");
    }
    ids.push_back(id);
    at = text.find_first_not_of(separators, end);
  }
  return ids;
}

std::string read_input(const Console& console, const std::string& path) {
  LineReader source(console, path);
  return source.rest();
}

LineReader::LineReader(const Console& console, const std::string& path)
    : path_(path), from_(&console.in) {
  if (is_standard_input()) return;
  std::error_code ignored;
  file_.open(path, std::ios::binary);
  if (!file_ || fs::is_directory(path, ignored)) {
    const bool is_there = fs::exists(path, ignored);
    throw Error(
        is_there ? Code::kIo : Code::kNotFound,
        path + ": cannot be opened" + (is_there ? "" : std::string(": ") + std::strerror(ENOENT)));
  }
  from_ = &file_;
}

bool LineReader::next(std::string& line) {
  if (!std::getline(*from_, line)) {
    if (from_->bad()) throw Error(Code::kIo, name() + ": cannot be read");
    return false;
  }
  ++number_;
  return true;
}

std::string LineReader::rest() {
  std::string text;
  std::vector<char> block(1 << 16);
  while (from_->read(block.data(), static_cast<std::streamsize>(block.size())),
         from_->gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(from_->gcount()));
    if (text.size() > kMaxInputBytes) {
      throw Error(Code::kLimit,
                  name() + ": more than " + std::to_string(kMaxInputBytes) + " bytes");
    }
  }
  if (from_->bad()) throw Error(Code::kIo, name() + ": cannot be read");
  return text;
}

std::string LineReader::where() const { return name() + ": line " + std::to_string(number_); }

std::string LineReader::name() const { return is_standard_input() ? "standard input" : path_; }

Tokenizer load_tokenizer(const fs::path& path, std::string_view pre_tokenizer) {
  std::error_code ignored;
  const bool is_folder = fs::is_directory(path, ignored);
  const fs::path file = is_folder ? path / "tokenizer.json" : path;
  if (is_folder ? fs::exists(file, ignored) : path.extension() == ".json") {
    const MappedFile mapped(file);
    return Tokenizer::from_json(as_text(mapped.view()), file.string());
  }
  if (is_folder && fs::exists(path / "bundle.json", ignored)) {
    throw Error(Code::kNotFound, path.string() +
                                     ": the bundle has no tokenizer; it was converted from a "
                                     "checkpoint without one");
  }
  const Checkpoint checkpoint = Checkpoint::load(path);
  if (!checkpoint.vocabulary()) {
    throw Error(Code::kNotFound,
                path.string() + (checkpoint.is_gguf() ? ": the file has no vocabulary"
                                                      : ": there is no tokenizer.json"));
  }
  return Tokenizer::from_json(
      tokenizer_json_from_vocabulary(*checkpoint.vocabulary(), path.string(), pre_tokenizer),
      path.string());
}

}  // namespace anemone::cli
