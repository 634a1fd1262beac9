#include <chrono>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/inputs.h"
#include "anemone/cli/model_options.h"
#include "anemone/cli/npy.h"
#include "anemone/cli/words.h"
#include "anemone/generate/generation.h"

namespace anemone::cli {
extern const Command command_logits;
namespace {

struct Settings {
  std::string bundle;
  std::optional<std::string> text, tokens, output;
  ModelSettings model;
  bool json = false;
};

std::vector<int> ids_to_score(const Console& console, const Settings& settings,
                              const generate::Runner& runner) {
  if (settings.tokens) {
    return parse_ids(read_input(console, *settings.tokens), *settings.tokens);
  }
  if (!runner.tokenizer()) {
    throw Error(Code::kUnsupported,
                settings.bundle + ": has no tokenizer and takes token ids only: --tokens FILE");
  }
  return generate::encode_prompt(*runner.tokenizer(), *settings.text);
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_logits);
  options.about("Writes the logits after every token of a text: [tokens, vocabulary], float32.");
  options.operand("BUNDLE", settings.bundle);
  options.text("--text T", settings.text, "the text");
  options.text("--tokens FILE", settings.tokens,
               "token ids instead: integers separated by white space, or a JSON array; - reads "
               "standard input");
  options.text("-o FILE.npy", settings.output, "where to write");
  add_model_options(options, settings.model);
  options.flag("--json", settings.json, "what was written, and errors, as JSON");
  options.example("anemone logits OUT --text 'Once upon a time' -o logits.npy");
  if (!options.parse(console, arguments)) return 0;
  if (settings.text.has_value() == settings.tokens.has_value()) {
    throw Error(Code::kUsage, "logits takes one of --text and --tokens");
  }
  if (!settings.output) throw Error(Code::kUsage, "logits needs a file to write: -o FILE.npy");

  const auto runner = generate::Runner::load(settings.bundle, runner_options(settings.model, true));
  const auto ids = ids_to_score(console, settings, *runner);
  generate::Session session(*runner);
  session.require_room(ids);
  console.stop_gently();
  NpyWriter file(*settings.output, static_cast<std::int64_t>(ids.size()), runner->vocab_size());
  const auto start = std::chrono::steady_clock::now();
  session.score(
      ids, [&](std::int64_t, std::span<const float> logits) { file.append(logits); }, console.stop);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::uint64_t size = file.close();
  if (settings.json) {
    console.print({{"file", *settings.output},
                   {"rows", ids.size()},
                   {"columns", runner->vocab_size()},
                   {"dtype", "float32"},
                   {"bytes", size},
                   {"ids", ids},
                   {"seconds", took.count()},
                   {"peak_bytes", peak_bytes()}});
  } else {
    console.out << *settings.output << ": [" << ids.size() << ", " << runner->vocab_size()
                << "] float32, " << bytes_text(size) << '\n';
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(logits) = {
    .name = "logits",
    .says = "the logits after every token of a text, as .npy",
    .usage = "[options] BUNDLE (--text T | --tokens FILE) -o FILE.npy",
    .run = run};

}  // namespace anemone::cli
