#include "anemone/base/html.h"

#include <gtest/gtest.h>

namespace anemone {
namespace {

TEST(HtmlEscaped, LeavesNoMarkupAndNoControlCharacters) {
  EXPECT_EQ(html_escaped("</script> & \"q\"\n\x01"), "&lt;/script&gt; &amp; &quot;q&quot;  ");
  EXPECT_EQ(html_escaped("plain, \xc3\xa9"), "plain, \xc3\xa9");
}

}  // namespace
}  // namespace anemone
