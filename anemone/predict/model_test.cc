#include "anemone/predict/model.h"

#include <thread>

#include "anemone/mil/builder.h"
#include "anemone/testing/message_of.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::predict {
namespace {

// Packages that coremltools wrote; their programs are in the .json files beside them.
std::string golden(const std::string& name) {
  return std::string(ANEMONE_GOLDEN_PACKAGES) + "/" + name + ".mlpackage";
}

Tensor floats(Shape shape, const std::vector<double>& values) {
  return Tensor::from_doubles(DType::kF32, std::move(shape), values);
}

std::vector<double> numbers(const Values& values, const std::string& name) {
  return std::get<Tensor>(values.at(name)).to_doubles();
}

using Numbers = std::vector<double>;

TEST(Model, RunsControlFlow) {
  const auto model = Model::load(golden("blocks_ios17"));
  const Tensor x = floats({3}, {1, 2, -3});
  // Positive: x added to itself three times; else x * x.
  EXPECT_EQ(numbers(model->predict({{"x", x}, {"p", floats({1}, {1})}}), "out"),
            (Numbers{4, 8, -12}));
  EXPECT_EQ(numbers(model->predict({{"x", x}, {"p", floats({1}, {0})}}), "out"),
            (Numbers{1, 4, 9}));
  EXPECT_NE(model->plan_text({{"x", x}, {"p", floats({1}, {0})}}).find("interpreted, because"),
            std::string::npos);
}

TEST(Model, ShowsTheValuesOfEveryRoundOfALoop) {
  const auto model = Model::load(golden("blocks_ios17"));
  std::vector<std::string> seen;
  model->trace({{"x", floats({3}, {1, 2, 3})}, {"p", floats({1}, {1})}}, nullptr,
               [&](std::string_view, const mil::Op& op, const mil::Value&, const Tensor&) {
                 seen.push_back(op.name);
               });
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "more"), 3);
  EXPECT_EQ(std::count(seen.begin(), seen.end(), "again"), 4);
  EXPECT_EQ(seen.back(), "out");
}

TEST(Model, ClassifiesByTextAndByNumber) {
  const Tensor x = floats({1, 3}, {0, 2, 1});
  const Values texts = Model::load(golden("strings_ios16"))->predict({{"x", x}});
  const auto& entries = std::get<Dictionary>(texts.at("classLabel_probs")).entries;
  ASSERT_EQ(entries.size(), 3u);
  EXPECT_EQ(std::get<std::string>(texts.at("classLabel")), std::get<std::string>(entries[1].first));
  EXPECT_NEAR(entries[1].second, std::exp(2) / (1 + std::exp(1) + std::exp(2)), 1e-6);
  const Values ints = Model::load(golden("numbers_ios16"))->predict({{"x", x}});
  EXPECT_EQ(
      std::get<std::int64_t>(ints.at("classLabel")),
      std::get<std::int64_t>(std::get<Dictionary>(ints.at("classLabel_probs")).entries[1].first));
}

// [1, 3] and [2, 2] halves, a default for `spare`, an RGB image of 6 x 4.
Values many_features(Image photo) {
  return {{"ranged", floats({1, 3}, {1, 2, 3})},
          {"listed", floats({2, 2}, {1, 2, 3, 4})},
          {"photo", std::move(photo)}};
}

Image photo_of(std::int64_t width, std::int64_t height, int channels) {
  std::vector<std::byte> pixels(static_cast<std::size_t>(width * height * channels));
  for (std::size_t i = 0; i < pixels.size(); ++i) {
    pixels[i] = static_cast<std::byte>(i % static_cast<std::size_t>(channels) + 1);
  }
  return {.width = width,
          .height = height,
          .channels = channels,
          .pixels = own_bytes(std::move(pixels))};
}

TEST(Model, TakesImagesDefaultsAndFlexibleShapes) {
  const auto model = Model::load(golden("features_ios18"));
  std::string described;
  for (const package::Feature& feature : model->interface().inputs) {
    if (std::holds_alternative<package::ImageFeature>(feature.type)) {
      described =
          std::get<package::ImageFeature>(feature.type).color_space == package::ColorSpace::kRgb
              ? "RGB"
              : "BGR";
    }
  }
  const Values outputs = model->predict(many_features(photo_of(6, 4, 3)));
  EXPECT_EQ(numbers(outputs, "a"), (Numbers{2, 4, 6}));
  EXPECT_EQ(numbers(outputs, "b"), (Numbers{2, 3, 4, 5}));
  EXPECT_EQ(numbers(outputs, "d"),
            described == "RGB" ? (Numbers{24, 48, 72}) : (Numbers{72, 48, 24}));
  // Alpha is not looked at.
  EXPECT_EQ(numbers(model->predict(many_features(photo_of(6, 4, 4))), "d"), numbers(outputs, "d"));
}

TEST(Model, NamesTheInputThatDoesNotFit) {
  const std::string path = golden("features_ios18");
  const auto model = Model::load(path);
  const auto message = [&](const std::string& name, std::optional<Value> value) {
    Values inputs = many_features(photo_of(6, 4, 3));
    inputs.erase(name);
    if (value) inputs[name] = *value;
    const std::string text = testing::message_of([&] { model->predict(inputs); });
    const std::string prefix = "bad-input: " + path + ": ";
    EXPECT_TRUE(text.starts_with(prefix)) << text;
    return text.substr(std::min(prefix.size(), text.size()));
  };
  EXPECT_EQ(message("photo", photo_of(5, 4, 3)).substr(0, 44),
            "input 'photo' is given an image of 5 x 4; al");
  EXPECT_EQ(message("photo", floats({1, 3, 4, 6}, Numbers(72))).substr(0, 22),
            "input 'photo' is a BGR");
  EXPECT_NE(message("ranged", floats({1, 99}, Numbers(99)))
                .find("Size (99) of dimension (1) is not in allowed range ("),
            std::string::npos);
  EXPECT_NE(message("listed", floats({7, 7}, Numbers(49)))
                .find("MultiArray Shape (7 x 7) was not in enumerated set of allowed shapes"),
            std::string::npos);
  EXPECT_EQ(message("ranged", std::nullopt).substr(0, 20), "input 'ranged' (fp32");
  EXPECT_EQ(message("other", floats({1}, {1})),
            "there is no input 'other'; allowed: ranged, listed, spare, photo");
}

TEST(Model, TakesIntegersOnlyThatAreIntegers) {
  const auto model = Model::load(golden("values_ios15"));
  const auto with = [&](Tensor n) {
    return model->predict({{"x", floats({2, 3}, Numbers(6))}, {"n", std::move(n)}});
  };
  EXPECT_EQ(numbers(with(floats({1}, {2})), "t"),
            numbers(with(Tensor::from_ints(DType::kI64, {1}, std::vector<std::int64_t>{2})), "t"));
  EXPECT_EQ(testing::message_of([&] { with(floats({1}, {2.5})); }),
            "bad-input: " + golden("values_ios15") +
                ": input 'n' is int32; element 0 of what is given (fp32) is 2.5");
}

Values step(const Model& model, State* state, double value, std::int64_t position) {
  const std::vector<std::int64_t> at = {position};
  return model.predict({{"x", floats({1, 1, 4}, Numbers(4, value))},
                        {"position", Tensor::from_ints(DType::kI32, {1}, at)}},
                       state);
}

TEST(Model, KeepsStatesApart) {
  const auto model = Model::load(golden("functions_ios18"));
  EXPECT_EQ(model->function(), "decode");
  const auto alone = [&](double value) {
    const auto state = model->make_state();
    std::vector<Numbers> all;
    for (int i = 0; i < 6; ++i)
      all.push_back(numbers(step(*model, state.get(), value + i, i), "out"));
    return all;
  };
  const std::vector<Numbers> first = alone(1);
  const std::vector<Numbers> second = alone(-2);
  // Turn by turn.
  const auto a = model->make_state();
  const auto b = model->make_state();
  for (int i = 0; i < 6; ++i) {
    EXPECT_EQ(numbers(step(*model, a.get(), 1 + i, i), "out"), first[static_cast<std::size_t>(i)]);
    EXPECT_EQ(numbers(step(*model, b.get(), -2 + i, i), "out"),
              second[static_cast<std::size_t>(i)]);
  }
  // From two threads.
  std::vector<Numbers> results[2];
  std::thread other([&] { results[1] = alone(-2); });
  results[0] = alone(1);
  other.join();
  EXPECT_EQ(results[0], first);
  EXPECT_EQ(results[1], second);
  // Back to zero it is as new; without a state every call starts from zeros.
  a->reset();
  EXPECT_EQ(numbers(step(*model, a.get(), 1, 0), "out"), first[0]);
  EXPECT_EQ(numbers(step(*model, nullptr, 1, 0), "out"), first[0]);
  EXPECT_EQ(numbers(step(*model, nullptr, 1, 0), "out"), first[0]);
}

TEST(Model, SharesAStateBetweenFunctionsThatWereLoadedApart) {
  const auto decode = Model::load(golden("functions_ios18"), {.function = "decode"});
  const auto prefill = Model::load(golden("functions_ios18"), {.function = "prefill"});
  const auto state = prefill->make_state();
  const std::vector<std::int64_t> zero = {0};
  prefill->predict({{"x", floats({1, 2, 4}, {1, 1, 1, 1, 2, 2, 2, 2})},
                    {"position", Tensor::from_ints(DType::kI32, {1}, zero)}},
                   state.get());
  const Numbers together = numbers(step(*decode, state.get(), 3, 2), "out");
  const auto other = decode->make_state();
  step(*decode, other.get(), 1, 0);
  step(*decode, other.get(), 2, 1);
  EXPECT_EQ(numbers(step(*decode, other.get(), 3, 2), "out"), together);
}

// What only a call shows: how many elements are not zero.
TEST(Model, RunsShapesThatDependOnTheNumbers) {
  const testing::TempDir dir;
  package::Model made;
  mil::Builder b(made.program.add_function("main", mil::Opset::kIos17));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF32, {4}));
  mil::Value* places = b.add("non_zero", "places", {{"x", x}});
  b.set_outputs({b.add("cast", "y", {{"x", places}, {"dtype", "fp32"}})});
  package::save(made, dir / "m.mlpackage");
  const auto model = Model::load(dir / "m.mlpackage");
  const Values outputs = model->predict({{"x", floats({4}, {0, 5, 0, 7})}});
  EXPECT_EQ(std::get<Tensor>(outputs.at("y")).shape(), (Shape{2, 1}));
  EXPECT_EQ(numbers(outputs, "y"), (Numbers{1, 3}));
  EXPECT_EQ(std::get<Tensor>(model->predict({{"x", floats({4}, Numbers(4))}}).at("y")).shape(),
            (Shape{0, 1}));
}

TEST(Model, KeepsActivationsWideInFloat32) {
  const testing::TempDir dir;
  package::Model made;
  mil::Builder b(made.program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = b.input("x", mil::Type::tensor(DType::kF16, {1}));
  b.set_outputs({b.add("mul", "y", {{"x", x}, {"y", x}})});
  package::save(made, dir / "m.mlpackage");
  const Values inputs = {{"x", floats({1}, {300})}};
  const auto half = Model::load(dir / "m.mlpackage");
  EXPECT_EQ(std::get<Tensor>(half->predict(inputs).at("y")).dtype(), DType::kF16);
  EXPECT_TRUE(std::isinf(numbers(half->predict(inputs), "y")[0]));
  const auto wide = Model::load(dir / "m.mlpackage", {.arithmetic = engine::Arithmetic::kFloat32});
  EXPECT_EQ(numbers(wide->predict(inputs), "y"), (Numbers{90000}));
}

TEST(Model, NamesThePackageThatItCannotLoad) {
  EXPECT_EQ(testing::message_of([] { Model::load("/nowhere.mlpackage"); }),
            "not-found: /nowhere.mlpackage: there is no such package");
  EXPECT_EQ(testing::message_of([] { Model::load(golden("values_ios15"), {.function = "f"}); }),
            "not-found: " + golden("values_ios15") + ": there is no function 'f'; allowed: main");
}

}  // namespace
}  // namespace anemone::predict
