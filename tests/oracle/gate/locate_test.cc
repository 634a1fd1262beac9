// Bundles with one fault each, planted by editing their packages: the gate must fail them and name
// the op in one run.
#include "anemone/gate/locate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "anemone/base/error.h"
#include "anemone/convert/convert.h"
#include "anemone/gate/gate.h"
#include "anemone/gate/text.h"
#include "anemone/mil/op.h"
#include "anemone/package/package.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::gate {
namespace {

namespace fs = std::filesystem;
using anemone::testing::TempDir;
using engine::Arithmetic;

fs::path checkpoint_of(const std::string& model) {
  return model == "tiny-qwen3" ? fs::path(ANEMONE_MODEL_DIR) : fs::path(ANEMONE_GATE_DIR) / model;
}

// A converted checkpoint, made once for each set of options.
const fs::path& converted(const std::string& model, const std::string& form = "") {
  static const TempDir dir;
  static std::map<std::string, fs::path> made;
  fs::path& path = made[model + form];
  if (!path.empty()) return path;
  path = dir / (model + form);
  converter::Options options;
  options.checkpoint = checkpoint_of(model);
  options.output = path;
  options.form.context = 64;
  options.form.prefill = 8;
  options.parts = form == "single" ? 0 : 2;
  options.single = form == "single" || form == "single-blend";
  if (options.single) options.parts = 0;
  if (form == "bsc") options.form.layout = models::Layout::kBsc;
  if (form == "blend" || form == "single-blend") options.form.kv = models::KvWrite::kBlend;
  if (form == "host") options.form.kv = models::KvWrite::kHost;
  if (form == "tiles") options.form.head_tiles = 2;
  if (form == "ranged") {
    options.interface = converter::Interface::kSwiftTransformers;
    options.parts = 0;
  }
  if (form == "in-graph") {
    options.form.mask = models::Mask::kPosition;
    options.form.rotary = models::Rotary::kTables;
  }
  converter::convert(options);
  return path;
}

const oracle::Oracle& oracle_of(const std::string& model) {
  static std::map<std::string, std::unique_ptr<const oracle::Oracle>> made;
  auto& oracle = made[model];
  if (!oracle)
    oracle = oracle::Oracle::load(Checkpoint::load(checkpoint_of(model)), {.threads = 1});
  return *oracle;
}

LocateOptions options_for(const oracle::Oracle& oracle, Arithmetic arithmetic) {
  return {
      .ids = random_ids(17, oracle.config().vocab_size, 5), .arithmetic = arithmetic, .threads = 1};
}

std::string text(const Location& location) {
  std::string all;
  for (const Fault& fault : location.faults) {
    all += fault.package + " " + fault.function + " " + fault.op + ": " +
           std::to_string(fault.error) + ", " + fault.worst + "\n";
  }
  return all;
}

TEST(Locate, FindsNothingInWhatConvertMade) {
  const std::pair<const char*, const char*> cases[] = {
      {"tiny-qwen3", ""},        {"qwen2", ""},
      {"llama", "bsc"},          {"llama-linear", "blend"},
      {"qwen3", "host"},         {"qwen2", "single"},
      {"llama", "single-blend"}, {"qwen3", "tiles"},
      {"qwen2", "in-graph"},     {"qwen2-window", ""},
      {"qwen2-window", "host"},  {"qwen2-window", "in-graph"}};
  for (const auto& [model, form] : cases) {
    const oracle::Oracle& oracle = oracle_of(model);
    const generate::Bundle bundle = generate::load_bundle(converted(model, form));
    for (const Arithmetic arithmetic : {Arithmetic::kFloat32, Arithmetic::kFloat16}) {
      const Location location = locate(bundle, oracle, options_for(oracle, arithmetic));
      EXPECT_EQ(text(location), "") << model << " " << form;
      // Nearly everything has a name that says what it should hold.
      EXPECT_GT(location.checked, location.ops * 6 / 10) << model << " " << form;
      EXPECT_EQ(static_cast<std::int64_t>(location.drift.size()), oracle.config().layers);
      EXPECT_EQ(location.positions, 17);
    }
  }
}

// A copy of a bundle with one package edited.
class Edited {
 public:
  Edited(const fs::path& bundle, const std::string& package,
         const std::function<void(mil::Function&)>& edit) {
    fs::copy(bundle, dir_ / "bundle", fs::copy_options::recursive);
    auto model = package::load(bundle / package);
    for (const auto& function : model.program.functions) edit(*function);
    fs::remove_all(dir_ / "bundle" / package);
    package::save(model, dir_ / "bundle" / package);
  }
  fs::path path() const { return dir_ / "bundle"; }

 private:
  TempDir dir_;
};

// Some layers see six positions: every form takes a mask for them, and gives what the oracle gives.
TEST(Locate, LayersThatSlideDoSoInEveryForm) {
  const oracle::Oracle& oracle = oracle_of("qwen2-window");
  for (const char* form : {"", "bsc", "blend", "host", "single", "in-graph", "ranged"}) {
    SCOPED_TRACE(form);
    const fs::path& bundle = converted("qwen2-window", form);
    EXPECT_EQ(generate::load_bundle(bundle).sliding_window, 6);
    const auto runner = generate::Runner::load(bundle, {.threads = 1, .scores = true});
    const auto reference = reference_of(oracle);
    const Report report = judge(*runner, *reference, {.ids = random_ids(40, 97, 9)});
    EXPECT_TRUE(report.passed()) << report.failures.front().what;
  }
  // The same weights, but every layer sees everything: not the same model.
  const Edited blind(converted("qwen2-window"), "layers_01.mlpackage", [](mil::Function&) {});
  Json json = load_json(blind.path() / "bundle.json");
  json["sliding_window"] = 64;
  std::ofstream(blind.path() / "bundle.json") << json.dump();
  const auto runner = generate::Runner::load(blind.path(), {.threads = 1, .scores = true});
  const auto reference = reference_of(oracle);
  EXPECT_FALSE(judge(*runner, *reference, {.ids = random_ids(40, 97, 9)}).passed());
  const Location location = locate(generate::load_bundle(blind.path()), oracle,
                                   options_for(oracle, Arithmetic::kFloat16));
  ASSERT_FALSE(location.faults.empty());
  EXPECT_EQ(location.faults[0].op, "input 'sliding_mask'");
}

mil::Op* find_op(mil::Function& function, const std::string& name) {
  for (const auto& op : function.body.ops) {
    if (op->name == name) return op.get();
  }
  return nullptr;
}

mil::Op& op_named(mil::Function& function, const std::string& name) {
  mil::Op* found = find_op(function, name);
  EXPECT_NE(found, nullptr) << name;
  return *found;
}

mil::Value*& input_of(mil::Op& op, const std::string& parameter) {
  const auto found = std::find_if(op.inputs.begin(), op.inputs.end(),
                                  [&](const mil::Input& input) { return input.name == parameter; });
  EXPECT_NE(found, op.inputs.end()) << op.name << " " << parameter;
  return found->values.at(0);
}

// Gives the parameter a constant of its own, changed.
void change_constant(mil::Op& op, const std::string& parameter,
                     const std::function<void(std::vector<float>&)>& change) {
  mil::Value*& value = input_of(op, parameter);
  ASSERT_NE(value->constant, nullptr);
  std::vector<float> values = value->constant->to_floats();
  change(values);
  auto literal = std::make_unique<mil::Value>();
  literal->type = value->type;
  literal->constant = std::make_shared<const Tensor>(
      Tensor::from_floats(value->constant->dtype(), value->constant->shape(), values));
  value = literal.get();
  op.literals.push_back(std::move(literal));
}

void drop_input(mil::Op& op, const std::string& parameter) {
  std::erase_if(op.inputs, [&](const mil::Input& input) { return input.name == parameter; });
}

struct Plant {
  const char* says;
  const char* model;
  const char* package;
  std::function<void(mil::Function&)> edit;
  const char* op;  // what must be named
  // True: nothing that a check of logits would notice at this size.
  bool is_subtle = false;
};

void negate(std::span<float> values) {
  for (float& value : values) value = -value;
}

std::vector<Plant> plants() {
  const auto op = [](const char* name, auto edit) {
    return [=](mil::Function& f) { edit(op_named(f, name)); };
  };
  const auto constant = [=](const char* name, const char* parameter, auto change) {
    return op(name, [=](mil::Op& of) { change_constant(of, parameter, change); });
  };
  const char* const first = "layers_00.mlpackage";
  const char* const second = "layers_01.mlpackage";
  return {
      {"one weight row", "qwen2", first,
       constant("layer_0_up_proj", "weight",
                [](std::vector<float>& w) { negate(std::span(w).subspan(24 * 7, 24)); }),
       "layer_0_up_proj"},
      {"one weight, a thousand times as large", "tiny-qwen3", second,
       constant("layer_5_down_proj", "weight",
                [](std::vector<float>& w) {
                  const auto row = std::span(w).subspan(768 * 99, 768);
                  *std::max_element(row.begin(), row.end()) *= 1000;
                }),
       "layer_5_down_proj"},
      {"an epsilon", "tiny-qwen3", second,
       constant("layer_3_post_attention_norm_normed", "epsilon",
                [](std::vector<float>& e) { e[0] = 1e-5f; }),
       "layer_3_post_attention_norm_normed", true},
      {"a rotation the other way", "qwen3", first,
       constant("layer_0_k_negative", "y", [](std::vector<float>& s) { s[0] = 1; }),
       "layer_0_k_negative"},
      {"a rotation of the wrong half", "qwen3", first,
       op("layer_0_q_second",
          [](mil::Op& of) {
            change_constant(of, "begin", [](std::vector<float>& b) { b[3] = 0; });
            change_constant(of, "end", [](std::vector<float>& e) { e[3] = 5; });
          }),
       "layer_0_q_second"},
      {"cos and sin exchanged", "llama", first,
       [](mil::Function& f) { input_of(op_named(f, "layer_0_q_cos"), "y") = f.find_input("sin"); },
       "layer_0_q_cos"},
      {"swapped heads", "qwen2", second,
       constant("layer_1_k_proj", "weight",
                [](std::vector<float>& w) {
                  std::swap_ranges(w.begin(), w.begin() + 6 * 24, w.begin() + 6 * 24);
                }),
       "layer_1_k_proj"},
      {"values taken for keys", "qwen2", first,
       op("layer_0_keys",
          [](mil::Op& of) {
            change_constant(of, "begin", [](std::vector<float>& b) { b[0] = 1; });
            change_constant(of, "end", [](std::vector<float>& e) { e[0] = 2; });
          }),
       "layer_0_keys"},
      {"a scaled gain", "llama", second,
       constant("layer_2_input_norm_normed", "gamma",
                [](std::vector<float>& g) {
                  for (float& v : g) v *= 1.03125f;
                }),
       "layer_2_input_norm_normed"},
      {"a missing bias", "qwen2", first,
       op("layer_0_q_proj", [](mil::Op& of) { drop_input(of, "bias"); }), "layer_0_q_proj"},
      {"gate and up exchanged", "llama", first,
       [](mil::Function& f) {
         mil::Op& gate = op_named(f, "layer_0_gate_proj");
         mil::Op& up = op_named(f, "layer_0_up_proj");
         const auto gates = input_of(gate, "weight")->constant->to_floats();
         const auto ups = input_of(up, "weight")->constant->to_floats();
         change_constant(gate, "weight", [&](std::vector<float>& w) { w = ups; });
         change_constant(up, "weight", [&](std::vector<float>& w) { w = gates; });
       },
       "layer_0_gate_proj"},
      {"a wrong residual", "qwen3", first,
       [](mil::Function& f) {
         input_of(op_named(f, "layer_0_out"), "x") =
             input_of(op_named(f, "layer_0_after_attention"), "x");
       },
       "layer_0_out"},
      {"attention not scaled", "llama", first,
       constant("layer_0_q_scaled", "y", [](std::vector<float>& s) { s[0] = 1; }),
       "layer_0_q_scaled"},
      {"a softmax over the wrong axis", "qwen2", first,
       constant("layer_0_probabilities", "axis", [](std::vector<float>& a) { a[0] = -2; }),
       "layer_0_probabilities"},
      {"the mask left out", "qwen2", second,
       op("layer_1_scores_masked", [](mil::Op& of) { input_of(of, "y") = input_of(of, "x"); }),
       "layer_1_scores_masked"},
      {"the final norm's gain", "qwen3", "head.mlpackage",
       constant("final_norm_normed", "gamma", [](std::vector<float>& g) { g[3] = -g[3]; }),
       "final_norm_normed"},
      {"a row of the head", "qwen3", "head.mlpackage",
       constant("logits_0_columns", "weight",
                [](std::vector<float>& w) { negate(std::span(w).subspan(24 * 96, 24)); }),
       "logits_0_columns"},
  };
}

// Faults of what the program itself makes of the position, where it does.
TEST(Locate, NamesFaultsOfMasksAndTablesInTheProgram) {
  const auto shifted = [](const char* parameter) {
    return [=](mil::Op& op) {
      change_constant(op, parameter, [](std::vector<float>& values) {
        for (float& value : values) value += 1;
      });
    };
  };
  const auto on = [](const char* name, const std::function<void(mil::Op&)>& edit) {
    return [=](mil::Function& f) {
      if (mil::Op* op = find_op(f, name)) edit(*op);
    };
  };
  const Plant faults[] = {
      {"a mask one key ahead", "qwen2", "layers_00.mlpackage", on("reach", shifted("y")), "reach"},
      {"a mask one key behind", "qwen2", "layers_00.mlpackage", on("seen", shifted("x")), "seen"},
      {"copies of the mask interleaved", "qwen2", "layers_01.mlpackage",
       on("group_mask",
          [](mil::Op& op) {
            change_constant(op, "interleave", [](std::vector<float>& v) { v[0] = 1; });
          }),
       "group_mask"},
      {"rotations of the next position", "qwen2", "layers_00.mlpackage",
       on("cos_at_rows",
          [](mil::Op& op) {
            change_constant(op, "x", [](std::vector<float>& v) {
              std::rotate(v.begin(), v.begin() + 8, v.end());
            });
          }),
       "cos_at"},
  };
  const oracle::Oracle& oracle = oracle_of("qwen2");
  for (const Plant& plant : faults) {
    SCOPED_TRACE(plant.says);
    const Edited edited(converted("qwen2", "in-graph"), plant.package, plant.edit);
    const Location location = locate(generate::load_bundle(edited.path()), oracle,
                                     options_for(oracle, Arithmetic::kFloat16));
    ASSERT_FALSE(location.faults.empty());
    EXPECT_EQ(location.faults[0].op, plant.op);
    EXPECT_EQ(location.faults[0].package, plant.package);
    for (const Fault& fault : location.faults) EXPECT_EQ(fault.op, plant.op) << text(location);
  }
}

TEST(Locate, NamesEveryPlantedFault) {
  const auto all = plants();
  ASSERT_GE(all.size(), 12u);
  for (const Plant& plant : all) {
    SCOPED_TRACE(plant.says);
    const oracle::Oracle& oracle = oracle_of(plant.model);
    const Edited edited(converted(plant.model), plant.package, plant.edit);
    const generate::Bundle bundle = generate::load_bundle(edited.path());
    for (const Arithmetic arithmetic : {Arithmetic::kFloat32, Arithmetic::kFloat16}) {
      const Location location = locate(bundle, oracle, options_for(oracle, arithmetic));
      EXPECT_FALSE(location.faults.empty());
      if (location.faults.empty()) continue;
      EXPECT_EQ(location.faults[0].op, plant.op);
      EXPECT_EQ(location.faults[0].package, plant.package);
      EXPECT_GT(location.faults[0].error, location.faults[0].tolerance);
      EXPECT_EQ(location.faults[0].suspects.size(), 0u);
      // The others are right on right inputs, and are left alone: a fault is in each function.
      const std::set<std::string> named = [&] {
        std::set<std::string> ops;
        for (const Fault& fault : location.faults) ops.insert(fault.op);
        return ops;
      }();
      EXPECT_LE(named.size(), 2u) << text(location);
    }
    if (plant.is_subtle) continue;
    const auto runner = generate::Runner::load(edited.path(), {.threads = 1, .scores = true});
    const auto reference = reference_of(oracle);
    const Report report =
        judge(*runner, *reference, {.ids = random_ids(24, oracle.config().vocab_size, 9)});
    EXPECT_FALSE(report.passed());
  }
}

TEST(Locate, NamesWhatTheHostDoesWrong) {
  const oracle::Oracle& oracle = oracle_of("qwen2");
  const generate::Bundle bundle = generate::load_bundle(converted("qwen2"));
  LocateOptions options = options_for(oracle, Arithmetic::kFloat16);
  options.tamper = [](std::string_view input, std::span<float> values) {
    // Off by one: each row sees the key after its own.
    if (input != "mask") return;
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (values[i - 1] == 0 && values[i] != 0) {
        values[i++] = 0;
      }
    }
  };
  const Location location = locate(bundle, oracle, options);
  ASSERT_FALSE(location.faults.empty());
  EXPECT_EQ(location.faults[0].op, "input 'mask'");
  EXPECT_THAT(location.faults[0].worst, ::testing::HasSubstr("is 0, expected hidden"));

  generate::Bundle turned = bundle;
  turned.inv_freq[1] *= 1.5f;
  const Location rotation = locate(turned, oracle, options_for(oracle, Arithmetic::kFloat32));
  ASSERT_FALSE(rotation.faults.empty());
  EXPECT_EQ(rotation.faults[0].op, "input 'cos'");
}

TEST(Locate, NamesARowOfTheEmbeddingFile) {
  const oracle::Oracle& oracle = oracle_of("qwen3");
  const Edited edited(converted("qwen3"), "head.mlpackage", [](mil::Function&) {});
  const generate::Bundle bundle = generate::load_bundle(edited.path());
  const LocateOptions options = options_for(oracle, Arithmetic::kFloat16);
  ASSERT_EQ(bundle.embedding_tiles.size(), 1u);
  const auto& tile = bundle.embedding_tiles[0];
  std::fstream file(edited.path() / tile.file, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(tile.offset +
                                         static_cast<std::uint64_t>(options.ids[3]) * 24 * 2));
  const std::string zeros(24 * 2, '\0');
  file.write(zeros.data(), static_cast<std::streamsize>(zeros.size()));
  file.close();
  const Location location = locate(bundle, oracle, options);
  ASSERT_FALSE(location.faults.empty());
  EXPECT_EQ(location.faults[0].op, "input 'hidden'");
}

TEST(Locate, NamesTheFirstOpThatOverflowsWithIndexAndValue) {
  // The weights of one projection so large that fp16 cannot hold what comes out; fp32 can.
  const oracle::Oracle& oracle = oracle_of("llama");
  const Edited edited(converted("llama"), "layers_00.mlpackage", [](mil::Function& f) {
    change_constant(op_named(f, "layer_0_o_proj"), "weight", [](std::vector<float>& w) {
      for (std::size_t i = 0; i < 32; ++i) w[i] = 60000;
    });
  });
  const generate::Bundle bundle = generate::load_bundle(edited.path());
  const Location location = locate(bundle, oracle, options_for(oracle, Arithmetic::kFloat16));
  ASSERT_FALSE(location.faults.empty());
  EXPECT_EQ(location.faults[0].op, "layer_0_o_proj");
  EXPECT_GT(location.faults[0].found.not_finite, 0);
  EXPECT_GE(location.faults[0].found.first_bad, 0);
  EXPECT_THAT(location.faults[0].worst, ::testing::HasSubstr("inf, expected"));
}

TEST(Locate, RefusesPackagesWhoseValuesHaveOtherNames) {
  const Edited edited(converted("qwen2"), "layers_00.mlpackage",
                      [](mil::Function& f) { op_named(f, "layer_0_out").name = "renamed"; });
  const generate::Bundle bundle = generate::load_bundle(edited.path());
  const oracle::Oracle& oracle = oracle_of("qwen2");
  try {
    locate(bundle, oracle, options_for(oracle, Arithmetic::kFloat16));
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "layers_00.mlpackage: function 'prefill' has no op 'layer_0_out'; only bundles "
                 "that convert made can be searched");
  }
}

}  // namespace
}  // namespace anemone::gate
