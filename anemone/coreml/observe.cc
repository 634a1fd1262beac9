#include "anemone/coreml/observe.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "anemone/base/check.h"
#include "anemone/coreml/calls.h"
#include "anemone/coreml/compiled.h"
#include "anemone/coreml/framework.h"

namespace anemone::coreml {
namespace {

// Seconds that `work` took.
template <typename Work>
double timed(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Observer {
 public:
  Observer(const std::filesystem::path& package, const Options& options, const ObserveOptions& what,
           const StageDone& done, const StopFlag* stop, const StepDone& step_done)
      : package_(package),
        options_(options),
        what_(what),
        done_(done),
        stop_(stop),
        step_done_(step_done) {
    find_function();
    check_call(package.string() + ": function '" + function_.name + "'", function_, what.feeds,
               what.fetches);
    found_.units = options.units;
    found_.function = function_.name;
  }

  Observation run() {
    found_.footprint_before_bytes = footprint().now_bytes;
    if (!compile() || !load()) return std::move(found_);
    if (what_.reads_plan) read_plan();
    if (make_memory()) predict();
    return std::move(found_);
  }

 private:
  void find_function() {
    const auto functions = read_interfaces(package_);
    is_only_ = functions.size() == 1;
    if (what_.function.empty() && is_only_) {
      function_ = functions.front();
      return;
    }
    std::string names;
    for (const auto& function : functions) {
      names += (names.empty() ? "" : ", ") + function.name;
      if (function.name == what_.function) function_ = function;
    }
    if (!function_.name.empty()) return;
    throw Error(Code::kNotFound,
                package_.string() +
                    (what_.function.empty()
                         ? ": has several functions; one of "
                         : ": there is no function '" + what_.function + "'; there are ") +
                    names + (what_.function.empty() ? " must be named" : ""));
  }

  bool stage_done(std::string_view stage, std::optional<Failure> failure = std::nullopt) {
    const bool is_good = !failure;
    if (failure) found_.failures.push_back(std::move(*failure));
    if (done_) done_(stage, found_);
    if (stop_ != nullptr) stop_->throw_if_set();
    return is_good;
  }

  bool compile() {
    auto compiled = compiled_package(package_, options_);
    found_.compiled = std::move(compiled.path);
    found_.compile_seconds = compiled.seconds;
    return stage_done("compile", std::move(compiled.failure));
  }

  // Twice: the first load may find nothing prepared, the second one does.
  bool load() {
    const std::string name = is_only_ ? std::string() : function_.name;
    for (std::optional<double>* seconds :
         {&found_.first_load_seconds, &found_.second_load_seconds}) {
      framework::Answer<std::unique_ptr<framework::Model>> answer;
      const double took = timed([&] {
        answer = framework::load(found_.compiled, name, options_.units, options_.timeout_seconds);
      });
      if (answer.failure) return stage_done("load", std::move(answer.failure));
      *seconds = took;
      model_ = std::move(answer.value);
    }
    found_.footprint_loaded_bytes = footprint().now_bytes;
    return stage_done("load");
  }

  void read_plan() {
    auto answer = framework::read_plan(found_.compiled, is_only_ ? "" : function_.name,
                                       options_.units, options_.timeout_seconds);
    found_.has_plan = !answer.failure;
    if (found_.has_plan) found_.plan = std::move(answer.value);
    stage_done("plan", std::move(answer.failure));
  }

  bool make_memory() {
    found_.state_bytes = 0;
    if (function_.states.empty()) return true;
    auto answer = model_->make_memory();
    memory_ = std::move(answer.value);
    for (const generate::Port& state : function_.states) {
      *found_.state_bytes += anemone::size_bytes(
          state.type.dtype, static_cast<std::uint64_t>(element_count(state.type.shape)));
    }
    return stage_done("state", std::move(answer.failure));
  }

  void predict() {
    std::optional<Failure> failure;
    const double first =
        timed([&] { failure = model_->predict(what_.feeds, memory_.get(), what_.fetches); });
    if (!failure) {
      found_.first_prediction_seconds = first;
      if (step_done_) step_done_(0, found_);
    }
    for (int i = 0; i < what_.predictions && !failure; ++i) {
      if (stop_ != nullptr) stop_->throw_if_set();
      const double took = timed([&] { failure = model_->predict(what_.feeds, memory_.get(), {}); });
      if (failure) break;
      found_.steady_seconds.push_back(took);
      if (step_done_) step_done_(i + 1, found_);
    }
    const Footprint at_end = footprint();
    found_.footprint_after_bytes = at_end.now_bytes;
    found_.footprint_peak_bytes = at_end.peak_bytes;
    stage_done("predict", std::move(failure));
  }

  const std::filesystem::path package_;
  const Options& options_;
  const ObserveOptions& what_;
  const StageDone& done_;
  const StopFlag* stop_;
  const StepDone& step_done_;
  generate::FunctionInterface function_;
  bool is_only_ = false;
  std::unique_ptr<framework::Model> model_;
  std::unique_ptr<framework::Memory> memory_;
  Observation found_;
};

}  // namespace

const Failure* Observation::find_failure(std::string_view stage) const {
  for (const Failure& failure : failures) {
    if (failure.stage == stage) return &failure;
  }
  return nullptr;
}

std::optional<double> Observation::steady_percentile(double share) const {
  ANEMONE_CHECK(share > 0 && share <= 1) << share;
  if (steady_seconds.empty()) return std::nullopt;
  std::vector<double> sorted = steady_seconds;
  std::sort(sorted.begin(), sorted.end());
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(sorted.size())));
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

Observation observe(const std::filesystem::path& package, const Options& options,
                    const ObserveOptions& what, const StageDone& done, const StopFlag* stop,
                    const StepDone& step_done) {
  require_available();
  return Observer(package, options, what, done, stop, step_done).run();
}

}  // namespace anemone::coreml
