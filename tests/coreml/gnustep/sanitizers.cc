// Linux's stand-in build only: what AddressSanitizer and its leak checker ask a program for.

// GNUstep's frames have no frame pointers: stacks are unwound by the slow way.
extern "C" const char* __asan_default_options() { return "fast_unwind_on_malloc=0"; }

// What GNU's Objective-C runtime, and a class of GNUstep at its first use, keep to the end of the
// process. The runtime is on no other object's way: a message is looked up by it and sent without
// it, and GNUstep allocates by itself.
extern "C" const char* __lsan_default_suppressions() { return "leak:libobjc.so\n"; }
