#include "anemone/package/specification.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

#include <limits>
#include <unordered_set>

#include "anemone/base/check.h"
#include "anemone/package/features.h"
#include "anemone/package/model_type.h"
#include "anemone/package/program_reader.h"
#include "anemone/package/program_writer.h"
#include "anemone/package/routes.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

void read_version(const spec::Model& from, int& version) {
  version = from.specification_version();
  if (version >= 1) return;
  throw Error(Code::kBadInput,
              "the specification version is " + std::to_string(version) + "; at least 1 is wanted");
}

Model read_model(const spec::Model& from, const WeightFiles& weights) {
  if (from.is_updatable()) {
    throw Error(Code::kUnsupported, "is marked as updatable, which an ML Program cannot be");
  }
  Model model;
  read_version(from, model.specification_version);
  model.program = read_program(from.ml_program(), weights);
  within([] { return std::string("the description"); },
         [&] { read_description(from.description(), model); });
  return model;
}

Pipeline read_pipeline(const spec::Model& from, const WeightFiles& weights);

// Which of the three kinds it is; null if it is no pipeline.
const spec::Pipeline* find_pipeline(const spec::Model& from, Pipeline::Kind& kind) {
  if (from.has_pipeline()) {
    kind = Pipeline::Kind::kPlain;
    return &from.pipeline();
  }
  if (from.has_pipeline_classifier()) {
    kind = Pipeline::Kind::kClassifier;
    return &from.pipeline_classifier().pipeline();
  }
  if (from.has_pipeline_regressor()) {
    kind = Pipeline::Kind::kRegressor;
    return &from.pipeline_regressor().pipeline();
  }
  return nullptr;
}

std::vector<std::string> names_of(const spec::Pipeline& from) {
  std::vector<std::string> names;
  std::unordered_set<std::string> taken;
  for (int i = 0; i < from.models_size(); ++i) {
    std::string name = i < from.names_size() ? from.names(i) : std::string();
    if (name.empty() || !taken.insert(name).second) name = std::to_string(i);
    names.push_back(std::move(name));
  }
  return names;
}

Pipeline read_pipeline(const spec::Model& from, const WeightFiles& weights) {
  if (from.is_updatable()) {
    throw Error(Code::kUnsupported,
                "is marked as updatable, which a pipeline of ML Programs cannot be");
  }
  Pipeline pipeline;
  const spec::Pipeline& models = *find_pipeline(from, pipeline.kind);
  read_version(from, pipeline.specification_version);
  within([] { return std::string("the description"); },
         [&] {
           pipeline.interface = read_plain_interface(from.description());
           pipeline.metadata = read_metadata(from.description());
         });
  const std::vector<std::string> names = names_of(models);
  for (int i = 0; i < models.models_size(); ++i) {
    Member& member = pipeline.members.emplace_back();
    member.name = names[static_cast<std::size_t>(i)];
    within([&] { return "model " + shown(member.name); },
           [&] {
             Pipeline::Kind ignored{};
             if (find_pipeline(models.models(i), ignored) == nullptr) {
               member.model = read_model(models.models(i), weights);
             } else {
               member.model = std::make_unique<Pipeline>(read_pipeline(models.models(i), weights));
             }
           });
  }
  check_routes(pipeline);
  return pipeline;
}

const spec::Model& parse(std::span<const std::byte> bytes, google::protobuf::Arena& arena) {
  constexpr auto kMost = std::numeric_limits<int>::max();
  if (bytes.size() > kMost) {
    throw Error(Code::kLimit, "has " + std::to_string(bytes.size()) +
                                  " bytes; a specification has at most " + std::to_string(kMost));
  }
  auto* from = google::protobuf::Arena::CreateMessage<spec::Model>(&arena);
  const google::protobuf::LogSilencer silencer;  // it would say on stderr what is not UTF-8
  if (!from->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    throw Error(Code::kBadInput,
                "is no sound Core ML specification: a message inside of it is damaged, not UTF-8 "
                "or nested more than 100 deep");
  }
  return *from;
}

}  // namespace

Model read_specification(std::span<const std::byte> bytes, const WeightFiles& weights,
                         const std::string& what) {
  return within([&] { return what; },
                [&] {
                  require_model_type(bytes, Allowed::kMlPrograms);
                  google::protobuf::Arena arena;
                  return read_model(parse(bytes, arena), weights);
                });
}

AnyModel read_any_specification(std::span<const std::byte> bytes, const WeightFiles& weights,
                                const std::string& what) {
  return within([&] { return what; },
                [&]() -> AnyModel {
                  require_model_type(bytes, Allowed::kPipelinesToo);
                  google::protobuf::Arena arena;
                  const spec::Model& from = parse(bytes, arena);
                  Pipeline::Kind ignored{};
                  if (find_pipeline(from, ignored) == nullptr) return read_model(from, weights);
                  return read_pipeline(from, weights);
                });
}

std::string write_specification(const Model& model, int threshold, BlobLayout& blobs) {
  google::protobuf::Arena arena;
  auto* to = google::protobuf::Arena::CreateMessage<spec::Model>(&arena);
  const int needed = needed_specification(model);
  if (model.specification_version != 0 && model.specification_version < needed) {
    throw Error(Code::kBadInput, "the model asks for specification version " +
                                     std::to_string(model.specification_version) +
                                     ", but what it uses needs " + std::to_string(needed));
  }
  to->set_specification_version(std::max(model.specification_version, needed));
  write_description(model, to->mutable_description());
  write_program(model.program, threshold, blobs, to->mutable_ml_program());

  if (to->ByteSizeLong() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw Error(Code::kLimit, "the specification takes " + std::to_string(to->ByteSizeLong()) +
                                  " bytes; protobuf allows 2147483647");
  }
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // maps in the order of their keys
    ANEMONE_CHECK(to->SerializeToCodedStream(&coded));
  }
  return bytes;
}

}  // namespace anemone::package
