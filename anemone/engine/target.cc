#include "anemone/engine/target.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <mutex>

#include "anemone/base/error.h"
#include "hwy/highway.h"
#include "hwy/targets.h"

namespace anemone::engine {
namespace {

struct Target {
  std::string name;
  std::int64_t bit;
};

std::vector<Target> find_supported() {
  std::vector<Target> targets;
  for (const std::int64_t bit : hwy::SupportedAndGeneratedTargets()) {
    std::string name = hwy::TargetName(bit);
    std::transform(name.begin(), name.end(), name.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    targets.push_back({std::move(name), bit});
  }
  return targets;
}

// Found once, before anything narrows Highway's own view of the machine.
const std::vector<Target>& supported() {
  static const std::vector<Target> targets = find_supported();
  return targets;
}

void use(std::int64_t mask) {
  supported();
  hwy::SetSupportedTargetsForTest(mask);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

const Target* find(std::string_view name) {
  for (const Target& target : supported()) {
    if (target.name == name) return &target;
  }
  return nullptr;
}

void choose() {
  const char* wanted = std::getenv("ANEMONE_TARGET");
  if (wanted == nullptr || *wanted == '\0') return use(0);
  if (const Target* target = find(wanted)) return use(target->bit);
  std::string known;
  for (const std::string& name : supported_targets()) known += (known.empty() ? "" : ", ") + name;
  throw Error(Code::kUsage,
              "ANEMONE_TARGET is '" + std::string(wanted) + "'; this machine has: " + known);
}

}  // namespace

void choose_target() {
  static std::once_flag once;
  std::call_once(once, choose);
}

std::string_view target_name() {
  const std::int64_t mask = hwy::SupportedTargets();
  for (const Target& target : supported()) {
    if ((target.bit & mask) != 0) return target.name;
  }
  return supported().back().name;
}

std::vector<std::string> supported_targets() {
  std::vector<std::string> names;
  for (const Target& target : supported()) names.push_back(target.name);
  return names;
}

void set_target_for_test(std::string_view name) {
  choose_target();
  if (name.empty()) return use(0);
  const Target* target = find(name);
  if (target == nullptr) throw Error(Code::kUsage, "no target '" + std::string(name) + "'");
  use(target->bit);
}

}  // namespace anemone::engine
