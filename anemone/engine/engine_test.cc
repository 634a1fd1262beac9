#include "anemone/engine/engine.h"

#include <thread>

#include "anemone/base/error.h"
#include "anemone/engine/testing.h"
#include "anemone/engine/testing_decoder.h"

namespace anemone::engine {
namespace {

template <typename Body>
std::string message_of(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// What a host passes for `rows` positions from `position` on.
Tensors decoder_inputs(const DecoderShape& s, std::int64_t position, std::int64_t rows,
                       const Tensor& cache) {
  Numbers numbers(static_cast<unsigned>(1000 + position));
  const bool is_host = s.kv == KvForm::kHost;
  const std::int64_t keys = s.context + (is_host ? rows : 0);
  std::vector<double> cos, sin, mask, write(static_cast<std::size_t>(s.context * rows));
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t i = 0; i < s.head_dim; ++i) {
      const double angle = static_cast<double>(position + r) /
                           std::pow(100.0, static_cast<double>(i % (s.head_dim / 2)) /
                                               static_cast<double>(s.head_dim / 2));
      cos.push_back(std::cos(angle));
      sin.push_back(std::sin(angle));
    }
    for (std::int64_t k = 0; k < keys; ++k) {
      const bool is_seen = !is_host        ? k <= position + r
                           : k < s.context ? k < position
                                           : k - s.context <= r;
      mask.push_back(is_seen ? 0 : -1e4);
    }
    write[static_cast<std::size_t>((position + r) * rows + r)] = 1;
  }
  const Shape angles = {1, 1, rows, s.head_dim};
  Tensors inputs;
  inputs["hidden"] = numbers.tensor(DType::kF16, {1, rows, s.hidden}, -2, 2);
  inputs["cos"] = Tensor::from_doubles(DType::kF16, angles, cos);
  inputs["sin"] = Tensor::from_doubles(DType::kF16, angles, sin);
  inputs["mask"] = Tensor::from_doubles(DType::kF16, {1, 1, rows, keys}, mask);
  if (s.kv == KvForm::kSlice) inputs["position"] = Tensor::ints(std::vector{position});
  if (s.kv == KvForm::kBlend) {
    inputs["write"] = Tensor::from_doubles(DType::kF16, {1, 1, s.context, rows}, write);
  }
  if (is_host) inputs["kv"] = cache;
  return inputs;
}

// Puts kv_new, (2L, K, rows, D), into the host's cache at `position`.
Tensor stored(const DecoderShape& s, const Tensor& cache, const Tensor& fresh,
              std::int64_t position, std::int64_t rows) {
  std::vector<double> all = cache.to_doubles();
  const std::vector<double> values = fresh.to_doubles();
  for (std::int64_t i = 0; i < fresh.count(); ++i) {
    const std::int64_t d = i % s.head_dim;
    const std::int64_t row = i / s.head_dim % rows;
    const std::int64_t head = i / s.head_dim / rows;
    all[static_cast<std::size_t>((head * s.context + position + row) * s.head_dim + d)] =
        values[static_cast<std::size_t>(i)];
  }
  return Tensor::from_doubles(DType::kF16, cache.shape(), all);
}

struct Stream {
  std::vector<Tensor> outputs;  // of two blocks and three single steps
  std::vector<float> kv;
};

// `run(function, inputs)` gives the outputs.
template <typename RunFunction>
Stream stream_of(const DecoderShape& s, const RunFunction& run) {
  Stream stream;
  const Shape cache_shape = {2 * s.layers, s.kv_heads, s.context, s.head_dim};
  Tensor cache = Tensor::from_doubles(
      DType::kF16, cache_shape,
      std::vector<double>(static_cast<std::size_t>(element_count(cache_shape))));
  std::int64_t position = 0;
  const auto step = [&](const char* function, std::int64_t rows) {
    Tensors outputs = run(function, decoder_inputs(s, position, rows, cache));
    stream.outputs.push_back(outputs.at("hidden_out"));
    if (s.kv == KvForm::kHost) cache = stored(s, cache, outputs.at("kv_new"), position, rows);
    position += rows;
  };
  step("prefill", s.prefill);
  step("prefill", s.prefill);
  for (int i = 0; i < 3; ++i) step("decode", 1);
  if (s.kv == KvForm::kHost) stream.kv = cache.to_floats();
  return stream;
}

Stream stream_by_plan(const DecoderShape& s, const std::shared_ptr<mil::Program>& program,
                      const Options& options) {
  const auto decode = Executable::compile(program, "decode", options);
  const auto prefill = Executable::compile(program, "prefill", options);
  const auto state = prefill->make_state();
  Stream stream = stream_of(s, [&](const std::string& function, const Tensors& inputs) {
    return run_plan(function == "decode" ? *decode : *prefill, state.get(), inputs);
  });
  if (s.kv != KvForm::kHost) stream.kv = state->read("kv");
  return stream;
}

Stream stream_by_reference(const DecoderShape& s, const std::shared_ptr<mil::Program>& program,
                           Arithmetic arithmetic) {
  Reference reference(program, arithmetic);
  Stream stream = stream_of(s, [&](const std::string& function, const Tensors& inputs) {
    return reference.run(function, inputs);
  });
  if (s.kv != KvForm::kHost) stream.kv = reference.state("kv").to_floats();
  return stream;
}

double largest_difference(const Tensor& a, const Tensor& b) {
  const auto x = a.to_doubles();
  const auto y = b.to_doubles();
  double largest = 0;
  for (std::size_t i = 0; i < x.size(); ++i) largest = std::max(largest, std::abs(x[i] - y[i]));
  return largest;
}

std::vector<DecoderShape> decoder_shapes() {
  std::vector<DecoderShape> shapes;
  for (const bool channels_first : {true, false}) {
    for (const KvForm kv : {KvForm::kSlice, KvForm::kBlend, KvForm::kHost}) {
      DecoderShape s;
      s.channels_first = channels_first;
      s.kv = kv;
      shapes.push_back(s);
    }
  }
  return shapes;
}

// fp16: values of up to about 8 that went through a few dozen roundings of relative size 2^-11,
// each of which either side may do the other way. fp32: the same chain at 2^-24.
constexpr double kFp16Difference = 8 * 16 * 0x1p-11;
constexpr double kFp32Difference = 8 * 16 * 0x1p-24;

TEST(Executable, RunsADecoderAsTheReferenceDoes) {
  for (const DecoderShape& s : decoder_shapes()) {
    const auto program = DecoderMaker(s).make();
    for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
      const bool is_fp32 = arithmetic == Arithmetic::kFloat32;
      const Stream expected = stream_by_reference(s, program, arithmetic);
      Options options;
      options.arithmetic = arithmetic;
      const Stream actual = stream_by_plan(s, program, options);
      for (std::size_t i = 0; i < expected.outputs.size(); ++i) {
        EXPECT_LT(largest_difference(actual.outputs[i], expected.outputs[i]),
                  is_fp32 ? kFp32Difference : kFp16Difference)
            << "step " << i << ", channels first " << s.channels_first << ", kv "
            << static_cast<int>(s.kv) << ", fp32 " << is_fp32;
      }
      ASSERT_EQ(actual.kv.size(), expected.kv.size());
      double largest = 0;
      for (std::size_t i = 0; i < actual.kv.size(); ++i) {
        largest = std::max<double>(largest, std::abs(actual.kv[i] - expected.kv[i]));
      }
      EXPECT_LT(largest, is_fp32 ? kFp32Difference : kFp16Difference);
      EXPECT_GT(std::abs(actual.kv[0]), 0);
    }
  }
}

TEST(Executable, GivesTheSameBitsForAnyNumberOfThreadsFusedOrNot) {
  for (const DecoderShape& s : decoder_shapes()) {
    const auto program = DecoderMaker(s).make();
    for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
      std::vector<Stream> streams;
      for (const bool fuse : {true, false}) {
        for (const int threads : {1, 2, 3}) {
          Options options;
          options.arithmetic = arithmetic;
          options.fuse = fuse;
          options.pool = std::make_shared<ThreadPool>(threads);
          streams.push_back(stream_by_plan(s, program, options));
        }
      }
      for (std::size_t i = 1; i < streams.size(); ++i) {
        EXPECT_EQ(streams[i].outputs, streams[0].outputs) << i;
        EXPECT_EQ(streams[i].kv, streams[0].kv) << i;
      }
    }
  }
}

TEST(Executable, UpdatesTheCacheInPlaceAndReadsItWhereItLies) {
  DecoderShape s;
  const auto program = DecoderMaker(s).make();
  for (const char* function : {"decode", "prefill"}) {
    const auto executable = Executable::compile(program, function);
    const std::string text = executable->plan_text();
    EXPECT_NE(text.find("slice_update in place"), std::string::npos) << text;
    EXPECT_EQ(text.find("copy of state"), std::string::npos) << text;
    EXPECT_EQ(text.find("copy to state"), std::string::npos) << text;
    EXPECT_EQ(text.find("eval"), std::string::npos) << text;
  }
  // Nothing in working memory is as large as a row of the cache would be as fp32.
  EXPECT_LT(Executable::compile(program, "decode")->arena_bytes(),
            static_cast<std::size_t>(s.layers * 2 * s.kv_heads * s.context * s.head_dim * 4));
}

TEST(Executable, BlendsTheCacheRowByRowInPlace) {
  DecoderShape s;
  s.layers = 8;
  s.kv = KvForm::kBlend;
  const auto program = DecoderMaker(s).make();
  const auto executable = Executable::compile(program, "decode");
  const std::string text = executable->plan_text();
  EXPECT_EQ(text.find("copy of state"), std::string::npos) << text;
  EXPECT_NE(text.find("concat: in place"), std::string::npos) << text;
  // A few rows of the cache as fp32 at a time, far from all.
  EXPECT_LT(executable->arena_bytes(),
            static_cast<std::size_t>(s.layers * 2 * s.kv_heads * s.context * s.head_dim * 4) / 2);
}

TEST(Executable, RunsEveryOpOfADecoderWithoutFallingBack) {
  for (const DecoderShape& s : decoder_shapes()) {
    const auto program = DecoderMaker(s).make();
    for (const char* function : {"decode", "prefill"}) {
      const std::string text = Executable::compile(program, function)->plan_text();
      EXPECT_EQ(text.find(": eval"), std::string::npos) << text;
    }
  }
}

TEST(Executable, ServesTwoThreadsAtOnceOverOnePool) {
  DecoderShape s;
  const auto program = DecoderMaker(s).make();
  Options options;
  options.pool = std::make_shared<ThreadPool>(3);
  const Stream expected = stream_by_plan(s, program, options);
  const auto decode = Executable::compile(program, "decode", options);
  const auto prefill = Executable::compile(program, "prefill", options);
  std::vector<Stream> streams(2);
  std::vector<std::thread> threads;
  for (Stream& stream : streams) {
    threads.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        const auto state = decode->make_state();
        stream = stream_of(s, [&](const std::string& function, const Tensors& inputs) {
          return run_plan(function == "decode" ? *decode : *prefill, state.get(), inputs);
        });
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Stream& stream : streams) EXPECT_EQ(stream.outputs, expected.outputs);
}

TEST(State, StartsAtZeroAndGoesBackToIt) {
  DecoderShape s;
  const auto program = DecoderMaker(s).make();
  const auto executable = Executable::compile(program, "decode");
  const auto state = executable->make_state();
  EXPECT_EQ(state->names(), std::vector<std::string>{"kv"});
  const auto count = static_cast<std::size_t>(2 * s.layers * s.kv_heads * s.context * s.head_dim);
  EXPECT_EQ(state->size_bytes(), count * 2);
  EXPECT_EQ(state->read("kv"), std::vector<float>(count));
  std::vector<float> values(count, 0.1f);
  state->write("kv", values);
  EXPECT_EQ(state->read("kv"), std::vector<float>(count, round_to_f16(0.1f)));
  state->reset();
  EXPECT_EQ(state->read("kv"), std::vector<float>(count));
  EXPECT_EQ(message_of([&] { state->read("keys"); }), "no state 'keys'; there are: kv");
  values.pop_back();
  EXPECT_EQ(message_of([&] { state->write("kv", values); }),
            "state 'kv' is tensor<fp16, [4, 2, 32, 8]>, 2048 elements; got 2047");
}

TEST(State, BelongsToOneProgramAndArithmetic) {
  DecoderShape s;
  const auto program = DecoderMaker(s).make();
  Options fp32;
  fp32.arithmetic = Arithmetic::kFloat32;
  const auto state = Executable::compile(program, "decode", fp32)->make_state();
  const auto executable = Executable::compile(program, "decode");
  EXPECT_EQ(message_of([&] { executable->run({}, state.get(), {}); }),
            "function 'decode' was given the State of another program or arithmetic");
  EXPECT_EQ(message_of([&] { executable->run({}, nullptr, {}); }),
            "function 'decode' needs a State");
}

TEST(State, IsWhatItsFunctionSaysWhereAnotherSaysOtherwise) {
  const auto program = std::make_shared<mil::Program>();
  for (const std::int64_t length : {2, 3}) {
    mil::Builder b(program->add_function("of" + std::to_string(length), mil::Opset::kIos18));
    mil::Value* cache = b.input("cache", mil::Type::state(DType::kF16, {length}));
    b.set_outputs({b.add("read_state", "y", {{"input", cache}})});
  }
  const auto two = Executable::compile(program, "of2");
  const auto three = Executable::compile(program, "of3");
  const auto state = three->make_state();
  state->write("cache", std::vector<float>{1, 2, 3});
  std::vector<float> y(3);
  three->run({}, state.get(), std::vector<Fetch>{{"y", DType::kF32, y.data(), 3}});
  EXPECT_EQ(y, (std::vector<float>{1, 2, 3}));
  EXPECT_EQ(two->make_state()->read("cache").size(), 2u);
  EXPECT_EQ(message_of([&] { two->run({}, state.get(), {}); }),
            "function 'of2' was given the State of another program or arithmetic");
}

class Ports : public ::testing::Test {
 protected:
  Ports() {
    program_ = std::make_shared<mil::Program>();
    mil::Builder b(program_->add_function("main", mil::Opset::kIos18));
    mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {2, 3}));
    mil::Value* n = b.input("n", mil::Type::tensor(DType::kI32, {1}));
    b.set_outputs({b.add("add", "y", {{"x", x}, {"y", x}}),
                   b.add("add", "m", {{"x", n}, {"y", std::vector<std::int64_t>{1}}})});
    executable_ = Executable::compile(program_, "main");
  }
  std::string refusal(std::vector<Feed> feeds, std::vector<Fetch> fetches) {
    return message_of([&] { executable_->run(feeds, nullptr, fetches); });
  }

  std::shared_ptr<mil::Program> program_;
  std::shared_ptr<const Executable> executable_;
  std::vector<float> x_ = {1, 2, 3, 4, 5, 0.1f};
  std::int32_t n_ = 41;
  std::vector<float> y_ = std::vector<float>(6);
};

TEST_F(Ports, ConvertWhatIsPassed) {
  std::vector<f16> halves;
  for (const float value : x_) halves.push_back(to_f16(value));
  std::vector<f16> y_halves(6);
  std::int32_t m = 0;
  executable_->run(std::vector<Feed>{{"x", DType::kF32, x_.data(), 6}, {"n", DType::kI32, &n_, 1}},
                   nullptr,
                   std::vector<Fetch>{{"y", DType::kF32, y_.data(), 6}, {"m", DType::kI32, &m, 1}});
  EXPECT_EQ(m, 42);
  EXPECT_EQ(y_[4], 10);
  EXPECT_EQ(y_[5], 2 * round_to_f16(0.1f));
  executable_->run(
      std::vector<Feed>{{"x", DType::kF16, halves.data(), 6}, {"n", DType::kI32, &n_, 1}}, nullptr,
      std::vector<Fetch>{{"y", DType::kF16, y_halves.data(), 6}});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(to_float(y_halves[i]), y_[i]);
}

TEST_F(Ports, AreNamedWhenRefused) {
  const Feed x{"x", DType::kF32, x_.data(), 6};
  const Feed n{"n", DType::kI32, &n_, 1};
  EXPECT_EQ(refusal({x}, {}), "input 'n' of function 'main' (tensor<int32, [1]>) is missing");
  EXPECT_EQ(refusal({x, n, {"z", DType::kF32, x_.data(), 6}}, {}),
            "function 'main' has no input 'z'; it has: x, n");
  EXPECT_EQ(refusal({x, x, n}, {}),
            "input 'x' of function 'main' (tensor<fp16, [2, 3]>) is given twice");
  EXPECT_EQ(refusal({{"x", DType::kF32, x_.data(), 5}, n}, {}),
            "input 'x' of function 'main' (tensor<fp16, [2, 3]>) has 6 elements; the feed has 5");
  EXPECT_EQ(refusal({{"x", DType::kI32, x_.data(), 6}, n}, {}),
            "input 'x' of function 'main' (tensor<fp16, [2, 3]>) cannot be passed as int32");
  EXPECT_EQ(refusal({x, n}, {{"z", DType::kF32, y_.data(), 6}}),
            "function 'main' has no output 'z'; it has: y, m");
  EXPECT_EQ(refusal({x, n}, {{"y", DType::kF32, y_.data(), 7}}),
            "output 'y' of function 'main' (tensor<fp16, [2, 3]>) has 6 elements; the fetch has 7");
  EXPECT_EQ(refusal({x, n}, {{"m", DType::kF32, y_.data(), 1}}),
            "output 'm' of function 'main' (tensor<int32, [1]>) cannot be passed as fp32");
}

TEST(Executable, SaysWhichFunctionsThereAre) {
  const auto program = DecoderMaker(DecoderShape{}).make();
  EXPECT_EQ(message_of([&] { Executable::compile(program, "main"); }),
            "no function 'main'; the program has: decode, prefill");
}

}  // namespace
}  // namespace anemone::engine
