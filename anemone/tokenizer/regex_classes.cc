#include "anemone/tokenizer/regex_classes.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <cctype>

#include "anemone/tokenizer/unicode.h"

namespace anemone {
namespace {

// Lower case without spaces, '-' and '_': how Oniguruma compares names.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) {
    if (c != ' ' && c != '-' && c != '_')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return plain;
}

struct NamedItems {
  std::string_view name, category;
};
// Long names of general categories. Source: UCD 15.0, PropertyValueAliases.txt.
constexpr NamedItems kLongNames[] = {{"letter", "L"},
                                     {"uppercaseletter", "Lu"},
                                     {"lowercaseletter", "Ll"},
                                     {"titlecaseletter", "Lt"},
                                     {"modifierletter", "Lm"},
                                     {"otherletter", "Lo"},
                                     {"mark", "M"},
                                     {"combiningmark", "M"},
                                     {"nonspacingmark", "Mn"},
                                     {"spacingmark", "Mc"},
                                     {"enclosingmark", "Me"},
                                     {"number", "N"},
                                     {"decimalnumber", "Nd"},
                                     {"digit", "Nd"},
                                     {"letternumber", "Nl"},
                                     {"othernumber", "No"},
                                     {"punctuation", "P"},
                                     {"connectorpunctuation", "Pc"},
                                     {"dashpunctuation", "Pd"},
                                     {"openpunctuation", "Ps"},
                                     {"closepunctuation", "Pe"},
                                     {"initialpunctuation", "Pi"},
                                     {"finalpunctuation", "Pf"},
                                     {"otherpunctuation", "Po"},
                                     {"symbol", "S"},
                                     {"mathsymbol", "Sm"},
                                     {"currencysymbol", "Sc"},
                                     {"modifiersymbol", "Sk"},
                                     {"othersymbol", "So"},
                                     {"separator", "Z"},
                                     {"spaceseparator", "Zs"},
                                     {"lineseparator", "Zl"},
                                     {"paragraphseparator", "Zp"},
                                     {"other", "C"},
                                     {"control", "Cc"},
                                     {"cntrl", "Cc"},
                                     {"format", "Cf"},
                                     {"surrogate", "Cs"},
                                     {"privateuse", "Co"},
                                     {"unassigned", "Cn"}};
constexpr std::string_view kCategories[] = {
    "L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd", "Nl",
    "No", "P",  "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S",  "Sm", "Sc", "Sk",
    "So", "Z",  "Zs", "Zl", "Zp", "C",  "Cc", "Cf", "Cn", "Co", "Cs"};

bool pcre2_knows(const std::string& items) {
  const std::string probe = "[" + items + "]";
  int error = 0;
  PCRE2_SIZE at = 0;
  auto* code = pcre2_compile(reinterpret_cast<PCRE2_SPTR>(probe.data()), probe.size(),
                             PCRE2_UTF | PCRE2_UCP, &error, &at, nullptr);
  pcre2_code_free(code);
  return code != nullptr;
}

}  // namespace

std::string word_items() {
  return "A-Za-z0-9_\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}" + newer_items("L") + newer_items("M") +
         newer_items("Nd") + newer_items("Pc");
}

// ASCII first: a class with a range for it is decided by a bitmap there.
std::string category_items(std::string_view name) {
  std::string ascii;
  if (name == "L") ascii = "A-Za-z";
  if (name == "Lu") ascii = "A-Z";
  if (name == "Ll") ascii = "a-z";
  if (name == "N" || name == "Nd") ascii = "0-9";
  return ascii + "\\p{" + std::string(name) + "}" + newer_items(name);
}

std::string posix_items(std::string_view name) {
  if (name == "alpha") return "\\p{Alphabetic}" + newer_items("Alphabetic");
  if (name == "alnum") return "\\p{Alphabetic}" + newer_items("Alphabetic") + category_items("Nd");
  if (name == "digit") return category_items("Nd");
  if (name == "upper") return "\\p{Uppercase}" + newer_items("Uppercase");
  if (name == "lower") return "\\p{Lowercase}" + newer_items("Lowercase");
  if (name == "punct") return category_items("P") + category_items("S");
  if (name == "space") return std::string(kSpaceItems);
  if (name == "blank") return "\\t\\p{Zs}";
  if (name == "cntrl") return "\\p{Cc}";
  if (name == "xdigit") return std::string(kHexItems);
  if (name == "word") return word_items();
  if (name == "graph" || name == "print") {
    std::string items;
    for (const char* part : {"L", "M", "N", "P", "S", "Cf", "Co"}) items += category_items(part);
    return items + (name == "print" ? "\\p{Zs}" : "");
  }
  if (name == "ascii") return "\\x{0}-\\x{7F}";
  return "";
}

std::string property_items(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const auto category : kCategories) {
    if (plain == plain_name(category)) return category_items(category);
  }
  for (const auto& known : kLongNames) {
    if (plain == known.name) return category_items(known.category);
  }
  if (plain == "lc" || plain == "casedletter") {
    return category_items("Lu") + category_items("Ll") + category_items("Lt");
  }
  if (plain == "any") return "\\x{0}-\\x{10FFFF}";
  if (auto items = posix_items(plain); !items.empty()) return items;
  if (plain.empty() || !std::all_of(plain.begin(), plain.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0;
      })) {
    return "";
  }
  if (plain == "alphabetic" || plain == "uppercase" || plain == "lowercase") {
    return posix_items(plain == "alphabetic" ? "alpha" : plain.substr(0, 5));
  }
  // A script before a property of the same name. Newer code points are listed by the full name.
  if (const std::string script = "\\p{sc:" + plain + "}"; pcre2_knows(script)) {
    std::string pascal = std::string(name);
    bool first = true;
    for (char& c : pascal) {
      c = static_cast<char>(first ? std::toupper(static_cast<unsigned char>(c))
                                  : std::tolower(static_cast<unsigned char>(c)));
      first = c == '_' || c == ' ' || c == '-';
      if (first) c = '_';
    }
    return script + newer_items("sc:" + pascal);
  }
  const std::string property = "\\p{" + plain + "}";
  return pcre2_knows(property) ? property : "";
}

}  // namespace anemone
