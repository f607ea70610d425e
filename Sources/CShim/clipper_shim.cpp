#include "clipper_shim.h"
