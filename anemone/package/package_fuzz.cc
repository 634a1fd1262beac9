// Input: the specification's length (4 bytes, little endian), the specification, the weight file.
// The mutator below keeps the specification a well-formed protobuf message most of the time, so
// that the reader is tried beyond its parser.

#include <random>

#include "anemone/base/error.h"
#include "anemone/mil/verify.h"
#include "anemone/package/sample_models.h"
#include "anemone/package/specification.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace anemone::package {
namespace {

// One field of a protobuf message as the wire has it. What looks like a message is taken apart.
struct Node {
  std::uint32_t field = 0;
  std::uint32_t wire = 0;        // 0 number, 1 eight bytes, 2 bytes or message, 5 four bytes
  std::uint64_t number = 0;      // wire 0
  std::string bytes = {};        // wire 1, 5 and 2 unless taken apart
  std::vector<Node> parts = {};  // wire 2
  bool is_message = false;
};

bool take_varint(std::string_view& from, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (from.empty()) return false;
    const auto byte = static_cast<std::uint8_t>(from.front());
    from.remove_prefix(1);
    value |= std::uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

bool take_apart(std::string_view from, int depth, std::vector<Node>& to) {
  while (!from.empty()) {
    std::uint64_t tag = 0;
    if (!take_varint(from, tag) || tag >> 3 == 0 || tag >> 3 > 5000) return false;
    Node node{.field = static_cast<std::uint32_t>(tag >> 3),
              .wire = static_cast<std::uint32_t>(tag & 7)};
    std::uint64_t size = node.wire == 1 ? 8 : 4;
    switch (node.wire) {
      case 0:
        if (!take_varint(from, node.number)) return false;
        break;
      case 2:
        if (!take_varint(from, size)) return false;
        [[fallthrough]];
      case 1:
      case 5:
        if (size > from.size()) return false;
        node.bytes = from.substr(0, size);
        from.remove_prefix(size);
        break;
      default:
        return false;
    }
    if (node.wire == 2 && depth < 40 && !node.bytes.empty() &&
        take_apart(node.bytes, depth + 1, node.parts)) {
      node.is_message = true;
      node.bytes.clear();
    } else {
      node.parts.clear();
    }
    to.push_back(std::move(node));
  }
  return true;
}

void put_varint(std::uint64_t value, std::string& to) {
  for (; value >= 128; value >>= 7) to += static_cast<char>(value | 128);
  to += static_cast<char>(value);
}

std::string put_together(const std::vector<Node>& nodes) {
  std::string to;
  for (const Node& node : nodes) {
    put_varint(node.field << 3 | node.wire, to);
    if (node.wire == 0) {
      put_varint(node.number, to);
      continue;
    }
    const std::string bytes = node.is_message ? put_together(node.parts) : node.bytes;
    if (node.wire == 2) put_varint(bytes.size(), to);
    to += bytes;
  }
  return to;
}

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void mutate(std::vector<Node>& root) {
    for (std::size_t rounds = 1 + below(3); rounds > 0; --rounds) {
      lists_.clear();
      collect(root);
      if (lists_.empty()) return;
      mutate_one(*lists_[below(lists_.size())]);
    }
  }

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_() % n; }

 private:
  void collect(std::vector<Node>& nodes) {
    if (!nodes.empty()) lists_.push_back(&nodes);
    for (Node& node : nodes) collect(node.parts);
  }

  // A copy of some other field of that number and kind, from anywhere in the message.
  Node another_like(const Node& node) {
    for (int tries = 0; tries < 32; ++tries) {
      const std::vector<Node>& list = *lists_[below(lists_.size())];
      const Node& other = list[below(list.size())];
      if (other.wire == node.wire && (other.field == node.field || below(8) == 0)) return other;
    }
    return node;
  }

  // Numbers that the format uses past the first few.
  static constexpr std::uint32_t kFarFields[] = {13,  20,  21,  31,  41,  50,  51,  61,
                                                 100, 200, 201, 202, 500, 502, 1000};

  void mutate_one(std::vector<Node>& nodes) {
    const std::size_t i = below(nodes.size());
    switch (below(6)) {
      case 0:
        nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 1: {
        Node copy = nodes[i];
        nodes.insert(nodes.begin() + static_cast<std::ptrdiff_t>(below(nodes.size() + 1)),
                     std::move(copy));
        break;
      }
      case 2: {
        Node other = another_like(nodes[i]);
        other.field = nodes[i].field;
        nodes[i] = std::move(other);
        break;
      }
      case 3:
        std::swap(nodes[i], nodes[below(nodes.size())]);
        break;
      case 4:
        nodes[i].field = below(4) == 0 ? kFarFields[below(std::size(kFarFields))]
                                       : static_cast<std::uint32_t>(1 + below(12));
        break;
      default:
        change(nodes[i]);
    }
  }

  void change(Node& node) {
    static constexpr std::uint64_t kNumbers[] = {
        0,  1,  2,   3,        7,          10,         11,         21,         25,    63,
        64, 65, 128, 1u << 31, 1ull << 32, 1ull << 47, 1ull << 48, ~0ull >> 1, ~0ull, ~0ull - 63};
    if (node.wire == 0) {
      node.number =
          below(4) == 0 ? node.number + below(5) - 2 : kNumbers[below(std::size(kNumbers))];
    } else if (!node.is_message) {
      const std::size_t size = node.bytes.size();
      node.bytes.resize(node.wire == 2 ? size + 16 : size);
      const std::size_t made = LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(node.bytes.data()),
                                                size, node.bytes.size());
      node.bytes.resize(node.wire == 2 ? made : size);
    } else if (!node.parts.empty()) {
      change(node.parts[below(node.parts.size())]);
    }
  }

  std::minstd_rand random_;
  std::vector<std::vector<Node>*> lists_;
};

struct Input {
  std::string specification;
  std::string weights;
};

Input split(std::string_view data) {
  if (data.size() < 4) return {};
  std::uint32_t size = 0;
  std::memcpy(&size, data.data(), 4);
  const std::string_view rest = data.substr(4);
  size = static_cast<std::uint32_t>(std::min<std::size_t>(size, rest.size()));
  return {std::string(rest.substr(0, size)), std::string(rest.substr(size))};
}

std::size_t join(const Input& input, std::uint8_t* data, std::size_t max_size) {
  const auto size = static_cast<std::uint32_t>(input.specification.size());
  if (max_size < 4 + input.specification.size()) return 0;
  const std::size_t rest = std::min(input.weights.size(), max_size - 4 - size);
  std::memcpy(data, &size, 4);
  std::memcpy(data + 4, input.specification.data(), size);
  std::memcpy(data + 4 + size, input.weights.data(), rest);
  return 4 + size + rest;
}

void put_field(std::uint32_t field, std::string_view bytes, std::string& to) {
  put_varint(field << 3 | 2, to);
  put_varint(bytes.size(), to);
  to += bytes;
}

// A pipeline of that model alone, which takes and gives what the model does.
std::string pipeline_of(const std::string& specification) {
  std::string to;
  std::string pipeline;
  put_field(1, specification, pipeline);
  put_field(202, pipeline, to);
  std::vector<Node> fields;
  take_apart(specification, 40, fields);
  std::erase_if(fields, [](const Node& field) { return field.field > 2; });
  return put_together(fields) + to;
}

// Where there is no corpus to start from.
Input sample(std::size_t which) {
  const Model model = which % 2 == 0 ? small_model(mil::Opset::kIos16) : cache_model();
  BlobLayout blobs;
  Input input{write_specification(model, 10, blobs), {}};
  if (which % 3 == 0) input.specification = pipeline_of(input.specification);
  // The weight file as the layout has it: a header and one blob of 48 bytes or 2 KiB.
  input.weights.resize(blobs.file_bytes());
  const std::uint32_t header[] = {1, 2};
  const std::uint32_t type = which % 2 == 0 ? 2 : 1;
  const std::uint32_t record[] = {0xDEADBEEF, type,
                                  static_cast<std::uint32_t>(input.weights.size()) - 128, 0, 128};
  std::memcpy(input.weights.data(), header, sizeof header);
  std::memcpy(input.weights.data() + 64, record, sizeof record);
  return input;
}

}  // namespace
}  // namespace anemone::package

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t max_size, unsigned seed) {
  using namespace anemone::package;
  Mutator mutator(seed);
  Input input = split({reinterpret_cast<const char*>(data), size});
  std::vector<Node> nodes;
  if (!take_apart(input.specification, 0, nodes) || nodes.empty()) {
    if (size > 4 && mutator.below(4) == 0) return LLVMFuzzerMutate(data, size, max_size);
    const std::size_t made = join(sample(seed), data, max_size);
    return made > 0 ? made : LLVMFuzzerMutate(data, size, max_size);
  }
  switch (mutator.below(16)) {
    case 0:
      return LLVMFuzzerMutate(data, size, max_size);
    case 1: {
      std::vector<std::uint8_t> weights(input.weights.begin(), input.weights.end());
      const std::size_t had = weights.size();
      weights.resize(had + 64);
      weights.resize(LLVMFuzzerMutate(weights.data(), had, weights.size()));
      input.weights.assign(weights.begin(), weights.end());
      break;
    }
    default:
      mutator.mutate(nodes);
      input.specification = put_together(nodes);
  }
  const std::size_t made = join(input, data, max_size);
  return made > 0 ? made : LLVMFuzzerMutate(data, size, max_size);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace anemone::package;
  const Input input = split({reinterpret_cast<const char*>(data), size});
  const auto weights = anemone::as_bytes(input.weights);
  try {
    const AnyModel any =
        load_any_from_memory(anemone::as_bytes(input.specification),
                             anemone::own_bytes({weights.begin(), weights.end()}), "m");
    if (const auto* model = std::get_if<Model>(&any)) {
      anemone::mil::verify(model->program);
      planned_bytes(*model);
    }
  } catch (const anemone::Error&) {
  }
  return 0;
}
