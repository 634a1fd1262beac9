#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(SdpaFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("sdpa"); }

}  // namespace
}  // namespace anemone::engine
