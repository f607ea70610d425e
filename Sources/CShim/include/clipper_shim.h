/* Clipper (libpolyclipping 6.4) behind a C face: Swift cannot call its C++ templates and references. */
#pragma once
