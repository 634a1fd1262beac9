#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(PaddingFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("padding"); }

}  // namespace
}  // namespace anemone::engine
