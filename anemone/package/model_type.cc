#include "anemone/package/model_type.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "anemone/base/bytes.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

constexpr std::uint32_t kPipelineClassifier = 200;
constexpr std::uint32_t kPipelineRegressor = 201;
constexpr std::uint32_t kPipeline = 202;
constexpr std::uint32_t kMlProgram = 502;

// Pipelines in pipelines: a limit that keeps protobuf's own (100 messages) for the programs.
constexpr int kMostNested = 8;
// Each model of a pipeline costs a description, a program and a plan, however little it says.
constexpr std::size_t kMostModels = 1024;

// What a model can be. Source: coremltools 9.0, mlmodel/format/Model.proto (the oneof Type).
constexpr std::pair<std::uint32_t, std::string_view> kModelTypes[] = {
    {kPipelineClassifier, "pipelineClassifier"},
    {kPipelineRegressor, "pipelineRegressor"},
    {kPipeline, "pipeline"},
    {300, "glmRegressor"},
    {301, "supportVectorRegressor"},
    {302, "treeEnsembleRegressor"},
    {303, "neuralNetworkRegressor"},
    {304, "bayesianProbitRegressor"},
    {400, "glmClassifier"},
    {401, "supportVectorClassifier"},
    {402, "treeEnsembleClassifier"},
    {403, "neuralNetworkClassifier"},
    {404, "kNearestNeighborsClassifier"},
    {500, "neuralNetwork"},
    {501, "itemSimilarityRecommender"},
    {kMlProgram, "mlProgram"},
    {555, "customModel"},
    {556, "linkedModel"},
    {560, "classConfidenceThresholding"},
    {600, "oneHotEncoder"},
    {601, "imputer"},
    {602, "featureVectorizer"},
    {603, "dictVectorizer"},
    {604, "scaler"},
    {606, "categoricalMapping"},
    {607, "normalizer"},
    {609, "arrayFeatureExtractor"},
    {610, "nonMaximumSuppression"},
    {900, "identity"},
    {2000, "textClassifier"},
    {2001, "wordTagger"},
    {2002, "visionFeaturePrint"},
    {2003, "soundAnalysisPreprocessing"},
    {2004, "gazetteer"},
    {2005, "wordEmbedding"},
    {2006, "audioFeaturePrint"},
    {3000, "serializedModel"},
};

struct Field {
  std::uint32_t number = 0;
  bool is_message = false;  // or text, or bytes
  std::span<const std::byte> payload = {};
};

// Walks the outermost fields of a protobuf message.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // Absent at the end.
  std::optional<Field> next() {
    if (at_ == bytes_.size()) return std::nullopt;
    const std::size_t start = at_;
    const std::uint64_t tag = varint();
    const std::uint64_t field = tag >> 3;
    Field found{.number = static_cast<std::uint32_t>(field)};
    const auto skip = [&](std::uint64_t size) {
      if (size > bytes_.size() - at_) {
        throw Error(Code::kBadInput, "field " + std::to_string(field) + " at byte " +
                                         std::to_string(start) + " takes " + std::to_string(size) +
                                         " bytes, but only " + std::to_string(bytes_.size() - at_) +
                                         " are left; the file is cut short or damaged");
      }
      found.payload = bytes_.subspan(at_, static_cast<std::size_t>(size));
      at_ += static_cast<std::size_t>(size);
    };
    switch (tag & 7) {
      case 0:
        varint();
        break;
      case 1:
        skip(8);
        break;
      case 2:
        skip(varint());
        found.is_message = true;
        break;
      case 5:
        skip(4);
        break;
      default:
        not_protobuf(start);
    }
    if (field == 0 || field > 0x1fffffff) not_protobuf(start);
    return found;
  }

 private:
  [[noreturn]] static void not_protobuf(std::size_t at) {
    throw Error(Code::kBadInput,
                "is no Core ML specification: no protobuf field at byte " + std::to_string(at));
  }

  std::uint64_t varint() {
    const std::size_t start = at_;
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      if (at_ == bytes_.size()) {
        throw Error(Code::kBadInput, "ends inside of a number at byte " + std::to_string(start) +
                                         "; the file is cut short or damaged");
      }
      const auto byte = static_cast<std::uint64_t>(bytes_[at_++]);
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    not_protobuf(start);
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

class Checker {
 public:
  explicit Checker(Allowed allowed) : allowed_(allowed) {}

  void model(std::span<const std::byte> bytes, int depth) {
    if (bytes.empty()) throw Error(Code::kBadInput, "is empty");
    const bool takes_pipelines = allowed_ == Allowed::kPipelinesToo;
    std::string_view found;
    Fields fields(bytes);
    while (const auto field = fields.next()) {
      const auto* type = std::find_if(std::begin(kModelTypes), std::end(kModelTypes),
                                      [&](const auto& row) { return row.first == field->number; });
      if (type == std::end(kModelTypes)) continue;
      const bool is_pipeline = type->first <= kPipeline;
      if (type->first != kMlProgram && !(is_pipeline && takes_pipelines)) {
        throw Error(Code::kUnsupported,
                    "the model is a " + std::string(type->second) +
                        "; only ML Programs (mlProgram) " +
                        (takes_pipelines ? "and pipelines of them are handled" : "are handled"));
      }
      if (!found.empty() && found != type->second) {
        throw Error(Code::kBadInput, "the model is both " + std::string(found) + " and " +
                                         std::string(type->second) + "; allowed is one of them");
      }
      found = type->second;
      if (is_pipeline && field->is_message) {
        within([&] { return "the " + std::string(type->second); },
               [&] { kind_of_pipeline(type->first, field->payload, depth + 1); });
      }
    }
    if (found.empty()) {
      throw Error(Code::kBadInput, "holds no model; an ML Program (mlProgram) is wanted");
    }
  }

 private:
  // Classifiers and regressors hold the pipeline itself as their field 1.
  void kind_of_pipeline(std::uint32_t type, std::span<const std::byte> bytes, int depth) {
    if (type == kPipeline) return pipeline(bytes, depth);
    Fields fields(bytes);
    while (const auto field = fields.next()) {
      if (field->number == 1 && field->is_message) pipeline(field->payload, depth);
    }
  }

  void pipeline(std::span<const std::byte> bytes, int depth) {
    if (depth > kMostNested) {
      throw Error(Code::kLimit, "pipelines are nested more than " + std::to_string(kMostNested) +
                                    " deep; that many are handled");
    }
    Fields fields(bytes);
    std::size_t place = 0;
    while (const auto field = fields.next()) {
      if (field->number != 1 || !field->is_message) continue;
      if (++models_ > kMostModels) {
        throw Error(Code::kLimit, "there are more than " + std::to_string(kMostModels) +
                                      " models; that many are handled");
      }
      within([&] { return "model " + std::to_string(place); },
             [&] { model(field->payload, depth); });
      ++place;
    }
  }

  Allowed allowed_;
  std::size_t models_ = 0;
};

}  // namespace

void require_model_type(std::span<const std::byte> specification, Allowed allowed) {
  Checker(allowed).model(specification, 0);
}

}  // namespace anemone::package
