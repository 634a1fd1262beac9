#include "anemone/mil/ops_doc.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "anemone/base/files.h"
#include "anemone/mil/op.h"

namespace anemone::mil {
namespace {

TEST(OpsDoc, IsWhatTheCatalogueSays) {
  const std::string path = std::string(ANEMONE_SOURCE_DIR) + "/docs/ops.md";
  const std::string text = ops_markdown();
  if (std::getenv("ANEMONE_UPDATE_GOLDEN") != nullptr) return write_file(path, text);
  EXPECT_EQ(text, read_text(path)) << "if this is meant: ANEMONE_UPDATE_GOLDEN=1";
}

TEST(OpsDoc, HasEveryOpWithItsParameters) {
  const std::string text = ops_markdown();
  ASSERT_GT(all_ops().size(), 150u);
  for (const OpDef* op : all_ops()) {
    const std::size_t at = text.find("\n## " + std::string(op->name) + "\n");
    ASSERT_NE(at, std::string::npos) << op->name;
    const std::string section = text.substr(at, text.find("\n## ", at + 1) - at);
    EXPECT_NE(section.find(std::string(op->says)), std::string::npos) << op->name;
    for (const InputDef& input : op->inputs) {
      EXPECT_NE(section.find("| `" + std::string(input.name) + "` |"), std::string::npos)
          << op->name << "." << input.name;
    }
  }
}

TEST(OpsDoc, SaysWhatChangesWithTheOpset) {
  const std::string text = ops_markdown();
  EXPECT_NE(text.find("| `weight` | fp16, fp32, int32 | 2 | constant; dtype T, from ios17 U |"),
            std::string::npos);
  EXPECT_NE(text.find("| `validate_indices` | bool | 0 | constant; default false; from ios17 |"),
            std::string::npos);
  EXPECT_NE(text.find("| `roi` | fp16, fp32 | 5 | dtype T; up to ios16 |"), std::string::npos);
  EXPECT_NE(text.find("| `epsilon` | fp16, fp32 | 0 | constant; default 1e-12; dtype T, from ios17 "
                      "U |"),
            std::string::npos);
}

}  // namespace
}  // namespace anemone::mil
