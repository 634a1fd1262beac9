#include "anemone/engine/planner.h"

namespace anemone::engine {
namespace {

constexpr std::int64_t kGrainElements = 32768;

class Copy : public Kernel {
 public:
  Copy(const View& from, const View& to)
      : transfer_(from, to),
        grain_(std::max<std::int64_t>(
            1, kGrainElements / std::max<std::int64_t>(1, transfer_.piece_count()))) {}

  void run(const Run& run) const override {
    const auto* from = run.in<std::byte>(0);
    auto* to = run.out<std::byte>(1);
    run.share(transfer_.pieces(), grain_,
              [&](std::int64_t begin, std::int64_t end) { transfer_.run(from, to, begin, end); });
  }

 private:
  Transfer transfer_;
  std::int64_t grain_;
};

}  // namespace

std::unique_ptr<const Kernel> make_copy(const View& from, const View& to) {
  return std::make_unique<Copy>(from, to);
}

}  // namespace anemone::engine
