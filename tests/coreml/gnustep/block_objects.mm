// Linux's stand-in build only. A copied block must keep the objects that it captured. Debian's
// libBlocksRuntime 0.4.1 copies the pointers alone; these two, defined in the program, come before
// the library's.
#import <Foundation/Foundation.h>

#include <dlfcn.h>

namespace {

// The kind of captured thing in the low bits of `flags`.
// Source: clang's documentation, "Block Implementation Specification", BLOCK_FIELD_IS_OBJECT.
constexpr int kIsObject = 3;

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(::dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" void _Block_object_assign(void* target, const void* captured, int flags) {
  if (flags == kIsObject) {
    *static_cast<id*>(target) = [static_cast<id>(const_cast<void*>(captured)) retain];
    return;
  }
  static const auto others = next<void (*)(void*, const void*, int)>("_Block_object_assign");
  others(target, captured, flags);
}

extern "C" void _Block_object_dispose(const void* captured, int flags) {
  if (flags == kIsObject) {
    [static_cast<id>(const_cast<void*>(captured)) release];
    return;
  }
  static const auto others = next<void (*)(const void*, int)>("_Block_object_dispose");
  others(captured, flags);
}
