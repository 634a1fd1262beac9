#include "anemone/evidence/schema.h"

#include "anemone/base/check.h"
#include "anemone/evidence/schema_text.h"

namespace anemone::evidence {
namespace {

constexpr std::size_t kShownBytes = 60;

std::string shown(const Json& value) {
  std::string text = to_line(value);
  if (text.size() > kShownBytes) text = text.substr(0, kShownBytes - 3) + "...";
  return text;
}

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "number") return value.is_number();
  if (type == "integer") return value.is_number_integer();
  if (type == "null") return value.is_null();
  ANEMONE_CHECK(false) << "the schema names a type '" << type << "'";
  return false;
}

class Validator {
 public:
  explicit Validator(const Json& root) : root_(root) {}

  void check(const Json& value, const Json& schema, const std::string& at) {
    for (const auto& [key, rule] : schema.items()) check_rule(value, schema, key, rule, at);
  }

  std::vector<std::string> found;

 private:
  void check_rule(const Json& value, const Json& schema, const std::string& key, const Json& rule,
                  const std::string& at) {
    if (key == "$schema" || key == "$id" || key == "$defs" || key == "title" ||
        key == "description") {
      return;
    }
    if (key == "$ref") {
      const auto ref = rule.get<std::string>();
      ANEMONE_CHECK(ref.starts_with("#/$defs/")) << ref;
      check(value, root_.at("$defs").at(ref.substr(8)), at);
    } else if (key == "type") {
      if (!has_type(value, rule.get<std::string>())) {
        complain(at, "found " + shown(value) + "; allowed: " + rule.get<std::string>());
      }
    } else if (key == "const") {
      if (value != rule) complain(at, "found " + shown(value) + "; allowed: " + shown(rule));
    } else if (key == "enum") {
      if (std::find(rule.begin(), rule.end(), value) != rule.end()) return;
      std::string allowed;
      for (const Json& one : rule) {
        allowed += (allowed.empty() ? "" : ", ") +
                   (one.is_string() ? one.get<std::string>() : to_line(one));
      }
      complain(at, "found " + shown(value) + "; allowed: " + allowed);
    } else if (key == "required") {
      if (!value.is_object()) return;
      for (const Json& name : rule) {
        if (!value.contains(name.get<std::string>())) {
          complain(at, "lacks '" + name.get<std::string>() + "'");
        }
      }
    } else if (key == "properties") {
      if (!value.is_object()) return;
      for (const auto& [name, inner] : rule.items()) {
        const auto member = value.find(name);
        if (member != value.end()) check(*member, inner, at.empty() ? name : at + "." + name);
      }
    } else if (key == "additionalProperties") {
      if (value.is_object()) check_others(value, schema, rule, at);
    } else if (key == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) {
        check(value[i], rule, at + "[" + std::to_string(i) + "]");
      }
    } else if (key == "minimum" || key == "maximum") {
      if (!value.is_number()) return;
      const bool is_right = key == "minimum" ? value >= rule : value <= rule;
      if (!is_right) complain(at, "found " + shown(value) + "; " + key + " is " + shown(rule));
    } else if (key == "minLength") {
      if (value.is_string() && value.get_ref<const std::string&>().size() < rule) {
        complain(at, "is empty");
      }
    } else {
      ANEMONE_CHECK(false) << "the schema says '" << key << "', which nothing checks";
    }
  }

  // Members that `properties` does not name: forbidden, or all of one schema.
  void check_others(const Json& value, const Json& schema, const Json& rule,
                    const std::string& at) {
    for (const auto& [name, member] : value.items()) {
      if (schema.contains("properties") && schema.at("properties").contains(name)) continue;
      if (rule.is_boolean()) {
        if (!rule.get<bool>()) complain(at, "has a field '" + name + "' that is not known");
      } else {
        check(member, rule, at + "." + name);
      }
    }
  }

  void complain(const std::string& at, const std::string& what) {
    found.push_back((at.empty() ? "the document" : at) + ": " + what);
  }

  const Json& root_;
};

}  // namespace

std::string_view schema_text() { return kSchemaText; }

std::vector<std::string> violations(const Json& value, const Json& schema) {
  Validator validator(schema);
  validator.check(value, schema, "");
  return validator.found;
}

std::vector<std::string> violations(const Json& document) {
  static const Json* const schema = new Json(Json::parse(kSchemaText));
  return violations(document, *schema);
}

}  // namespace anemone::evidence
