#include "anemone/engine/kernel.h"

#include <unordered_map>

namespace anemone::engine {

// Each line of kernels.inc twice: as a declaration, and as a row of the table.
#define ANEMONE_KERNEL(kernel) extern const KernelDef kernel_##kernel;
#include "anemone/engine/kernels/kernels.inc"
#undef ANEMONE_KERNEL

namespace {

constexpr const KernelDef* kKernels[] = {
#define ANEMONE_KERNEL(kernel) &kernel_##kernel,
#include "anemone/engine/kernels/kernels.inc"
#undef ANEMONE_KERNEL
};

using Table = std::unordered_map<std::string_view, std::vector<const KernelDef*>>;

const Table& kernels_by_op() {
  static const Table* table = [] {
    auto* made = new Table;
    for (const KernelDef* kernel : kKernels) {
      for (const std::string_view op : kernel->ops) (*made)[op].push_back(kernel);
    }
    return made;
  }();
  return *table;
}

}  // namespace

std::span<const KernelDef* const> all_kernels() { return kKernels; }

std::span<const KernelDef* const> kernels_for(std::string_view op) {
  const auto found = kernels_by_op().find(op);
  if (found == kernels_by_op().end()) return {};
  return found->second;
}

}  // namespace anemone::engine
