#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/base/progress.h"
#include "anemone/ladder/ladder.h"

namespace anemone::ladder {

struct BuildOptions {
  std::filesystem::path checkpoint;
  std::filesystem::path output;
  bool replace = false;
  bool is_random = false;
  Sizes sizes = {};
  // Ids of experiments to make, with all that they presuppose; empty: all.
  std::vector<std::string> only = {};
  int threads = 1;
  Progress progress = {};
  const StopFlag* stop = nullptr;
};

struct BuildReport {
  std::size_t experiments = 0;
  std::size_t packages = 0;
  std::uint64_t disk_bytes = 0;    // what lies on disk
  std::uint64_t shared_bytes = 0;  // what would lie there besides if equal weights were not shared
  double seconds = 0;
};

// Every experiment with its packages and golden figures, and what mixtures are made of. The folder
// appears when it is complete. Throws Error.
BuildReport build(const BuildOptions& options);

// Makes packages of experiments in a ladder's folder.
class Workshop {
 public:
  Workshop(std::filesystem::path folder, const Sizes& sizes, int threads);
  ~Workshop();

  // Writes package and golden figures of one form. Gives where they lie.
  Files make(const Experiment& experiment, std::string_view form);
  std::uint64_t disk_bytes() const;
  std::uint64_t shared_bytes() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Layers of the filled forms.
std::int64_t filled_layers(const Sizes& sizes);

}  // namespace anemone::ladder
