#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "anemone/base/files.h"
#include "anemone/engine/fuse.h"
#include "anemone/engine/fusion_testing.h"
#include "anemone/mil/text.h"
#include "anemone/mil/verify.h"

// The programs of fusions/testdata/ and what becomes of them.
namespace anemone::engine {
namespace {
namespace fs = std::filesystem;

const fs::path kFolder = fs::path(ANEMONE_ENGINE_DIR) / "fusions" / "testdata";
constexpr std::string_view kBefore = ".before.mil";
constexpr std::string_view kAfter = ".after.txt";

bool updates() { return std::getenv("ANEMONE_UPDATE_GOLDEN") != nullptr; }

Tensors run(const std::shared_ptr<mil::Program>& program, const Tensors& inputs,
            const Options& options, std::string& said) {
  const auto executable = Executable::compile(program, "main", options);
  said.clear();
  for (const PlanReport::Line& line : executable->plan_report().lines) {
    std::string text = line.name + " " + line.op + ": " + line.how;
    if (!line.fused_with.empty()) text += " with " + line.fused_with;
    said += text.substr(0, text.find(',')) + "\n";
  }
  return run_plan(*executable, nullptr, inputs);
}

// Those of the second text's lines that are not the first's at the same place; all, if there are
// more or fewer.
std::string changed_lines(const std::string& first, const std::string& second) {
  std::istringstream a(first), b(second);
  std::string changed, one, other;
  while (std::getline(b, other)) {
    if (!std::getline(a, one)) return second;
    if (one != other) changed += other + "\n";
  }
  return std::getline(a, one) ? second : changed;
}

void check_file(const fs::path& path) {
  SCOPED_TRACE(path.filename().string());
  const std::string text = read_text(path);
  const auto program = std::make_shared<mil::Program>(mil::parse(text, path.filename().string()));
  for (const mil::Defect& one : mil::verify(*program))
    ADD_FAILURE() << one.where << ": " << one.what;
  const std::string printed = mil::print(*program);
  Numbers numbers(1);
  Tensors inputs;
  for (const auto& input : program->functions.front()->inputs) {
    inputs[input->name] = numbers.tensor(input->type.dtype, input->type.shape, -2, 2);
  }
  const std::string said = check_fusion(program, inputs);
  const std::string name = path.string();
  const std::string after = name.substr(0, name.size() - kBefore.size()) + std::string(kAfter);
  if (updates()) {
    write_file(path, printed);
    write_file(after, said);
    return;
  }
  EXPECT_EQ(printed, text) << "if this is meant: ANEMONE_UPDATE_GOLDEN=1";
  EXPECT_EQ(said, read_text(after)) << "if this is meant: ANEMONE_UPDATE_GOLDEN=1";
}

}  // namespace

std::string check_fusion(const std::shared_ptr<mil::Program>& program, const Tensors& inputs) {
  constexpr Tolerance kTolerance{64, 8};
  std::string all, first;
  for (const Arithmetic arithmetic : {Arithmetic::kFloat16, Arithmetic::kFloat32}) {
    std::string said, apart_said;
    const Tensors expected = Reference(program, arithmetic).run("main", inputs);
    for (const std::string& target : supported_targets()) {
      set_target_for_test(target);
      const Tensors apart =
          run(program, inputs, {.arithmetic = arithmetic, .fuse = false}, apart_said);
      for (const int threads : {3, 1}) {
        Options options{.arithmetic = arithmetic};
        if (threads > 1) options.pool = std::make_shared<ThreadPool>(threads);
        const Tensors fused = run(program, inputs, options, said);
        for (const auto& [name, tensor] : expected) {
          EXPECT_EQ(fused.at(name), apart.at(name)) << name << " on " << target << "\n" << said;
          expect_close(fused.at(name), tensor, tensor.dtype(), kTolerance, name + "\n" + said);
        }
      }
    }
    set_target_for_test("");
    if (arithmetic == Arithmetic::kFloat16) {
      all = first = said;
    } else if (said != first) {
      all += "\nin fp32 arithmetic:\n" + changed_lines(first, said);
    }
  }
  return all;
}

void check_fusion_goldens(const std::string& stem) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(stem + ".") && name.ends_with(kBefore)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  EXPECT_FALSE(paths.empty()) << stem;
  for (const fs::path& path : paths) check_file(path);
}

// Cases of each pass are run by its own test; this finds those that nobody runs.
TEST(FusionGoldens, BelongToAPassAndHaveBothHalves) {
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kFolder)) {
    const std::string name = entry.path().filename().string();
    if (name == "README.md") continue;
    const std::string stem = name.substr(0, name.find('.'));
    EXPECT_TRUE(fs::exists(kFolder.parent_path() / (stem + ".cc"))) << name << " is of no pass";
    const bool is_before = name.ends_with(kBefore);
    ASSERT_TRUE(is_before || name.ends_with(kAfter)) << name;
    const std::string_view own = is_before ? kBefore : kAfter;
    const std::string other =
        name.substr(0, name.size() - own.size()) + std::string(is_before ? kAfter : kBefore);
    EXPECT_TRUE(fs::exists(kFolder / other) || updates()) << name << " has no " << other;
    count += is_before ? 1 : 0;
  }
  EXPECT_GE(count, all_fusions().size());
}

}  // namespace anemone::engine
