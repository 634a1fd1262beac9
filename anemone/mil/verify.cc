#include "anemone/mil/verify.h"
