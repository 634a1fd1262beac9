#pragma once

#include <string>

namespace anemone::lint {

// docs/rules.md: the catalogue of rules, and of the facts that became none.
std::string rules_markdown();

}  // namespace anemone::lint
