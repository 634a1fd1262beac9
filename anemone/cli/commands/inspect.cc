#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/options.h"
#include "anemone/cli/overview.h"
#include "anemone/mil/text.h"
#include "anemone/package/pipeline.h"

namespace anemone::cli {
extern const Command command_inspect;
namespace {
namespace fs = std::filesystem;

struct Settings {
  std::string path;
  bool mil = false;
  bool full = false;
  bool brief = false;
  bool json = false;
};

enum class Thing { kBundle, kPackage, kCheckpoint };

Thing thing_at(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) {
    throw Error(Code::kNotFound, path.string() + ": there is no such file or folder");
  }
  if (generate::is_bundle(path)) return Thing::kBundle;
  const bool is_package = fs::exists(path / "Manifest.json", ignored) ||
                          path.lexically_normal().extension() == ".mlpackage" ||
                          path.extension() == ".mlmodel" ||
                          (!path.has_filename() && path.parent_path().extension() == ".mlpackage");
  return is_package ? Thing::kPackage : Thing::kCheckpoint;
}

// For people: large constants as a summary, small ones where they are used.
constexpr mil::PrintOptions kBrief{.max_elements = 16, .show_constants = false};
// A program whose constants hold more elements than this prints as kBrief, unless it is asked for
// in full: as text, the weights of a language model take gigabytes.
constexpr std::int64_t kMostElements = 1 << 16;

std::int64_t constant_elements(const mil::Program& program) {
  std::int64_t elements = 0;
  for (const auto& function : program.functions) {
    mil::for_each_op(function->body, [&](const mil::Op& op, int) {
      for (const auto& output : op.outputs) {
        if (output->constant) elements += output->constant->count();
      }
    });
  }
  return elements;
}

std::string text_of(const mil::Program& program, const Settings& settings) {
  if (settings.brief) return mil::print(program, kBrief);
  if (settings.full || constant_elements(program) <= kMostElements) return mil::print(program);
  return "// Large constants are left out; --full prints them, a text that parses back.\n" +
         mil::print(program, kBrief);
}

// Each program under the name of its model.
void print_members(const Console& console, const package::Pipeline& pipeline,
                   const std::string& prefix, const Settings& settings) {
  for (const package::Member& member : pipeline.members) {
    const std::string name = prefix + member.name;
    if (const auto* model = std::get_if<package::Model>(&member.model)) {
      console.out << "// " << to_line(Json(name)) << '\n' << text_of(model->program, settings);
    } else {
      print_members(console, *std::get<std::unique_ptr<package::Pipeline>>(member.model),
                    name + "/", settings);
    }
  }
}

void print_programs(const Console& console, Thing thing, const Settings& settings) {
  const fs::path path = settings.path;
  if (thing == Thing::kPackage) {
    const package::AnyModel any = package::load_any(path);
    if (const auto* model = std::get_if<package::Model>(&any)) {
      console.out << text_of(model->program, settings);
    } else {
      print_members(console, std::get<package::Pipeline>(any), "", settings);
    }
    return;
  }
  for (const std::string& package : generate::load_bundle(path).packages()) {
    console.out << "// " << package << '\n'
                << text_of(package::load(path / package).program, settings);
  }
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_inspect);
  options.about("Shows what a bundle, a Core ML package or a checkpoint holds.");
  options.operand("PATH", settings.path);
  options.flag("--mil", settings.mil,
               "the text of the programs instead, which parses back to the same programs (of those "
               "with more than 65536 elements of constants, only with --full)");
  options.flag("--full", settings.full, "with --mil: every constant in full, however large");
  options.flag("--brief", settings.brief,
               "with --mil: for reading, small constants where they are used, large ones left out");
  options.flag("--json", settings.json, "one object, and errors as JSON");
  options.example("anemone inspect OUT");
  if (!options.parse(console, arguments)) return 0;
  if (settings.full && !settings.mil) throw Error(Code::kUsage, "--full goes with --mil");
  if (settings.brief && !settings.mil) throw Error(Code::kUsage, "--brief goes with --mil");
  if (settings.brief && settings.full) {
    throw Error(Code::kUsage, "inspect takes one of --full and --brief");
  }
  const Thing thing = thing_at(settings.path);
  if (settings.mil) {
    if (thing == Thing::kCheckpoint) {
      throw Error(Code::kUsage,
                  settings.path + " is a checkpoint; --mil needs a bundle or a package");
    }
    if (settings.json) throw Error(Code::kUsage, "inspect takes one of --mil and --json");
    print_programs(console, thing, settings);
  } else {
    const OrderedJson json = thing == Thing::kBundle
                                 ? describe_bundle(generate::load_bundle(settings.path))
                             : thing == Thing::kPackage
                                 ? describe_package(package::load_any(settings.path), settings.path)
                                 : describe_checkpoint(Checkpoint::load(settings.path));
    if (settings.json) {
      console.print(json);
    } else {
      console.out << (thing == Thing::kBundle    ? bundle_lines(json)
                      : thing == Thing::kPackage ? package_lines(json)
                                                 : checkpoint_lines(json));
    }
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(inspect) = {.name = "inspect",
                                   .says = "what a bundle, a package or a checkpoint holds",
                                   .usage = "[options] PATH",
                                   .run = run};

}  // namespace anemone::cli
