#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/inputs.h"
#include "anemone/cli/options.h"

namespace anemone::cli {
extern const Command command_detokenize;
namespace {

struct Settings {
  std::string model;
  std::optional<std::string> ids, lines, pre_tokenizer;
  bool skip_special = false;
  bool json = false;
};

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_detokenize);
  options.about("Turns token ids back into text. An id without a token is nothing.");
  options.operand("MODEL", settings.model);
  options.text("--ids LIST", settings.ids, "the ids, as in 1,2,3");
  options.text("--lines FILE", settings.lines,
               "many lists: one array of ids a line in, one JSON string a line out; - reads "
               "standard input");
  options.flag("--skip-special", settings.skip_special, "without control tokens");
  options.text("--pre-tokenizer NAME", settings.pre_tokenizer,
               "for a GGUF file whose tokenizer.ggml.pre is not known: the one to use");
  options.flag("--json", settings.json, "an object with text, and errors as JSON");
  options.example("anemone detokenize models/tiny-qwen3 --ids 12,34,56");
  if (!options.parse(console, arguments)) return 0;
  if (settings.ids.has_value() == settings.lines.has_value()) {
    throw Error(Code::kUsage, "detokenize takes one of --ids and --lines");
  }
  const Tokenizer::DecodeOptions decode{.skip_special = settings.skip_special};
  if (settings.ids) {
    const auto ids = parse_ids(*settings.ids, "--ids");
    const Tokenizer tokenizer = load_tokenizer(settings.model, settings.pre_tokenizer.value_or(""));
    const std::string text = tokenizer.decode(ids, decode);
    if (settings.json) {
      console.print({{"text", text}});
    } else {
      console.out << text << '\n';
    }
    console.flush_out();
    return 0;
  }
  const Tokenizer tokenizer = load_tokenizer(settings.model, settings.pre_tokenizer.value_or(""));
  LineReader lines(console, *settings.lines);
  std::string line;
  while (lines.next(line)) {
    console.print(OrderedJson(tokenizer.decode(parse_ids(line, lines.where()), decode)));
    if (lines.is_standard_input()) console.flush_out();
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(detokenize) = {.name = "detokenize",
                                      .says = "token ids to text",
                                      .usage = "[options] MODEL (--ids LIST | --lines FILE)",
                                      .run = run};

}  // namespace anemone::cli
