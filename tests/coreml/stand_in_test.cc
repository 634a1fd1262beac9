#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "anemone/generate/runner.h"
#include "anemone/testing/toy_model.h"
#include "tests/coreml/packages.h"

namespace anemone::coreml {
namespace {

using testing::message_of;

class Predicting : public ::testing::Test {
 protected:
  std::vector<float> predict(generate::Predictor& predictor, const char* function,
                             generate::PredictorState* state, float x, std::int32_t n = 0) {
    const std::vector<float> row(40, x);
    std::vector<float> y(40);
    const engine::Feed feeds[] = {{"x", DType::kF32, row.data(), 40}, {"n", DType::kI32, &n, 1}};
    const engine::Fetch fetches[] = {{"y", DType::kF32, y.data(), 40}};
    predictor.predict(function, feeds, state, fetches);
    return y;
  }

  // What goes wrong when the package is opened, given a state and asked once.
  std::string refusal(const std::filesystem::path& package, Options options) {
    std::string message = message_of([&] {
      const auto predictor = open_predictor(package, options);
      const auto state = predictor->make_state();
      predict(*predictor, "decode", state.get(), 1);
    });
    const std::size_t at = message.find(stand_in_.folder().string());
    if (at != std::string::npos) message.erase(at, stand_in_.folder().string().size() + 1);
    return message;
  }
  std::string refusal(std::string_view says) {
    return refusal(stand_in_.stateful(says), stand_in_.options());
  }

  StandIn stand_in_;
};

TEST_F(Predicting, ComputesWhatThePackageSays) {
  const auto predictor = open_predictor(stand_in_.stateful(), stand_in_.options());
  ASSERT_EQ(predictor->functions().size(), 2u);
  EXPECT_EQ(predictor->find_function("decode")->states.at(0).name, "s");
  const auto state = predictor->make_state();
  EXPECT_EQ(state->size_bytes(), 80u);
  EXPECT_EQ(predict(*predictor, "decode", state.get(), 1.5, 4), std::vector<float>(40, 5.5f));
}

TEST_F(Predicting, OneStateServesAllFunctions) {
  const auto predictor = open_predictor(stand_in_.stateful(), stand_in_.options());
  predictor->prepare("prefill");
  const auto state = predictor->make_state(), other = predictor->make_state();
  EXPECT_EQ(predict(*predictor, "prefill", state.get(), 1), std::vector<float>(40, 2));
  EXPECT_EQ(predict(*predictor, "decode", state.get(), 1), std::vector<float>(40, 2));
  EXPECT_EQ(predict(*predictor, "decode", other.get(), 3), std::vector<float>(40, 3));
  state->reset();
  EXPECT_EQ(predict(*predictor, "decode", state.get(), 1), std::vector<float>(40, 1));
}

TEST_F(Predicting, ReadsRowsThatArePadded) {
  const auto predictor =
      open_predictor(stand_in_.stateful(R"({"padding": 32})"), stand_in_.options());
  const auto state = predictor->make_state();
  std::vector<f16> x(40), y(40);
  std::vector<f16> expected(40);
  for (int i = 0; i < 40; ++i) {
    x[i] = to_f16(static_cast<float>(i));
    expected[i] = to_f16(static_cast<float>(i + 7));
  }
  const std::int32_t n = 7;
  const engine::Feed feeds[] = {{"x", DType::kF16, x.data(), 40}, {"n", DType::kI32, &n, 1}};
  const engine::Fetch fetches[] = {{"y", DType::kF16, y.data(), 40}};
  predictor->predict("decode", feeds, state.get(), fetches);
  EXPECT_EQ(y, expected);
}

TEST_F(Predicting, TakesTurnsOnOneState) {
  const auto predictor =
      open_predictor(stand_in_.stateful(R"({"predict": {"seconds": 0.002}})"), stand_in_.options());
  const auto state = predictor->make_state();
  std::atomic<int> failed{0};
  const auto work = [&](const char* function) {
    for (int i = 0; i < 20; ++i) {
      try {
        predict(*predictor, function, state.get(), 1);
      } catch (const Error&) {
        ++failed;
      }
    }
  };
  std::thread one(work, "decode"), two(work, "decode"), three(work, "prefill");
  one.join();
  two.join();
  three.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(predict(*predictor, "decode", state.get(), 1), std::vector<float>(40, 61));
}

TEST_F(Predicting, StatesOfTheirOwnDoNotMix) {
  const auto predictor = open_predictor(stand_in_.stateful(), stand_in_.options());
  std::atomic<int> wrong{0};
  const auto work = [&](float step) {
    const auto state = predictor->make_state();
    for (int i = 1; i <= 20; ++i) {
      if (predict(*predictor, "decode", state.get(), step)[39] != step * static_cast<float>(i)) {
        ++wrong;
      }
    }
  };
  std::thread one(work, 1.0f), two(work, 2.0f);
  one.join();
  two.join();
  EXPECT_EQ(wrong, 0);
}

TEST_F(Predicting, RunsAFunctionThatHasNoName) {
  const auto predictor = open_predictor(stand_in_.plain(), stand_in_.options());
  const float x[] = {-1, 2, -3};
  std::vector<float> y(3);
  const engine::Feed feeds[] = {{"x", DType::kF32, x, 3}};
  const engine::Fetch fetches[] = {{"y", DType::kF32, y.data(), 3}};
  const auto state = predictor->make_state();
  EXPECT_EQ(state->size_bytes(), 0u);
  state->reset();
  predictor->predict("main", feeds, nullptr, fetches);
  predictor->predict("main", feeds, state.get(), fetches);
  EXPECT_THAT(y, ::testing::ElementsAre(0, 2, 0));
}

TEST_F(Predicting, CompilesOnceUntilThePackageChanges) {
  const auto package = stand_in_.stateful();
  const auto kept = [&] {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(stand_in_.compiled_folder())) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  };
  open_predictor(package, stand_in_.options());
  const auto before = kept();
  open_predictor(package, stand_in_.options());
  EXPECT_EQ(kept(), before);
  write_file(package / "stand-in.json", R"({"padding": 16})");
  open_predictor(package, stand_in_.options());
  const auto after = kept();
  EXPECT_EQ(after.size(), 1u);
  EXPECT_NE(after, before);
}

TEST_F(Predicting, RefusesWhatDoesNotFitTheFunction) {
  const auto package = stand_in_.stateful();
  const auto predictor = open_predictor(package, stand_in_.options());
  const auto state = predictor->make_state();
  std::vector<float> row(40);
  const std::int32_t n = 0;
  const engine::Feed x{"x", DType::kF32, row.data(), 40}, number{"n", DType::kI32, &n, 1};
  const engine::Fetch y{"y", DType::kF32, row.data(), 40};
  const auto refused = [&](std::vector<engine::Feed> feeds, std::vector<engine::Fetch> fetches,
                           const char* function = "decode") {
    std::string message =
        message_of([&] { predictor->predict(function, feeds, state.get(), fetches); });
    return message.substr(0, 11) + message.substr(11 + package.string().size());
  };
  EXPECT_EQ(refused({x}, {y}), "bad-input: : function 'decode': input 'n' is missing");
  EXPECT_EQ(refused({x, x, number}, {y}),
            "bad-input: : function 'decode': input 'x' is given twice");
  EXPECT_EQ(refused({x, number, {"z", DType::kF32, row.data(), 40}}, {y}),
            "bad-input: : function 'decode': input 'z' is unknown; there are x, n");
  EXPECT_EQ(refused({{"x", DType::kF32, row.data(), 20}, number}, {y}),
            "bad-input: : function 'decode': input 'x' has 20 elements; tensor<fp16, [2, 20]> has "
            "40");
  EXPECT_EQ(refused({x, number}, {{"q", DType::kF32, row.data(), 40}}),
            "bad-input: : function 'decode': output 'q' is unknown; there are y");
  EXPECT_EQ(refused({x, number}, {y}, "encode"), "not-found: : there is no function 'encode'");
  EXPECT_EQ(
      message_of([&] {
        const engine::Feed feeds[] = {x, number};
        predictor->predict("decode", feeds, nullptr, {});
      }),
      "bad-input: " + package.string() + ": function 'decode': has states, and was given none");
}

// Every way in which Core ML may fail, at every stage: an Error with the package, the function, the
// stage and what Core ML said.
TEST_F(Predicting, TurnsEveryFailureIntoAnError) {
  const std::string no_plan =
      "Failed to build the model execution plan using a model architecture file 'model.mil' with "
      "error code: -14.";
  EXPECT_EQ(refusal(R"({"load": {"fails": {"code": 0, "message": ")" + no_plan + R"("}}})"),
            "unsupported: sum.mlpackage: function 'decode': Core ML failed at 'load': " + no_plan +
                " (com.apple.CoreML 0)");
  EXPECT_EQ(refusal(R"({"compile": {"fails": {"code": 3, "message": "no"}}})"),
            "unsupported: sum.mlpackage: Core ML failed at 'compile': no (com.apple.CoreML 3)");
  EXPECT_EQ(refusal(R"({"predict": {"fails": {"message": "outer", "code": 1, "underlying":
                        {"domain": "d", "code": 2, "message": "inner", "underlying":
                        {"domain": "e", "code": 3, "message": "core"}}}}})"),
            "io: sum.mlpackage: function 'decode': Core ML failed at 'predict': outer; underneath: "
            "inner (d 2); underneath: core (e 3) (com.apple.CoreML 1)");
  for (const char* stage : {"compile", "load", "state", "predict"}) {
    const std::string where =
        std::string("sum.mlpackage: ") + (*stage == 'c' ? "" : "function 'decode': ");
    const std::string code = *stage == 'p' ? "io: " : "unsupported: ";
    EXPECT_EQ(refusal("{\"" + std::string(stage) + R"(": {"raises": "out of cheese"}})"),
              code + where + "Core ML failed at '" + stage +
                  "': StandInException: out of cheese (an exception)");
    EXPECT_EQ(refusal("{\"" + std::string(stage) + R"(": {"gives_nothing": true}})"),
              code + where + "Core ML failed at '" + stage +
                  "': Core ML gave neither a result nor an error");
  }
  EXPECT_EQ(refusal(R"({"drops": "y"})"),
            "io: sum.mlpackage: function 'decode': Core ML failed at 'predict': Core ML gave no "
            "multi-array 'y'");
}

TEST_F(Predicting, DoesNotWaitForEver) {
  Options options = stand_in_.options();
  options.timeout_seconds = 0.05;
  EXPECT_EQ(refusal(stand_in_.stateful(R"({"load": {"hangs": true}})"), options),
            "limit: sum.mlpackage: function 'decode': Core ML failed at 'load': Core ML had not "
            "answered after 0 s");
  // An answer that comes when nobody waits for it any more finds nobody.
  EXPECT_EQ(
      refusal(stand_in_.stateful(R"({"compile": {"seconds": 0.2}})"), options),
      "limit: sum.mlpackage: Core ML failed at 'compile': Core ML had not answered after 0 s");
  stand_in_settle();
}

TEST_F(Predicting, FailsOnceAndGoesOn) {
  const auto predictor = open_predictor(
      stand_in_.stateful(R"({"predict": {"at": 2, "fails": {"code": 0, "message": "flaky"}}})"),
      stand_in_.options());
  const auto state = predictor->make_state();
  EXPECT_EQ(predict(*predictor, "decode", state.get(), 1), std::vector<float>(40, 1));
  EXPECT_THROW(predict(*predictor, "decode", state.get(), 1), FrameworkError);
  EXPECT_EQ(predict(*predictor, "decode", state.get(), 1), std::vector<float>(40, 2));
}

TEST_F(Predicting, KeepsWhatCoreMlSaidApart) {
  try {
    open_predictor(stand_in_.stateful(R"({"compile": {"fails": {"code": 3, "message": "no"}}})"),
                   stand_in_.options());
    FAIL() << "compiled";
  } catch (const FrameworkError& error) {
    EXPECT_EQ(error.failure().stage, "compile");
    EXPECT_EQ(error.failure().domain, "com.apple.CoreML");
    EXPECT_EQ(error.failure().code, 3);
    EXPECT_EQ(error.failure().message, "no");
  }
}

TEST_F(Predicting, RefusesACompiledModel) {
  const auto path = stand_in_.folder() / "x.mlmodelc";
  std::filesystem::create_directory(path);
  EXPECT_EQ(message_of([&] { open_predictor(path, stand_in_.options()); }),
            "unsupported: " + path.string() +
                ": is a compiled model (.mlmodelc); the package (.mlpackage) that it was compiled "
                "from is wanted");
}

}  // namespace
}  // namespace anemone::coreml
