// How fast plans run, at the shape of Qwen3-0.6B unless the environment says otherwise:
//   ANEMONE_BENCHMARK_LAYERS=4 anemone_engine_benchmark --benchmark_filter=Decode
// ANEMONE_BENCHMARK_PROFILE=1 prints where the time of one decode and one prefill goes instead.
#include <benchmark/benchmark.h>

#include <cstdio>
#include <cstdlib>

#include "anemone/engine/engine.h"
#include "anemone/engine/testing_decoder.h"

namespace anemone::engine {
namespace {

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

DecoderShape qwen3_shape() {
  DecoderShape s;
  s.layers = from_environment("ANEMONE_BENCHMARK_LAYERS", 28);
  s.hidden = 1024;
  s.heads = 16;
  s.kv_heads = 8;
  s.head_dim = 128;
  s.feed_forward = 3072;
  s.context = 1024;
  s.prefill = 64;
  s.vocabulary = from_environment("ANEMONE_BENCHMARK_VOCABULARY", 0);
  s.channels_first = from_environment("ANEMONE_BENCHMARK_BSC", 0) == 0;
  return s;
}

struct Decoder {
  DecoderShape shape = qwen3_shape();
  std::shared_ptr<mil::Program> program = DecoderMaker(shape).make();
};

Decoder& decoder() {
  static Decoder made;
  return made;
}

// Inputs of one call and room for its output.
struct Call {
  explicit Call(std::int64_t rows, std::int32_t at) : position(at) {
    const DecoderShape& s = decoder().shape;
    hidden.assign(static_cast<std::size_t>(rows * s.hidden), 0.5f);
    angles.assign(static_cast<std::size_t>(rows * s.head_dim), 0.7f);
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t k = 0; k < s.context; ++k) mask.push_back(k <= at + r ? 0.0f : -1e4f);
    }
    const std::int64_t width = s.vocabulary > 0 ? s.vocabulary : s.hidden;
    out.resize(static_cast<std::size_t>(rows * width));
    const auto feed = [&](const char* name, const std::vector<float>& values) {
      feeds.push_back({name, DType::kF32, values.data(), static_cast<std::int64_t>(values.size())});
    };
    feed("hidden", hidden);
    feed("cos", angles);
    feed("sin", angles);
    feed("mask", mask);
    feeds.push_back({"position", DType::kI32, &position, 1});
    fetches.push_back(
        {"hidden_out", DType::kF32, out.data(), static_cast<std::int64_t>(out.size())});
  }

  std::int32_t position;
  std::vector<float> hidden, angles, mask, out;
  std::vector<Feed> feeds;
  std::vector<Fetch> fetches;
};

double weight_bytes() {
  double bytes = 0;
  const auto& function = *decoder().program->functions.front();
  mil::for_each_op(function.body, [&](const mil::Op& op, int) {
    if (op.type() == "const") bytes += static_cast<double>(op.output()->constant->size_bytes());
  });
  return bytes;
}

std::shared_ptr<const Executable> compiled(const char* function, int threads, bool fuse = true) {
  Options options;
  options.pool = std::make_shared<ThreadPool>(threads);
  options.fuse = fuse;
  return Executable::compile(decoder().program, function, options);
}

// Arguments: threads, position.
void Decode(benchmark::State& bench) {
  const auto executable = compiled("decode", static_cast<int>(bench.range(0)));
  const auto state = executable->make_state();
  Call call(1, static_cast<std::int32_t>(bench.range(1)));
  for (auto _ : bench) executable->run(call.feeds, state.get(), call.fetches);
  bench.SetItemsProcessed(bench.iterations());
  bench.SetBytesProcessed(
      static_cast<std::int64_t>(static_cast<double>(bench.iterations()) * weight_bytes()));
}
BENCHMARK(Decode)->Args({1, 100})->Args({2, 100})->Args({2, 1000})->UseRealTime()->Unit(
    benchmark::kMillisecond);

void Prefill(benchmark::State& bench) {
  const auto executable = compiled("prefill", static_cast<int>(bench.range(0)));
  const auto state = executable->make_state();
  Call call(64, static_cast<std::int32_t>(bench.range(1)));
  for (auto _ : bench) executable->run(call.feeds, state.get(), call.fetches);
  bench.SetItemsProcessed(64 * bench.iterations());
}
BENCHMARK(Prefill)->Args({1, 64})->Args({2, 64})->Args({2, 896})->UseRealTime()->Unit(
    benchmark::kMillisecond);

// What memory gives: the weights summed up as bytes.
void ReadWeights(benchmark::State& bench) {
  ThreadPool pool(static_cast<int>(bench.range(0)));
  std::vector<std::span<const std::byte>> weights;
  mil::for_each_op(decoder().program->functions.front()->body, [&](const mil::Op& op, int) {
    if (op.type() == "const") weights.push_back(op.output()->constant->data());
  });
  for (auto _ : bench) {
    for (const auto& bytes : weights) {
      pool.parallel_for(static_cast<std::int64_t>(bytes.size() / 64), 2048,
                        [&](std::int64_t begin, std::int64_t end, int) {
                          std::uint64_t sums[8] = {};
                          const auto* words = reinterpret_cast<const std::uint64_t*>(bytes.data());
                          for (std::int64_t i = begin * 8; i < end * 8; i += 8) {
                            for (int j = 0; j < 8; ++j) sums[j] += words[i + j];
                          }
                          for (std::uint64_t& sum : sums) benchmark::DoNotOptimize(sum);
                        });
    }
  }
  bench.SetBytesProcessed(
      static_cast<std::int64_t>(static_cast<double>(bench.iterations()) * weight_bytes()));
}
BENCHMARK(ReadWeights)->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

void print_profiles() {
  const int threads = static_cast<int>(from_environment("ANEMONE_BENCHMARK_THREADS", 2));
  const bool fuse = from_environment("ANEMONE_BENCHMARK_FUSE", 1) != 0;
  const std::pair<const char*, std::int64_t> functions[] = {{"decode", 1}, {"prefill", 64}};
  for (const auto& [function, rows] : functions) {
    const auto executable = compiled(function, threads, fuse);
    const auto state = executable->make_state();
    Call call(rows, static_cast<std::int32_t>(from_environment("ANEMONE_BENCHMARK_AT", 100)));
    executable->run(call.feeds, state.get(), call.fetches);
    std::printf("%s\n%s\n", function,
                executable->profile(call.feeds, state.get(), call.fetches, 5).c_str());
  }
}

}  // namespace
}  // namespace anemone::engine

int main(int argc, char** argv) {
  if (std::getenv("ANEMONE_BENCHMARK_PROFILE") != nullptr) {
    anemone::engine::print_profiles();
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
}
