#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/inputs.h"
#include "anemone/cli/options.h"

namespace anemone::cli {
extern const Command command_tokenize;
namespace {

struct Settings {
  std::string model;
  std::optional<std::string> text, lines, pre_tokenizer;
  bool no_special = false;
  bool json = false;
};

void print_ids(const Console& console, const std::vector<int>& ids) {
  for (std::size_t i = 0; i < ids.size(); ++i) console.out << (i == 0 ? "" : " ") << ids[i];
  console.out << '\n';
}

void print_array(const Console& console, const std::vector<int>& ids) {
  std::string line = "[";
  for (const int id : ids) line += (line.size() == 1 ? "" : ",") + std::to_string(id);
  console.out << line << "]\n";
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_tokenize);
  options.about("Turns text into the ids that the model's tokenizer has for it.");
  options.operand("MODEL", settings.model);
  options.text("--text T", settings.text, "the text");
  options.text("--lines FILE", settings.lines,
               "many texts: one JSON string a line in, one array of ids a line out; - reads "
               "standard input");
  options.flag("--no-special", settings.no_special,
               "without what the post-processor adds (BOS, EOS)");
  options.text("--pre-tokenizer NAME", settings.pre_tokenizer,
               "for a GGUF file whose tokenizer.ggml.pre is not known: the one to use");
  options.flag("--json", settings.json, "an object with ids and tokens, and errors as JSON");
  options.example("anemone tokenize models/tiny-qwen3 --text 'Thou shalt not' --json");
  if (!options.parse(console, arguments)) return 0;
  if (settings.text.has_value() == settings.lines.has_value()) {
    throw Error(Code::kUsage, "tokenize takes one of --text and --lines");
  }
  const Tokenizer tokenizer = load_tokenizer(settings.model, settings.pre_tokenizer.value_or(""));
  const Tokenizer::EncodeOptions encode{.add_special = !settings.no_special};
  if (settings.text) {
    const auto ids = tokenizer.encode(*settings.text, encode);
    if (settings.json) {
      OrderedJson tokens = OrderedJson::array();
      for (const int id : ids) tokens.push_back(std::string(tokenizer.token(id).value_or("")));
      console.print({{"ids", ids}, {"tokens", tokens}});
    } else {
      print_ids(console, ids);
    }
    console.flush_out();
    return 0;
  }
  LineReader lines(console, *settings.lines);
  std::string line;
  while (lines.next(line)) {
    const Json text = parse_json(line, lines.where());
    if (!text.is_string()) {
      throw Error(Code::kBadInput, lines.where() + ": is not a JSON string");
    }
    print_array(console, tokenizer.encode(text.get_ref<const std::string&>(), encode));
    // Whoever feeds lines by hand waits for each answer.
    if (lines.is_standard_input()) console.flush_out();
  }
  console.flush_out();
  return 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(tokenize) = {.name = "tokenize",
                                    .says = "text to token ids",
                                    .usage = "[options] MODEL (--text T | --lines FILE)",
                                    .run = run};

}  // namespace anemone::cli
