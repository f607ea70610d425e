#include <labelpipe_plugin.h>

LABELPIPE_PLUGIN_NOTE("org.labelpipe.example.neonglow")
