#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/cli/command.h"
#include "anemone/cli/inputs.h"
#include "anemone/cli/model_options.h"
#include "anemone/cli/progress_bar.h"
#include "anemone/cli/words.h"
#include "anemone/gate/gate.h"
#include "anemone/gate/locate.h"
#include "anemone/gate/text.h"
#include "anemone/generate/generation.h"

namespace anemone::cli {
extern const Command command_verify;
namespace {

constexpr std::int64_t kDefaultPositions = 256;
constexpr std::uint64_t kSeed = 1;

struct Settings {
  std::string bundle;
  std::optional<std::string> against, text, tokens, thresholds;
  std::optional<std::int64_t> positions;
  std::string decode = "some";
  std::string weights = "fp16";
  ModelSettings model;
  std::int64_t greedy = 8;
  std::optional<double> min_cosine, max_perplexity_change, near_tie;
  bool tie_missing_head = false;
  bool where = false;
  bool rows = false;
  bool json = false;
};

bool parse(const Console& console, Arguments arguments, Settings& settings) {
  Options options(command_verify);
  options.about(
      "Holds what a bundle computes against its checkpoint in fp32 arithmetic, which is computed "
      "from "
      "the weights without the bundle's programs. Exit status 1 if they differ by more than is "
      "allowed.");
  options.operand("BUNDLE", settings.bundle);
  options.text("--against CHECKPOINT", settings.against,
               "what the bundle was made from; or another bundle");
  options.text("--text FILE", settings.text, "the text (default: one that comes with the tool)");
  options.text("--tokens FILE", settings.tokens,
               "token ids instead: integers separated by white space, or a JSON array; - reads "
               "standard input");
  options.integer("--positions N", settings.positions, 1, std::int64_t{1} << 24,
                  "how many ids of the text (default: 256, or the context if that is less)");
  options.choice(
      "--decode D", settings.decode, {"some", "all"},
      "some: 16 positions one by one, 8 of them the last of the context; all: besides, every "
      "position of the text (default: some)");
  options.choice("--arithmetic A", settings.model.arithmetic, {"float16", "float32"},
                 "float16 rounds as the program says, float32 keeps activations exact (default: "
                 "float16)");
  options.choice("--weights W", settings.weights, {"fp16", "stored"},
                 "the checkpoint's weights rounded to fp16, as packages hold them, or as they are "
                 "stored (default: fp16)");
  options.integer("--greedy N", settings.greedy, 0, 1024,
                  "ids by which the bundle continues the text's beginning (default: 8)");
  options.text("--thresholds FILE", settings.thresholds, "what is allowed, as a JSON object");
  options.number("--min-cosine X", settings.min_cosine,
                 "of the logits, at every position (default: 0.9999)");
  options.number("--max-perplexity-change X", settings.max_perplexity_change,
                 "as a share (default: 0.005)");
  options.number("--near-tie X", settings.near_tie,
                 "margin up to which either of the two best is right (default: 0.1)");
  options.flag("--tie-missing-head", settings.tie_missing_head,
               "as for convert: without lm_head.weight the embedding is used");
  options.flag("--where", settings.where,
               "find the op at fault: runs the programs op by op on the checkpoint's own values");
  options.integer("--threads N", settings.model.threads, 1, 1024, "(default: all processors)");
  add_strictness_options(options, settings.model);
  add_runner_options(options, settings.model);
  options.flag("--rows", settings.rows, "every position too");
  options.flag("--json", settings.json, "the report as JSON, one object a line");
  options.example("anemone verify OUT --against models/tiny-qwen3");
  if (!options.parse(console, arguments)) return false;
  if (!settings.against) throw Error(Code::kUsage, "verify needs --against CHECKPOINT");
  if (settings.text && settings.tokens) {
    throw Error(Code::kUsage, "verify takes one of --text and --tokens");
  }
  return true;
}

gate::Thresholds thresholds_of(const Settings& settings) {
  gate::Thresholds thresholds;
  if (settings.thresholds) gate::load_thresholds(*settings.thresholds, thresholds);
  Json flags = Json::object();
  if (settings.min_cosine) flags["min_cosine"] = *settings.min_cosine;
  if (settings.max_perplexity_change) {
    flags["max_perplexity_change"] = *settings.max_perplexity_change;
  }
  if (settings.near_tie) flags["near_tie"] = *settings.near_tie;
  gate::read_thresholds(flags, "thresholds", thresholds);
  return thresholds;
}

struct Input {
  std::vector<int> ids;
  std::string says;  // where they come from
};

Input input_of(const Console& console, const Settings& settings, const generate::Runner& runner) {
  const std::int64_t wanted =
      settings.positions.value_or(std::min(kDefaultPositions, runner.context()));
  Input input;
  if (settings.tokens) {
    input.ids = parse_ids(read_input(console, *settings.tokens), *settings.tokens);
    input.says = *settings.tokens;
  } else if (!runner.tokenizer()) {
    if (settings.text) {
      throw Error(Code::kUnsupported, settings.bundle +
                                          ": has no tokenizer and takes token ids only: --tokens "
                                          "FILE");
    }
    input.ids = gate::random_ids(wanted, runner.vocab_size(), kSeed);
    input.says = "random ids, seed " + std::to_string(kSeed) + " (there is no tokenizer)";
  } else {
    const std::string text =
        settings.text ? read_input(console, *settings.text) : std::string(gate::default_text());
    input.ids = generate::encode_prompt(*runner.tokenizer(), text);
    input.says = settings.text ? *settings.text : "the text that comes with the tool";
  }
  if (input.ids.empty()) throw Error(Code::kBadInput, input.says + ": there are no token ids");
  const auto given = static_cast<std::int64_t>(input.ids.size());
  const bool is_own = !settings.text && !settings.tokens;
  if (given > wanted) {
    input.ids.resize(static_cast<std::size_t>(wanted));
  } else if (given < wanted && is_own) {
    for (std::int64_t i = given; i < wanted; ++i) {
      input.ids.push_back(input.ids[static_cast<std::size_t>(i % given)]);
    }
    input.says += ", repeated";
  } else if (given < wanted && settings.positions) {
    throw Error(Code::kBadInput, input.says + ": has " + std::to_string(given) +
                                     " token ids; --positions asks for " + std::to_string(wanted));
  }
  return input;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value == 0 ? "0" : "%.1e", value);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

void print(const Console& console, const gate::Report& report, const Input& input) {
  std::ostream& out = console.out;
  out << "bundle     " << report.subject << ", arithmetic " << report.arithmetic << ", context "
      << report.context << "\nagainst    " << report.reference_path << "\n           "
      << report.reference << "\ninput      " << plural(input.ids.size(), "token id") << ": "
      << input.says << '\n';
  if (!report.summaries.empty()) {
    out << "\nway     positions  top-1 equal  near ties  defects  top-5  worst cosine       at"
           "  worst rel. error  mean KL\n";
  }
  for (const gate::Summary& s : report.summaries) {
    out << name(s.way) << std::string(7 - name(s.way).size(), ' ')
        << padded(std::to_string(s.positions), 10) << padded(std::to_string(s.agreeing), 13)
        << padded(std::to_string(s.near_ties), 11) << padded(std::to_string(s.defects), 9)
        << padded(fixed(100 * s.mean_top5, 1) + " %", 8) << padded(fixed(s.worst_cosine, 7), 13)
        << padded(std::to_string(s.worst_cosine_at), 9)
        << padded(scientific(s.worst_relative_error), 18) << padded(scientific(s.mean_kl), 9)
        << '\n';
  }
  if (report.perplexity) {
    const gate::Perplexity& p = *report.perplexity;
    out << "\nperplexity " << fixed(p.subject, 4) << ", the reference's " << fixed(p.reference, 4)
        << " (" << (p.change() < 0 ? "" : "+") << fixed(100 * p.change(), 3) << " %, "
        << plural(static_cast<std::uint64_t>(p.predictions), "prediction") << ")\n";
  }
  for (const gate::Boundary& b : report.boundaries) {
    out << "after layer " << b.layer << " (" << b.package << ")  cosine " << fixed(b.is.cosine, 7)
        << ", worst " << fixed(b.worst_cosine, 7) << " at " << b.worst_at << ", relative error "
        << scientific(b.is.relative_error) << '\n';
  }
  if (report.greedy.steps > 0) {
    out << "greedy     " << report.greedy.agreed << " of " << report.greedy.steps
        << " ids as the reference chooses them"
        << (report.greedy.ends_at_near_tie ? ", then a near tie" : "") << '\n';
  }
  // Where the two choose differently.
  for (const gate::Row& row : report.rows) {
    if (!row.is.subject_is_finite || row.is.agrees()) continue;
    out << (row.is.margin <= report.thresholds.near_tie ? "near tie" : "defect  ")
        << " at position " << row.position << " by " << name(row.way) << ": id "
        << row.is.subject_top << " for " << row.is.reference_top << ", margin "
        << fixed(row.is.margin, 4) << '\n';
  }
  out << '\n';
  for (const gate::Failure& failure : report.failures) {
    out << "failed: " << failure.check << ": " << failure.what << '\n';
  }
  out << (report.passed() ? "passed" : "FAILED") << " (bundle "
      << seconds_text(report.subject_seconds) << ", reference "
      << seconds_text(report.reference_seconds) << ")\n";
}

std::string range_text(const gate::Range& range) {
  std::string text = scientific(range.least) + " to " + scientific(range.greatest);
  if (range.not_finite > 0) {
    text += ", " + grouped(static_cast<std::uint64_t>(range.not_finite)) +
            " not finite, the first at " + std::to_string(range.first_bad);
  }
  return text;
}

void print(const Console& console, const gate::Location& location) {
  std::ostream& out = console.out;
  out << "\nthe residual stream, after each layer of the first block:\n"
         "layer     cosine  rel. error  range (the reference's)\n";
  for (const gate::Drift& d : location.drift) {
    out << padded(std::to_string(d.layer), 5) << padded(fixed(d.is.cosine, 7), 11)
        << padded(scientific(d.is.relative_error), 12) << "  " << range_text(d.found) << " ("
        << range_text(d.expected) << ")\n";
  }
  out << '\n'
      << plural(static_cast<std::uint64_t>(location.ops), "op")
      << " run on the reference's values, " << location.checked << " results compared, "
      << plural(static_cast<std::uint64_t>(location.positions), "position") << '\n';
  if (location.faults.empty()) {
    out << "no op does other than its inputs explain\n";
    return;
  }
  constexpr std::size_t kShown = 8;
  for (std::size_t i = 0; i < std::min(location.faults.size(), kShown); ++i) {
    const gate::Fault& fault = location.faults[i];
    out << (i == 0 ? "first fault: " : "then: ") << fault.op
        << (fault.type.empty() ? "" : " (" + fault.type + ")") << " of " << fault.package << ", "
        << fault.function << " at position " << fault.position << ", relative error "
        << scientific(fault.error) << " where " << scientific(fault.tolerance) << " is allowed\n";
    if (!fault.note.empty()) out << "  " << fault.note << '\n';
    out << "  " << fault.worst << "\n  range " << range_text(fault.found) << ", expected "
        << range_text(fault.expected);
    if (!fault.type.empty()) out << ", of its input " << range_text(fault.before);
    out << '\n';
    if (fault.suspects.size() > 1) {
      out << "  between it and what is known to be right:";
      for (const std::string& op : fault.suspects) out << ' ' << op;
      out << '\n';
    }
  }
  if (location.faults.size() > kShown) {
    out << "and " << location.faults.size() - kShown << " more (--json lists them)\n";
  }
}

void print_rows(const Console& console, const gate::Report& report) {
  for (const gate::Row& row : report.rows) {
    console.print(to_json(row, report.thresholds.near_tie));
  }
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  if (!parse(console, arguments, settings)) return 0;
  const gate::Thresholds thresholds = thresholds_of(settings);
  const ModelSettings& model = settings.model;
  const auto runner = generate::Runner::load(settings.bundle, runner_options(model, true));
  const Input input = input_of(console, settings, *runner);

  std::unique_ptr<const oracle::Oracle> oracle;
  std::unique_ptr<const generate::Runner> other;
  std::unique_ptr<gate::Reference> reference;
  if (generate::is_bundle(*settings.against)) {
    if (settings.where) {
      throw Error(Code::kUsage, "--where needs a checkpoint to hold the bundle against");
    }
    other = generate::Runner::load(*settings.against, runner_options(model, true));
    reference = gate::reference_of(*other);
  } else {
    oracle = oracle::Oracle::load(Checkpoint::load(*settings.against),
                                  {.round_weights_to_f16 = settings.weights == "fp16",
                                   .layers = runner->bundle().num_hidden_layers,
                                   .tie_missing_head = settings.tie_missing_head,
                                   .threads = static_cast<int>(settings.model.threads)});
    reference = gate::reference_of(*oracle);
  }
  ProgressBar bar(console);
  const auto report =
      gate::judge(*runner, *reference,
                  {.ids = input.ids,
                   .decode_all = settings.decode == "all",
                   .greedy = settings.greedy,
                   .thresholds = thresholds,
                   .arithmetic = arithmetic_text(model),
                   .progress = [&](std::string_view what, std::uint64_t done,
                                   std::uint64_t total) { bar.update(what, done, total); },
                   .stop = console.stop});
  bar.wipe();
  if (settings.rows) print_rows(console, report);
  if (settings.json) {
    OrderedJson json = to_json(report);
    json["input"] = {{"ids", input.ids.size()}, {"source", input.says}};
    json["peak_bytes"] = peak_bytes();
    console.print(json);
  } else {
    print(console, report, input);
  }
  bool passed = report.passed();
  if (settings.where) {
    const auto location =
        gate::locate(runner->bundle(), *oracle,
                     {.ids = input.ids,
                      .arithmetic = runner->arithmetic(),
                      .threads = static_cast<int>(settings.model.threads),
                      .progress = [&](std::string_view what, std::uint64_t done,
                                      std::uint64_t total) { bar.update(what, done, total); },
                      .stop = console.stop});
    bar.wipe();
    if (settings.json) {
      console.print({{"where", to_json(location)}});
    } else {
      print(console, location);
    }
    passed = passed && location.faults.empty();
  }
  console.flush_out();
  return passed ? 0 : 1;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(verify) = {.name = "verify",
                                  .says = "hold a bundle's numbers against its checkpoint",
                                  .usage = "[options] BUNDLE --against CHECKPOINT",
                                  .run = run};

}  // namespace anemone::cli
