// One node's line, as one wait sees it.
#include "redlock/algorithm/line_place.hpp"
