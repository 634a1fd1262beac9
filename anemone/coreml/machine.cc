#include "anemone/coreml/machine.h"

#include <fstream>

#ifdef __APPLE__
#include <mach/mach.h>
#include <sys/sysctl.h>
#else
#include <sys/utsname.h>
#include <unistd.h>
#endif

namespace anemone::coreml {

#ifdef __APPLE__

namespace {

std::string text_setting(const char* name) {
  std::size_t size = 0;
  if (::sysctlbyname(name, nullptr, &size, nullptr, 0) != 0 || size == 0) return "";
  std::string text(size, '\0');
  if (::sysctlbyname(name, text.data(), &size, nullptr, 0) != 0) return "";
  return text.c_str();  // up to the zero that ends it
}

template <typename Integer>
std::optional<Integer> number_setting(const char* name) {
  Integer number = 0;
  std::size_t size = sizeof(number);
  if (::sysctlbyname(name, &number, &size, nullptr, 0) != 0 || size != sizeof(number)) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

Machine describe_machine() {
  return {.model = text_setting("hw.model"),
          .chip = text_setting("machdep.cpu.brand_string"),
          .os = "macOS",
          .os_version = text_setting("kern.osproductversion"),
          .os_build = text_setting("kern.osversion"),
          .memory_bytes = number_setting<std::uint64_t>("hw.memsize"),
          .processors = number_setting<std::int32_t>("hw.ncpu"),
          .is_virtual = number_setting<std::int32_t>("kern.hv_vmm_present").value_or(0) != 0};
}

Footprint footprint() {
  task_vm_info_data_t info{};
  mach_msg_type_number_t count = TASK_VM_INFO_COUNT;
  const auto status =
      ::task_info(::mach_task_self(), TASK_VM_INFO, reinterpret_cast<task_info_t>(&info), &count);
  if (status != KERN_SUCCESS) return {};
  Footprint found{.now_bytes = info.phys_footprint};
  if (count >= TASK_VM_INFO_REV3_COUNT && info.ledger_phys_footprint_peak > 0) {
    found.peak_bytes = static_cast<std::uint64_t>(info.ledger_phys_footprint_peak);
  }
  return found;
}

#else

namespace {

// What follows "key" and its colon on a line of one of /proc's files.
std::string proc_line(const char* file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t colon = line.find(':');
    if (colon == std::string::npos || line.compare(0, key.size(), key) != 0) continue;
    const std::size_t begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

std::optional<std::uint64_t> status_bytes(const char* key) {
  const std::string text = proc_line("/proc/self/status", key);
  if (text.empty()) return std::nullopt;
  return std::strtoull(text.c_str(), nullptr, 10) * 1024;  // "123 kB"
}

}  // namespace

Machine describe_machine() {
  Machine machine;
  utsname system{};
  if (::uname(&system) == 0) {
    machine.model = system.machine;
    machine.os = system.sysname;
    machine.os_version = system.release;
    machine.os_build = system.version;
  }
  machine.chip = proc_line("/proc/cpuinfo", "model name");
  const long pages = ::sysconf(_SC_PHYS_PAGES), page_bytes = ::sysconf(_SC_PAGE_SIZE);
  if (pages > 0 && page_bytes > 0) {
    machine.memory_bytes =
        static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
  }
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (processors > 0) machine.processors = static_cast<int>(processors);
  machine.is_virtual = proc_line("/proc/cpuinfo", "flags").find(" hypervisor") != std::string::npos;
  return machine;
}

Footprint footprint() {
  return {.now_bytes = status_bytes("VmRSS"), .peak_bytes = status_bytes("VmHWM")};
}

#endif

}  // namespace anemone::coreml
