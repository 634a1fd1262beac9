#include "anemone/coreml/compiled.h"

#include <xxhash.h>

#include <chrono>

#include "anemone/base/files.h"
#include "anemone/coreml/framework.h"

namespace anemone::coreml {
namespace fs = std::filesystem;

namespace {

std::string digest(const std::string& text) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::uint64_t value = XXH3_64bits(text.data(), text.size());
  std::string digits(16, '0');
  for (std::size_t i = digits.size(); i-- > 0; value >>= 4) digits[i] = kDigits[value & 15];
  return digits;
}

// The files of the package with their sizes and times: another text, another package.
std::string state_of(const fs::path& package) {
  std::vector<std::string> lines;
  for (const auto& entry : fs::recursive_directory_iterator(package)) {
    if (!entry.is_regular_file()) continue;
    // Apple's clock counts in 128 bits.
    const auto time = static_cast<std::int64_t>(entry.last_write_time().time_since_epoch().count());
    lines.push_back(fs::relative(entry.path(), package).string() + " " +
                    std::to_string(entry.file_size()) + " " + std::to_string(time));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

// What earlier states of a package left: folders that begin with `prefix`.
void remove_older(const fs::path& folder, const std::string& prefix, const fs::path& keep) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.compare(0, prefix.size(), prefix) == 0 && entry.path() != keep) {
      fs::remove_all(entry.path(), ignored);
    }
  }
}

}  // namespace

Compiled compiled_package(const fs::path& package, const Options& options) {
  try {
    const fs::path source = fs::canonical(package);
    const fs::path folder =
        options.compiled_folder.empty() ? default_compiled_folder() : options.compiled_folder;
    fs::create_directories(folder);
    const std::string prefix = source.stem().string() + "-" + digest(source.string()) + "-";
    const fs::path place = fs::canonical(folder) / (prefix + digest(state_of(source)));
    Compiled compiled{.path = place / (source.stem().string() + ".mlmodelc")};
    if (fs::exists(compiled.path)) return compiled;

    const auto start = std::chrono::steady_clock::now();
    auto answer = framework::compile(source, options.timeout_seconds);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    if (answer.failure) return {.failure = std::move(answer.failure)};
    compiled.seconds = took.count();
    remove_older(place.parent_path(), prefix, place);
    // Two processes may compile the same package at the same time: the later one replaces the
    // earlier one's, whose open files stay readable.
    StagedOutput staged(place, true);
    const fs::path staged_path = staged.folder() / compiled.path.filename();
    std::error_code failed;
    fs::rename(answer.value, staged_path, failed);
    if (failed) {  // another file system
      fs::copy(answer.value, staged_path, fs::copy_options::recursive);
      fs::remove_all(answer.value);
    }
    staged.commit();
    return compiled;
  } catch (const fs::filesystem_error& error) {
    throw Error(Code::kIo, package.string() + ": cannot keep its compiled form: " + error.what());
  }
}

void throw_failure(const std::string& where, Failure failure) {
  const bool is_ours = failure.domain == "anemone";
  Code code = failure.stage == "predict" ? Code::kIo : Code::kUnsupported;
  if (is_ours && failure.code == framework::kTimedOut) code = Code::kLimit;
  std::string text = where + ": Core ML failed at '" + failure.stage + "': " + failure.message;
  if (failure.domain == "NSException") {
    text += " (an exception)";
  } else if (!is_ours) {
    text += " (" + failure.domain + " " + std::to_string(failure.code) + ")";
  }
  throw FrameworkError(code, text, std::move(failure));
}

}  // namespace anemone::coreml
