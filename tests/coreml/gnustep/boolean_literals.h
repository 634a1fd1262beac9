// Included first in every Objective-C++ file of the stand-in build. GNU's YES is a plain integer,
// of which clang cannot make a boxed @YES.
#pragma once
#import <Foundation/Foundation.h>
#undef YES
#undef NO
#define YES __objc_yes
#define NO __objc_no
