// Massive activations, as reported of Qwen and Gemma checkpoints: 28 layers whose residual stream
// carries one channel of 1e5 in every row. Plain fp16 must fail the gate, what convert does by
// default must pass it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "anemone/convert/convert.h"
#include "anemone/gate/expectations.h"
#include "anemone/gate/gate.h"
#include "anemone/gate/locate.h"
#include "anemone/gate/text.h"
#include "anemone/models/arch/tiny_checkpoint.h"
#include "anemone/package/package.h"
#include "anemone/testing/temp_dir.h"

namespace anemone::gate {
namespace {

namespace fs = std::filesystem;
constexpr int kLayers = 28, kHidden = 32, kChannel = 7;
constexpr float kPeak = 1e5f;

// What scripts/make_massive_checkpoint does to a larger one.
void fill_massive(models::TinyCheckpoint& c) {
  c.fill("qwen3", kLayers);
  std::uint32_t seed = 5;
  const auto random = [&] {
    seed = seed * 1664525u + 1013904223u;
    return static_cast<float>(seed >> 8) / 16777216.0f - 0.5f;
  };
  for (const auto& [name, shape] : c.tensors) {
    auto& values = c.values[name];
    values.resize(static_cast<std::size_t>(element_count(shape)));
    for (float& value : values) value = shape.size() == 1 ? 1 + random() * 0.2f : random() * 0.4f;
  }
  const auto row = [&](const std::string& name, std::size_t index) {
    auto& values = c.values.at(name);
    const auto width = static_cast<std::size_t>(c.tensors.at(name)[1]);
    return std::span(values).subspan(index * width, width);
  };
  auto& embedding = c.values.at("model.embed_tokens.weight");
  for (std::size_t i = 0; i < embedding.size(); ++i) {
    embedding[i] = i % kHidden == kChannel ? 4.0f : random() * 2;
  }
  for (int layer = 0; layer < kLayers; ++layer) {
    const std::string at = "model.layers." + std::to_string(layer) + ".";
    for (const char* name : {"self_attn.o_proj.weight", "mlp.down_proj.weight"}) {
      std::ranges::fill(row(at + name, kChannel), 0.0f);
    }
    if (layer == 2) {
      // One neuron sees the channel that is the same for every token, and writes the peak.
      for (const char* name : {"mlp.gate_proj.weight", "mlp.up_proj.weight"}) {
        std::ranges::fill(row(at + name, 0), 0.0f);
        row(at + name, 0)[kChannel] = 1;
      }
      row(at + "mlp.down_proj.weight", kChannel)[0] = kPeak / 6;
    }
    if (layer < 3) continue;
    for (const char* name : {"input_layernorm.weight", "post_attention_layernorm.weight"}) {
      auto& gains = c.values.at(at + name);
      for (float& gain : gains) gain *= 0.03f * kPeak / std::sqrt(static_cast<float>(kHidden));
      gains[kChannel] = 0.05f;
    }
  }
  auto& gains = c.values.at("model.norm.weight");
  for (float& gain : gains) gain *= 0.03f * kPeak / std::sqrt(static_cast<float>(kHidden));
  gains[kChannel] = 0.05f;
}

struct Massive {
  Massive() {
    fill_massive(checkpoint);
    oracle = oracle::Oracle::load(checkpoint.load(), {.threads = 1});
  }
  fs::path converted(converter::Fp16Safe safe) {
    converter::Options options;
    options.checkpoint = checkpoint.folder();
    options.output = dir / (safe == converter::Fp16Safe::kOff ? "off" : "auto");
    options.form.context = 64;
    options.form.prefill = 8;
    options.parts = 2;
    options.fp16_safe = safe;
    options.threads = 1;
    converter::convert(options);
    return options.output;
  }
  Report judged(const fs::path& bundle) const {
    const auto runner = generate::Runner::load(bundle, {.threads = 1, .scores = true});
    const auto reference = reference_of(*oracle);
    return judge(*runner, *reference, {.ids = random_ids(64, 97, 3)});
  }
  models::TinyCheckpoint checkpoint;
  anemone::testing::TempDir dir;
  std::unique_ptr<const oracle::Oracle> oracle;
};

TEST(Massive, FailsInPlainFp16AndPassesAsConvertedByDefault) {
  Massive massive;
  const Report plain = massive.judged(massive.converted(converter::Fp16Safe::kOff));
  EXPECT_FALSE(plain.passed());
  EXPECT_EQ(plain.failures.back().check, "finite");

  const fs::path bundle = massive.converted(converter::Options().fp16_safe);
  EXPECT_GE(shifts_of(generate::load_bundle(bundle)).residual, 3);
  const Report safe = massive.judged(bundle);
  for (const Failure& failure : safe.failures) ADD_FAILURE() << failure.check << failure.what;
  // In the checkpoint's own measure on both sides.
  for (const Boundary& boundary : safe.boundaries) EXPECT_LT(boundary.is.relative_error, 0.01);
  // All of it in fp16.
  for (const std::string& name : generate::load_bundle(bundle).packages()) {
    const auto model = package::load(bundle / name);
    for (const auto& function : model.program.functions) {
      for (const auto& op : function->body.ops) {
        for (const auto& output : op->outputs) {
          if (output->type.is_tensor() && !output->is_constant()) {
            EXPECT_NE(output->type.dtype, DType::kF32) << op->name;
          }
        }
      }
    }
  }
}

TEST(Massive, IsSearchedForFaultsInItsOwnMeasure) {
  Massive massive;
  const auto bundle = generate::load_bundle(massive.converted(converter::Fp16Safe::kAuto));
  const Location location =
      locate(bundle, *massive.oracle, {.ids = random_ids(17, 97, 5), .threads = 1});
  for (const Fault& fault : location.faults) ADD_FAILURE() << fault.op << fault.worst;
  for (const Drift& drift : location.drift) {
    EXPECT_LT(drift.is.relative_error, 0.01) << drift.layer;
  }
}

}  // namespace
}  // namespace anemone::gate
