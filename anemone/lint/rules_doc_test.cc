#include "anemone/lint/rules_doc.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "anemone/base/files.h"
#include "anemone/lint/lint.h"

namespace anemone::lint {
namespace {

TEST(RulesDoc, IsWhatTheCatalogueSays) {
  const std::string path = std::string(ANEMONE_SOURCE_DIR) + "/docs/rules.md";
  const std::string text = rules_markdown();
  if (std::getenv("ANEMONE_UPDATE_GOLDEN") != nullptr) return write_file(path, text);
  EXPECT_EQ(text, read_text(path)) << "if this is meant: ANEMONE_UPDATE_GOLDEN=1";
}

TEST(RulesDoc, HasASectionForEveryRule) {
  const std::string text = rules_markdown();
  for (const Rule* rule : rules()) {
    EXPECT_NE(text.find("\n## " + std::string(rule->id) + "\n"), std::string::npos) << rule->id;
  }
}

}  // namespace
}  // namespace anemone::lint
