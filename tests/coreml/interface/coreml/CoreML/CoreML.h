// Declarations of the part of Core ML that anemone/coreml/coreml.mm uses, for machines without
// Apple's SDK: the macOS target is compiled against them, and Linux's stand-in implements them.
// Names, types, values and versions are facts of the public interface; the words are our own.
// Source: Apple's documentation of Core ML (developer.apple.com/documentation/coreml), and the
// metadata that the pyobjc project made from the headers of the macOS 26.5 SDK, which
// tests/coreml/check_interface holds this file against.
#pragma once

#import <Foundation/Foundation.h>

#ifndef API_AVAILABLE
#define API_AVAILABLE(...)
#endif
// GNU's runtime lets a class have instance variables in its first declaration alone; the stand-in
// keeps its own in a common superclass.
#ifndef ANEMONE_ML_ROOT
#define ANEMONE_ML_ROOT NSObject
#endif

NS_ASSUME_NONNULL_BEGIN

typedef NS_ENUM(NSInteger, MLComputeUnits) {
  MLComputeUnitsCPUOnly = 0,
  MLComputeUnitsCPUAndGPU = 1,
  MLComputeUnitsAll = 2,
  MLComputeUnitsCPUAndNeuralEngine = 3,
};

typedef NS_ENUM(NSInteger, MLMultiArrayDataType) {
  MLMultiArrayDataTypeFloat16 = 0x10010,
  MLMultiArrayDataTypeFloat32 = 0x10020,
  MLMultiArrayDataTypeFloat64 = 0x10040,
  MLMultiArrayDataTypeInt32 = 0x20020,
};

API_AVAILABLE(macos(10.13))
@interface MLMultiArray : ANEMONE_ML_ROOT
@property(readonly, nonatomic) MLMultiArrayDataType dataType;
@property(readonly, nonatomic) NSArray<NSNumber*>* shape;
@property(readonly, nonatomic) NSArray<NSNumber*>* strides;
- (nullable instancetype)initWithShape:(NSArray<NSNumber*>*)shape
                              dataType:(MLMultiArrayDataType)dataType
                                 error:(NSError* _Nullable* _Nullable)error;
- (void)getBytesWithHandler:(void (^)(const void*, NSInteger))handler API_AVAILABLE(macos(12.3));
- (void)getMutableBytesWithHandler:(void (^)(void*, NSInteger, NSArray<NSNumber*>*))handler
    API_AVAILABLE(macos(12.3));
@end

API_AVAILABLE(macos(10.13))
@interface MLMultiArrayConstraint : ANEMONE_ML_ROOT
@property(readonly, nonatomic) NSArray<NSNumber*>* shape;
@property(readonly, nonatomic) MLMultiArrayDataType dataType;
@end

API_AVAILABLE(macos(10.13))
@interface MLFeatureDescription : ANEMONE_ML_ROOT
@property(readonly, nullable, nonatomic) MLMultiArrayConstraint* multiArrayConstraint;
@end

API_AVAILABLE(macos(10.13))
@interface MLFeatureValue : ANEMONE_ML_ROOT
@property(readonly, nullable, nonatomic) MLMultiArray* multiArrayValue;
+ (instancetype)featureValueWithMultiArray:(MLMultiArray*)value;
@end

API_AVAILABLE(macos(10.13))
@protocol MLFeatureProvider
@property(readonly, nonatomic) NSSet<NSString*>* featureNames;
- (nullable MLFeatureValue*)featureValueForName:(NSString*)featureName;
@end

API_AVAILABLE(macos(10.13))
@interface MLDictionaryFeatureProvider : ANEMONE_ML_ROOT <MLFeatureProvider>
- (nullable instancetype)initWithDictionary:(NSDictionary<NSString*, id>*)dictionary
                                      error:(NSError* _Nullable* _Nullable)error;
@end

API_AVAILABLE(macos(10.13))
@interface MLModelDescription : ANEMONE_ML_ROOT
@property(readonly, nonatomic)
    NSDictionary<NSString*, MLFeatureDescription*>* inputDescriptionsByName;
@end

API_AVAILABLE(macos(10.14))
@interface MLModelConfiguration : ANEMONE_ML_ROOT
@property(readwrite) MLComputeUnits computeUnits;
@property(readwrite, nullable, nonatomic, copy) NSString* functionName API_AVAILABLE(macos(15.0));
@end

API_AVAILABLE(macos(15.0))
@interface MLState : ANEMONE_ML_ROOT
@end

API_AVAILABLE(macos(10.13))
@interface MLModel : ANEMONE_ML_ROOT
@property(readonly, nonatomic) MLModelDescription* modelDescription;
+ (void)compileModelAtURL:(NSURL*)modelURL
        completionHandler:(void (^)(NSURL* _Nullable, NSError* _Nullable))handler
    API_AVAILABLE(macos(13.0));
+ (void)loadContentsOfURL:(NSURL*)url
            configuration:(MLModelConfiguration*)configuration
        completionHandler:(void (^)(MLModel* _Nullable, NSError* _Nullable))handler
    API_AVAILABLE(macos(11.0));
- (nullable id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)input
                                                   error:(NSError* _Nullable* _Nullable)error;
- (nullable id<MLFeatureProvider>)predictionFromFeatures:(id<MLFeatureProvider>)inputFeatures
                                              usingState:(MLState*)state
                                                   error:(NSError* _Nullable* _Nullable)error
    API_AVAILABLE(macos(15.0));
- (MLState*)newState API_AVAILABLE(macos(15.0));
@end

API_AVAILABLE(macos(14.0))
@protocol MLComputeDeviceProtocol <NSObject>
@end
API_AVAILABLE(macos(14.0))
@interface MLCPUComputeDevice : ANEMONE_ML_ROOT <MLComputeDeviceProtocol>
@end
API_AVAILABLE(macos(14.0))
@interface MLGPUComputeDevice : ANEMONE_ML_ROOT <MLComputeDeviceProtocol>
@end
API_AVAILABLE(macos(14.0))
@interface MLNeuralEngineComputeDevice : ANEMONE_ML_ROOT <MLComputeDeviceProtocol>
@end

API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramNamedValueType : ANEMONE_ML_ROOT
@property(readonly, copy, nonatomic) NSString* name;
@end

@class MLModelStructureProgramBlock;

API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramOperation : ANEMONE_ML_ROOT
@property(readonly, copy, nonatomic) NSString* operatorName;
@property(readonly, copy, nonatomic) NSArray<MLModelStructureProgramNamedValueType*>* outputs;
@property(readonly, copy, nonatomic) NSArray<MLModelStructureProgramBlock*>* blocks;
@end

API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramBlock : ANEMONE_ML_ROOT
@property(readonly, copy, nonatomic) NSArray<MLModelStructureProgramOperation*>* operations;
@end

API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgramFunction : ANEMONE_ML_ROOT
@property(readonly, nonatomic) MLModelStructureProgramBlock* block;
@end

API_AVAILABLE(macos(14.4))
@interface MLModelStructureProgram : ANEMONE_ML_ROOT
@property(readonly, copy, nonatomic)
    NSDictionary<NSString*, MLModelStructureProgramFunction*>* functions;
@end

API_AVAILABLE(macos(14.4))
@interface MLModelStructure : ANEMONE_ML_ROOT
@property(readonly, nullable, nonatomic) MLModelStructureProgram* program;
@end

API_AVAILABLE(macos(14.4))
@interface MLComputePlanCost : ANEMONE_ML_ROOT
@property(readonly, nonatomic) double weight;
@end

API_AVAILABLE(macos(14.4))
@interface MLComputePlanDeviceUsage : ANEMONE_ML_ROOT
@property(readonly, copy, nonatomic) NSArray<id<MLComputeDeviceProtocol>>* supportedComputeDevices;
@property(readonly, nonatomic) id<MLComputeDeviceProtocol> preferredComputeDevice;
@end

API_AVAILABLE(macos(14.4))
@interface MLComputePlan : ANEMONE_ML_ROOT
@property(readonly, nonatomic) MLModelStructure* modelStructure;
+ (void)loadContentsOfURL:(NSURL*)url
            configuration:(MLModelConfiguration*)configuration
        completionHandler:(void (^)(MLComputePlan* _Nullable, NSError* _Nullable))handler;
- (nullable MLComputePlanCost*)estimatedCostOfMLProgramOperation:
    (MLModelStructureProgramOperation*)operation;
- (nullable MLComputePlanDeviceUsage*)computeDeviceUsageForMLProgramOperation:
    (MLModelStructureProgramOperation*)operation;
@end

NS_ASSUME_NONNULL_END
