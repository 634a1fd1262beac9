#include "anemone/coreml/calls.h"

#include "anemone/base/error.h"
#include "anemone/generate/interface.h"
#include "anemone/package/package.h"

namespace anemone::coreml {
namespace {

using generate::Port;

std::string names_of(const std::vector<Port>& ports) {
  std::string names;
  for (const Port& port : ports) names += (names.empty() ? "" : ", ") + port.name;
  return names.empty() ? "none" : names;
}

bool is_plain(DType dtype) {
  return dtype == DType::kF16 || dtype == DType::kF32 || dtype == DType::kF64 ||
         dtype == DType::kI32 || dtype == DType::kI8 || dtype == DType::kBool;
}

void check_port(const std::string& place, const Port& port, DType dtype, std::int64_t count,
                std::span<const std::int64_t> shape, bool is_input) {
  if (!port.type.is_tensor() || !is_plain(port.type.dtype)) {
    throw Error(Code::kUnsupported,
                place + " is a " + mil::to_string(port.type) +
                    "; Core ML is given tensors of fp16, fp32, fp64, int32 or int8");
  }
  if (!is_plain(dtype)) {
    throw Error(Code::kUnsupported, place + " is asked for as " + std::string(name(dtype)) +
                                        "; allowed: fp16, fp32, fp64, int32, int8, bool");
  }
  if (!port.type.is_static()) {
    if (is_input && checked_element_count(shape) != count) {
      throw Error(Code::kBadInput, place + " is a " + mil::to_string(port.type) +
                                       " and was given without a shape for its " +
                                       std::to_string(count) + " elements");
    }
    return;  // an output's extents are known when it is there
  }
  if (count != element_count(port.type.shape)) {
    throw Error(Code::kBadInput, place + " has " + std::to_string(count) + " elements; " +
                                     mil::to_string(port.type) + " has " +
                                     std::to_string(element_count(port.type.shape)));
  }
}

}  // namespace

std::vector<generate::FunctionInterface> read_interfaces(const std::filesystem::path& package) {
  const auto model = package::load(package);
  std::vector<generate::FunctionInterface> interfaces;
  for (const auto& function : model.program.functions) {
    interfaces.push_back(generate::interface_of(*function));
  }
  if (interfaces.empty()) {
    throw Error(Code::kBadInput, package.string() + ": has no function");
  }
  return interfaces;
}

void check_call(std::string_view where, const generate::FunctionInterface& function,
                std::span<const engine::Feed> feeds, std::span<const engine::Fetch> fetches) {
  const std::string start = std::string(where) + ": ";
  std::vector<std::string_view> given;
  for (const engine::Feed& feed : feeds) {
    const std::string place = start + "input '" + std::string(feed.name) + "'";
    const Port* port = function.find_input(feed.name);
    if (port == nullptr) {
      throw Error(Code::kBadInput, place + " is unknown; there are " + names_of(function.inputs));
    }
    if (std::find(given.begin(), given.end(), feed.name) != given.end()) {
      throw Error(Code::kBadInput, place + " is given twice");
    }
    given.push_back(feed.name);
    check_port(place, *port, feed.dtype, feed.count, feed.shape, true);
  }
  for (const Port& port : function.inputs) {
    if (std::find(given.begin(), given.end(), port.name) == given.end()) {
      throw Error(Code::kBadInput, start + "input '" + port.name + "' is missing");
    }
  }
  for (const engine::Fetch& fetch : fetches) {
    const std::string place = start + "output '" + std::string(fetch.name) + "'";
    const Port* port = function.find_output(fetch.name);
    if (port == nullptr) {
      throw Error(Code::kBadInput, place + " is unknown; there are " + names_of(function.outputs));
    }
    check_port(place, *port, fetch.dtype, fetch.count, {}, false);
  }
}

}  // namespace anemone::coreml
