#include "anemone/engine/state.h"

#include <algorithm>

#include "anemone/base/error.h"
#include "anemone/engine/transfer.h"

namespace anemone::engine {
namespace {

constexpr std::size_t kAlignmentBytes = 64;

const StateLayout::Slot& slot_named(const StateLayout& layout, std::string_view name) {
  const auto found = layout.find(name);
  if (found) return layout.slots()[*found];
  std::string known;
  for (const auto& slot : layout.slots()) known += (known.empty() ? "" : ", ") + slot.name;
  throw Error(Code::kNotFound, "no state '" + std::string(name) + "'; there are: " +
                                   (known.empty() ? std::string("none") : known));
}

void require_float(const StateLayout::Slot& slot) {
  if (!is_float(slot.stored)) {
    throw Error(Code::kUnsupported, "state '" + slot.name + "' is " + mil::to_string(slot.type) +
                                        "; only floats can be read and written");
  }
}

}  // namespace

DType stored_as(const mil::Type& type, std::string_view where) {
  if (!type.is_tensor() && !type.is_state()) {
    throw Error(Code::kUnsupported, std::string(where) + " is " + mil::to_string(type) +
                                        "; the engine runs on tensors alone");
  }
  if (!type.is_static()) {
    throw Error(Code::kUnsupported, std::string(where) + " is " + mil::to_string(type) +
                                        "; the engine needs every extent before the call");
  }
  const DType dtype = type.dtype;
  if (dtype == DType::kF16 || dtype == DType::kF32) return DType::kF32;
  if (dtype == DType::kBool || dtype == DType::kI32 || dtype == DType::kI16 ||
      dtype == DType::kU16 || dtype == DType::kI8 || dtype == DType::kU8) {
    return dtype;
  }
  throw Error(Code::kUnsupported, std::string(where) + " is " + mil::to_string(type) +
                                      "; the engine has no storage for that type");
}

StateLayout::StateLayout(const mil::Program& program, const mil::Function& function,
                         Arithmetic arithmetic)
    : arithmetic_(arithmetic) {
  std::map<std::string, mil::Type> types;
  const auto add = [&types](const mil::Function& from) {
    for (const auto& input : from.inputs) {
      if (input->type.is_state()) types.emplace(input->name, input->type.wrapped());
    }
  };
  add(function);
  for (const auto& other : program.functions) add(*other);
  for (auto& [name, type] : types) {
    Slot slot;
    slot.stored = stored_as(type, "state '" + name + "'");
    if (type.dtype == DType::kF16 && arithmetic == Arithmetic::kFloat16) slot.stored = DType::kF16;
    slot.name = name;
    slot.count = element_count(type.shape);
    slot.type = std::move(type);
    slot.offset = size_bytes_;
    const auto bytes = static_cast<std::size_t>(
        anemone::size_bytes(slot.stored, static_cast<std::uint64_t>(slot.count)));
    size_bytes_ += (bytes + kAlignmentBytes - 1) / kAlignmentBytes * kAlignmentBytes;
    slots_.push_back(std::move(slot));
  }
}

bool StateLayout::suits(const StateLayout& other) const {
  return arithmetic_ == other.arithmetic_ &&
         std::equal(
             slots_.begin(), slots_.end(), other.slots_.begin(), other.slots_.end(),
             [](const Slot& a, const Slot& b) { return a.name == b.name && a.type == b.type; });
}

std::optional<std::size_t> StateLayout::find(std::string_view name) const {
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].name == name) return i;
  }
  return std::nullopt;
}

State::State(std::shared_ptr<const StateLayout> layout) : contents_(std::make_unique<Contents>()) {
  contents_->memory = Region(layout->size_bytes());
  contents_->layout = std::move(layout);
}

State::~State() = default;

std::vector<std::string> State::names() const {
  std::vector<std::string> names;
  for (const auto& slot : contents_->layout->slots()) names.push_back(slot.name);
  return names;
}

void State::reset() {
  std::lock_guard turn(contents_->turn);
  contents_->memory.clear();
}

std::size_t State::size_bytes() const { return contents_->memory.size_bytes(); }

std::vector<float> State::read(std::string_view name) const {
  const auto& slot = slot_named(*contents_->layout, name);
  require_float(slot);
  std::vector<float> values(static_cast<std::size_t>(slot.count));
  std::lock_guard turn(contents_->turn);
  Transfer(dense_view(0, slot.stored, {slot.count}), dense_view(0, DType::kF32, {slot.count}))
      .run(contents_->memory.data() + slot.offset, values.data());
  return values;
}

void State::write(std::string_view name, std::span<const float> values) {
  const auto& slot = slot_named(*contents_->layout, name);
  require_float(slot);
  if (static_cast<std::int64_t>(values.size()) != slot.count) {
    throw Error(Code::kBadInput, "state '" + slot.name + "' is " + mil::to_string(slot.type) +
                                     ", " + std::to_string(slot.count) + " elements; got " +
                                     std::to_string(values.size()));
  }
  std::lock_guard turn(contents_->turn);
  Transfer(dense_view(0, DType::kF32, {slot.count}), dense_view(0, slot.stored, {slot.count}))
      .run(values.data(), contents_->memory.data() + slot.offset);
}

Tensor State::Contents::read(std::string_view name) const {
  const auto& slot = slot_named(*layout, name);
  const std::byte* from = memory.data() + slot.offset;
  const auto bytes = static_cast<std::size_t>(
      anemone::size_bytes(slot.stored, static_cast<std::uint64_t>(slot.count)));
  return Tensor(slot.stored, slot.type.shape,
                own_bytes(std::vector<std::byte>(from, from + bytes)));
}

void State::Contents::write(std::string_view name, const Tensor& value) {
  const auto& slot = slot_named(*layout, name);
  if (value.shape() != slot.type.shape) {
    throw Error(Code::kBadInput, "state '" + slot.name + "' is " + mil::to_string(slot.type) +
                                     "; got shape " + anemone::to_string(value.shape()));
  }
  const Tensor converted = convert(value, slot.stored).resident();
  std::copy(converted.data().begin(), converted.data().end(), memory.data() + slot.offset);
}

Tensor State::read_tensor(std::string_view name) const {
  std::lock_guard turn(contents_->turn);
  return contents_->read(name);
}

void State::write_tensor(std::string_view name, const Tensor& value) {
  std::lock_guard turn(contents_->turn);
  contents_->write(name, value);
}

}  // namespace anemone::engine
