#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "anemone/engine/engine.h"
#include "anemone/tensor/tensor.h"

namespace anemone::engine {

// Runs a program op by op by the catalogue's own definitions: sums in double, one rounding at the
// end of each op. Slow, and as exact as its types allow; what every plan is held to. States are
// copied at every read and write, so nothing can alias.
class Reference {
 public:
  explicit Reference(std::shared_ptr<const mil::Program> program,
                     Arithmetic arithmetic = Arithmetic::kFloat16);
  ~Reference();

  using Tensors = std::map<std::string, Tensor, std::less<>>;

  // The outputs by name. Inputs are converted to the declared types. In kFloat32, tensors declared
  // fp16 are fp32 throughout but for constants. Throws Error(kBadInput) for inputs that are missing
  // or of another shape, Error(kUnsupported) for ops that have no definition.
  Tensors run(std::string_view function, const Tensors& inputs);

  // States persist from run to run; zeros at first.
  const Tensor& state(std::string_view name) const;
  void set_state(std::string_view name, Tensor value);

 private:
  std::shared_ptr<const mil::Program> program_;
  Arithmetic arithmetic_;
  Tensors states_;
};

}  // namespace anemone::engine
