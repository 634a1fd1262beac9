#include "anemone/engine/callable.h"

#include <algorithm>

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/engine/interpreter.h"
#include "anemone/engine/specialise.h"
#include "anemone/engine/state.h"

namespace anemone::engine {
namespace {

// Plans keep working memory; a caller with more shapes than this has them made again.
constexpr std::size_t kMaxWays = 32;

// What the plan takes as it is; the rest is converted first.
bool is_fed_as_is(DType from, DType declared) {
  return from == declared || ((from == DType::kF16 || from == DType::kF32) && is_float(declared));
}

Shapes shapes_of(const Callable::Tensors& inputs) {
  Shapes shapes;
  for (const auto& [name, tensor] : inputs) shapes[name] = tensor.shape();
  return shapes;
}

std::string key_of(const Callable::Tensors& inputs) {
  std::string key;
  for (const auto& [name, tensor] : inputs) key += anemone::to_string(tensor.shape());
  return key;
}

}  // namespace

// How the function runs for one set of shapes.
struct Callable::Way {
  std::shared_ptr<mil::Program> program;  // the function alone, specialised
  std::shared_ptr<const Executable> executable;
  std::unique_ptr<Interpreter> interpreter;  // where there is no executable
  std::string why;                           // it is interpreted
  std::vector<std::pair<const mil::Op*, const mil::Value*>> watched;
};

Callable::Callable(std::shared_ptr<const mil::Program> program, const mil::Function& function,
                   const Options& options)
    : program_(std::move(program)),
      function_(function),
      options_(options),
      layout_(std::make_shared<const StateLayout>(*program_, function, options.arithmetic)) {}

Callable::~Callable() = default;

std::shared_ptr<Callable> Callable::make(std::shared_ptr<const mil::Program> program,
                                         std::string_view function, const Options& options) {
  ANEMONE_CHECK(program != nullptr);
  const mil::Function* found = program->find_function(function);
  if (found == nullptr) {
    std::string known;
    for (const auto& candidate : program->functions) {
      known += (known.empty() ? "" : ", ") + candidate->name;
    }
    throw Error(Code::kNotFound,
                "no function '" + std::string(function) + "'; the program has: " + known);
  }
  return std::shared_ptr<Callable>(new Callable(std::move(program), *found, options));
}

std::unique_ptr<State> Callable::make_state() const {
  return std::unique_ptr<State>(new State(layout_));
}

void Callable::check_inputs(const Tensors& inputs) const {
  std::string known;
  for (const auto& input : function_.inputs) {
    if (input->type.is_state()) continue;
    known += (known.empty() ? "" : ", ") + input->name;
    const auto found = inputs.find(input->name);
    const std::string described = "input '" + input->name + "' of function '" + function_.name +
                                  "' (" + mil::to_string(input->type) + ")";
    if (found == inputs.end()) throw Error(Code::kBadInput, described + " is missing");
    const Tensor& given = found->second;
    if (!mil::agrees(input->type, mil::Type::tensor(input->type.dtype, given.shape()))) {
      throw Error(Code::kBadInput,
                  described + " is given the shape " + anemone::to_string(given.shape()));
    }
    if (given.dtype() == DType::kString) {
      throw Error(Code::kBadInput, described + " is given strings");
    }
  }
  for (const auto& [name, tensor] : inputs) {
    const mil::Value* input = function_.find_input(name);
    if (input == nullptr || input->type.is_state()) {
      throw Error(Code::kBadInput, "function '" + function_.name + "' has no input '" + name +
                                       "'; it has: " + (known.empty() ? "none" : known));
    }
  }
}

std::shared_ptr<const Callable::Way> Callable::make_way(const Tensors& inputs, bool watches) const {
  auto way = std::make_shared<Way>();
  way->program = std::make_shared<mil::Program>();
  way->program->functions.push_back(specialise(function_, shapes_of(inputs), options_.arithmetic));
  mil::Function& function = *way->program->functions.front();
  if (is_static(function)) {
    auto& outputs = function.body.outputs;
    const std::vector<mil::Value*> asked = outputs;
    Options options = options_;
    if (watches) {
      options.fuse = false;
      for (const auto& op : function.body.ops) {
        for (const auto& output : op->outputs) {
          if (output->is_constant()) continue;
          way->watched.emplace_back(op.get(), output.get());
          if (std::find(asked.begin(), asked.end(), output.get()) == asked.end()) {
            outputs.push_back(output.get());
          }
        }
      }
    }
    try {
      way->executable = Executable::compile(way->program, function.name, options, layout_);
      return way;
    } catch (const Error& error) {
      if (error.code() != Code::kUnsupported) throw;
      way->why = error.what();
    }
    way->watched.clear();
    outputs = asked;
  } else {
    way->why = "it has control flow, lists or shapes that only a call shows";
  }
  way->interpreter =
      std::make_unique<Interpreter>(function, options_.arithmetic, options_.limits, options_.stop);
  return way;
}

std::shared_ptr<const Callable::Way> Callable::way_for(const Tensors& inputs) {
  const std::string key = key_of(inputs);
  std::lock_guard lock(mutex_);
  for (auto at = ways_.begin(); at != ways_.end(); ++at) {
    if (at->first != key) continue;
    ways_.splice(ways_.begin(), ways_, at);
    return ways_.front().second;
  }
  ways_.emplace_front(key, make_way(inputs, false));
  if (ways_.size() > kMaxWays) ways_.pop_back();
  return ways_.front().second;
}

Callable::Tensors Callable::run_plan(const Way& way, const Tensors& inputs, State* state) const {
  const Executable& executable = *way.executable;
  std::vector<Feed> feeds;
  std::vector<Tensor> converted;
  converted.reserve(inputs.size());
  for (const auto& input : executable.function().inputs) {
    if (input->type.is_state()) continue;
    const Tensor& given = inputs.find(input->name)->second;
    converted.push_back(is_fed_as_is(given.dtype(), input->type.dtype)
                            ? given.resident()
                            : convert(given, input->type.dtype));
    const Tensor& fed = converted.back();
    feeds.push_back({input->name, fed.dtype(), fed.data().data(), fed.count()});
  }
  struct Made {
    const mil::Value* value;
    DType dtype;
    std::vector<std::byte> bytes;
  };
  std::vector<Made> made;
  std::vector<Fetch> fetches;
  made.reserve(executable.function().body.outputs.size());
  for (const mil::Value* output : executable.function().body.outputs) {
    DType dtype = output->type.dtype;
    if (dtype == DType::kF16 && options_.arithmetic == Arithmetic::kFloat32) dtype = DType::kF32;
    const std::int64_t count = element_count(output->type.shape);
    made.push_back({output, dtype,
                    std::vector<std::byte>(static_cast<std::size_t>(
                        size_bytes(dtype, static_cast<std::uint64_t>(count))))});
    fetches.push_back({output->name, dtype, made.back().bytes.data(), count});
  }
  executable.run(feeds, state, fetches);
  Tensors outputs;
  for (Made& one : made) {
    outputs[one.value->name] =
        Tensor(one.dtype, one.value->type.shape, own_bytes(std::move(one.bytes)));
  }
  return outputs;
}

Callable::Tensors Callable::run_interpreted(const Way& way, const Tensors& inputs, State* state,
                                            const Watch& watch) const {
  const bool has_states = std::any_of(function_.inputs.begin(), function_.inputs.end(),
                                      [](const auto& input) { return input->type.is_state(); });
  if (has_states && state == nullptr) {
    throw Error(Code::kUsage, "function '" + function_.name + "' needs a State");
  }
  if (state != nullptr && !layout_->suits(*state->contents_->layout)) {
    throw Error(Code::kUsage, "function '" + function_.name +
                                  "' was given the State of another program or arithmetic");
  }
  std::unique_lock<std::mutex> turn;
  if (state != nullptr) turn = std::unique_lock(state->contents_->turn);
  const StateAccess access = {
      .read = [&](std::string_view name) { return state->contents_->read(name); },
      .write = [&](std::string_view name, Tensor value) { state->contents_->write(name, value); }};
  return way.interpreter->run(inputs, access, watch);
}

Callable::Tensors Callable::run(const Tensors& inputs, State* state) {
  check_inputs(inputs);
  const auto way = way_for(inputs);
  return way->executable != nullptr ? run_plan(*way, inputs, state)
                                    : run_interpreted(*way, inputs, state, {});
}

Callable::Tensors Callable::trace(const Tensors& inputs, State* state, const Watch& watch) const {
  check_inputs(inputs);
  const auto way = make_way(inputs, true);
  if (way->executable == nullptr) return run_interpreted(*way, inputs, state, watch);
  Tensors outputs = run_plan(*way, inputs, state);
  for (const auto& [op, value] : way->watched) watch(*op, *value, outputs.at(value->name));
  Tensors asked;
  for (const mil::Value* output : function_.body.outputs) {
    asked[output->name] = outputs.at(output->name);
  }
  return asked;
}

PlanReport Callable::plan_report(const Tensors& inputs) {
  check_inputs(inputs);
  const auto way = way_for(inputs);
  if (way->executable != nullptr) return way->executable->plan_report();
  return {.function = function_.name, .why_interpreted = way->why, .target = {}};
}

}  // namespace anemone::engine
