#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace anemone::gate {

// Some 700 words of English that come with the tool; all in the public domain (Lincoln 1863,
// Melville 1851, Carroll 1865, Dickens 1859).
std::string_view default_text();

// `count` ids below `vocab_size`, the same for the same seed wherever they are made.
std::vector<int> random_ids(std::int64_t count, std::int64_t vocab_size, std::uint64_t seed);

}  // namespace anemone::gate
