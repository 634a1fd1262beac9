#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "anemone/engine/engine.h"
#include "anemone/engine/region.h"

namespace anemone::engine {

// Where each state of a program lies in a State's one block of memory.
class StateLayout {
 public:
  struct Slot {
    std::string name;
    mil::Type type;  // of the tensor inside
    DType stored = DType::kF16;
    std::int64_t count = 0;
    std::size_t offset = 0;  // bytes
  };

  // Where functions mean different things by one name, it is what `function` means, if it has it.
  StateLayout(const mil::Program& program, const mil::Function& function, Arithmetic arithmetic);

  const std::vector<Slot>& slots() const { return slots_; }
  std::size_t size_bytes() const { return size_bytes_; }
  // The slot's number; absent if there is no such state.
  std::optional<std::size_t> find(std::string_view name) const;
  // True if a State of that layout will do for this one.
  bool suits(const StateLayout& other) const;

 private:
  Arithmetic arithmetic_;
  std::vector<Slot> slots_;  // in the order of their names
  std::size_t size_bytes_ = 0;
};

struct State::Contents {
  std::shared_ptr<const StateLayout> layout;
  Region memory;
  std::mutex turn;  // held while an Executable runs on this state

  // Without taking a turn.
  Tensor read(std::string_view name) const;
  void write(std::string_view name, const Tensor& value);
};

// How values of a type are stored while they are in use. Throws Error(kUnsupported), which begins
// with `where`, for what the engine has no storage for.
DType stored_as(const mil::Type& type, std::string_view where);

}  // namespace anemone::engine
