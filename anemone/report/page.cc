#include <string_view>

#include "anemone/base/check.h"
#include "anemone/base/html.h"
#include "anemone/report/report.h"

namespace anemone::report {

extern const char kPage[];  // made from page/ when building

namespace {

// JSON that may stand inside <script>. Only strings can hold a '<', and in none does it then begin
// "</script" or "<!--", which would end or nest the element.
// Source: HTML standard, section 4.12.1.3, "Restrictions for contents of script elements".
std::string for_script(const std::string& json) {
  std::string out;
  out.reserve(json.size());
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

void append_up_to(std::string& out, std::string_view& rest, std::string_view place) {
  const auto at = rest.find(place);
  ANEMONE_CHECK(at != std::string_view::npos) << place;
  out += rest.substr(0, at);
  rest.remove_prefix(at + place.size());
}

}  // namespace

std::string page(const OrderedJson& data) {
  std::string_view rest = kPage;
  std::string out;
  append_up_to(out, rest, "%TITLE%");
  // Through the JSON writer, which makes broken bytes whole.
  const std::string title = to_line(OrderedJson(data.at("title")));
  out += html_escaped(Json::parse(title).get<std::string>());
  append_up_to(out, rest, "%DATA%");
  out += for_script(to_line(data));
  out += rest;
  return out;
}

}  // namespace anemone::report
