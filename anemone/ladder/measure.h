#pragma once

#include <functional>
#include <string>

#include "anemone/evidence/evidence.h"
#include "anemone/ladder/run.h"

// The runners: what happens inside a child process.
namespace anemone::ladder {

// Where things lie for the experiment at hand, and the figures to hold against.
struct Bench {
  std::filesystem::path package;
  std::map<std::string, Tensor, std::less<>> inputs = {};
  std::map<std::string, Tensor, std::less<>> golden = {};  // fp32
};
Bench load_bench(const std::filesystem::path& folder, const Files& files);

// Called after every stage, so that what was learnt outlives the process.
using Saved = std::function<void(const evidence::Record&)>;
// Called after every step under a choice of processors; `record.steps` of them are wanted.
using Stepped = std::function<void(std::string_view units, std::int64_t done)>;

// Fill in what they measure; `record` names experiment and machine already.
void measure_by_cpu(const Bench& bench, evidence::Record& record, const Saved& saved,
                    const Stepped& stepped);
void measure_by_coreml(const Bench& bench, const std::filesystem::path& scratch,
                       evidence::Record& record, const Saved& saved, const Stepped& stepped);
// Does what the script says of the experiment, crashes included. Returns the status to exit with.
[[nodiscard]] int play_script(const std::filesystem::path& script, const Bench& bench,
                              evidence::Record& record, const Saved& saved, const Stepped& stepped);

// How outputs agree with golden ones.
evidence::Numerics compare(const std::map<std::string, Tensor, std::less<>>& golden,
                           const std::map<std::string, std::vector<float>, std::less<>>& found);

}  // namespace anemone::ladder
