#pragma once

#include <filesystem>
#include <string>

#include "anemone/base/json.h"
#include "anemone/checkpoint/checkpoint.h"
#include "anemone/generate/bundle.h"
#include "anemone/package/package.h"
#include "anemone/package/pipeline.h"

// What `inspect` says of a thing: as JSON, and the same facts as lines for people.
namespace anemone::cli {

OrderedJson describe_package(const package::Model& model, const std::string& path);
// A pipeline's models stand under "models", each described in the same way.
OrderedJson describe_package(const package::AnyModel& model, const std::string& path);
OrderedJson describe_bundle(const generate::Bundle& bundle);
OrderedJson describe_checkpoint(const Checkpoint& checkpoint);

std::string package_lines(const OrderedJson& package);
std::string bundle_lines(const OrderedJson& bundle);
std::string checkpoint_lines(const OrderedJson& checkpoint);

}  // namespace anemone::cli
