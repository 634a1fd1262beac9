#include "anemone/report/report.h"

#include <gtest/gtest.h>

#include "anemone/mil/builder.h"
#include "anemone/report/measurements.h"

namespace anemone::report {
namespace {

// x -> linear -> gather -> relu, in layer 4.
package::Model small_model() {
  package::Model model;
  mil::Builder builder(model.program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {4, 32}));
  mil::Value* w = builder.constant(
      "w", Tensor::from_floats(DType::kF16, {64, 32}, std::vector<float>(2048, 0.5f)));
  x = builder.add("linear", "layer_4_proj", {{"x", x}, {"weight", w}});
  x = builder.add("gather", "layer_4_pick",
                  {{"x", x}, {"indices", std::vector<std::int64_t>{1, 0}}, {"axis", 0}});
  x = builder.add("relu", "layer_4_out", {{"x", x}});
  builder.set_outputs({x});
  return model;
}

OrderedJson data_of(const package::Model& model, const Options& options,
                    Summary* summary = nullptr) {
  const Source source{
      .name = "a.mlpackage", .model = &model, .subject = {.program = &model.program}};
  return data({&source, 1}, options, summary);
}

const OrderedJson& function_of(const OrderedJson& data) {
  return data.at("packages").at(0).at("functions").at(0);
}

TEST(Report, TellsWhereEachOpWouldRun) {
  const package::Model model = small_model();
  Summary summary;
  const OrderedJson json = data_of(model, {}, &summary);
  const OrderedJson& function = function_of(json);
  EXPECT_EQ(function.at("layers"), OrderedJson({"layer 4"}));
  EXPECT_EQ(function.at("unit"), OrderedJson({0, 1, 0}));
  EXPECT_EQ(function.at("islands").size(), 3u);
  EXPECT_EQ(function.at("crossings").size(), 2u);
  EXPECT_EQ(function.at("measured"), OrderedJson::array());
  EXPECT_EQ(summary.ops, 3u);
  EXPECT_EQ(summary.away, 1u);
  EXPECT_EQ(summary.measured, 0u);
  bool is_found = false;
  for (const OrderedJson& finding : function.at("findings")) {
    if (json.at("rules").at(finding.at("rule").get<std::size_t>()).at("id") != "gather") continue;
    is_found = true;
    EXPECT_EQ(finding.at("at"), 1);
  }
  EXPECT_TRUE(is_found) << function.at("findings");
}

TEST(Report, BindsInputsToProducersWeightsAndLiterals) {
  const package::Model model = small_model();
  const OrderedJson json = data_of(model, {});
  const OrderedJson& function = function_of(json);
  const OrderedJson& strings = json.at("strings");
  const auto text = [&](const OrderedJson& index) { return strings.at(index.get<std::size_t>()); };
  const OrderedJson& linear = function.at("bound").at(0);
  EXPECT_EQ(text(linear.at(0)), "x");
  EXPECT_EQ(linear.at(2), 0 * 5 + 1);  // the function's first input
  EXPECT_EQ(text(linear.at(3)), "weight");
  EXPECT_EQ(linear.at(5), 0 * 5 + 3);  // the first weight
  const OrderedJson& gather = function.at("bound").at(1);
  EXPECT_EQ(gather.at(2), 0 * 5 + 0);  // the first op's value
  const auto indices = gather.at(5).get<std::size_t>();
  EXPECT_EQ(indices % 5, 2u);
  EXPECT_EQ(strings.at(indices / 5), "[1, 0]");
  const OrderedJson& weight = json.at("packages").at(0).at("weights").at(0);
  EXPECT_EQ(text(weight.at(0)), "w");
  EXPECT_EQ(weight.at(4), 4096);  // bytes
  EXPECT_EQ(weight.at(6), 1);     // uses
}

// y = x w + x w', with weights of two bits by tables; both have the same indices.
package::Model palettized_model() {
  package::Model model;
  mil::Builder builder(model.program.add_function("main", mil::Opset::kIos18));
  mil::Value* x = builder.input("x", mil::Type::tensor(DType::kF16, {4, 32}));
  mil::Value* indices = builder.constant(
      "indices", Tensor::from_ints(DType::kU2, {64, 32}, std::vector<std::int64_t>(2048, 3)));
  const auto weight = [&](const char* name, float entry) {
    return builder.add(
        "constexpr_lut_to_dense", name,
        {{"indices", indices},
         {"lut", Tensor::from_floats(DType::kF16, {1, 1, 4, 1}, std::vector<float>(4, entry))}});
  };
  mil::Value* a = builder.add("linear", "a", {{"x", x}, {"weight", weight("w", 0.5f)}});
  mil::Value* b = builder.add("linear", "b", {{"x", x}, {"weight", weight("v", 0.25f)}});
  builder.set_outputs({builder.add("add", "y", {{"x", a}, {"y", b}})});
  return model;
}

TEST(Report, TellsHowAWeightIsStoredAndWhatIsSaidOfItAtItsUser) {
  const package::Model model = palettized_model();
  const OrderedJson json = data_of(model, {});
  ASSERT_EQ(json.at("packages").at(0).at("weights").size(), 2u);
  const OrderedJson& weight = json.at("packages").at(0).at("weights").at(1);
  const auto text = [&](std::size_t i) {
    return json.at("strings").at(weight.at(i).get<std::size_t>());
  };
  EXPECT_EQ(text(0), "v");
  EXPECT_EQ(text(2), "uint2");
  EXPECT_EQ(text(3), "constexpr_lut_to_dense");
  EXPECT_EQ(weight.at(4), 512 + 8);  // indices and table
  EXPECT_EQ(weight.at(5), 4096);
  const OrderedJson& function = function_of(json);
  EXPECT_EQ(function.at("type").size(), 3u);
  int of_weight = 0;
  for (const OrderedJson& finding : function.at("findings")) {
    if (finding.value("output", "") != "v") continue;
    ++of_weight;
    EXPECT_EQ(finding.at("at"), 1) << finding;
  }
  EXPECT_GT(of_weight, 0) << function.at("findings");
}

TEST(Report, CountsHowOftenMachinesAgree) {
  const package::Model model = small_model();
  Measurement measurement{.package = "a.mlpackage", .machine = "M4", .setting = "cpu+ane"};
  measurement.ops = {
      {.function = "main", .output = "layer_4_proj", .preferred = Device::kAne, .cost = 0.75},
      {.function = "main", .output = "layer_4_pick", .preferred = Device::kAne},
      {.function = "other", .output = "layer_4_out", .preferred = Device::kCpu}};
  Options options;
  options.measurements = {measurement, measurement};
  options.measurements[1].package = "b.mlpackage";  // another package's say nothing here
  // Nor does it contradict anything that the CPU was preferred where there was nothing else.
  measurement.setting = "cpu";
  measurement.allows_engine = false;
  measurement.ops[0].preferred = Device::kCpu;
  options.measurements.push_back(measurement);
  Summary summary;
  const OrderedJson json = data_of(model, options, &summary);
  const OrderedJson& measured = function_of(json).at("measured");
  ASSERT_EQ(measured.size(), 2u);
  EXPECT_TRUE(measured.at(0).at("engine"));
  EXPECT_FALSE(measured.at(1).at("engine"));
  EXPECT_EQ(measured.at(0).at("preferred"), OrderedJson({2, 2, -1}));
  EXPECT_EQ(measured.at(0).at("cost"), OrderedJson({0.75, nullptr, nullptr}));
  EXPECT_EQ(summary.measured, 2u);
  EXPECT_EQ(summary.agreements, 1u);
  EXPECT_EQ(summary.contradictions, 1u);
}

TEST(Report, JoinsEvidenceByTheHashOfThePackage) {
  evidence::Record record;
  record.function = "main";
  record.measured_at = "2026-03-01T10:00:00Z";
  record.machine = {.model = "Mac16,1",
                    .chip = "Apple M4",
                    .os = "macOS",
                    .os_version = "15.5",
                    .os_build = "24F74"};
  record.package = {.name = "whatever", .hash = "xxh3-128:1"};
  record.units["cpu+ane"].ops = {
      {.op = "ios18.relu", .output = "y", .supported = {"cpu", "ane"}, .preferred = "ane"}};
  record.units["cpu"].ops = record.units["cpu+ane"].ops;
  record.units["cpu"].ops[0].preferred = "cpu";
  record.units["cpu+gpu"] = {};
  const evidence::Document document{.records = {record}};
  const auto found = measurements_of(document, {.name = "a.mlpackage", .hash = "xxh3-128:1"});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(found[0].allows_engine);
  EXPECT_EQ(found[1].setting, "cpu");
  EXPECT_FALSE(found[1].allows_engine);
  EXPECT_EQ(found[1].verdict, "");  // which is about the engine
  EXPECT_EQ(found[0].package, "a.mlpackage");
  EXPECT_EQ(found[0].machine, "Apple M4, Mac16,1, macOS 15.5 (24F74), 2026-03-01");
  EXPECT_EQ(found[0].setting, "cpu+ane");
  ASSERT_EQ(found[0].ops.size(), 1u);
  EXPECT_EQ(found[0].ops[0].preferred, Device::kAne);
  EXPECT_EQ(found[0].ops[0].supported, (std::vector<Device>{Device::kCpu, Device::kAne}));
  EXPECT_TRUE(measurements_of(document, {.name = "a.mlpackage", .hash = "xxh3-128:2"}).empty());
}

TEST(Report, LetsNoNameBecomeMarkup) {
  package::Model model = small_model();
  const std::string hostile = "</script><!--<script>\"'&\x01\xff";
  model.program.functions[0]->body.ops.back()->name = hostile;
  const std::string text = page(data_of(model, {.title = hostile}));
  const auto from = text.find("<script type=\"application/json\"");
  ASSERT_NE(from, std::string::npos);
  const auto begin = text.find('>', from) + 1;
  const auto end = text.find("</script>", begin);
  const std::string json = text.substr(begin, end - begin);
  EXPECT_EQ(json.find('<'), std::string::npos);
  const Json parsed = parse_json(json, "the page's data");
  EXPECT_EQ(parsed.at("title"), "</script><!--<script>\"'&\x01\xef\xbf\xbd");
  EXPECT_NE(
      text.find("<title>&lt;/script&gt;&lt;!--&lt;script&gt;&quot;'&amp; \xef\xbf\xbd</title>"),
      std::string::npos);
  EXPECT_NE(text.find("default-src 'none'"), std::string::npos);
  EXPECT_EQ(text.find("http://"), std::string::npos);
  EXPECT_EQ(text.find("https://"), std::string::npos);
}

TEST(Report, TakesAnEmptyPackage) {
  const package::Model model;
  Summary summary;
  const OrderedJson json = data_of(model, {}, &summary);
  EXPECT_EQ(summary.ops, 0u);
  EXPECT_NE(page(json).find("anemone-report"), std::string::npos);
}

}  // namespace
}  // namespace anemone::report
