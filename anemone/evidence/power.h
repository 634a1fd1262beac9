#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/evidence/evidence.h"

// The engine's energy needs root to be read, which this tool never asks for. Whoever may reads the
// power beside it, by the system's own tool; here the two come together.
namespace anemone::evidence {

// What the Neural Engine of the whole machine took over a short time, as macOS estimates it.
struct PowerSample {
  double from_seconds = 0;  // Unix time
  double to_seconds = 0;
  double watts = 0;
};

// The text that `powermetrics --samplers ane_power` prints. Its times are whole seconds and its
// lengths milliseconds; both together tell the times to a fraction of a second. Samples without a
// line of the engine's are left out. Throws Error(kBadInput), which begins with `what`, where there
// are none.
std::vector<PowerSample> parse_power_log(std::string_view text, std::string_view what);

// Puts ane_energy into every choice of processors that was predicting while samples were taken, and
// says of every other why not ("cpu+ane: ..."). At rest is when no record predicts. Power that is 0
// throughout is what some systems report whatever happens: then nothing is put in.
std::vector<std::string> add_energy(std::span<Record> records,
                                    std::span<const PowerSample> samples);

}  // namespace anemone::evidence
