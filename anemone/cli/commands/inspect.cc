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
                          (!path.has_filename() && path.parent_path().extension() == ".mlpackage");
  return is_package ? Thing::kPackage : Thing::kCheckpoint;
}

// For people: large constants as a summary, small ones where they are used.
constexpr mil::PrintOptions kReadable{.max_elements = 16, .show_constants = false};

// Each program under the name of its model.
void print_members(const Console& console, const package::Pipeline& pipeline,
                   const std::string& prefix, const mil::PrintOptions& style) {
  for (const package::Member& member : pipeline.members) {
    const std::string name = prefix + member.name;
    if (const auto* model = std::get_if<package::Model>(&member.model)) {
      console.out << "// " << to_line(Json(name)) << '\n' << mil::print(model->program, style);
    } else {
      print_members(console, *std::get<std::unique_ptr<package::Pipeline>>(member.model),
                    name + "/", style);
    }
  }
}

void print_programs(const Console& console, const fs::path& path, Thing thing,
                    const mil::PrintOptions& style) {
  if (thing == Thing::kPackage) {
    const package::AnyModel any = package::load_any(path);
    if (const auto* model = std::get_if<package::Model>(&any)) {
      console.out << mil::print(model->program, style);
    } else {
      print_members(console, std::get<package::Pipeline>(any), "", style);
    }
    return;
  }
  for (const std::string& package : generate::load_bundle(path).packages()) {
    console.out << "// " << package << '\n'
                << mil::print(package::load(path / package).program, style);
  }
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_inspect);
  options.about("Shows what a bundle, a Core ML package or a checkpoint holds.");
  options.operand("PATH", settings.path);
  options.flag("--mil", settings.mil, "the text of the programs instead");
  options.flag("--full", settings.full,
               "with --mil: every constant in full, a text that parses back to the same program");
  options.flag("--json", settings.json, "one object, and errors as JSON");
  options.example("anemone inspect OUT");
  if (!options.parse(console, arguments)) return 0;
  if (settings.full && !settings.mil) throw Error(Code::kUsage, "--full goes with --mil");
  const Thing thing = thing_at(settings.path);
  if (settings.mil) {
    if (thing == Thing::kCheckpoint) {
      throw Error(Code::kUsage,
                  settings.path + " is a checkpoint; --mil needs a bundle or a package");
    }
    if (settings.json) throw Error(Code::kUsage, "inspect takes one of --mil and --json");
    print_programs(console, settings.path, thing, settings.full ? mil::PrintOptions{} : kReadable);
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
