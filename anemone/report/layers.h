#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/mil/program.h"

// Which layer of a network an op belongs to, by the names that tools give. Not public.
namespace anemone::report {

// The number behind "layer_", "layers.", "h.", "blk." or "block_" in a name; absent without one.
// Source of the words: this project's converter; transformers' module names, which coremltools
// turns into identifiers; llama.cpp's tensor names.
std::optional<int> find_layer(std::string_view name);

struct Layers {
  std::vector<std::string> names;  // groups in the order of their first op
  std::vector<std::size_t> of;     // group of each op
};

// `ops` are those of one function that the page lists, in program order. An op whose own name and
// whose weights' names tell no layer stands in that of the op before it; what comes before the
// first layer and, from the first foreign weight on, after the last one has groups of its own.
Layers layers_of(const std::vector<const mil::Op*>& ops);

}  // namespace anemone::report
