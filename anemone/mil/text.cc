#include "anemone/mil/text.h"
