#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "anemone/generate/predictor.h"

namespace anemone::coreml {

// What the package's functions take and give. Nothing is verified: Core ML does that.
std::vector<generate::FunctionInterface> read_interfaces(const std::filesystem::path& package);

// Holds a call against the function: throws Error(kBadInput) naming `where` and the input that is
// missing, unknown, given twice or of the wrong count, or the output that is unknown or of the
// wrong count; Error(kUnsupported) for what is no tensor of fixed shape and plain numbers.
void check_call(std::string_view where, const generate::FunctionInterface& function,
                std::span<const engine::Feed> feeds, std::span<const engine::Fetch> fetches);

}  // namespace anemone::coreml
