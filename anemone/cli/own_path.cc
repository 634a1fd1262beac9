#include "anemone/cli/own_path.h"

#include <filesystem>

#ifdef __APPLE__
#include <mach-o/dyld.h>
#endif

#include "anemone/base/error.h"

namespace anemone::cli {

namespace fs = std::filesystem;

std::string own_path() {
#ifdef __APPLE__
  std::uint32_t size = 0;
  ::_NSGetExecutablePath(nullptr, &size);
  std::string path(size, '\0');
  if (::_NSGetExecutablePath(path.data(), &size) == 0) return path.c_str();
#else
  // Not what it points to: a child still finds the program if its file was replaced meanwhile.
  const fs::path path = "/proc/self/exe";
  if (fs::exists(path)) return path.string();
#endif
  throw Error(Code::kIo, "the system does not say where this program lies");
}

}  // namespace anemone::cli
