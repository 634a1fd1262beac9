#include "anemone/cli/overview.h"

#include <set>

#include "anemone/base/printable.h"
#include "anemone/cli/words.h"
#include "anemone/predict/features.h"

namespace anemone::cli {
namespace {

OrderedJson port_json(const std::string& name, const mil::Type& type) {
  return {{"name", name}, {"dtype", anemone::name(type.dtype)}, {"shape", type.shape}};
}

OrderedJson function_json(const mil::Function& function) {
  OrderedJson inputs = OrderedJson::array();
  OrderedJson states = OrderedJson::array();
  OrderedJson outputs = OrderedJson::array();
  for (const auto& input : function.inputs) {
    (input->type.is_state() ? states : inputs).push_back(port_json(input->name, input->type));
  }
  for (const mil::Value* output : function.body.outputs) {
    outputs.push_back(port_json(output->name, output->type));
  }
  std::map<std::string, int> counts;
  int total = 0;
  mil::for_each_op(function.body, [&](const mil::Op& op, int) {
    if (op.type() == "const") return;
    ++counts[std::string(op.type())];
    ++total;
  });
  std::vector<std::pair<std::string, int>> by_count(counts.begin(), counts.end());
  std::stable_sort(by_count.begin(), by_count.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  OrderedJson ops = OrderedJson::object();
  for (const auto& [type, count] : by_count) ops[type] = count;
  return {{"name", function.name},
          {"opset", mil::info(function.opset).name},
          {"inputs", inputs},
          {"states", states},
          {"outputs", outputs},
          {"op_count", total},
          {"ops", ops}};
}

// Constants by dtype; what two functions or ops share counts once.
OrderedJson weights_json(const mil::Program& program) {
  struct Sum {
    std::uint64_t count = 0;
    std::uint64_t bytes = 0;
  };
  std::map<std::string, Sum> sums;
  std::set<const Bytes*> seen;
  const auto count = [&](const mil::Value& value) {
    if (!value.constant || !value.constant->bytes()) return;
    if (!seen.insert(value.constant->bytes().get()).second) return;
    Sum& sum = sums[std::string(name(value.constant->dtype()))];
    ++sum.count;
    sum.bytes += value.constant->size_bytes();
  };
  for (const auto& function : program.functions) {
    mil::for_each_op(function->body, [&](const mil::Op& op, int) {
      for (const auto& output : op.outputs) count(*output);
      for (const auto& literal : op.literals) count(*literal);
    });
  }
  std::vector<std::pair<std::string, Sum>> by_size(sums.begin(), sums.end());
  std::stable_sort(by_size.begin(), by_size.end(),
                   [](const auto& a, const auto& b) { return a.second.bytes > b.second.bytes; });
  OrderedJson all = OrderedJson::array();
  for (const auto& [dtype, sum] : by_size) {
    all.push_back({{"dtype", dtype}, {"constants", sum.count}, {"bytes", sum.bytes}});
  }
  return all;
}

// Digits that stand alone between dots become '*'.
std::string pattern_of(const std::string& name) {
  std::string pattern;
  std::size_t at = 0;
  while (at <= name.size()) {
    const auto dot = std::min(name.find('.', at), name.size());
    const std::string step = name.substr(at, dot - at);
    const bool is_number =
        !step.empty() && step.find_first_not_of("0123456789") == std::string::npos;
    pattern += (at == 0 ? "" : ".") + (is_number ? "*" : step);
    at = dot + 1;
  }
  return pattern;
}

std::string text_of(const OrderedJson& json) {
  if (json.is_string()) return printable(json.get_ref<const std::string&>());
  // Shapes and lists with a space after each comma.
  std::string text;
  for (const char c : to_line(json)) {
    text += c;
    if (c == ',') text += ' ';
  }
  return text;
}

// Rows of columns, each as wide as its widest.
std::string table(const std::string& indent, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line = indent;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line += std::string(widths[i] - row[i].size() + 2, ' ');
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

void add_ports(std::vector<std::vector<std::string>>& rows, const OrderedJson& function,
               const char* key, const std::string& word) {
  for (const auto& port : function.at(key)) {
    rows.push_back({word, port.at("name").get<std::string>(), text_of(port.at("dtype")),
                    text_of(port.at("shape"))});
  }
}

OrderedJson features_json(const std::vector<package::Feature>& features) {
  OrderedJson json = OrderedJson::array();
  for (const package::Feature& feature : features) {
    json.push_back({{"name", feature.name}, {"type", predict::describe(feature)}});
    if (const auto* array = std::get_if<package::ArrayFeature>(&feature.type)) {
      json.back()["dtype"] = name(array->dtype);
      json.back()["shape"] = array->shape;
    }
  }
  return json;
}

// The facts of which every package has some.
void add_metadata(OrderedJson& json, const package::Metadata& metadata) {
  json["description"] = metadata.short_description;
  json["author"] = metadata.author;
  json["license"] = metadata.license;
  json["version"] = metadata.version;
  json["user_defined"] = metadata.user_defined;
}

OrderedJson pipeline_json(const package::Pipeline& pipeline, const std::string& path) {
  OrderedJson json;
  json["kind"] = "package";
  json["path"] = path;
  json["type"] = name(pipeline.kind);
  json["specification_version"] = pipeline.specification_version;
  json["inputs"] = features_json(pipeline.interface.inputs);
  json["states"] = features_json(pipeline.interface.states);
  json["outputs"] = features_json(pipeline.interface.outputs);
  add_metadata(json, pipeline.metadata);
  json["models"] = OrderedJson::array();
  for (const package::Member& member : pipeline.members) {
    const auto* model = std::get_if<package::Model>(&member.model);
    json["models"].push_back(
        model != nullptr
            ? describe_package(*model, member.name)
            : pipeline_json(*std::get<std::unique_ptr<package::Pipeline>>(member.model),
                            member.name));
  }
  return json;
}

// Everything below the first line is indented by `indent` more.
std::string indented(const std::string& text, const std::string& indent) {
  std::string all;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    all += indent + text.substr(at, end - at + 1);
    at = end + 1;
  }
  return all;
}

std::string pipeline_lines(const OrderedJson& pipeline) {
  std::string text = pipeline.at("path").get<std::string>() + ": " + text_of(pipeline.at("type")) +
                     ", specification " + text_of(pipeline.at("specification_version")) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const char* key : {"description", "author", "license", "version"}) {
    if (!pipeline.at(key).get_ref<const std::string&>().empty()) {
      rows.push_back({key, text_of(pipeline.at(key))});
    }
  }
  for (const auto& [key, value] : pipeline.at("user_defined").items()) {
    rows.push_back({key, text_of(value)});
  }
  for (const auto& [key, word] :
       {std::pair("inputs", "input"), {"states", "state"}, {"outputs", "output"}}) {
    for (const auto& feature : pipeline.at(key)) {
      rows.push_back({word, text_of(feature.at("name")), text_of(feature.at("type"))});
    }
  }
  text += table("  ", rows);
  for (const auto& model : pipeline.at("models")) {
    text += indented("model " + package_lines(model), "  ");
  }
  return text;
}

}  // namespace

OrderedJson describe_package(const package::Model& model, const std::string& path) {
  OrderedJson functions = OrderedJson::array();
  for (const auto& function : model.program.functions) {
    functions.push_back(function_json(*function));
  }
  OrderedJson json;
  json["kind"] = "package";
  json["path"] = path;
  json["specification_version"] = model.specification_version;
  json["default_function"] = model.default_function;
  json["functions"] = functions;
  json["weights"] = weights_json(model.program);
  add_metadata(json, model.metadata);
  json["build_info"] = model.program.build_info;
  return json;
}

OrderedJson describe_package(const package::AnyModel& model, const std::string& path) {
  if (const auto* program = std::get_if<package::Model>(&model)) {
    return describe_package(*program, path);
  }
  return pipeline_json(std::get<package::Pipeline>(model), path);
}

OrderedJson describe_bundle(const generate::Bundle& bundle) {
  OrderedJson json = generate::to_json(bundle);
  OrderedJson all;
  all["kind"] = "bundle";
  all["path"] = bundle.folder.string();
  json["bundle_kind"] = json["kind"];
  for (const auto& [key, value] : json.items()) {
    if (key != "kind") all[key] = value;
  }
  all["packages"] = OrderedJson::array();
  for (const std::string& package : bundle.packages()) {
    all["packages"].push_back(describe_package(package::load(bundle.folder / package), package));
  }
  return all;
}

OrderedJson describe_checkpoint(const Checkpoint& checkpoint) {
  OrderedJson json;
  json["kind"] = "checkpoint";
  json["path"] = checkpoint.path().string();
  json["format"] = checkpoint.is_gguf() ? "gguf" : "safetensors";
  json["config"] = normalised_config(checkpoint.config(), checkpoint.config_file());
  json["generation_config"] = checkpoint.generation_config();
  std::uint64_t parameters = 0;
  std::uint64_t bytes = 0;
  OrderedJson tensors = OrderedJson::array();
  for (const CheckpointTensor& tensor : checkpoint.tensors()) {
    const std::uint64_t size = tensor.data ? tensor.data->size_bytes() : 0;
    parameters += static_cast<std::uint64_t>(tensor.count());
    bytes += size;
    tensors.push_back({{"name", tensor.name},
                       {"encoding", name(tensor.encoding)},
                       {"shape", tensor.shape},
                       {"bytes", size}});
    if (tensor.stored_name != tensor.name) tensors.back()["stored_name"] = tensor.stored_name;
  }
  json["parameters"] = parameters;
  json["bytes"] = bytes;
  json["tensors"] = tensors;
  if (const auto& vocabulary = checkpoint.vocabulary()) {
    json["vocabulary"] = {{"model", vocabulary->model},
                          {"pre", vocabulary->pre},
                          {"tokens", vocabulary->tokens.size()},
                          {"chat_template", !vocabulary->chat_template.empty()}};
  }
  return json;
}

std::string package_lines(const OrderedJson& package) {
  if (package.contains("models")) return pipeline_lines(package);
  std::string text = package.at("path").get<std::string>() + ": package, specification " +
                     text_of(package.at("specification_version")) + "\n";
  std::vector<std::vector<std::string>> facts;
  for (const char* key : {"description", "author", "license", "version"}) {
    if (!package.at(key).get_ref<const std::string&>().empty()) {
      facts.push_back({key, text_of(package.at(key))});
    }
  }
  for (const char* group : {"user_defined", "build_info"}) {
    for (const auto& [key, value] : package.at(group).items()) {
      facts.push_back({key, text_of(value)});
    }
  }
  for (const auto& weight : package.at("weights")) {
    facts.push_back(
        {"weights", text_of(weight.at("dtype")) + ", " +
                        bytes_text(weight.at("bytes").get<std::uint64_t>()) + " in " +
                        plural(weight.at("constants").get<std::uint64_t>(), "constant")});
  }
  text += table("  ", facts);
  for (const auto& function : package.at("functions")) {
    text += "  function " + text_of(function.at("name")) + ", " + text_of(function.at("opset"));
    if (function.at("name") == package.at("default_function")) text += ", default";
    text += "\n";
    std::vector<std::vector<std::string>> ports;
    add_ports(ports, function, "inputs", "input");
    add_ports(ports, function, "states", "state");
    add_ports(ports, function, "outputs", "output");
    text += table("    ", ports);
    std::string ops;
    for (const auto& [type, count] : function.at("ops").items()) {
      ops += (ops.empty() ? "" : ", ") + type + " " + text_of(count);
    }
    text += "    " + plural(function.at("op_count").get<std::uint64_t>(), "op") +
            (ops.empty() ? "" : ": " + ops) + "\n";
  }
  return text;
}

std::string bundle_lines(const OrderedJson& bundle) {
  std::string text = bundle.at("path").get<std::string>() + ": bundle (" +
                     text_of(bundle.at("bundle_kind")) + ") by " + text_of(bundle.at("tool")) +
                     "\n";
  std::vector<std::vector<std::string>> facts;
  for (const char* key :
       {"architecture", "target", "layout", "kv", "vocab_size", "hidden_size", "num_hidden_layers",
        "num_attention_heads", "num_key_value_heads", "head_dim", "context", "prefill", "tokenizer",
        "bos_token_id", "eos_token_ids"}) {
    facts.push_back({key, text_of(bundle.at(key))});
  }
  if (bundle.contains("parts")) {
    for (const auto& part : bundle.at("parts")) {
      const auto first = part.at("first_layer").get<std::int64_t>();
      facts.push_back({"layers " + std::to_string(first) + " to " +
                           std::to_string(first + part.at("layers").get<std::int64_t>() - 1),
                       text_of(part.at("package"))});
    }
    for (const auto& tile : bundle.at("head").at("tiles")) {
      facts.push_back({text_of(tile.at("output")),
                       "rows " + text_of(tile.at("first_row")) + " to " +
                           std::to_string(tile.at("first_row").get<std::int64_t>() +
                                          tile.at("rows").get<std::int64_t>() - 1)});
    }
    std::set<std::string> files;
    for (const auto& tile : bundle.at("embedding").at("tiles")) files.insert(tile.at("file"));
    for (const auto& file : files) facts.push_back({"embedding", file});
  }
  if (bundle.contains("conversion")) {
    for (const auto& [key, value] : bundle.at("conversion").items()) {
      if (key != "warnings") facts.push_back({key, text_of(value)});
    }
    if (bundle.at("conversion").contains("warnings")) {
      for (const auto& warning : bundle.at("conversion").at("warnings")) {
        facts.push_back({"warning", text_of(warning)});
      }
    }
  }
  text += table("  ", facts);
  for (const auto& package : bundle.at("packages")) text += "\n" + package_lines(package);
  return text;
}

std::string checkpoint_lines(const OrderedJson& checkpoint) {
  std::string text = checkpoint.at("path").get<std::string>() + ": checkpoint (" +
                     text_of(checkpoint.at("format")) + "), " +
                     count_text(checkpoint.at("parameters").get<std::uint64_t>()) +
                     " parameters, " + bytes_text(checkpoint.at("bytes").get<std::uint64_t>()) +
                     " in " + plural(checkpoint.at("tensors").size(), "tensor") + "\n";
  std::vector<std::vector<std::string>> facts;
  for (const auto& [key, value] : checkpoint.at("config").items()) {
    facts.push_back({key, text_of(value)});
  }
  if (checkpoint.contains("vocabulary")) {
    const auto& vocabulary = checkpoint.at("vocabulary");
    const std::string pre = text_of(vocabulary.at("pre"));
    facts.push_back(
        {"vocabulary", text_of(vocabulary.at("model")) + (pre.empty() ? "" : ", pre " + pre) +
                           ", " + plural(vocabulary.at("tokens").get<std::uint64_t>(), "token")});
  }
  text += table("  ", facts) + "\n";
  // The layers look alike: one line for all tensors of one name, shape and encoding.
  std::vector<std::vector<std::string>> rows;
  std::map<std::vector<std::string>, std::pair<std::size_t, std::uint64_t>> places;
  for (const auto& tensor : checkpoint.at("tensors")) {
    const std::vector<std::string> row{pattern_of(tensor.at("name")),
                                       text_of(tensor.at("encoding")), text_of(tensor.at("shape"))};
    const auto [found, is_new] = places.emplace(row, std::make_pair(rows.size(), 0));
    if (is_new) rows.push_back(row);
    ++found->second.second;
  }
  for (const auto& [row, place] : places) {
    if (place.second > 1) rows[place.first].push_back("x " + std::to_string(place.second));
  }
  return text + table("  ", rows);
}

}  // namespace anemone::cli
