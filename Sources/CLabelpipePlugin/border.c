/* The border as it was published: whoever changes the place of a field breaks every plugin there is. */
#include "labelpipe_plugin.h"
#include <stddef.h>

#define HOLDS(name, condition) typedef char holds_##name[(condition) ? 1 : -1]

HOLDS(input, sizeof(lp_input) == 32);
HOLDS(parameter, sizeof(lp_parameter) == 64 && offsetof(lp_parameter, initial) == 32);
HOLDS(value, sizeof(lp_value) == 32 && offsetof(lp_value, texts) == 24);
HOLDS(outline, sizeof(lp_outline) == 24);
HOLDS(layer, sizeof(lp_layer) == 144 && offsetof(lp_layer, frame) == 40 && offsetof(lp_layer, outline) == 128 && offsetof(lp_layer, depth) == 136);
HOLDS(layers, sizeof(lp_layers) == 16);
HOLDS(host, sizeof(lp_host) == 32);
HOLDS(call, sizeof(lp_call) == 72 && offsetof(lp_call, base) == 40 && offsetof(lp_call, effect) == 64);
HOLDS(result, sizeof(lp_result) == 144 && offsetof(lp_result, image) == 96 && offsetof(lp_result, color) == 112);
HOLDS(effect, sizeof(lp_effect) == 80 && offsetof(lp_effect, apply) == 64 && offsetof(lp_effect, idle) == 72);
HOLDS(plugin, sizeof(lp_plugin) == 56 && offsetof(lp_plugin, fault) == 48);
