// Pipelines that coremltools wrote, against what NumPy makes of their inputs.
// tests/oracle/package/make_pipelines.py makes both.

#include <cmath>
#include <thread>

#include "anemone/base/json.h"
#include "anemone/predict/model.h"
#include "anemone/testing/message_of.h"

namespace anemone::predict {
namespace {

std::string path_of(const std::string& name) {
  return std::string(ANEMONE_GOLDEN_PIPELINES) + "/" + name + ".mlpackage";
}

Json figures_of(const std::string& name) {
  return load_json(std::string(ANEMONE_GOLDEN_PIPELINES) + "/" + name + ".json");
}

Value value_of(const Json& figure) {
  const auto elements = figure.at("elements").get<std::vector<double>>();
  const Shape shape = figure.at("shape").get<Shape>();
  if (figure.at("dtype") != "uint8") return Tensor::from_doubles(DType::kF32, shape, elements);
  std::vector<std::byte> pixels;
  for (const double element : elements) pixels.push_back(static_cast<std::byte>(element));
  return Image{.width = shape[1], .height = shape[0], .pixels = own_bytes(std::move(pixels))};
}

Values inputs_of(const Json& figures) {
  Values values;
  for (const auto& [name, figure] : figures.at("inputs").items()) values[name] = value_of(figure);
  return values;
}

void compare(const Values& outputs, const Json& wanted, double tolerance) {
  ASSERT_EQ(outputs.size(), wanted.size());
  for (const auto& [name, figure] : wanted.items()) {
    SCOPED_TRACE(name);
    if (figure.is_string()) {
      EXPECT_EQ(std::get<std::string>(outputs.at(name)), figure);
    } else if (!figure.contains("elements")) {
      for (const auto& [key, odds] : std::get<Dictionary>(outputs.at(name)).entries) {
        EXPECT_NEAR(odds, figure.at(std::get<std::string>(key)).get<double>(), tolerance);
      }
    } else {
      const Tensor& tensor = std::get<Tensor>(outputs.at(name));
      EXPECT_EQ(tensor.shape(), figure.at("shape").get<Shape>());
      const auto found = tensor.to_doubles();
      const auto elements = figure.at("elements").get<std::vector<double>>();
      for (std::size_t i = 0; i < elements.size(); ++i) {
        EXPECT_NEAR(found[i], elements[i], tolerance) << i;
      }
    }
  }
}

TEST(Pipeline, GivesWhatItsModelsGiveOneAfterTheOther) {
  // fp16 between 0 and 1 is within 2^-12; the sums before it are of eight halves.
  for (const auto& [name, tolerance] :
       {std::pair("two", 1e-5), {"nested", 1e-5}, {"photo_classifier", 1e-5}, {"halves", 2e-3}}) {
    SCOPED_TRACE(name);
    const Json figures = figures_of(name);
    compare(Model::load(path_of(name))->predict(inputs_of(figures)), figures.at("outputs"),
            tolerance);
    const auto wide = Model::load(path_of(name), {.arithmetic = engine::Arithmetic::kFloat32});
    compare(wide->predict(inputs_of(figures)), figures.at("outputs"), 1e-5);
  }
}

TEST(Pipeline, SaysWhatItIs) {
  const auto two = Model::load(path_of("two"));
  EXPECT_EQ(two->type(), "pipeline");
  EXPECT_EQ(two->function(), "");
  EXPECT_TRUE(two->functions().empty());
  EXPECT_EQ(two->make_state(), nullptr);
  std::string names;
  for (const auto& feature : two->interface().inputs) names += feature.name + " ";
  EXPECT_EQ(names, "x scale ");
  EXPECT_EQ(Model::load(path_of("photo_classifier"))->type(), "pipelineClassifier");
}

TEST(Pipeline, RemembersInEachOfItsModels) {
  const auto model = Model::load(path_of("remembering"));
  const Json figures = figures_of("remembering");
  const Values inputs = inputs_of(figures);
  const auto numbers = [&](State* state) {
    return std::get<Tensor>(model->predict(inputs, state).at("out")).to_doubles();
  };
  const auto state = model->make_state();
  EXPECT_EQ(state->names(), (std::vector<std::string>{"total", "most"}));
  const std::vector<double> first = numbers(state.get());
  compare(model->predict(inputs, state.get()), figures.at("outputs"), 0);
  // Back to zero it is as new; so is every call without a state.
  state->reset();
  EXPECT_EQ(numbers(state.get()), first);
  EXPECT_EQ(numbers(nullptr), first);
  EXPECT_EQ(numbers(nullptr), first);
  // The other model's state is found as well.
  state->write_tensor("most", Tensor::from_doubles(DType::kF32, {3}, std::vector<double>(3, 50)));
  EXPECT_EQ(numbers(state.get()), (std::vector<double>(3, 50)));
  EXPECT_EQ(state->read_tensor("most").to_doubles(), (std::vector<double>(3, 50)));
  EXPECT_EQ(testing::message_of([&] { state->read_tensor("least"); }),
            "not-found: no state 'least'; there are: total, most");
}

TEST(Pipeline, KeepsStatesApart) {
  const auto model = Model::load(path_of("remembering"));
  const auto alone = [&](double value) {
    const auto state = model->make_state();
    std::vector<std::vector<double>> all;
    for (int i = 0; i < 20; ++i) {
      const std::vector<double> x = {value, -value, value / (i + 1)};
      const Values outputs =
          model->predict({{"x", Tensor::from_doubles(DType::kF32, {3}, x)}}, state.get());
      all.push_back(std::get<Tensor>(outputs.at("out")).to_doubles());
    }
    return all;
  };
  const auto first = alone(1);
  const auto second = alone(-3);
  std::vector<std::vector<double>> results[2];
  std::thread other([&] { results[1] = alone(-3); });
  results[0] = alone(1);
  other.join();
  EXPECT_EQ(results[0], first);
  EXPECT_EQ(results[1], second);
}

TEST(Pipeline, ShowsTheValuesOfEachModel) {
  std::vector<std::string> models;
  Model::load(path_of("nested"))
      ->trace(inputs_of(figures_of("nested")), nullptr,
              [&](std::string_view model, const mil::Op& op, const mil::Value&, const Tensor&) {
                if (op.type() == "linear") models.emplace_back(model);
              });
  EXPECT_EQ(models, (std::vector<std::string>{"0/0", "0/1", "1"}));
}

TEST(Pipeline, RunsAsFarAsAnOpOfAModel) {
  const auto model = Model::load(path_of("nested"));
  const Values inputs = inputs_of(figures_of("nested"));
  const auto numbers = [&](const std::string& op) {
    return model->until(inputs, nullptr, op).begin()->second.to_doubles();
  };
  // x = [3, -4], w = [[1, 2], [-1, 0.5]].
  EXPECT_EQ(numbers("y"), (std::vector<double>{-5, -5}));
  EXPECT_EQ(numbers("0/1/z"), (std::vector<double>{-15, 2.5}));
  EXPECT_EQ(testing::message_of([&] { numbers("1/z"); }),
            "not-found: " + path_of("nested") +
                ": no model of the pipeline has an op '1/z' in its own block");
  const std::string plan = model->plan_text(inputs);
  EXPECT_TRUE(plan.starts_with("model '0/0'\n")) << plan;
}

TEST(Pipeline, NamesTheInputThatDoesNotFit) {
  const std::string path = path_of("two");
  const auto model = Model::load(path);
  const auto message = [&](const std::string& name, std::optional<Value> value) {
    Values inputs = inputs_of(figures_of("two"));
    inputs.erase(name);
    if (value) inputs[name] = *value;
    return testing::message_of([&] { model->predict(inputs); });
  };
  EXPECT_EQ(message("x", std::nullopt),
            "bad-input: " + path + ": input 'x' (fp32 [1, 4]) is missing");
  EXPECT_EQ(message("y", Tensor::scalar(DType::kF32, 1)),
            "bad-input: " + path + ": there is no input 'y'; allowed: x, scale");
  EXPECT_EQ(message("x", Tensor::from_doubles(DType::kF32, {1, 5}, std::vector<double>(5))),
            "bad-input: " + path +
                ": input 'x' is given a MultiArray Shape (1 x 5), which does not match the shape "
                "(1 x 4) in the model's description");
  EXPECT_EQ(testing::message_of([&] { Model::load(path, {.function = "main"}); }),
            "not-found: " + path + ": there is no function 'main'; a pipeline has none");
  EXPECT_EQ(testing::message_of([] { Model::load(path_of("mixed")); }),
            "unsupported: " + path_of("mixed") +
                "/Data/com.apple.CoreML/model.mlmodel: the pipeline: model 1: the model is a "
                "neuralNetwork; only ML Programs (mlProgram) and pipelines of them are handled");
}

TEST(Pipeline, RefusesTheStateOfAnotherModel) {
  const auto stateful = Model::load(path_of("remembering"));
  const auto state = stateful->make_state();
  EXPECT_EQ(testing::message_of([&] {
              Model::load(std::string(ANEMONE_GOLDEN_PACKAGES) + "/blocks_ios17.mlpackage")
                  ->predict({}, state.get());
            }),
            "bad-input: " + std::string(ANEMONE_GOLDEN_PACKAGES) +
                "/blocks_ios17.mlpackage: the state is of a model of 2 programs; this one has 1");
}

}  // namespace
}  // namespace anemone::predict
