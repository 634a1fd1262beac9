#pragma once

#ifdef __OBJC__
#import <Foundation/Foundation.h>

#include <memory>

// The superclass of every class of the stand-in: what an object holds is a C++ struct of its own.
@interface StandInRoot : NSObject {
 @public
  std::shared_ptr<void>* contents;
}
@end
#define ANEMONE_ML_ROOT StandInRoot
#endif
