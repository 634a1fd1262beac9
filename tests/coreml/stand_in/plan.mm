// The stand-in's compute plan: the package's own operations, with what stand-in.json says of each.

#include "tests/coreml/stand_in/objects.h"

using namespace anemone::stand_in;  // NOLINT

namespace {

using anemone::mil::Block;
using anemone::mil::Op;

struct PlanContents {
  std::shared_ptr<const Package> package;
};

// Some part of a program, and the package that it lies in.
template <typename T>
struct Part {
  std::shared_ptr<const Package> package;
  const T* part = nullptr;
};

id device(const std::string& name) {
  if (name == "ane") return [[[MLNeuralEngineComputeDevice alloc] init] autorelease];
  if (name == "gpu") return [[[MLGPUComputeDevice alloc] init] autorelease];
  return [[[MLCPUComputeDevice alloc] init] autorelease];
}

std::optional<Usage> usage_of(const Part<Op>& operation) {
  if (operation.part->type() == "const" || operation.part->outputs.empty()) return std::nullopt;
  return operation.package->usage(operation.part->output()->name);
}

}  // namespace

@implementation MLCPUComputeDevice
@end
@implementation MLGPUComputeDevice
@end
@implementation MLNeuralEngineComputeDevice
@end

@implementation MLModelStructureProgramNamedValueType
- (NSString*)name {
  return contents_of<Ref>(self);
}
@end

@implementation MLModelStructureProgramOperation
- (NSString*)operatorName {
  return string_of("ios18." + std::string(contents_of<Part<Op>>(self).part->type()));
}
- (NSArray*)outputs {
  NSMutableArray* found = [NSMutableArray array];
  for (const auto& output : contents_of<Part<Op>>(self).part->outputs) {
    [found addObject:object<MLModelStructureProgramNamedValueType>(Ref(string_of(output->name)))];
  }
  return found;
}
- (NSArray*)blocks {
  NSMutableArray* found = [NSMutableArray array];
  const auto& operation = contents_of<Part<Op>>(self);
  for (const auto& block : operation.part->blocks) {
    [found addObject:object<MLModelStructureProgramBlock>(
                         Part<Block>{operation.package, block.get()})];
  }
  return found;
}
@end

@implementation MLModelStructureProgramBlock
- (NSArray*)operations {
  NSMutableArray* found = [NSMutableArray array];
  const auto& block = contents_of<Part<Block>>(self);
  for (const auto& operation : block.part->ops) {
    [found addObject:object<MLModelStructureProgramOperation>(
                         Part<Op>{block.package, operation.get()})];
  }
  return found;
}
@end

@implementation MLModelStructureProgramFunction
- (MLModelStructureProgramBlock*)block {
  return object<MLModelStructureProgramBlock>(contents_of<Part<Block>>(self));
}
@end

@implementation MLModelStructureProgram
- (NSDictionary*)functions {
  NSMutableDictionary* found = [NSMutableDictionary dictionary];
  const auto& package = contents_of<PlanContents>(self).package;
  for (const auto& function : package->program().functions) {
    [found setObject:object<MLModelStructureProgramFunction>(Part<Block>{package, &function->body})
              forKey:string_of(function->name)];
  }
  return found;
}
@end

@implementation MLModelStructure
- (MLModelStructureProgram*)program {
  const PlanContents& plan = contents_of<PlanContents>(self);
  return plan.package->is_neural_network() ? nil : object<MLModelStructureProgram>(plan);
}
@end

@implementation MLComputePlanCost
- (double)weight {
  return contents_of<double>(self);
}
@end

@implementation MLComputePlanDeviceUsage
- (NSArray*)supportedComputeDevices {
  NSMutableArray* found = [NSMutableArray array];
  for (const auto& name : contents_of<Usage>(self).supported) {
    [found addObject:device(name)];
  }
  return found;
}
- (id<MLComputeDeviceProtocol>)preferredComputeDevice {
  return device(contents_of<Usage>(self).preferred);
}
@end

@implementation MLComputePlan
+ (void)loadContentsOfURL:(NSURL*)url
            configuration:(MLModelConfiguration*)configuration
        completionHandler:(void (^)(MLComputePlan*, NSError*))handler {
  (void)configuration;
  NSError* unread = nil;
  const auto package = package_at(url, &unread);
  const Behaviour behaviour = package ? package->behaviour("plan") : Behaviour{};
  later(behaviour, ^{
    NSError* error = package ? suffer(behaviour) : unread;
    const bool is_there = error == nil && !behaviour.gives_nothing;
    handler(is_there ? object<MLComputePlan>(PlanContents{package}) : nil, error);
  });
}
- (MLModelStructure*)modelStructure {
  return object<MLModelStructure>(contents_of<PlanContents>(self));
}
- (MLComputePlanCost*)estimatedCostOfMLProgramOperation:
    (MLModelStructureProgramOperation*)operation {
  const auto usage = usage_of(contents_of<Part<Op>>(operation));
  return usage && usage->cost ? object<MLComputePlanCost>(*usage->cost) : nil;
}
- (MLComputePlanDeviceUsage*)computeDeviceUsageForMLProgramOperation:
    (MLModelStructureProgramOperation*)operation {
  const auto usage = usage_of(contents_of<Part<Op>>(operation));
  return usage ? object<MLComputePlanDeviceUsage>(*usage) : nil;
}
@end
