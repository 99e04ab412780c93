// The machine that waits in line.
#include "redlock/algorithm/in_line.hpp"
