#include "anemone/tokenizer/post_processor.h"

#include "anemone/base/error.h"

namespace anemone {
namespace {

constexpr std::string_view kKnown =
    "BertProcessing, ByteLevel, RobertaProcessing, Sequence and TemplateProcessing";

int read_id(const Fields& fields, const Json& json, const std::string& of) {
  const bool whole = json.is_number_unsigned();
  if (!whole || json.get<std::uint64_t>() > static_cast<std::uint64_t>(kMaxTokenId)) {
    fields.fail("the id of " + of + " is " + to_line(json) +
                "; it must be a whole number from 0 to " + std::to_string(kMaxTokenId));
  }
  return json.get<int>();
}

// ["[SEP]", 102]
int read_pair(const Fields& fields, const char* key) {
  const Json& pair = fields.at(key);
  if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string()) {
    fields.fail(std::string("'") + key + "' must be a text and an id");
  }
  return read_id(fields, pair[1], "'" + pair[0].get<std::string>() + "'");
}

std::vector<int> template_ids(const Fields& fields, const std::string& name) {
  const Json& tokens = fields.at("special_tokens");
  const auto found = tokens.is_object() ? tokens.find(name) : tokens.end();
  if (found == tokens.end() || !found->is_object() || !found->contains("ids") ||
      !(*found)["ids"].is_array()) {
    fields.fail("'single' names '" + name + "', which has no ids in 'special_tokens'");
  }
  std::vector<int> ids;
  for (const Json& id : (*found)["ids"]) ids.push_back(read_id(fields, id, "'" + name + "'"));
  return ids;
}

Surroundings read_template(const Fields& fields) {
  const Json& single = fields.at("single");
  if (!single.is_array()) fields.fail("'single' must be a list");
  Surroundings around;
  bool met = false;
  for (const Json& part : single) {
    const bool one = part.is_object() && part.size() == 1 && part.begin().value().is_object();
    const std::string kind = one ? part.begin().key() : "";
    const Json id = one ? part.begin().value().value("id", Json()) : Json();
    if ((kind != "SpecialToken" && kind != "Sequence") || !id.is_string()) {
      fields.fail("'single' has the entry " + to_line(part) +
                  "; each must be a SpecialToken or a Sequence with an 'id'");
    }
    if (kind == "SpecialToken") {
      const auto ids = template_ids(fields, id.get<std::string>());
      auto& side = met ? around.after : around.before;
      side.insert(side.end(), ids.begin(), ids.end());
    } else if (id == "A" && !met) {
      met = true;
    } else {
      fields.fail("'single' must have the sequence A once, and no other; it has '" +
                  id.get<std::string>() + "'" + (met ? " as well" : ""));
    }
  }
  if (!met) fields.fail("'single' lacks the sequence A: the text itself would be lost");
  return around;
}

}  // namespace

Surroundings read_post_processor(const Fields& fields) {
  const std::string& type = fields.type();
  if (type == "ByteLevel") return {};  // it moves offsets only
  if (type == "TemplateProcessing") return read_template(fields);
  if (type == "BertProcessing" || type == "RobertaProcessing") {
    return {{read_pair(fields, "cls")}, {read_pair(fields, "sep")}};
  }
  if (type != "Sequence") fields.refuse(kKnown);
  Surroundings around;
  bool had_template = false;
  for (const Fields& part : fields.list("processors")) {
    const Surroundings more = read_post_processor(part);
    if (more.before.empty() && more.after.empty()) continue;
    // Behind a template the reference takes the tokens that it added for a text of their own.
    if (had_template) part.fail("a processor that adds tokens cannot follow a template that does");
    had_template = part.type() != "BertProcessing" && part.type() != "RobertaProcessing";
    around.before.insert(around.before.begin(), more.before.begin(), more.before.end());
    around.after.insert(around.after.end(), more.after.begin(), more.after.end());
  }
  return around;
}

}  // namespace anemone
