#include "anemone/engine/fusion_testing.h"

namespace anemone::engine {
namespace {

TEST(RepeatKvFusion, HasTheGoldensBeforeAndAfter) { check_fusion_goldens("repeat_kv"); }

}  // namespace
}  // namespace anemone::engine
