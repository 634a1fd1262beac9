#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "anemone/engine/engine.h"
#include "anemone/tensor/tensor.h"

namespace anemone::engine {

using Tensors = std::map<std::string, Tensor, std::less<>>;

// Where an interpreted function's states are.
struct StateAccess {
  std::function<Tensor(std::string_view name)> read;
  std::function<void(std::string_view name, Tensor value)> write;
};

// Runs one function op by op by the catalogue's own definitions (sums in double, one rounding at
// the end of each op), control flow, lists and shapes that only a call fixes included. Slow, and as
// exact as its types allow. In kFloat32, tensors declared fp16 are fp32 throughout but for
// constants. Immutable: several threads may run one.
class Interpreter {
 public:
  // The function, and `stop`, must outlive it.
  Interpreter(const mil::Function& function, Arithmetic arithmetic, const Limits& limits = {},
              const StopFlag* stop = nullptr);
  ~Interpreter();

  // Sees every value that an op gives, in the order in which they are computed.
  using Watch =
      std::function<void(const mil::Op& op, const mil::Value& value, const Tensor& tensor)>;

  // The outputs by name. Inputs are converted to the declared types. Throws Error(kBadInput) for
  // inputs that are missing or of another shape and for what an op cannot take; Error(kUnsupported)
  // for ops that have no definition; Error(kLimit) naming the op that would pass a limit, before it
  // takes the memory; Error(kInterrupted).
  Tensors run(const Tensors& inputs, const StateAccess& states, const Watch& watch = {}) const;

 private:
  class Frame;

  const mil::Function& function_;
  Arithmetic arithmetic_;
  Limits limits_;
  const StopFlag* stop_;
  // The values that nobody needs once this op has run.
  std::unordered_map<const mil::Op*, std::vector<const mil::Value*>> spent_;
  // The nested blocks whose ops give values.
  std::unordered_map<const mil::Value*, const mil::Block*> inner_;
};

}  // namespace anemone::engine
