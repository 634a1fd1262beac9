#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(RmsNormFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("rms_norm"); }

}  // namespace
}  // namespace anemone::engine
