// Core ML's classes as far as anemone calls them, on GNUstep: a stand-in that tests run against. It
// computes with anemone's engine and misbehaves as a package's stand-in.json says. That Core ML
// behaves alike is what we believe, not what this shows.

#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/coreml/stand_in/objects.h"

@implementation StandInRoot
- (void)dealloc {
  delete contents;
  [super dealloc];
}
@end

namespace anemone::stand_in {
namespace {

// Threads that a handler still has to come from.
std::atomic<int> under_way{0};

}  // namespace

NSError* suffer(const Behaviour& behaviour) {
  if (behaviour.seconds > 0) {
    std::this_thread::sleep_for(std::chrono::duration<double>(behaviour.seconds));
  }
  if (behaviour.raises) {
    [NSException raise:@"StandInException" format:@"%@", string_of(*behaviour.raises)];
  }
  return behaviour.fails ? error_of(*behaviour.fails) : nil;
}

void later(const Behaviour& behaviour, void (^work)(void)) {
  if (behaviour.raises) suffer(behaviour);  // on the caller's thread
  if (behaviour.hangs) return;
  void (^copied)(void) = Block_copy(work);
  ++under_way;
  std::thread([copied] {
    GSRegisterCurrentThread();
    @autoreleasepool {
      copied();
      Block_release(copied);
    }
    GSUnregisterCurrentThread();
    --under_way;
  }).detach();
}

std::shared_ptr<const Package> package_at(NSURL* url, NSError** error) {
  std::string problem;
  auto package = Package::read(source_of(text_of([url path])), problem);
  if (!package) *error = error_of(text_of([url path]) + " is no compiled model: " + problem);
  return package;
}

}  // namespace anemone::stand_in

// For the tests: waits until no handler is under way.
extern "C" void stand_in_settle() {
  while (anemone::stand_in::under_way != 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

using namespace anemone::stand_in;  // NOLINT
using anemone::DType;
using anemone::Shape;

// Multi-arrays, whose rows are padded if the package says so.

namespace {

struct ArrayContents {
  MLMultiArrayDataType type = MLMultiArrayDataTypeFloat16;
  Shape shape;
  Shape strides;
  std::vector<std::byte> bytes;
};

std::size_t width_bytes(MLMultiArrayDataType type) { return (type & 0xff) / 8; }

DType dtype_of(MLMultiArrayDataType type) {
  switch (type) {
    case MLMultiArrayDataTypeFloat32:
      return DType::kF32;
    case MLMultiArrayDataTypeInt32:
      return DType::kI32;
    default:
      return DType::kF16;
  }
}

MLMultiArrayDataType type_of(DType dtype) {
  switch (dtype) {
    case DType::kF32:
      return MLMultiArrayDataTypeFloat32;
    case DType::kI32:
      return MLMultiArrayDataTypeInt32;
    default:
      return MLMultiArrayDataTypeFloat16;
  }
}

// Set while a package with padded rows is loaded: Core ML's arrays are padded where a processor
// wants it, which is none of the caller's choice.
std::atomic<long> padding{1};

ArrayContents array_contents(const Shape& shape, MLMultiArrayDataType type) {
  ArrayContents made{.type = type, .shape = shape, .strides = shape, .bytes = {}};
  std::int64_t step = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    made.strides[axis] = step;
    step *= shape[axis];
    if (axis + 1 == shape.size()) step = (step + padding - 1) / padding * padding;
  }
  // What is in memory that nobody wrote to is anybody's guess.
  made.bytes.assign(static_cast<std::size_t>(step) * width_bytes(type), std::byte{0x7f});
  return made;
}

// Calls `each(element in row-major order, offset in the array)`.
template <typename Each>
void for_each(const ArrayContents& array, const Each& each) {
  Shape index(array.shape.size(), 0);
  std::int64_t count = 1;
  for (const auto extent : array.shape) count *= extent;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0;
    for (std::size_t axis = array.shape.size(); axis-- > 0;) {
      offset += rest % array.shape[axis] * array.strides[axis];
      rest /= array.shape[axis];
    }
    each(static_cast<std::size_t>(i), static_cast<std::size_t>(offset));
  }
}

std::vector<std::byte> dense(const ArrayContents& array) {
  const std::size_t width = width_bytes(array.type);
  std::vector<std::byte> bytes(array.bytes.size());
  for_each(array, [&](std::size_t i, std::size_t offset) {
    std::memcpy(&bytes[i * width], &array.bytes[offset * width], width);
  });
  return bytes;
}

}  // namespace

@implementation MLMultiArray
- (instancetype)initWithShape:(NSArray*)shape
                     dataType:(MLMultiArrayDataType)dataType
                        error:(NSError**)error {
  if (!(self = [super init])) return nil;
  const Shape extents = shape_of(shape);
  for (const auto extent : extents) {
    if (extent > 0) continue;
    *error = error_of("a shape with an extent below 1");
    [self release];
    return nil;
  }
  fill(self, array_contents(extents, dataType));
  return self;
}
- (MLMultiArrayDataType)dataType {
  return contents_of<ArrayContents>(self).type;
}
- (NSArray*)shape {
  return numbers(contents_of<ArrayContents>(self).shape);
}
- (NSArray*)strides {
  return numbers(contents_of<ArrayContents>(self).strides);
}
- (void)getBytesWithHandler:(void (^)(const void*, NSInteger))handler {
  auto& bytes = contents_of<ArrayContents>(self).bytes;
  handler(bytes.data(), static_cast<NSInteger>(bytes.size()));
}
- (void)getMutableBytesWithHandler:(void (^)(void*, NSInteger, NSArray<NSNumber*>*))handler {
  auto& bytes = contents_of<ArrayContents>(self).bytes;
  handler(bytes.data(), static_cast<NSInteger>(bytes.size()), [self strides]);
}
@end

// Features and their descriptions.

@implementation MLMultiArrayConstraint
- (NSArray*)shape {
  return numbers(contents_of<Feature>(self).shape);
}
- (MLMultiArrayDataType)dataType {
  return type_of(contents_of<Feature>(self).dtype);
}
@end

@implementation MLFeatureDescription
- (MLMultiArrayConstraint*)multiArrayConstraint {
  return object<MLMultiArrayConstraint>(contents_of<Feature>(self));
}
@end

@implementation MLModelDescription
- (NSDictionary*)inputDescriptionsByName {
  NSMutableDictionary* found = [NSMutableDictionary dictionary];
  for (const auto& feature : contents_of<std::shared_ptr<const Computation>>(self)->inputs()) {
    [found setObject:object<MLFeatureDescription>(feature) forKey:string_of(feature.name)];
  }
  return found;
}
@end

@implementation MLFeatureValue
+ (instancetype)featureValueWithMultiArray:(MLMultiArray*)value {
  return object<MLFeatureValue>(Ref(value));
}
- (MLMultiArray*)multiArrayValue {
  return contents_of<Ref>(self);
}
@end

@implementation MLDictionaryFeatureProvider
- (instancetype)initWithDictionary:(NSDictionary*)dictionary error:(NSError**)error {
  (void)error;
  if ((self = [super init])) fill(self, Ref([[dictionary copy] autorelease]));
  return self;
}
- (NSSet*)featureNames {
  return [NSSet setWithArray:[contents_of<Ref>(self) allKeys]];
}
- (MLFeatureValue*)featureValueForName:(NSString*)name {
  return [static_cast<NSDictionary*>(contents_of<Ref>(self)) objectForKey:name];
}
@end

// Models.

namespace {

struct ConfigurationContents {
  MLComputeUnits units = MLComputeUnitsAll;
  Ref function;
};

struct StateContents {
  std::shared_ptr<anemone::engine::State> state;
  std::atomic<int> callers{0};
  explicit StateContents(std::shared_ptr<anemone::engine::State> made) : state(std::move(made)) {}
  StateContents(StateContents&& other) noexcept : state(std::move(other.state)) {}
};

struct ModelContents {
  std::shared_ptr<const Computation> computation;
  std::shared_ptr<std::atomic<int>> predictions = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> callers = std::make_shared<std::atomic<int>>(0);
};

// Counts a caller in and out.
class Caller {
 public:
  explicit Caller(std::atomic<int>& callers) : callers_(callers), is_alone_(++callers == 1) {}
  ~Caller() { --callers_; }
  bool is_alone() const { return is_alone_; }

 private:
  std::atomic<int>& callers_;
  bool is_alone_;
};

// `state` may be nil.
id<MLFeatureProvider> predicted(const ModelContents& model, id<MLFeatureProvider> inputs,
                                MLState* state, NSError** error) {
  const Computation& computation = *model.computation;
  const Caller own(*model.callers);
  std::atomic<int> nobody{0};
  const Caller of_state(state == nil ? nobody : contents_of<StateContents>(state).callers);
  if (!own.is_alone() || !of_state.is_alone()) {
    *error = error_of("two predictions at a time");
    return nil;
  }
  const Behaviour behaviour = computation.package().behaviour("predict");
  if (behaviour.at == 0 || ++*model.predictions == behaviour.at) {
    *error = suffer(behaviour);
    if (*error != nil || behaviour.gives_nothing) return nil;
  }
  if (computation.has_states() && state == nil) {
    *error = error_of("the model has states and was given none");
    return nil;
  }

  std::vector<anemone::engine::Feed> feeds;
  std::vector<anemone::engine::Fetch> fetches;
  std::vector<std::vector<std::byte>> memory;
  const auto features = computation.inputs();
  for (const auto& feature : features) {
    MLMultiArray* array = [[inputs featureValueForName:string_of(feature.name)] multiArrayValue];
    if (array == nil || shape_of([array shape]) != feature.shape) {
      *error = error_of("input '" + feature.name + "' is missing or of another shape");
      return nil;
    }
    memory.push_back(dense(contents_of<ArrayContents>(array)));
    feeds.push_back({feature.name, dtype_of([array dataType]), memory.back().data(),
                     anemone::element_count(feature.shape)});
  }
  const auto results = computation.outputs();
  std::vector<ArrayContents> arrays;
  for (const auto& feature : results) {
    arrays.push_back(array_contents(feature.shape, type_of(feature.dtype)));
    memory.emplace_back(arrays.back().bytes.size());
    fetches.push_back({feature.name, dtype_of(arrays.back().type), memory.back().data(),
                       anemone::element_count(feature.shape)});
  }
  const std::string problem = computation.run(
      feeds, state == nil ? nullptr : contents_of<StateContents>(state).state.get(), fetches);
  if (!problem.empty()) {
    *error = error_of(problem);
    return nil;
  }
  NSMutableDictionary* found = [NSMutableDictionary dictionary];
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (computation.package().drops(results[i].name)) continue;
    const auto* from = static_cast<const std::byte*>(fetches[i].data);
    const std::size_t width = width_bytes(arrays[i].type);
    for_each(arrays[i], [&](std::size_t element, std::size_t offset) {
      std::memcpy(&arrays[i].bytes[offset * width], from + element * width, width);
    });
    MLMultiArray* array = object<MLMultiArray>(std::move(arrays[i]));
    [found setObject:[MLFeatureValue featureValueWithMultiArray:array]
              forKey:string_of(results[i].name)];
  }
  return [[[MLDictionaryFeatureProvider alloc] initWithDictionary:found error:error] autorelease];
}

}  // namespace

@implementation MLModelConfiguration
- (instancetype)init {
  if ((self = [super init])) fill(self, ConfigurationContents{});
  return self;
}
- (MLComputeUnits)computeUnits {
  return contents_of<ConfigurationContents>(self).units;
}
- (void)setComputeUnits:(MLComputeUnits)units {
  contents_of<ConfigurationContents>(self).units = units;
}
- (NSString*)functionName {
  return contents_of<ConfigurationContents>(self).function;
}
- (void)setFunctionName:(NSString*)name {
  contents_of<ConfigurationContents>(self).function = Ref([[name copy] autorelease]);
}
@end

@implementation MLState
@end

@implementation MLModel
+ (void)compileModelAtURL:(NSURL*)url completionHandler:(void (^)(NSURL*, NSError*))handler {
  std::string problem;
  const auto package = Package::read(text_of([url path]), problem);
  const Behaviour behaviour = package ? package->behaviour("compile") : Behaviour{};
  later(behaviour, ^{
    NSError* error = package ? suffer(behaviour) : error_of(problem);
    if (error != nil || behaviour.gives_nothing) {
      handler(nil, error);
      return;
    }
    std::string unwritten;
    const std::string compiled = write_compiled(text_of([url path]), unwritten);
    if (compiled.empty()) {
      handler(nil, error_of(unwritten));
    } else {
      handler([NSURL fileURLWithPath:string_of(compiled)], nil);
    }
  });
}

+ (void)loadContentsOfURL:(NSURL*)url
            configuration:(MLModelConfiguration*)configuration
        completionHandler:(void (^)(MLModel*, NSError*))handler {
  NSError* unread = nil;
  const auto package = package_at(url, &unread);
  const std::string function = text_of([configuration functionName]);
  const Behaviour behaviour = package ? package->behaviour("load") : Behaviour{};
  later(behaviour, ^{
    NSError* error = package ? suffer(behaviour) : unread;
    if (error != nil || behaviour.gives_nothing) {
      handler(nil, error);
      return;
    }
    std::string problem;
    auto computation = Computation::make(package, function, problem);
    if (!computation) {
      handler(nil, error_of(problem));
      return;
    }
    padding = package->padding();
    handler(object<MLModel>(ModelContents{.computation = std::move(computation)}), nil);
  });
}

- (MLModelDescription*)modelDescription {
  return object<MLModelDescription>(contents_of<ModelContents>(self).computation);
}

- (MLState*)newState {
  const auto& computation = *contents_of<ModelContents>(self).computation;
  const Behaviour behaviour = computation.package().behaviour("state");
  suffer(behaviour);
  if (behaviour.gives_nothing) return nil;
  return [object<MLState>(StateContents(computation.make_state())) retain];
}

- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)inputs
                                          error:(NSError**)error {
  return predicted(contents_of<ModelContents>(self), inputs, nil, error);
}

- (id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)inputs
                                     usingState:(MLState*)state
                                          error:(NSError**)error {
  return predicted(contents_of<ModelContents>(self), inputs, state, error);
}
@end
