#include "anemone/report/measurements.h"

#include <algorithm>

#include "anemone/evidence/placement.h"

namespace anemone::report {
namespace {

std::optional<Device> find_device(std::string_view name) {
  if (name == "cpu") return Device::kCpu;
  if (name == "gpu") return Device::kGpu;
  if (name == "ane") return Device::kAne;
  return std::nullopt;
}

std::string machine_text(const evidence::Record& record) {
  const evidence::Machine& machine = record.machine;
  std::string text = machine.chip;
  const auto add = [&text](const std::string& word) {
    if (!word.empty()) text += (text.empty() ? "" : ", ") + word;
  };
  add(machine.model);
  std::string system = machine.os;
  if (!machine.os_version.empty()) system += " " + machine.os_version;
  if (!machine.os_build.empty()) system += " (" + machine.os_build + ")";
  add(system);
  if (machine.is_virtual) add("virtual");
  add(record.measured_at.substr(0, record.measured_at.find('T')));
  return text;
}

}  // namespace

std::vector<Measurement> measurements_of(const evidence::Document& document,
                                         const evidence::Package& package) {
  std::vector<Measurement> all;
  for (const evidence::Record& record : document.records) {
    if (record.package.hash != package.hash) continue;
    const std::string verdict(evidence::says(evidence::judge(record).placement));
    for (const auto& [setting, units] : record.units) {
      if (units.ops.empty()) continue;
      Measurement measurement{.package = package.name,
                              .machine = machine_text(record),
                              .setting = setting,
                              .allows_engine = setting == "cpu+ane" || setting == "all"};
      if (measurement.allows_engine) measurement.verdict = verdict;
      for (const evidence::OpPlacement& placement : units.ops) {
        MeasuredOp op{
            .function = record.function, .output = placement.output, .cost = placement.cost};
        if (placement.preferred) op.preferred = find_device(*placement.preferred);
        for (const std::string& name : placement.supported) {
          if (const auto device = find_device(name)) op.supported.push_back(*device);
        }
        measurement.ops.push_back(std::move(op));
      }
      all.push_back(std::move(measurement));
    }
  }
  // What may use the engine is looked at first.
  std::stable_partition(all.begin(), all.end(),
                        [](const Measurement& one) { return one.allows_engine; });
  return all;
}

}  // namespace anemone::report
