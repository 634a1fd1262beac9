#include <chrono>

#include "anemone/base/error.h"
#include "anemone/cli/command.h"
#include "anemone/cli/inputs.h"
#include "anemone/cli/model_options.h"
#include "anemone/cli/sampling_settings.h"
#include "anemone/cli/words.h"
#include "anemone/generate/generation.h"

namespace anemone::cli {
extern const Command command_run;
namespace {

struct Settings {
  std::string bundle;
  std::optional<std::string> prompt, tokens;
  std::optional<std::int64_t> max_tokens;
  SamplingSettings sampling;
  ModelSettings model;
  bool ignore_eos = false;
  bool show_special = false;
  bool stats = false;
  bool json = false;
};

[[noreturn]] void refuse_chat() {
  throw Error(Code::kUnsupported,
              "chat templates are not there yet: write the whole prompt, control tokens and all, "
              "into --prompt");
}

void declare(Options& options, Settings& settings) {
  options.about("Continues a prompt and prints the text as it comes.");
  options.operand("BUNDLE", settings.bundle);
  options.text("--prompt TEXT", settings.prompt, "what to continue");
  options.text("--tokens FILE", settings.tokens,
               "token ids instead: integers separated by white space, or a JSON array; - reads "
               "standard input");
  options.custom("--chat", false, "the prompt in the model's chat template (not there yet)",
                 [](std::string_view) { refuse_chat(); });
  options.integer("--max-tokens N", settings.max_tokens, 0,
                  std::numeric_limits<std::int64_t>::max(),
                  "(default: until the text ends or the context is full)");
  add_sampling_options(options, settings.sampling);
  options.flag("--ignore-eos", settings.ignore_eos, "goes on past the tokens that end a text");
  options.flag("--show-special", settings.show_special, "prints control tokens too");
  add_model_options(options, settings.model);
  options.flag("--stats", settings.stats, "times and memory, on the error stream");
  options.flag("--json", settings.json,
               "nothing but one object at the end: text, ids, finish_reason, times, memory");
  options.example("anemone run OUT --prompt 'Once upon a time' --max-tokens 50");
}

void require_sense(const Settings& settings) {
  if (settings.prompt.has_value() == settings.tokens.has_value()) {
    throw Error(Code::kUsage, "run takes one of --prompt and --tokens");
  }
}

// Prints text as soon as it is certain.
class TextStream {
 public:
  TextStream(const Console& console, const Settings& settings, const Tokenizer* tokenizer)
      : console_(console), is_silent_(settings.json) {
    if (tokenizer)
      decoder_.emplace(*tokenizer,
                       Tokenizer::DecodeOptions{.skip_special = !settings.show_special});
  }

  void push(int id) {
    if (decoder_) {
      show(decoder_->push(id));
    } else {
      show((is_first_ ? "" : " ") + std::to_string(id));
    }
    is_first_ = false;
  }
  void end() {
    if (decoder_) show(decoder_->flush());
    if (!is_silent_) console_.out << '\n';
    console_.flush_out();
  }
  const std::string& text() const { return text_; }

 private:
  void show(const std::string& piece) {
    text_ += piece;
    if (is_silent_ || piece.empty()) return;
    console_.out << piece;
    console_.flush_out();
  }

  const Console& console_;
  bool is_silent_;
  bool is_first_ = true;
  std::optional<StreamDecoder> decoder_;
  std::string text_;
};

std::vector<int> prompt_ids(const Console& console, const Settings& settings,
                            const generate::Runner& runner) {
  if (settings.tokens) {
    return parse_ids(read_input(console, *settings.tokens), *settings.tokens);
  }
  if (!runner.tokenizer()) {
    throw Error(Code::kUnsupported,
                settings.bundle + ": has no tokenizer and takes token ids only: --tokens FILE");
  }
  return generate::encode_prompt(*runner.tokenizer(), *settings.prompt);
}

struct Measured {
  double load_seconds = 0;
  generate::Generation generation;
  std::optional<double> prefill_rate() const {
    return rate(generation.prompt_tokens, generation.prefill_seconds);
  }
  std::optional<double> decode_rate() const {
    return rate(generation.decode_steps, generation.decode_seconds);
  }

 private:
  static std::optional<double> rate(std::int64_t count, double seconds) {
    if (count == 0 || seconds <= 0) return std::nullopt;
    return static_cast<double>(count) / seconds;
  }
};

OrderedJson or_null(const std::optional<double>& value) {
  return value ? OrderedJson(*value) : OrderedJson();
}

void print_stats(const Console& console, const Measured& measured) {
  const auto& generation = measured.generation;
  const auto rate = [](const std::optional<double>& value) {
    return value ? fixed(*value, 1) + " tokens/s" : std::string("-");
  };
  const auto first = generation.first_token_seconds;
  console.err << "load         " << seconds_text(measured.load_seconds) << '\n'
              << "first token  " << (first ? seconds_text(*first) : "-") << '\n'
              << "prefill      " << rate(measured.prefill_rate()) << " ("
              << plural(static_cast<std::uint64_t>(generation.prompt_tokens), "token") << ")\n"
              << "decode       " << rate(measured.decode_rate()) << " ("
              << plural(static_cast<std::uint64_t>(generation.decode_steps), "token") << ")\n"
              << "peak memory  " << bytes_text(peak_bytes()) << '\n'
              << "stopped by   " << name(generation.reason) << '\n';
}

OrderedJson to_json(const Settings& settings, const generate::SamplingOptions& sampling,
                    const Measured& measured, const std::string& text,
                    const generate::Session& session) {
  const auto& generation = measured.generation;
  OrderedJson json;
  json["text"] = text;
  json["ids"] = generation.ids;
  json["finish_reason"] = finish_reason(generation.reason);
  json["stopped_by"] = name(generation.reason);
  json["eos_id"] = generation.eos_id ? OrderedJson(*generation.eos_id) : OrderedJson();
  json["prompt_tokens"] = generation.prompt_tokens;
  json["generated_tokens"] = generation.ids.size();
  json["seed"] = sampling.seed;
  json["temperature"] = sampling.temperature;
  json["runner"] = settings.model.runner;
  json["arithmetic"] = settings.model.arithmetic;
  json["load_seconds"] = measured.load_seconds;
  json["first_token_seconds"] = or_null(generation.first_token_seconds);
  json["prefill_seconds"] = generation.prefill_seconds;
  json["decode_seconds"] = generation.decode_seconds;
  json["prefill_tokens_per_second"] = or_null(measured.prefill_rate());
  json["decode_tokens_per_second"] = or_null(measured.decode_rate());
  json["state_bytes"] = session.state_bytes();
  json["peak_bytes"] = peak_bytes();
  return json;
}

Json generation_config(const generate::Bundle& bundle) {
  const auto file = bundle.folder / "generation_config.json";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return Json::object();
  Json config = load_json(file);
  if (!config.is_object()) {
    throw Error(Code::kBadInput, file.string() + ": is not an object");
  }
  return config;
}

int run(const Console& console, Arguments arguments) {
  Settings settings;
  Options options(command_run);
  declare(options, settings);
  if (!options.parse(console, arguments)) return 0;
  require_sense(settings);
  // What is wrong on the command line is said before anything is loaded.
  sampling_options(settings.sampling, Json::object(), "");

  Measured measured;
  const auto start = std::chrono::steady_clock::now();
  const auto runner =
      generate::Runner::load(settings.bundle, runner_options(settings.model, false));
  generate::Session session(*runner);
  measured.load_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  const auto& bundle = runner->bundle();
  const auto config_file = (bundle.folder / "generation_config.json").string();
  generate::GenerateOptions generate_options;
  generate_options.sampling = sampling_options(
      settings.sampling, settings.sampling.sample ? generation_config(bundle) : Json::object(),
      config_file);
  for (const auto& [id, bias] : generate_options.sampling.logit_bias) {
    if (id >= runner->vocab_size()) {
      throw Error(Code::kUsage, "--logit-bias names the id " + std::to_string(id) +
                                    "; allowed: 0 to " + std::to_string(runner->vocab_size() - 1));
    }
  }
  generate_options.max_tokens = settings.max_tokens;
  generate_options.ignore_eos = settings.ignore_eos;
  generate_options.stop = console.stop;
  const auto ids = prompt_ids(console, settings, *runner);
  session.require_room(ids);
  console.stop_gently();
  TextStream stream(console, settings, runner->tokenizer());
  measured.generation =
      generate::generate(session, ids, generate_options, [&](int id) { stream.push(id); });
  stream.end();
  if (settings.json) {
    console.print(to_json(settings, generate_options.sampling, measured, stream.text(), session));
    console.flush_out();
  } else if (settings.stats) {
    print_stats(console, measured);
  }
  return measured.generation.reason == generate::StopReason::kInterrupted
             ? exit_status(Code::kInterrupted)
             : 0;
}

}  // namespace

ANEMONE_DEFINE_COMMAND(run) = {.name = "run",
                               .says = "text from a prompt",
                               .usage = "[options] BUNDLE (--prompt TEXT | --tokens FILE)",
                               .run = run};

}  // namespace anemone::cli
