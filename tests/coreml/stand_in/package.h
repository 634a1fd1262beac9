#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "anemone/engine/engine.h"
#include "anemone/mil/program.h"

// What stands behind the stand-in's classes: a package whose functions anemone's engine computes,
// and a file stand-in.json in it that says how Core ML is to behave. Nothing here throws, since
// Objective-C calls it.
namespace anemone::stand_in {

struct Problem {
  std::string domain = "com.apple.CoreML";
  long code = 0;
  std::string message;
  std::shared_ptr<Problem> underlying;
};

// How one stage ("compile", "load", "plan", "state", "predict") behaves: as it should, unless one
// of these is set.
struct Behaviour {
  std::optional<Problem> fails;
  std::optional<std::string> raises;  // an NSException with this reason
  bool hangs = false;                 // the handler never comes
  bool gives_nothing = false;         // neither a result nor an error
  double seconds = 0;                 // how long it takes
  int at = 0;                         // at the n-th prediction alone; 0: always
};

struct Usage {
  std::vector<std::string> supported;
  std::string preferred;
  std::optional<double> cost;
};

struct Feature {
  std::string name;
  DType dtype = DType::kF16;
  Shape shape;
};

class Package {
 public:
  // Null with a problem.
  static std::shared_ptr<const Package> read(const std::string& folder, std::string& problem);

  Behaviour behaviour(const std::string& stage) const;
  // The elements that a row of an array is padded to a multiple of.
  long padding() const { return padding_; }
  bool is_neural_network() const { return is_neural_network_; }
  bool drops(const std::string& output) const { return dropped_ == output; }
  std::optional<Usage> usage(const std::string& output) const;
  const mil::Program& program() const { return *program_; }
  // Null if there is no such function; the only one for "".
  const mil::Function* function(const std::string& name) const;

 private:
  friend class Computation;
  std::shared_ptr<const mil::Program> program_;
  std::map<std::string, Behaviour> stages_;
  std::map<std::string, Usage> usages_;
  std::optional<Usage> usage_of_others_;
  long padding_ = 1;
  bool is_neural_network_ = false;
  std::string dropped_;
};

// One function, loaded.
class Computation {
 public:
  static std::shared_ptr<const Computation> make(std::shared_ptr<const Package> package,
                                                 const std::string& function, std::string& problem);
  std::vector<Feature> inputs() const;
  std::vector<Feature> outputs() const;
  bool has_states() const;
  std::shared_ptr<engine::State> make_state() const;
  // "" or what is wrong.
  std::string run(const std::vector<engine::Feed>& feeds, engine::State* state,
                  const std::vector<engine::Fetch>& fetches) const;
  const Package& package() const { return *package_; }

 private:
  std::shared_ptr<const Package> package_;
  std::shared_ptr<const engine::Executable> executable_;
};

// A folder like /tmp/XYZ/NAME.mlmodelc that says which package it was compiled from. "" with a
// problem.
std::string write_compiled(const std::string& package, std::string& problem);
// The package that a compiled folder came from. "" if it is none.
std::string source_of(const std::string& compiled);

}  // namespace anemone::stand_in
