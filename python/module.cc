// anemone._core: the predict layer for Python. Arrays cross the border as buffers, so that the
// module needs neither NumPy's headers nor any one version of it.

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <csignal>
#include <mutex>
#include <optional>

#include "anemone/base/error.h"
#include "anemone/base/progress.h"
#include "anemone/base/thread_pool.h"
#include "anemone/base/version.h"
#include "anemone/predict/model.h"

namespace anemone::predict {
namespace {

namespace py = pybind11;

// Memory that Python owns for as long as a call lasts.
class BorrowedBytes : public Bytes {
 public:
  explicit BorrowedBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  std::size_t size_bytes() const override { return bytes_.size(); }
  std::span<const std::byte> view() const override { return bytes_; }
  void read(std::size_t at, std::span<std::byte> out) const override {
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at), out.size(), out.begin());
  }

 private:
  std::span<const std::byte> bytes_;
};

// Codes of Python's struct module. Source: Python documentation, "struct", format characters.
DType dtype_of(const py::buffer_info& buffer, const std::string& what) {
  const std::string& format = buffer.format;
  const bool has_order = format.size() == 2 && (format[0] == '@' || format[0] == '=' ||
                                                format[0] == '<' || format[0] == '|');
  const char code = format.size() == 1 ? format[0] : has_order ? format[1] : '\0';
  const bool is_signed = std::string_view("bhilq").find(code) != std::string_view::npos;
  const bool is_unsigned = std::string_view("BHILQ").find(code) != std::string_view::npos;
  if (code == '?') return DType::kBool;
  if (code == 'e') return DType::kF16;
  if (code == 'f') return DType::kF32;
  if (code == 'd') return DType::kF64;
  if (code != '\0' && (is_signed || is_unsigned)) {
    switch (buffer.itemsize) {
      case 1:
        return is_signed ? DType::kI8 : DType::kU8;
      case 2:
        return is_signed ? DType::kI16 : DType::kU16;
      case 4:
        return is_signed ? DType::kI32 : DType::kU32;
      case 8:
        return is_signed ? DType::kI64 : DType::kU64;
    }
  }
  throw Error(Code::kBadInput, what + " has elements of format '" + format +
                                   "'; allowed: numbers in this machine's byte order");
}

std::string format_of(DType dtype) {
  switch (dtype) {
    case DType::kBool:
      return "?";
    case DType::kF16:
      return "e";
    case DType::kF32:
      return "f";
    case DType::kF64:
      return "d";
    case DType::kI8:
      return "b";
    case DType::kU8:
      return "B";
    case DType::kI16:
      return "h";
    case DType::kU16:
      return "H";
    case DType::kI32:
      return "i";
    case DType::kU32:
      return "I";
    case DType::kI64:
      return "q";
    case DType::kU64:
      return "Q";
    default:
      throw Error(Code::kUnsupported, "no array can hold " + std::string(name(dtype)));
  }
}

// A tensor as a buffer that NumPy looks into.
struct Array {
  Tensor tensor;

  py::buffer_info buffer() const {
    std::vector<py::ssize_t> shape(tensor.shape().begin(), tensor.shape().end());
    const auto width = static_cast<py::ssize_t>(std::max(8, width_bits(tensor.dtype())) / 8);
    std::vector<py::ssize_t> strides;
    for (const std::int64_t stride : row_major_strides(tensor.shape())) {
      strides.push_back(static_cast<py::ssize_t>(stride) * width);
    }
    static std::byte nothing{};
    const auto data = tensor.data();
    void* at = data.empty() ? &nothing : const_cast<std::byte*>(data.data());
    return py::buffer_info(at, width, format_of(tensor.dtype()),
                           static_cast<py::ssize_t>(shape.size()), shape, strides);
  }
};

// What a call borrows: released only when it is over.
struct Borrowed {
  std::vector<py::buffer_info> buffers;

  Tensor tensor(const py::buffer& from, const std::string& what) {
    buffers.push_back(from.request());
    const py::buffer_info& buffer = buffers.back();
    const DType dtype = dtype_of(buffer, what);
    Shape shape(buffer.shape.begin(), buffer.shape.end());
    py::ssize_t stride = buffer.itemsize;
    for (std::size_t i = shape.size(); i-- > 0; stride *= buffer.shape[i]) {
      if (shape[i] > 1 && buffer.strides[i] != stride && buffer.size > 0) {
        throw Error(Code::kBadInput, what + " is not contiguous");
      }
    }
    const auto bytes = static_cast<std::size_t>(buffer.size * buffer.itemsize);
    return Tensor(dtype, std::move(shape),
                  std::make_shared<BorrowedBytes>(
                      std::span(static_cast<const std::byte*>(buffer.ptr), bytes)));
  }

  // What would see the caller's memory after the call is copied.
  Tensor own(const Tensor& tensor) const {
    const auto data = tensor.data();
    for (const py::buffer_info& buffer : buffers) {
      const auto* begin = static_cast<const std::byte*>(buffer.ptr);
      const bool is_inside = !data.empty() && data.data() >= begin &&
                             data.data() < begin + buffer.size * buffer.itemsize;
      if (is_inside) {
        return Tensor(tensor.dtype(), tensor.shape(),
                      own_bytes(std::vector<std::byte>(data.begin(), data.end())));
      }
    }
    return tensor;
  }
};

// An image is a tuple (width, height, channels, pixels).
Value value_of(py::handle from, const std::string& name, Borrowed& borrowed) {
  const std::string what = "input '" + name + "'";
  if (py::isinstance<py::tuple>(from)) {
    const auto parts = py::cast<py::tuple>(from);
    const Tensor pixels = borrowed.tensor(py::cast<py::buffer>(parts[3]), what);
    return Image{.width = py::cast<std::int64_t>(parts[0]),
                 .height = py::cast<std::int64_t>(parts[1]),
                 .channels = py::cast<int>(parts[2]),
                 .dtype = pixels.dtype(),
                 .pixels = pixels.bytes()};
  }
  return borrowed.tensor(py::cast<py::buffer>(from), what);
}

py::object object_of(const Value& value, const Borrowed& borrowed) {
  if (const auto* tensor = std::get_if<Tensor>(&value)) {
    return py::cast(Array{borrowed.own(tensor->resident())});
  }
  if (const auto* image = std::get_if<Image>(&value)) {
    const Tensor pixels(image->dtype, {image->height, image->width, image->channels},
                        image->pixels);
    return py::make_tuple(image->width, image->height, image->channels,
                          py::cast(Array{borrowed.own(pixels)}));
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) return py::int_(*number);
  if (const auto* text = std::get_if<std::string>(&value)) return py::str(*text);
  py::dict dictionary;
  for (const auto& [key, number] : std::get<Dictionary>(value).entries) {
    py::object name;
    if (const auto* word = std::get_if<std::string>(&key)) name = py::str(*word);
    if (const auto* integer = std::get_if<std::int64_t>(&key)) name = py::int_(*integer);
    dictionary[name] = number;
  }
  return py::object(dictionary);
}

py::object range_of(const package::SizeRange& range) {
  return py::make_tuple(range.lower, range.upper);
}

py::dict array_of(const package::ArrayFeature& array) {
  py::dict made;
  made["kind"] = "array";
  made["dtype"] = std::string(name(array.dtype));
  made["shape"] = py::tuple(py::cast(array.shape));
  py::list shapes;
  for (const Shape& shape : array.enumerated_shapes) shapes.append(py::tuple(py::cast(shape)));
  py::list ranges;
  for (const package::SizeRange& range : array.ranges) ranges.append(range_of(range));
  made["enumerated_shapes"] = py::tuple(shapes);
  made["ranges"] = py::tuple(ranges);
  return made;
}

py::dict feature_of(const package::Feature& feature) {
  py::dict made;
  if (const auto* array = std::get_if<package::ArrayFeature>(&feature.type)) {
    made = array_of(*array);
  } else if (const auto* state = std::get_if<package::StateFeature>(&feature.type)) {
    made = array_of(state->array);
    made["kind"] = "state";
  } else if (const auto* image = std::get_if<package::ImageFeature>(&feature.type)) {
    constexpr const char* kSpaces[] = {"grayscale", "rgb", "bgr", "grayscale_float16"};
    made["kind"] = "image";
    made["color_space"] = kSpaces[static_cast<std::size_t>(image->color_space)];
    made["width"] = image->width;
    made["height"] = image->height;
  } else if (std::holds_alternative<package::StringFeature>(feature.type)) {
    made["kind"] = "string";
  } else if (std::holds_alternative<package::DictionaryFeature>(feature.type)) {
    made["kind"] = "dictionary";
  } else if (std::holds_alternative<package::SequenceFeature>(feature.type)) {
    made["kind"] = "sequence";
  } else {
    made["kind"] = std::holds_alternative<package::Int64Feature>(feature.type) ? "int64" : "double";
  }
  made["name"] = feature.name;
  made["description"] = feature.short_description;
  made["is_optional"] = feature.is_optional;
  return made;
}

py::list features_of(const std::vector<package::Feature>& features) {
  py::list list;
  for (const package::Feature& feature : features) list.append(feature_of(feature));
  return list;
}

// A model, and the flag that ends its calls between two ops.
struct Interruptible {
  std::optional<StopFlag> stop{std::in_place};
  std::shared_ptr<Model> model = nullptr;
  std::mutex mutex = {};
  int calls = 0;  // that run now
};

// A call of a model. The flag is put down before the first of those that run at one time: an
// interrupt may have come too late for the call that it was meant for.
class RunningCall {
 public:
  explicit RunningCall(Interruptible& of) : of_(of) {
    const std::lock_guard lock(of_.mutex);
    if (of_.calls++ == 0) of_.stop.emplace();
  }
  ~RunningCall() {
    const std::lock_guard lock(of_.mutex);
    --of_.calls;
  }
  RunningCall(const RunningCall&) = delete;
  RunningCall& operator=(const RunningCall&) = delete;

 private:
  Interruptible& of_;
};

// While it lives, an interrupt (Ctrl-C) ends the calls of a model, and Python's own handler hears
// of it as well. One at a time, on the main thread.
class InterruptStops {
 public:
  explicit InterruptStops(StopFlag& flag) {
    flag_ = &flag;
    struct sigaction action = {};
    action.sa_handler = &handle;
    sigemptyset(&action.sa_mask);
    is_set_ = sigaction(SIGINT, &action, &before_) == 0;
  }
  ~InterruptStops() {
    if (is_set_) sigaction(SIGINT, &before_, nullptr);
    flag_ = nullptr;
  }
  InterruptStops(const InterruptStops&) = delete;
  InterruptStops& operator=(const InterruptStops&) = delete;

 private:
  static void handle(int signal) {
    if (StopFlag* flag = flag_) flag->set();
    const bool is_function = (before_.sa_flags & SA_SIGINFO) == 0 &&
                             before_.sa_handler != SIG_DFL && before_.sa_handler != SIG_IGN;
    if (is_function) before_.sa_handler(signal);
  }

  static inline std::atomic<StopFlag*> flag_{nullptr};
  static inline struct sigaction before_ = {};
  bool is_set_ = false;
};

std::unique_ptr<Interruptible> load(const std::string& path, const std::string& function,
                                    const std::string& arithmetic, int threads,
                                    std::uint64_t memory_mb, std::int64_t loop_iterations) {
  if (arithmetic != "float16" && arithmetic != "float32") {
    throw Error(Code::kUsage, "arithmetic is '" + arithmetic + "'; allowed: 'float16', 'float32'");
  }
  if (threads < 0 || threads > 1024) {
    throw Error(Code::kUsage, "threads is " + std::to_string(threads) + "; allowed: 0 to 1024");
  }
  auto made = std::make_unique<Interruptible>();
  const py::gil_scoped_release release;
  if (threads == 0) threads = ThreadPool::available();
  made->model = Model::load(
      path, {.function = function,
             .arithmetic = arithmetic == "float32" ? engine::Arithmetic::kFloat32
                                                   : engine::Arithmetic::kFloat16,
             .pool = threads > 1 ? std::make_shared<ThreadPool>(threads) : nullptr,
             .limits = {.memory_bytes = memory_mb << 20, .loop_iterations = loop_iterations},
             .stop = &*made->stop});
  return made;
}

py::dict predict(Interruptible& self, const py::dict& inputs, State* state, bool is_interruptible) {
  Borrowed borrowed;
  Values values;
  for (const auto& [key, value] : inputs) {
    const auto name = py::cast<std::string>(key);
    values[name] = value_of(value, name, borrowed);
  }
  Values outputs;
  try {
    const py::gil_scoped_release release;
    const RunningCall call(self);
    std::optional<InterruptStops> stops;
    if (is_interruptible) stops.emplace(*self.stop);
    outputs = self.model->predict(values, state);
  } catch (const Error& error) {
    if (error.code() != Code::kInterrupted) throw;
    if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    throw;
  }
  py::dict made;
  for (const auto& [name, value] : outputs) made[py::str(name)] = object_of(value, borrowed);
  return made;
}

}  // namespace

PYBIND11_MODULE(_core, module) {
  module.doc() = "What the package anemone is made of; use anemone.MLModel.";
  module.attr("version") = std::string(kVersion);

  // One type for everything that goes wrong; `code` says what kind of thing it was.
  static const py::handle error_type =
      py::exception<Error>(module, "Error", PyExc_RuntimeError).release();
  error_type.attr("code") = "";
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& error) {
      py::object made = py::reinterpret_borrow<py::object>(error_type)(error.what());
      made.attr("code") = std::string(name(error.code()));
      PyErr_SetObject(error_type.ptr(), made.ptr());
    }
  });

  py::class_<Array>(module, "Array", py::buffer_protocol()).def_buffer(&Array::buffer);

  py::class_<State>(module, "State")
      .def("names", &State::names)
      .def("reset", &State::reset, py::call_guard<py::gil_scoped_release>())
      .def("read", [](const State& state,
                      const std::string& name) { return Array{state.read_tensor(name)}; })
      .def("write", [](State& state, const std::string& name, const py::buffer& value) {
        Borrowed borrowed;
        state.write_tensor(name, borrowed.tensor(value, "state '" + name + "'"));
      });

  py::class_<Interruptible>(module, "Model")
      .def(py::init(&load), py::arg("path"), py::arg("function"), py::arg("arithmetic"),
           py::arg("threads"), py::arg("memory_mb"), py::arg("loop_iterations"))
      .def("predict", &predict, py::arg("inputs"), py::arg("state").none(true),
           py::arg("is_interruptible"))
      .def("make_state", [](const Interruptible& self) { return self.model->make_state(); })
      .def_property_readonly(
          "inputs",
          [](const Interruptible& self) { return features_of(self.model->interface().inputs); })
      .def_property_readonly(
          "outputs",
          [](const Interruptible& self) { return features_of(self.model->interface().outputs); })
      .def_property_readonly(
          "states",
          [](const Interruptible& self) { return features_of(self.model->interface().states); })
      .def_property_readonly(
          "type", [](const Interruptible& self) { return std::string(self.model->type()); })
      .def_property_readonly("function",
                             [](const Interruptible& self) { return self.model->function(); })
      .def_property_readonly("functions",
                             [](const Interruptible& self) { return self.model->functions(); })
      .def_property_readonly(
          "specification_version",
          [](const Interruptible& self) { return self.model->specification_version(); })
      .def_property_readonly("metadata", [](const Interruptible& self) {
        const package::Metadata& metadata = self.model->metadata();
        py::dict made;
        made["short_description"] = metadata.short_description;
        made["version"] = metadata.version;
        made["author"] = metadata.author;
        made["license"] = metadata.license;
        made["user_defined"] = metadata.user_defined;
        return made;
      });
}

}  // namespace anemone::predict
