#include "anemone/evidence/evidence.h"

#include <xxhash.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <system_error>

#include "anemone/base/bytes.h"
#include "anemone/base/check.h"
#include "anemone/base/error.h"
#include "anemone/base/files.h"
#include "anemone/evidence/schema.h"

namespace anemone::evidence {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kOutcomes[] = {"ok",   "error",   "crash",   "killed",
                                          "hang", "garbage", "no-space"};

Outcome outcome_named(std::string_view name) {
  const auto found = std::find(std::begin(kOutcomes), std::end(kOutcomes), name);
  ANEMONE_CHECK(found != std::end(kOutcomes)) << std::string(name);
  return static_cast<Outcome>(found - std::begin(kOutcomes));
}

// --- Writing: what is absent or empty is left out. ---

template <typename T>
void put(OrderedJson& json, const char* key, const std::optional<T>& value) {
  if (value) json[key] = *value;
}

void put(OrderedJson& json, const char* key, const std::string& value) {
  if (!value.empty()) json[key] = value;
}

OrderedJson written(const Stage& stage) {
  OrderedJson json = {{"outcome", name(stage.outcome)}};
  put(json, "seconds", stage.seconds);
  put(json, "message", stage.message);
  return json;
}

void put(OrderedJson& json, const char* key, const std::optional<Stage>& stage) {
  if (stage) json[key] = written(*stage);
}

// Unless there is nothing in it.
void put_part(OrderedJson& json, const char* key, OrderedJson part) {
  if (!part.empty()) json[key] = std::move(part);
}

OrderedJson written(const Machine& machine) {
  OrderedJson json = OrderedJson::object();
  put(json, "model", machine.model);
  json["chip"] = machine.chip;
  json["os"] = machine.os;
  json["os_version"] = machine.os_version;
  put(json, "os_build", machine.os_build);
  put(json, "memory_bytes", machine.memory_bytes);
  put(json, "processors", machine.processors);
  if (machine.is_virtual) json["is_virtual"] = true;
  return json;
}

OrderedJson written(const Package& package) {
  return {{"name", package.name}, {"hash", package.hash}, {"size_bytes", package.size_bytes}};
}

OrderedJson written(const OpPlacement& op) {
  OrderedJson json = {{"op", op.op}, {"output", op.output}};
  if (!op.supported.empty()) json["supported"] = op.supported;
  put(json, "preferred", op.preferred);
  put(json, "cost", op.cost);
  return json;
}

OrderedJson written(const Units& units) {
  OrderedJson json = OrderedJson::object();
  put(json, "cold_load", units.cold_load);
  put(json, "warm_load", units.warm_load);
  put(json, "plan", units.plan);
  for (const OpPlacement& op : units.ops) json["ops"].push_back(written(op));
  put(json, "predict", units.predict);
  OrderedJson latency = OrderedJson::object();
  put(latency, "first_seconds", units.latency.first_seconds);
  if (units.latency.steady_count > 0) latency["steady_count"] = units.latency.steady_count;
  put(latency, "steady_p50_seconds", units.latency.steady_p50_seconds);
  put(latency, "steady_p95_seconds", units.latency.steady_p95_seconds);
  put_part(json, "latency", std::move(latency));
  OrderedJson footprint = OrderedJson::object();
  put(footprint, "before_bytes", units.footprint.before_bytes);
  put(footprint, "loaded_bytes", units.footprint.loaded_bytes);
  put(footprint, "after_bytes", units.footprint.after_bytes);
  put(footprint, "peak_bytes", units.footprint.peak_bytes);
  put_part(json, "footprint", std::move(footprint));
  if (const auto& energy = units.ane_energy) {
    json["ane_energy"] = {{"joules", energy->joules},
                          {"idle_joules", energy->idle_joules},
                          {"predictions", energy->predictions}};
  }
  if (const auto& numerics = units.numerics) {
    json["numerics"] = {{"snr_db", numerics->snr_db},
                        {"cosine", numerics->cosine},
                        {"max_abs_error", numerics->max_abs_error},
                        {"not_finite", numerics->not_finite},
                        {"required_snr_db", numerics->required_snr_db}};
  }
  put(json, "state_bytes", units.state_bytes);
  put(json, "steps_done", units.steps_done);
  put(json, "failed_step", units.failed_step);
  put(json, "predicting_from", units.predicting_from);
  put(json, "predicting_to", units.predicting_to);
  return json;
}

// --- Reading: the schema was checked before. ---

template <typename T>
void take(const Json& json, const char* key, T& value) {
  if (json.contains(key)) value = json.at(key).get<T>();
}

template <typename T>
void take(const Json& json, const char* key, std::optional<T>& value) {
  if (json.contains(key)) value = json.at(key).get<T>();
}

void take(const Json& json, const char* key, std::optional<Stage>& stage) {
  if (!json.contains(key)) return;
  const Json& from = json.at(key);
  stage = Stage{.outcome = outcome_named(from.at("outcome").get<std::string>())};
  take(from, "seconds", stage->seconds);
  take(from, "message", stage->message);
}

Units read_units(const Json& json) {
  Units units;
  take(json, "cold_load", units.cold_load);
  take(json, "warm_load", units.warm_load);
  take(json, "plan", units.plan);
  const Json ops = json.value("ops", Json::array());
  for (const Json& from : ops) {
    OpPlacement op{.op = from.at("op"), .output = from.at("output")};
    take(from, "supported", op.supported);
    take(from, "preferred", op.preferred);
    take(from, "cost", op.cost);
    units.ops.push_back(std::move(op));
  }
  take(json, "predict", units.predict);
  if (json.contains("latency")) {
    const Json& from = json.at("latency");
    take(from, "first_seconds", units.latency.first_seconds);
    take(from, "steady_count", units.latency.steady_count);
    take(from, "steady_p50_seconds", units.latency.steady_p50_seconds);
    take(from, "steady_p95_seconds", units.latency.steady_p95_seconds);
  }
  if (json.contains("footprint")) {
    const Json& from = json.at("footprint");
    take(from, "before_bytes", units.footprint.before_bytes);
    take(from, "loaded_bytes", units.footprint.loaded_bytes);
    take(from, "after_bytes", units.footprint.after_bytes);
    take(from, "peak_bytes", units.footprint.peak_bytes);
  }
  if (json.contains("ane_energy")) {
    const Json& from = json.at("ane_energy");
    units.ane_energy = Energy{.joules = from.at("joules"),
                              .idle_joules = from.at("idle_joules"),
                              .predictions = from.at("predictions")};
  }
  if (json.contains("numerics")) {
    const Json& from = json.at("numerics");
    units.numerics = Numerics{.snr_db = from.at("snr_db"),
                              .cosine = from.at("cosine"),
                              .max_abs_error = from.at("max_abs_error"),
                              .not_finite = from.at("not_finite"),
                              .required_snr_db = from.at("required_snr_db")};
  }
  take(json, "state_bytes", units.state_bytes);
  take(json, "steps_done", units.steps_done);
  take(json, "failed_step", units.failed_step);
  take(json, "predicting_from", units.predicting_from);
  take(json, "predicting_to", units.predicting_to);
  return units;
}

Record read_record(const Json& json) {
  Record record{.experiment = json.at("experiment"),
                .measured_at = json.at("measured_at"),
                .tool = json.at("tool"),
                .runner = json.at("runner"),
                .outcome = outcome_named(json.at("outcome").get<std::string>())};
  take(json, "form", record.form);
  take(json, "function", record.function);
  const Json& machine = json.at("machine");
  take(machine, "model", record.machine.model);
  take(machine, "chip", record.machine.chip);
  take(machine, "os", record.machine.os);
  take(machine, "os_version", record.machine.os_version);
  take(machine, "os_build", record.machine.os_build);
  take(machine, "memory_bytes", record.machine.memory_bytes);
  take(machine, "processors", record.machine.processors);
  take(machine, "is_virtual", record.machine.is_virtual);
  const Json& package = json.at("package");
  take(package, "name", record.package.name);
  take(package, "hash", record.package.hash);
  take(package, "size_bytes", record.package.size_bytes);
  take(json, "exit_status", record.exit_status);
  take(json, "exit_signal", record.exit_signal);
  take(json, "seconds", record.seconds);
  take(json, "steps", record.steps);
  take(json, "compile", record.compile);
  if (json.contains("units")) {
    for (const auto& [name, units] : json.at("units").items()) {
      record.units[name] = read_units(units);
    }
  }
  take(json, "log", record.log);
  return record;
}

}  // namespace

std::string_view name(Outcome outcome) { return kOutcomes[static_cast<std::size_t>(outcome)]; }

const Units* Record::find_units(std::string_view choice) const {
  const auto found = units.find(choice);
  return found == units.end() ? nullptr : &found->second;
}

OrderedJson to_json(const Record& record) {
  OrderedJson json = {{"experiment", record.experiment}};
  put(json, "form", record.form);
  json["measured_at"] = record.measured_at;
  json["tool"] = record.tool;
  json["runner"] = record.runner;
  put(json, "function", record.function);
  json["machine"] = written(record.machine);
  json["package"] = written(record.package);
  json["outcome"] = name(record.outcome);
  put(json, "exit_status", record.exit_status);
  put(json, "exit_signal", record.exit_signal);
  json["seconds"] = record.seconds;
  put(json, "steps", record.steps);
  put(json, "compile", record.compile);
  OrderedJson units = OrderedJson::object();
  for (const std::string_view choice : kUnits) {
    const Units* found = record.find_units(choice);
    if (found != nullptr) units[std::string(choice)] = written(*found);
  }
  put_part(json, "units", std::move(units));
  if (!record.log.empty()) json["log"] = record.log;
  return json;
}

OrderedJson to_json(const Document& document) {
  OrderedJson json = {{"format", "anemone-evidence"}, {"version", kVersion}};
  json["records"] = OrderedJson::array();
  for (const Record& record : document.records) json["records"].push_back(to_json(record));
  return json;
}

Document read_document(const Json& json, std::string_view what) {
  const std::vector<std::string> wrong = violations(json);
  if (!wrong.empty()) {
    const std::string more =
        wrong.size() > 1 ? " (and " + std::to_string(wrong.size() - 1) + " more)" : "";
    throw Error(Code::kBadInput, std::string(what) + ": is no evidence: " + wrong.front() + more);
  }
  Document document;
  for (const Json& record : json.at("records")) document.records.push_back(read_record(record));
  return document;
}

Document load_document(const fs::path& path) {
  return read_document(load_json(path), path.string());
}

void save_document(const Document& document, const fs::path& path) {
  const std::string text =
      to_json(document).dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
  // A name of this process's own, so that a reader never meets half a file.
  const fs::path partial = path.string() + ".partial";
  try {
    write_file(partial, text);
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove(partial, ignored);
    throw;
  }
  std::error_code error;
  fs::rename(partial, path, error);
  if (error) throw Error(Code::kIo, path.string() + ": " + error.message());
}

Document merge(const std::vector<Document>& documents) {
  Document merged;
  const auto key = [](const Record& record) {
    return std::tie(record.experiment, record.form, record.measured_at, record.runner,
                    record.package.hash);
  };
  for (const Document& document : documents) {
    for (const Record& record : document.records) {
      const bool is_known =
          std::any_of(merged.records.begin(), merged.records.end(), [&](const Record& other) {
            return key(other) == key(record) && other.machine == record.machine;
          });
      if (!is_known) merged.records.push_back(record);
    }
  }
  std::stable_sort(merged.records.begin(), merged.records.end(),
                   [&](const Record& a, const Record& b) { return key(a) < key(b); });
  return merged;
}

Package describe_package(const fs::path& path) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(path, error), end; !error && at != end;
       at.increment(error)) {
    if (at->is_regular_file()) files.push_back(at->path());
  }
  if (error) throw Error(Code::kNotFound, path.string() + ": " + error.message());
  std::sort(files.begin(), files.end());
  Package package;
  package.name = (path / "").parent_path().filename().string();
  XXH3_state_t* const state = XXH3_createState();
  ANEMONE_CHECK(state != nullptr);
  const std::unique_ptr<XXH3_state_t, XXH_errorcode (*)(XXH3_state_t*)> owner(state,
                                                                              XXH3_freeState);
  XXH3_128bits_reset(state);
  for (const fs::path& file : files) {
    const std::string name = file.lexically_relative(path).generic_string();
    XXH3_128bits_update(state, name.c_str(), name.size() + 1);
    if (fs::file_size(file) == 0) continue;
    const MappedFile bytes(file);
    XXH3_128bits_update(state, bytes.view().data(), bytes.size_bytes());
    package.size_bytes += bytes.size_bytes();
  }
  const XXH128_hash_t hash = XXH3_128bits_digest(state);
  char text[64];
  std::snprintf(text, sizeof(text), "xxh3-128:%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  package.hash = text;
  return package;
}

double unix_time_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace anemone::evidence
