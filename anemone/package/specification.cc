#include "anemone/package/specification.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>

#include "anemone/base/check.h"
#include "anemone/package/features.h"
#include "anemone/package/program_reader.h"
#include "anemone/package/program_writer.h"
#include "anemone/package/within.h"

namespace anemone::package {
namespace {

constexpr std::uint32_t kMlProgram = 502;

// What a model can be. Source: coremltools 9.0, mlmodel/format/Model.proto (the oneof Type).
constexpr std::pair<std::uint32_t, std::string_view> kModelTypes[] = {
    {200, "pipelineClassifier"},
    {201, "pipelineRegressor"},
    {202, "pipeline"},
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

// Walks the outermost fields of a protobuf message, so that a cut file and a model of another type
// are called by their names before the whole is parsed.
class Fields {
 public:
  explicit Fields(std::span<const std::byte> bytes) : bytes_(bytes) {}

  // The next field's number; absent at the end.
  std::optional<std::uint32_t> next() {
    if (at_ == bytes_.size()) return std::nullopt;
    const std::size_t start = at_;
    const std::uint64_t tag = varint();
    const std::uint64_t field = tag >> 3;
    const auto skip = [&](std::uint64_t size) {
      if (size > bytes_.size() - at_) {
        throw Error(Code::kBadInput, "field " + std::to_string(field) + " at byte " +
                                         std::to_string(start) + " takes " + std::to_string(size) +
                                         " bytes, but only " + std::to_string(bytes_.size() - at_) +
                                         " are left; the file is cut short or damaged");
      }
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
        break;
      case 5:
        skip(4);
        break;
      default:
        not_protobuf(start);
    }
    if (field == 0 || field > 0x1fffffff) not_protobuf(start);
    return static_cast<std::uint32_t>(field);
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

void require_ml_program(std::span<const std::byte> bytes) {
  if (bytes.empty()) throw Error(Code::kBadInput, "is empty");
  bool found = false;
  Fields fields(bytes);
  while (const auto field = fields.next()) {
    const auto* type = std::find_if(std::begin(kModelTypes), std::end(kModelTypes),
                                    [&](const auto& row) { return row.first == *field; });
    if (*field == kMlProgram) {
      found = true;
    } else if (type != std::end(kModelTypes)) {
      throw Error(Code::kUnsupported, "the model is a " + std::string(type->second) +
                                          "; only ML Programs (mlProgram) are handled");
    }
  }
  if (!found) throw Error(Code::kBadInput, "holds no model; an ML Program (mlProgram) is wanted");
}

}  // namespace

Model read_specification(std::span<const std::byte> bytes, const WeightFiles& weights,
                         const std::string& what) {
  return within([&] { return what; },
                [&] {
                  require_ml_program(bytes);
                  constexpr auto kMost = std::numeric_limits<int>::max();
                  if (bytes.size() > kMost) {
                    throw Error(Code::kLimit, "has " + std::to_string(bytes.size()) +
                                                  " bytes; a specification has at most " +
                                                  std::to_string(kMost));
                  }
                  google::protobuf::Arena arena;
                  auto* from = google::protobuf::Arena::CreateMessage<spec::Model>(&arena);
                  if (!from->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
                    throw Error(Code::kBadInput,
                                "is no sound Core ML specification: a message inside of it is "
                                "damaged, not UTF-8 or nested more than 100 deep");
                  }
                  if (from->is_updatable()) {
                    throw Error(Code::kUnsupported,
                                "is marked as updatable, which an ML Program cannot be");
                  }
                  Model model;
                  model.specification_version = from->specification_version();
                  if (model.specification_version < 1) {
                    throw Error(Code::kBadInput, "the specification version is " +
                                                     std::to_string(model.specification_version) +
                                                     "; at least 1 is wanted");
                  }
                  model.program = read_program(from->ml_program(), weights);
                  within([] { return std::string("the description"); },
                         [&] { read_description(from->description(), model); });
                  return model;
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
