// GNUstep's headers ask for this name, which libobjc2 has and Debian's libobjc4 has not; the same
// declarations are in libblocksruntime-dev.
#pragma once
#include <Block.h>
