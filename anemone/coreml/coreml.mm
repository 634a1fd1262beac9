// The only Objective-C++ of anemone. Manual retain and release, so that the same source builds for
// macOS and for the stand-in that tests run on Linux.
//
// Two kinds of exceptions meet here, and neither may pass through the other's frames: Core ML's
// NSExceptions end in guarded(), and nothing in this file throws a C++ exception.

#import <CoreML/CoreML.h>
#import <Foundation/Foundation.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <map>
#include <mutex>
#include <utility>

#include "anemone/coreml/arrays.h"
#include "anemone/coreml/framework.h"

#if __has_feature(objc_arc)
#error "coreml.mm counts references by hand: compile it with -fno-objc-arc"
#endif

namespace anemone::coreml {

bool is_available() { return true; }

namespace framework {
namespace {

// Owns one reference to an object.
template <typename T>
class Held {
 public:
  Held() = default;
  // Takes over a reference that alloc, new or copy gave.
  static Held adopt(T* object) {
    Held held;
    held.object_ = object;
    return held;
  }
  static Held retain(T* object) { return adopt([object retain]); }
  Held(Held&& other) noexcept : object_(std::exchange(other.object_, nil)) {}
  Held& operator=(Held&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Held() { [object_ release]; }
  T* get() const { return object_; }

 private:
  T* object_ = nil;
};

std::string text_of(NSString* string) {
  const char* text = [string UTF8String];
  return text == nullptr ? std::string() : std::string(text);
}

NSString* string_of(const std::string& text) {
  return [NSString stringWithUTF8String:text.c_str()];
}

NSURL* url_of(const std::filesystem::path& path) {
  return [NSURL fileURLWithPath:string_of(path.string())];
}

Failure failure_of(const char* stage, NSError* error) {
  if (error == nil) {
    return {.stage = stage,
            .domain = "anemone",
            .code = kNoAnswer,
            .message = "Core ML gave neither a result nor an error"};
  }
  Failure failure{.stage = stage,
                  .domain = text_of([error domain]),
                  .code = [error code],
                  .message = text_of([error localizedDescription])};
  // A handful: what a chain that bites its own tail would give is of no use to anybody.
  for (int depth = 0; depth < 8; ++depth) {
    id below = [[error userInfo] objectForKey:NSUnderlyingErrorKey];
    if (![below isKindOfClass:[NSError class]]) break;
    error = below;
    failure.message += "; underneath: " + text_of([error localizedDescription]) + " (" +
                       text_of([error domain]) + " " + std::to_string([error code]) + ")";
  }
  return failure;
}

Failure unexpected(const char* stage, std::string message) {
  return {.stage = stage, .domain = "anemone", .code = kUnexpected, .message = std::move(message)};
}

// Runs `work(failure)`, which throws no C++ exception, and turns an NSException into a Failure.
template <typename Work>
std::optional<Failure> guarded(const char* stage, const Work& work) {
  std::optional<Failure> failure;
  @autoreleasepool {
    @try {
      work(failure);
    } @catch (NSException* exception) {
      failure = Failure{.stage = stage,
                        .domain = "NSException",
                        .message = text_of([exception name]) + ": " + text_of([exception reason])};
    }
  }
  return failure;
}

// What a completion handler, which runs on some other thread, was called with. Shared with the
// handler, which may come long after nobody waits for it any more.
template <typename T>
class Reply {
 public:
  void give(T* value, NSError* error) {
    const std::lock_guard lock(mutex_);
    value_ = Held<T>::retain(value);
    error_ = Held<NSError>::retain(error);
    has_come_ = true;
    came_.notify_all();
  }

  // The value, or nil and what went wrong.
  T* wait(const char* stage, double seconds, std::optional<Failure>& failure) {
    std::unique_lock lock(mutex_);
    const bool in_time =
        came_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_come_; });
    if (!in_time) {
      failure = Failure{.stage = stage,
                        .domain = "anemone",
                        .code = kTimedOut,
                        .message = "Core ML had not answered after " +
                                   std::to_string(std::llround(seconds)) + " s"};
    } else if (value_.get() == nil) {
      failure = failure_of(stage, error_.get());
    }
    return value_.get();
  }

 private:
  std::mutex mutex_;
  std::condition_variable came_;
  bool has_come_ = false;
  Held<T> value_;
  Held<NSError> error_;
};

Held<MLModelConfiguration> configuration(const std::string& function, ComputeUnits units) {
  auto held = Held<MLModelConfiguration>::adopt([[MLModelConfiguration alloc] init]);
  MLModelConfiguration* made = held.get();
  switch (units) {
    case ComputeUnits::kCpu:
      made.computeUnits = MLComputeUnitsCPUOnly;
      break;
    case ComputeUnits::kCpuAndGpu:
      made.computeUnits = MLComputeUnitsCPUAndGPU;
      break;
    case ComputeUnits::kCpuAndAne:
      made.computeUnits = MLComputeUnitsCPUAndNeuralEngine;
      break;
    case ComputeUnits::kAll:
      made.computeUnits = MLComputeUnitsAll;
      break;
  }
  if (!function.empty()) made.functionName = string_of(function);
  return held;
}

DType dtype_of(MLMultiArrayDataType type) {
  // By number: the name of the last one is not in every SDK.
  // Source: Apple's documentation of MLMultiArrayDataType ("int8", macOS 26).
  switch (static_cast<NSInteger>(type)) {
    case 0x10010:
      return DType::kF16;
    case 0x10020:
      return DType::kF32;
    case 0x10040:
      return DType::kF64;
    case 0x20020:
      return DType::kI32;
    case 0x20008:
      return DType::kI8;
    default:
      return DType::kString;  // no multi-array's
  }
}

Shape shape_of(NSArray<NSNumber*>* numbers) {
  Shape shape;
  for (NSNumber* number in numbers) shape.push_back([number longLongValue]);
  return shape;
}

NSArray<NSNumber*>* numbers_of(std::span<const std::int64_t> shape) {
  NSMutableArray<NSNumber*>* numbers = [NSMutableArray array];
  for (const std::int64_t extent : shape) [numbers addObject:[NSNumber numberWithLongLong:extent]];
  return numbers;
}

ArrayView view_of(MLMultiArray* array, NSArray<NSNumber*>* strides, NSInteger size_bytes) {
  return {.dtype = dtype_of([array dataType]),
          .shape = shape_of([array shape]),
          .strides = shape_of(strides),
          .size_bytes = size_bytes};
}

// An MLState, and what is left of one that could not be made.
class LoadedMemory : public Memory {
 public:
  explicit LoadedMemory(Held<MLState> held) : state(std::move(held)) {}
  const Held<MLState> state;
};

class LoadedModel : public Model {
 public:
  explicit LoadedModel(Held<MLModel> model) : model_(std::move(model)) {}

  Answer<std::unique_ptr<Memory>> make_memory() override {
    Answer<std::unique_ptr<Memory>> answer;
    answer.failure = guarded("state", [&](std::optional<Failure>& failure) {
      auto state = Held<MLState>::adopt([model_.get() newState]);
      if (state.get() == nil) {
        failure = failure_of("state", nil);
      } else {
        answer.value = std::make_unique<LoadedMemory>(std::move(state));
      }
    });
    return answer;
  }

  std::optional<Failure> predict(std::span<const engine::Feed> feeds, Memory* memory,
                                 std::span<const engine::Fetch> fetches) override {
    return guarded("predict", [&](std::optional<Failure>& failure) {
      NSMutableDictionary<NSString*, id>* features = [NSMutableDictionary dictionary];
      for (const engine::Feed& feed : feeds) {
        MLMultiArray* array = filled(feed, failure);
        if (failure) return;
        [features setObject:[MLFeatureValue featureValueWithMultiArray:array]
                     forKey:string_of(std::string(feed.name))];
      }
      NSError* error = nil;
      const auto inputs = Held<MLDictionaryFeatureProvider>::adopt(
          [[MLDictionaryFeatureProvider alloc] initWithDictionary:features error:&error]);
      if (inputs.get() == nil) {
        failure = failure_of("predict", error);
        return;
      }
      MLState* state = memory ? static_cast<LoadedMemory*>(memory)->state.get() : nil;
      id<MLFeatureProvider> outputs =
          state ? [model_.get() predictionFromFeatures:inputs.get() usingState:state error:&error]
                : [model_.get() predictionFromFeatures:inputs.get() error:&error];
      if (outputs == nil) {
        failure = failure_of("predict", error);
        return;
      }
      for (const engine::Fetch& fetch : fetches) {
        fetch_from(outputs, fetch, failure);
        if (failure) return;
      }
    });
  }

 private:
  // The array of that input, with the caller's elements in it. The last one is used again if its
  // shape will do.
  MLMultiArray* filled(const engine::Feed& feed, std::optional<Failure>& failure) {
    const std::string name(feed.name);
    auto found = inputs_.find(name);
    const bool will_do = found != inputs_.end() &&
                         (feed.shape.empty() ||
                          std::ranges::equal(shape_of([found->second.get() shape]), feed.shape));
    if (!will_do) {
      auto array = made(name, feed.shape, failure);
      if (failure) return nil;
      found = inputs_.insert_or_assign(name, std::move(array)).first;
    }
    MLMultiArray* array = found->second.get();
    std::string problem;
    std::string* const into = &problem;
    const engine::Feed* const from = &feed;
    [array getMutableBytesWithHandler:^(void* bytes, NSInteger size, NSArray<NSNumber*>* strides) {
      const ArrayView view = view_of(array, strides, size);
      *into = problem_of(view, from->count);
      if (into->empty()) copy_in(*from, view, bytes);
    }];
    if (!problem.empty()) failure = unexpected("predict", "input '" + name + "' " + problem);
    return array;
  }

  // An array of the shape that the model asks for, unless the call fixes it.
  Held<MLMultiArray> made(const std::string& name, std::span<const std::int64_t> shape,
                          std::optional<Failure>& failure) const {
    MLFeatureDescription* description =
        [[[model_.get() modelDescription] inputDescriptionsByName] objectForKey:string_of(name)];
    MLMultiArrayConstraint* constraint = [description multiArrayConstraint];
    if (constraint == nil) {
      failure = unexpected("predict", "Core ML's model has no multi-array input '" + name + "'");
      return {};
    }
    NSError* error = nil;
    auto array = Held<MLMultiArray>::adopt([[MLMultiArray alloc]
        initWithShape:shape.empty() ? [constraint shape] : numbers_of(shape)
             dataType:[constraint dataType]
                error:&error]);
    if (array.get() == nil) failure = failure_of("predict", error);
    return array;
  }

  static void fetch_from(id<MLFeatureProvider> outputs, const engine::Fetch& fetch,
                         std::optional<Failure>& failure) {
    const std::string name(fetch.name);
    MLMultiArray* array = [[outputs featureValueForName:string_of(name)] multiArrayValue];
    if (array == nil) {
      failure = unexpected("predict", "Core ML gave no multi-array '" + name + "'");
      return;
    }
    std::string problem;
    std::string* const into = &problem;
    const engine::Fetch* const to = &fetch;
    // The last axis of what the Neural Engine wrote may be padded: the strides tell.
    [array getBytesWithHandler:^(const void* bytes, NSInteger size) {
      const ArrayView view = view_of(array, [array strides], size);
      *into = problem_of(view, to->count);
      if (into->empty()) copy_out(view, bytes, *to);
    }];
    if (!problem.empty()) failure = unexpected("predict", "output '" + name + "' " + problem);
  }

  Held<MLModel> model_;
  std::map<std::string, Held<MLMultiArray>> inputs_;
};

const char* device_name(id<MLComputeDeviceProtocol> device) {
  if ([device isKindOfClass:[MLNeuralEngineComputeDevice class]]) return "ane";
  if ([device isKindOfClass:[MLGPUComputeDevice class]]) return "gpu";
  if ([device isKindOfClass:[MLCPUComputeDevice class]]) return "cpu";
  return "unknown";
}

void walk(MLComputePlan* plan, const std::string& function, MLModelStructureProgramBlock* block,
          std::vector<OpPlacement>& placements) {
  for (MLModelStructureProgramOperation* operation in [block operations]) {
    OpPlacement placement{.function = function, .op = text_of([operation operatorName])};
    placement.output = text_of([[[operation outputs] firstObject] name]);
    MLComputePlanDeviceUsage* usage = [plan computeDeviceUsageForMLProgramOperation:operation];
    if (usage != nil) {
      for (id<MLComputeDeviceProtocol> device in [usage supportedComputeDevices]) {
        placement.supported.emplace_back(device_name(device));
      }
      placement.preferred = device_name([usage preferredComputeDevice]);
    }
    MLComputePlanCost* cost = [plan estimatedCostOfMLProgramOperation:operation];
    // Absent for constants, and NaN in places. Source: pytorch/executorch, backends/apple/coreml.
    if (cost != nil && !std::isnan([cost weight])) placement.cost = [cost weight];
    placements.push_back(std::move(placement));
    for (MLModelStructureProgramBlock* inner in [operation blocks]) {
      walk(plan, function, inner, placements);
    }
  }
}

}  // namespace

Answer<std::filesystem::path> compile(const std::filesystem::path& package,
                                      double timeout_seconds) {
  Answer<std::filesystem::path> answer;
  answer.failure = guarded("compile", [&](std::optional<Failure>& failure) {
    const auto reply = std::make_shared<Reply<NSURL>>();
    [MLModel compileModelAtURL:url_of(package)
             completionHandler:^(NSURL* url, NSError* error) {
               reply->give(url, error);
             }];
    NSURL* compiled = reply->wait("compile", timeout_seconds, failure);
    if (compiled != nil) answer.value = text_of([compiled path]);
  });
  return answer;
}

Answer<std::unique_ptr<Model>> load(const std::filesystem::path& compiled,
                                    const std::string& function, ComputeUnits units,
                                    double timeout_seconds) {
  Answer<std::unique_ptr<Model>> answer;
  answer.failure = guarded("load", [&](std::optional<Failure>& failure) {
    const auto chosen = configuration(function, units);
    const auto reply = std::make_shared<Reply<MLModel>>();
    [MLModel loadContentsOfURL:url_of(compiled)
                 configuration:chosen.get()
             completionHandler:^(MLModel* model, NSError* error) {
               reply->give(model, error);
             }];
    MLModel* model = reply->wait("load", timeout_seconds, failure);
    if (model != nil) answer.value = std::make_unique<LoadedModel>(Held<MLModel>::retain(model));
  });
  return answer;
}

Answer<std::vector<OpPlacement>> read_plan(const std::filesystem::path& compiled,
                                           const std::string& function, ComputeUnits units,
                                           double timeout_seconds) {
  Answer<std::vector<OpPlacement>> answer;
  answer.failure = guarded("plan", [&](std::optional<Failure>& failure) {
    const auto chosen = configuration(function, units);
    const auto reply = std::make_shared<Reply<MLComputePlan>>();
    [MLComputePlan loadContentsOfURL:url_of(compiled)
                       configuration:chosen.get()
                   completionHandler:^(MLComputePlan* plan, NSError* error) {
                     reply->give(plan, error);
                   }];
    MLComputePlan* plan = reply->wait("plan", timeout_seconds, failure);
    if (plan == nil) return;
    NSDictionary<NSString*, MLModelStructureProgramFunction*>* functions =
        [[[plan modelStructure] program] functions];
    if (functions == nil) {
      failure = unexpected("plan", "Core ML's plan holds no ML Program");
      return;
    }
    for (NSString* name in functions) {
      const std::string text = text_of(name);
      if (!function.empty() && text != function) continue;
      walk(plan, text, [[functions objectForKey:name] block], answer.value);
    }
  });
  return answer;
}

}  // namespace framework
}  // namespace anemone::coreml
