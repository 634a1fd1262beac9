#include "anemone/engine/engine.h"

#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/engine/planner.h"
#include "anemone/engine/target.h"

namespace anemone::engine {

Executable::Executable(std::unique_ptr<const Plan> plan) : plan_(std::move(plan)) {}
Executable::~Executable() = default;

std::shared_ptr<const Executable> Executable::compile(std::shared_ptr<const mil::Program> program,
                                                      std::string_view function,
                                                      const Options& options) {
  return compile(std::move(program), function, options, nullptr);
}

std::shared_ptr<const Executable> Executable::compile(std::shared_ptr<const mil::Program> program,
                                                      std::string_view function,
                                                      const Options& options,
                                                      std::shared_ptr<const StateLayout> layout) {
  ANEMONE_CHECK(program != nullptr);
  choose_target();
  const mil::Function* found = program->find_function(function);
  if (found == nullptr) {
    std::string known;
    for (const auto& candidate : program->functions) {
      known += (known.empty() ? "" : ", ") + candidate->name;
    }
    throw Error(Code::kNotFound,
                "no function '" + std::string(function) + "'; the program has: " + known);
  }
  return std::shared_ptr<const Executable>(
      new Executable(Planner(std::move(program), *found, options, std::move(layout)).make()));
}

std::unique_ptr<State> Executable::make_state() const {
  return std::unique_ptr<State>(new State(plan_->states));
}

void Executable::run(std::span<const Feed> feeds, State* state,
                     std::span<const Fetch> fetches) const {
  std::byte* memory = checked_memory(state);
  std::unique_lock<std::mutex> turn;
  if (state != nullptr) turn = std::unique_lock(state->contents_->turn);
  plan_->run(feeds, memory, fetches);
}

std::string Executable::profile(std::span<const Feed> feeds, State* state,
                                std::span<const Fetch> fetches, int runs) const {
  std::byte* memory = checked_memory(state);
  std::unique_lock<std::mutex> turn;
  if (state != nullptr) turn = std::unique_lock(state->contents_->turn);
  std::vector<double> seconds(plan_->steps.size());
  for (int i = 0; i < runs; ++i) plan_->run(feeds, memory, fetches, &seconds);
  for (double& total : seconds) total /= runs;
  return plan_->profile_text(seconds);
}

std::byte* Executable::checked_memory(State* state) const {
  if (state == nullptr) {
    if (!plan_->uses_states) return nullptr;
    throw Error(Code::kUsage, "function '" + plan_->function->name + "' needs a State");
  }
  if (!plan_->states->suits(*state->contents_->layout)) {
    throw Error(Code::kUsage, "function '" + plan_->function->name +
                                  "' was given the State of another program or arithmetic");
  }
  return state->contents_->memory.data();
}

const mil::Function& Executable::function() const { return *plan_->function; }
PlanReport Executable::plan_report() const { return plan_->report(); }
std::size_t Executable::arena_bytes() const { return plan_->arena_bytes; }

}  // namespace anemone::engine
