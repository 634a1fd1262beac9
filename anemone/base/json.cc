#include "anemone/base/json.h"

#include <unordered_set>

#include "anemone/base/bytes.h"
#include "anemone/base/error.h"

namespace anemone {
namespace {

constexpr int kMaxDepth = 512;

// "line 3, column 7" of the byte at `at`.
std::string place(std::string_view text, std::size_t at) {
  at = std::min(at, text.size());
  const auto head = text.substr(0, at);
  const auto line = 1 + std::count(head.begin(), head.end(), '\n');
  const auto start = head.rfind('\n');
  const auto column = start == std::string_view::npos ? at : at - start - 1;
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

}  // namespace

Json parse_json(std::string_view text, std::string_view what) {
  std::vector<std::unordered_set<std::string>> keys;
  const std::string file(what);
  const auto watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth > kMaxDepth) {
      throw Error(Code::kBadInput,
                  file + ": nested deeper than " + std::to_string(kMaxDepth) + " levels");
    }
    if (event == Json::parse_event_t::object_start) {
      keys.emplace_back();
    } else if (event == Json::parse_event_t::object_end) {
      keys.pop_back();
    } else if (event == Json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys.back().insert(key).second) {
        throw Error(Code::kBadInput, file + ": the key '" + key + "' stands twice in one object");
      }
    }
    return true;
  };
  // A zero byte may stand nowhere in JSON, and would end the text for the parser.
  if (const auto zero = text.find('\0'); zero != std::string_view::npos) {
    throw Error(Code::kBadInput,
                file + ": is not JSON at " + place(text, zero + 1) + ": a zero byte");
  }
  try {
    return Json::parse(text, watch);
  } catch (const Json::parse_error& bad) {
    std::string why = bad.what();
    if (const auto colon = why.find("syntax error"); colon != std::string::npos) {
      why = why.substr(colon);
    } else if (const auto bracket = why.find("] "); bracket != std::string::npos) {
      why = why.substr(bracket + 2);
    }
    throw Error(Code::kBadInput, file + ": is not JSON at " + place(text, bad.byte) + ": " + why);
  } catch (const Json::out_of_range& bad) {  // a number that no double can hold
    const std::string why = bad.what();
    const auto bracket = why.find("] ");
    throw Error(Code::kBadInput,
                file + ": " + (bracket == std::string::npos ? why : why.substr(bracket + 2)));
  }
}

Json load_json(const std::filesystem::path& path) {
  const MappedFile file(path);
  return parse_json(as_text(file.view()), path.string());
}

std::string to_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}
std::string to_line(const OrderedJson& json) {
  return json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

}  // namespace anemone
