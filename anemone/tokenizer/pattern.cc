#include "anemone/tokenizer/pattern.h"

namespace anemone {

Pattern::Pattern(const Fields& fields) {
  const Json& json = fields.at("pattern");
  const bool one = json.is_object() && json.size() == 1 && json.begin().value().is_string();
  const std::string kind = one ? json.begin().key() : "";
  if (kind != "String" && kind != "Regex") {
    fields.fail("'pattern' must be {\"String\": text} or {\"Regex\": text}");
  }
  text_ = json.begin().value().get<std::string>();
  // An empty text matches between all characters, as an empty expression does.
  if (kind == "Regex" || text_.empty()) regex_ = Regex::compile(text_, fields.name());
}

std::string Pattern::replace_all(std::string_view in, std::string_view by) const {
  std::string out;
  std::size_t done = 0;
  for_each_match(in, [&](Regex::Match match) {
    out += in.substr(done, match.begin - done);
    out += by;
    done = match.end;
  });
  out += in.substr(done);
  return out;
}

}  // namespace anemone
