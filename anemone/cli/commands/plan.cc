#include "anemone/plan/plan.h"

#include <iomanip>
#include <sstream>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/options.h"
#include "anemone/cli/words.h"

namespace anemone::cli {
extern const Command command_plan;
namespace {

constexpr std::int64_t kMaxContext = std::int64_t{1} << 24;

struct Settings {
  std::string path;
  std::vector<std::string> chips;
  std::vector<std::int64_t> contexts;
  bool json = false;
};

std::int64_t context_of(std::string_view value) {
  const auto context = find_integer(value);
  if (!context || *context < 1 || *context > kMaxContext) {
    throw Error(Code::kUsage, "--context takes a number from 1 to " + std::to_string(kMaxContext) +
                                  "; found '" + std::string(value) + "'");
  }
  return *context;
}

// Columns: the first one left-aligned, the others right-aligned, as wide as they need to be.
class Table {
 public:
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
      widths.resize(std::max(widths.size(), row.size()));
      for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    std::ostringstream out;
    for (const auto& row : rows_) {
      for (std::size_t i = 0; i < row.size(); ++i) {
        out << (i == 0 ? std::left : std::right) << std::setw(static_cast<int>(widths[i])) << row[i]
            << (i + 1 == row.size() ? "\n" : "  ");
      }
    }
    return out.str();
  }

 private:
  std::vector<std::vector<std::string>> rows_;
};

std::string number(double value) { return fixed(value, value < 10 ? 2 : value < 1000 ? 1 : 0); }

std::string band(const OrderedJson& range) {
  return number(range.at("low").get<double>()) + " to " + number(range.at("high").get<double>());
}

std::string traffic_table(const OrderedJson& functions) {
  Table table;
  table.add({"function", "weights", "cache read", "written", "in and out", "may spill", "MFLOP"});
  for (const OrderedJson& one : functions) {
    const auto bytes = [&one](const char* key) {
      return bytes_text(one.at(key).get<std::uint64_t>());
    };
    table.add({one.at("package").get<std::string>() + " " + one.at("function").get<std::string>() +
                   (one.at("exact").get<bool>() ? "" : " (at least)"),
               bytes("weight_bytes"), bytes("cache_read_bytes"), bytes("cache_written_bytes"),
               bytes("boundary_bytes"), bytes("spilled_bytes"),
               number(one.at("flops").get<double>() / 1e6)});
  }
  return table.text();
}

std::string chips_table(const OrderedJson& chips) {
  Table table;
  table.add(
      {"chip", "context", "step", "rows", "ms", "from", "tokens/s at most", "band", "bound by"});
  for (const OrderedJson& chip : chips) {
    for (const OrderedJson& sized : chip.at("contexts")) {
      for (const OrderedJson& step : sized.at("steps")) {
        const auto& context = sized.at("context");
        const auto& rows = step.at("rows");
        const auto& milliseconds = step.at("milliseconds");
        std::vector<std::string> row = {
            chip.at("chip").get<std::string>(),
            context.is_null() ? "-" : std::to_string(context.get<std::int64_t>()),
            step.at("step").get<std::string>(),
            rows.is_null() ? "-" : std::to_string(rows.get<std::int64_t>()),
            number(milliseconds.at("likely").get<double>()),
            band(milliseconds)};
        if (step.contains("tokens_per_second")) {
          const auto& rate = step.at("tokens_per_second");
          row.push_back(number(rate.at("likely").get<double>()));
          row.push_back(band(rate));
        } else {
          row.insert(row.end(), 2, "-");
        }
        row.push_back(step.at("bound_by").get<std::string>());
        table.add(std::move(row));
      }
    }
  }
  return table.text();
}

std::string constant_line(std::string_view what, const OrderedJson& constant) {
  return std::string(what) + "  " + number(constant.at("likely").get<double>()) + " " +
         constant.at("unit").get<std::string>() + " (" + band(constant) + ")" +
         (constant.at("derived").get<bool>() ? ", derived" : "") + ": " +
         constant.at("source").get<std::string>() + "\n";
}

void print_words(const Console& console, const OrderedJson& json) {
  console.out << "Predicted, not measured: what bytes, FLOPs and dispatches allow at most, if "
                 "everything runs on the Neural Engine (docs/plan.md).\n\n"
              << traffic_table(json.at("functions")) << '\n'
              << chips_table(json.at("chips")) << '\n';
  for (const OrderedJson& chip : json.at("chips")) {
    const std::string name = chip.at("chip").get<std::string>();
    console.out << constant_line(name + " bandwidth", chip.at("bandwidth"))
                << constant_line(name + " compute  ", chip.at("compute"));
  }
  console.out << constant_line("a dispatch", json.at("dispatch"));
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_plan);
  options.about(
      "Predicts how fast a bundle or a package can be at most on the Neural Engine: a roofline of "
      "constants that others measured, each with its source.");
  options.operand("PATH", settings.path);
  options.texts("--chip C", settings.chips,
                "M1, M4 Pro, ...; repeatable (default: all that are known)");
  options.custom("--context N", true,
                 "as if the bundle had been made with this context; repeatable (default: its own)",
                 [&](std::string_view value) { settings.contexts.push_back(context_of(value)); });
  options.flag("--json", settings.json, "one object, and errors as JSON");
  options.example("anemone plan OUT --chip M4 --context 2048");
  if (!options.parse(console, arguments)) return 0;

  std::vector<const plan::Chip*> chips;
  for (const std::string& name : settings.chips) chips.push_back(&plan::chip_named(name));
  if (chips.empty()) {
    for (const plan::Chip& chip : plan::all_chips()) chips.push_back(&chip);
  }
  const OrderedJson json = plan::to_json(plan::load_model(settings.path), chips, settings.contexts);
  if (settings.json) {
    console.print(json);
  } else {
    print_words(console, json);
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(plan) = {
    .name = "plan",
    .says = "how fast it can be at most on the Neural Engine: predicted",
    .usage = "[options] PATH",
    .run = run};

}  // namespace anemone::cli
