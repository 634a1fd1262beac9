#pragma once

#import <CoreML/CoreML.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/coreml/stand_in/package.h"

// How the stand-in's classes hold C++, and what they share.
namespace anemone::stand_in {

// One reference to an object.
class Ref {
 public:
  Ref() = default;
  Ref(id object) : object_([object retain]) {}  // NOLINT
  Ref(const Ref& other) : object_([other.object_ retain]) {}
  Ref& operator=(Ref other) {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() { [object_ release]; }
  operator id() const { return object_; }  // NOLINT

 private:
  id object_ = nil;
};

template <typename T>
T& contents_of(id object) {
  return *static_cast<T*>(static_cast<StandInRoot*>(object)->contents->get());
}

template <typename T>
void fill(id object, T contents) {
  static_cast<StandInRoot*>(object)->contents =
      new std::shared_ptr<void>(std::make_shared<T>(std::move(contents)));
}

// An autoreleased object of the class with these contents.
template <typename Class, typename T>
Class* object(T contents) {
  Class* made = [[[Class alloc] init] autorelease];
  fill(made, std::move(contents));
  return made;
}

inline NSString* string_of(const std::string& text) {
  return [NSString stringWithUTF8String:text.c_str()];
}
inline std::string text_of(NSString* text) { return text == nil ? "" : [text UTF8String]; }

inline NSArray* numbers(const Shape& shape) {
  NSMutableArray* array = [NSMutableArray array];
  for (const auto extent : shape) [array addObject:[NSNumber numberWithLongLong:extent]];
  return array;
}

inline Shape shape_of(NSArray* array) {
  Shape shape;
  for (NSNumber* number in array) shape.push_back([number longLongValue]);
  return shape;
}

inline NSError* error_of(const Problem& problem) {
  NSMutableDictionary* info = [NSMutableDictionary dictionary];
  [info setObject:string_of(problem.message) forKey:NSLocalizedDescriptionKey];
  if (problem.underlying) {
    [info setObject:error_of(*problem.underlying) forKey:NSUnderlyingErrorKey];
  }
  return [NSError errorWithDomain:string_of(problem.domain) code:problem.code userInfo:info];
}

inline NSError* error_of(const std::string& message) {
  return error_of(Problem{.code = 0, .message = message, .underlying = nullptr});
}

// Does what the stage is told to; gives an error to hand on.
NSError* suffer(const Behaviour& behaviour);
// Calls `work` on a thread of its own, as Core ML calls its handlers, unless the stage hangs.
void later(const Behaviour& behaviour, void (^work)(void));
// Null with an error.
std::shared_ptr<const Package> package_at(NSURL* url, NSError** error);

}  // namespace anemone::stand_in
