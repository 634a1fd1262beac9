// Linux's stand-in build only. For GNU's runtime clang gives every Objective-C++ function the
// personality of C's Objective-C, which cannot read C++ handlers. Defined in the program, this one
// comes first and hands C++ exceptions to C++'s own.
#include <dlfcn.h>
#include <unwind.h>

#include <cstdint>

namespace {

using Personality = _Unwind_Reason_Code (*)(int, _Unwind_Action, std::uint64_t, _Unwind_Exception*,
                                            _Unwind_Context*);

// "GNUCC++" and a byte that tells dependent exceptions apart.
// Source: gcc 12, libstdc++-v3/libsupc++/unwind-cxx.h.
bool is_cxx(std::uint64_t exception_class) { return exception_class >> 8 == 0x474e5543432b2b; }

}  // namespace

extern "C" _Unwind_Reason_Code __gxx_personality_v0(int, _Unwind_Action, std::uint64_t,
                                                    _Unwind_Exception*, _Unwind_Context*);

extern "C" _Unwind_Reason_Code __gnu_objc_personality_v0(int version, _Unwind_Action actions,
                                                         std::uint64_t exception_class,
                                                         _Unwind_Exception* exception,
                                                         _Unwind_Context* context) {
  static const auto objective_c =
      reinterpret_cast<Personality>(::dlsym(RTLD_NEXT, "__gnu_objc_personality_v0"));
  const Personality chosen =
      is_cxx(exception_class) || objective_c == nullptr ? __gxx_personality_v0 : objective_c;
  return chosen(version, actions, exception_class, exception, context);
}
