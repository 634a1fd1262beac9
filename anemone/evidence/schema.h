#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/json.h"

namespace anemone::evidence {

// docs/formats/evidence.schema.json, as it was when the tool was built.
std::string_view schema_text();

// What of `value` breaks a JSON Schema, "records[0].outcome: found "fine"; allowed: ok, error", one
// sentence a place. Of the language it knows type, enum, const, required, properties,
// additionalProperties, items, minimum, maximum, minLength, $ref to #/$defs and descriptions; a
// schema that says anything else is a fault of ours.
std::vector<std::string> violations(const Json& value, const Json& schema);

// Of the evidence schema.
std::vector<std::string> violations(const Json& document);

}  // namespace anemone::evidence
