#include "anemone/engine/plan.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <set>

#include "anemone/base/error.h"

namespace anemone::engine {
namespace {

// "input 'x' of function 'decode' (tensor<fp16, [1, 64]>)"
template <typename Port>
std::string describe(const char* what, const Port& port, const mil::Function& function) {
  return std::string(what) + " '" + port.name + "' of function '" + function.name + "' (" +
         mil::to_string(port.type) + ")";
}

template <typename Ports>
std::string names_of(const Ports& ports) {
  std::string names;
  for (const auto& port : ports) names += (names.empty() ? "" : ", ") + port.name;
  return names.empty() ? "none" : names;
}

template <typename Ports>
std::size_t find_port(const char* what, const Ports& ports, std::string_view name,
                      const mil::Function& function) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (ports[i].name == name) return i;
  }
  throw Error(Code::kBadInput, "function '" + function.name + "' has no " + what + " '" +
                                   std::string(name) + "'; it has: " + names_of(ports));
}

void require_count(const char* what, const std::string& described, std::int64_t got,
                   std::int64_t wanted) {
  if (got == wanted) return;
  throw Error(Code::kBadInput, described + " has " + std::to_string(wanted) + " elements; the " +
                                   what + " has " + std::to_string(got));
}

[[noreturn]] void refuse_dtype(const std::string& described, DType dtype) {
  throw Error(Code::kBadInput, described + " cannot be passed as " + std::string(name(dtype)));
}

}  // namespace

Region Plan::borrow() const {
  {
    std::lock_guard lock(idle_mutex_);
    if (!idle_.empty()) {
      Region region = std::move(idle_.back());
      idle_.pop_back();
      return region;
    }
  }
  return Region(arena_bytes);
}

void Plan::give_back(Region region) const {
  std::lock_guard lock(idle_mutex_);
  idle_.push_back(std::move(region));
}

std::vector<std::uintptr_t> Plan::place(std::span<const Feed> feeds, std::byte* state_memory,
                                        std::byte* arena) const {
  std::vector<std::uintptr_t> bases(kFirstInputSlot + inputs.size() + 1);
  bases[kArenaSlot] = reinterpret_cast<std::uintptr_t>(arena);
  bases.back() = reinterpret_cast<std::uintptr_t>(state_memory);
  std::vector<bool> fed(inputs.size());
  for (const Feed& feed : feeds) {
    const std::size_t i = find_port("input", inputs, feed.name, *function);
    const InputPlan& input = inputs[i];
    const std::string described = describe("input", input, *function);
    if (fed[i]) throw Error(Code::kBadInput, described + " is given twice");
    fed[i] = true;
    require_count("feed", described, feed.count, input.count);
    const bool is_rounded = input.rounds && feed.dtype == DType::kF32;
    if (feed.dtype == input.stored && !is_rounded) {
      bases[kFirstInputSlot + i] = reinterpret_cast<std::uintptr_t>(feed.data);
      continue;
    }
    if (!Transfer::can(feed.dtype, input.stored)) refuse_dtype(described, feed.dtype);
    std::byte* staging = arena + memories[static_cast<std::size_t>(input.memory)].offset;
    Transfer(dense_view(-1, feed.dtype, {input.count}), dense_view(-1, input.stored, {input.count}),
             is_rounded)
        .run(feed.data, staging);
    bases[kFirstInputSlot + i] = reinterpret_cast<std::uintptr_t>(staging);
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!fed[i]) {
      throw Error(Code::kBadInput, describe("input", inputs[i], *function) + " is missing");
    }
  }
  return bases;
}

void Plan::fetch(std::span<const Fetch> fetches, const std::vector<std::uintptr_t>& bases) const {
  for (const Fetch& fetch : fetches) {
    const OutputPlan& output = outputs[find_port("output", outputs, fetch.name, *function)];
    const DType stored = output.view.stored;
    const Transfer& transfer = fetch.dtype == stored        ? output.as_stored
                               : fetch.dtype == DType::kF16 ? output.as_f16
                                                            : output.as_f32;
    transfer.run(
        reinterpret_cast<const std::byte*>(bases[output.operand.slot] + output.operand.offset),
        fetch.data);
  }
}

void Plan::run(std::span<const Feed> feeds, std::byte* state_memory, std::span<const Fetch> fetches,
               std::vector<double>* step_seconds) const {
  // Everything that can be refused is refused before anything is computed.
  for (const Fetch& fetch : fetches) {
    const OutputPlan& output = outputs[find_port("output", outputs, fetch.name, *function)];
    const std::string described = describe("output", output, *function);
    require_count("fetch", described, fetch.count, output.view.count());
    const DType stored = output.view.stored;
    const bool is_float_to_float =
        is_float(stored) && (fetch.dtype == DType::kF16 || fetch.dtype == DType::kF32);
    if (fetch.dtype != stored && !is_float_to_float) refuse_dtype(described, fetch.dtype);
  }
  struct Lease {
    const Plan& plan;
    Region region;
    ~Lease() { plan.give_back(std::move(region)); }
  } lease{*this, borrow()};
  const std::vector<std::uintptr_t> bases = place(feeds, state_memory, lease.region.data());
  std::vector<std::byte*> operands(most_operands);
  using Clock = std::chrono::steady_clock;
  auto before = Clock::now();
  for (std::size_t number = 0; number < steps.size(); ++number) {
    const Step& step = steps[number];
    if (stop != nullptr) stop->throw_if_set();
    for (std::size_t i = 0; i < step.operands.size(); ++i) {
      const Operand& operand = step.operands[i];
      operands[i] = reinterpret_cast<std::byte*>(bases[operand.slot] + operand.offset);
    }
    step.kernel->run(Run({operands.data(), step.operands.size()}, pool.get()));
    if (step_seconds != nullptr) {
      const auto now = Clock::now();
      (*step_seconds)[number] += std::chrono::duration<double>(now - before).count();
      before = now;
    }
  }
  fetch(fetches, bases);
}

std::string Plan::profile_text(const std::vector<double>& step_seconds) const {
  struct Total {
    double seconds = 0;
    int steps = 0;
  };
  std::map<std::string, Total> totals;
  double all = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Line& line = lines[steps[i].line];
    Total& total = totals[line.type + (line.type.empty() ? "" : ": ") + line.how];
    total.seconds += step_seconds[i];
    ++total.steps;
    all += step_seconds[i];
  }
  std::vector<std::pair<std::string, Total>> sorted(totals.begin(), totals.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  std::string text;
  for (const auto& [what, total] : sorted) {
    char numbers[64];
    std::snprintf(numbers, sizeof(numbers), "%5.1f %%  %9.6f s  %5d  ", 100 * total.seconds / all,
                  total.seconds, total.steps);
    text += numbers + what + "\n";
  }
  return text;
}

PlanReport Plan::report() const {
  PlanReport report{.function = function->name, .why_interpreted = {}, .target = target};
  for (const Line& line : lines) {
    PlanReport::Line& one = report.lines.emplace_back();
    one = {.name = line.name,
           .op = line.type,
           .how = line.how,
           .fused_with = line.fused_with,
           .where = line.where,
           .over = line.over,
           .bytes = line.bytes};
    report.in_place += line.over.empty() ? 0 : 1;
    if (line.memory >= 0) one.offset = memories[static_cast<std::size_t>(line.memory)].offset;
  }
  report.steps = steps.size();
  report.arena_bytes = arena_bytes;
  report.live_bytes = live_bytes;
  std::set<const std::byte*> seen;
  for (const Memory& memory : memories) {
    const bool is_read = memory.kind == Memory::Kind::kConstant && memory.first >= 0;
    if (is_read && seen.insert(memory.data).second) report.weight_bytes += memory.size_bytes();
  }
  report.state_bytes = states->size_bytes();
  return report;
}

}  // namespace anemone::engine
