#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>
#include <string_view>

#include "anemone/base/files.h"
#include "anemone/coreml/coreml.h"
#include "anemone/mil/builder.h"
#include "anemone/package/package.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

extern "C" void stand_in_settle();

// Packages to run by the stand-in, and where what it writes goes.
namespace anemone::coreml {

// s += x, and y is `factor` times the new s. Rows of 20, so that padding shows.
inline void add_function(mil::Program& program, const std::string& name, double factor) {
  mil::Builder b(program.add_function(name, mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {2, 20}));
  mil::Value* n = b.input("n", mil::Type::tensor(DType::kI32, {1}));
  mil::Value* s = b.input("s", mil::Type::state(DType::kF16, {2, 20}));
  mil::Value* before = b.add("read_state", "before", {{"input", s}});
  mil::Value* sum = b.add("add", "sum", {{"x", before}, {"y", x}});
  b.add_op("write_state", "write", {{"input", s}, {"data", sum}}, {});
  mil::Value* after = b.add("read_state", "after", {{"input", s}});
  mil::Value* wide = b.add("cast", "wide", {{"x", n}, {"dtype", "fp16"}});
  mil::Value* scaled =
      b.add("mul", "scaled", {{"x", after}, {"y", Tensor::scalar(DType::kF16, factor)}});
  b.set_outputs({b.add("add", "y", {{"x", scaled}, {"y", wide}})});
}

class StandIn {
 public:
  StandIn() { ::setenv("TMPDIR", dir_.path().c_str(), 1); }
  ~StandIn() {
    stand_in_settle();  // what is late comes while its files are there
    ::unsetenv("TMPDIR");
  }

  // Functions `decode` and `prefill` over one state; `says` is the stand-in's stand-in.json.
  std::filesystem::path stateful(std::string_view says = "{}") {
    package::Model model;
    add_function(model.program, "decode", 1);
    add_function(model.program, "prefill", 2);
    model.default_function = "decode";
    model.is_multifunction = true;
    return save(model, "sum.mlpackage", says);
  }

  // One function, y = relu(x), without a state.
  std::filesystem::path plain(std::string_view says = "{}") {
    package::Model model;
    mil::Builder b(model.program.add_function("main", mil::Opset::kIos15));
    mil::Value* x = b.input("x", mil::Type::tensor(DType::kF32, {1, 3}));
    b.set_outputs({b.add("relu", "y", {{"x", x}})});
    return save(model, "relu.mlpackage", says);
  }

  std::filesystem::path save(const package::Model& model, const char* name, std::string_view says) {
    const auto path = dir_ / name;
    std::filesystem::remove_all(path);
    package::save(model, path);
    write_file(path / "stand-in.json", says);
    return path;
  }

  Options options() const { return {.compiled_folder = compiled_folder()}; }
  std::filesystem::path compiled_folder() const { return dir_ / "compiled"; }
  const std::filesystem::path& folder() const { return dir_.path(); }

 private:
  testing::TempDir dir_;
};

}  // namespace anemone::coreml
