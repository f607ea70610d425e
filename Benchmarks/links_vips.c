/* The least that a program can do that links libvips: it is loaded, and nothing is asked of it. */
#include <vips/vips.h>

int main(void) { return vips_version(0) == 8 ? 0 : 1; }
