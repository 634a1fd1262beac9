// Writes the pages that browser_test.py looks at. usage: anemone_report_pages FOLDER
#include <iostream>

#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/mil/builder.h"
#include "anemone/report/report.h"

namespace {

using anemone::DType;
using anemone::Tensor;
using anemone::mil::Builder;
using anemone::mil::Function;
using anemone::mil::Opset;
using anemone::mil::Type;
using anemone::mil::Value;
namespace report = anemone::report;

constexpr int kLayers = 28;
constexpr int kBrokenLayer = 17;

Tensor weight(std::int64_t rows, std::int64_t columns) {
  const std::vector<float> values(static_cast<std::size_t>(rows * columns), 0.5f);
  return Tensor::from_floats(DType::kF16, {rows, columns}, values);
}

// Decoder-like: 28 layers, one of which looks something up.
void add_layers(Function& function, int ops_in_layer) {
  Builder builder(function);
  Value* x = builder.input("hidden", Type::tensor(DType::kF16, {1, 32, 64}));
  Value* w = builder.constant("shared_weight", weight(64, 64));
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = "layer_" + std::to_string(layer) + "_";
    x = builder.add("linear", prefix + "proj", {{"x", x}, {"weight", w}});
    if (layer == kBrokenLayer) {
      x = builder.add("gather", prefix + "lookup",
                      {{"x", x}, {"indices", std::vector<std::int64_t>{0, 1, 2, 3}}, {"axis", 1}});
    }
    for (int i = 1; i < ops_in_layer; ++i) {
      x = builder.add(i % 2 == 0 ? "relu" : "sigmoid", prefix + "op_" + std::to_string(i),
                      {{"x", x}});
    }
  }
  builder.set_outputs({x});
}

// What a name could do to a page that took it for markup.
const std::string kHostile =
    "</script><img src=x onerror=\"window.broken=1\"><!--'\"&amp;\n\x01\xe2\x80\xae\xff";

void add_hostile(Function& function) {
  Builder builder(function);
  Value* x = builder.input("x", Type::tensor(DType::kF16, {1, 32}));
  Value* y = builder.add("relu", "a", {{"x", x}});
  Value* z = builder.add("gather", "b",
                         {{"x", y}, {"indices", std::vector<std::int64_t>{0}}, {"axis", 1}});
  builder.set_outputs({z});
  for (Value* value : {x, y, z}) value->name += kHostile;
  for (const auto& op : function.body.ops) op->name += kHostile;
}

// Typed fp32, which keeps the whole function off the engine.
void add_barred(Function& function) {
  Builder builder(function);
  Value* x = builder.input("x", Type::tensor(DType::kF32, {1, 32}));
  builder.set_outputs({builder.add("relu", "y", {{"x", x}})});
}

anemone::package::Model model_of(void (*fill)(Function&)) {
  anemone::package::Model model;
  fill(model.program.add_function("main", Opset::kIos18));
  return model;
}

void write(const std::filesystem::path& path, const anemone::package::Model& model,
           report::Options options, const std::string& name) {
  const report::Source source{
      .name = name, .model = &model, .subject = {.program = &model.program}};
  anemone::write_file(path, report::page(report::data({&source, 1}, options)));
}

// A machine that took every op but the lookup, one sigmoid, and of one op says nothing.
report::Measurement measured() {
  report::Measurement measurement{.package = "model.mlpackage",
                                  .machine = "Apple M4",
                                  .setting = "cpu+ane",
                                  .verdict = "planned"};
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string prefix = "layer_" + std::to_string(layer) + "_";
    const auto add = [&measurement](const std::string& output, report::Device device) {
      measurement.ops.push_back({.function = "main",
                                 .output = output,
                                 .preferred = device,
                                 .supported = {report::Device::kCpu, report::Device::kAne},
                                 .cost = 0.01});
    };
    add(prefix + "proj", report::Device::kAne);
    if (layer == kBrokenLayer) add(prefix + "lookup", report::Device::kCpu);
    for (int i = 1; i < 36; ++i) {
      if (layer == 3 && i == 5) continue;
      add(prefix + "op_" + std::to_string(i),
          layer == 20 && i == 7 ? report::Device::kGpu : report::Device::kAne);
    }
  }
  return measurement;
}

// Magnitudes that grow from layer to layer; one is too large for fp16, one infinite.
std::vector<report::ValueRange> ranges(int ops_in_layer) {
  std::vector<report::ValueRange> all;
  for (int layer = 0; layer < kLayers; ++layer) {
    for (int i = 1; i < ops_in_layer; ++i) {
      const double largest = (layer + 1) * 8.0;
      all.push_back({.package = "model.mlpackage",
                     .value = "layer_" + std::to_string(layer) + "_op_" + std::to_string(i),
                     .max_magnitude = layer == 25 && i == 3 ? 70000 : largest,
                     .median = largest / 16,
                     .nearly_all = largest / 2,
                     .infinities = layer == 26 && i == 4 ? 2u : 0u});
    }
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: anemone_report_pages FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  try {
    const auto layers = model_of([](Function& function) { add_layers(function, 36); });
    write(folder / "layers.html", layers, {.title = "28 layers"}, "model.mlpackage");
    report::Measurement on_cpu = measured();
    on_cpu.setting = "cpu";
    on_cpu.allows_engine = false;
    for (report::MeasuredOp& op : on_cpu.ops) op.preferred = report::Device::kCpu;
    write(folder / "measured.html", layers,
          {.title = "measured", .measurements = {measured(), on_cpu}}, "model.mlpackage");
    write(folder / "ranges.html", layers, {.title = "ranges", .ranges = ranges(36)},
          "model.mlpackage");
    const auto many = model_of([](Function& function) { add_layers(function, 715); });
    write(folder / "many.html", many, {.title = "20,000 ops", .ranges = ranges(715)},
          "model.mlpackage");
    write(folder / "barred.html", model_of(add_barred), {.title = "fp32"}, "model.mlpackage");
    const anemone::package::Model empty;
    write(folder / "empty.html", empty, {.title = "nothing"}, "model.mlpackage");
    const auto hostile = model_of(add_hostile);
    write(folder / "hostile.html", hostile,
          {.title = "t" + kHostile, .facts = {{"f" + kHostile, "v" + kHostile}}}, "p" + kHostile);
  } catch (const anemone::Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
