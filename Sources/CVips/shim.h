/* libvips for Swift. Swift imports functions, structs and enums, but neither macros that cast or
   calculate nor functions with `...`; each line below stands for one of those, and says which. */
#pragma once
#include <vips/vips.h>

/* Checked casts (VIPS_OBJECT() and so on are macros). A C cast is enough: the callers know the type. */
static inline VipsObject *lpv_object(void *instance) { return (VipsObject *)instance; }
static inline GObject *lpv_gobject(void *instance) { return (GObject *)instance; }
static inline VipsOperation *lpv_operation(void *instance) { return (VipsOperation *)instance; }
static inline VipsArea *lpv_area(VipsBlob *blob) { return (VipsArea *)blob; }

/* G_OBJECT_TYPE, G_OBJECT_GET_CLASS, G_VALUE_TYPE: macros that read the instance's first word. */
static inline GType lpv_type_of(void *instance) { return G_OBJECT_TYPE(instance); }
static inline VipsObjectClass *lpv_object_class(void *instance) { return VIPS_OBJECT_GET_CLASS(instance); }
static inline GType lpv_value_type(const GValue *value) { return G_VALUE_TYPE(value); }

/* Fundamental types: G_TYPE_MAKE_FUNDAMENTAL() is arithmetic in a macro. */
static inline GType lpv_type_boolean(void) { return G_TYPE_BOOLEAN; }
static inline GType lpv_type_int(void) { return G_TYPE_INT; }
static inline GType lpv_type_uint64(void) { return G_TYPE_UINT64; }
static inline GType lpv_type_double(void) { return G_TYPE_DOUBLE; }
static inline GType lpv_type_string(void) { return G_TYPE_STRING; }
static inline GType lpv_type_enum(void) { return G_TYPE_ENUM; }
static inline GType lpv_type_flags(void) { return G_TYPE_FLAGS; }
static inline gboolean lpv_type_is(GType type, GType parent) { return g_type_is_a(type, parent); }
static inline gboolean lpv_type_is_abstract(GType type) { return G_TYPE_IS_ABSTRACT(type); }

/* libvips' own types: each VIPS_TYPE_X is a macro for a get_type call. */
static inline GType lpv_type_operation(void) { return VIPS_TYPE_OPERATION; }
static inline GType lpv_type_foreign(void) { return VIPS_TYPE_FOREIGN; }
static inline GType lpv_type_image(void) { return VIPS_TYPE_IMAGE; }
static inline GType lpv_type_interpolate(void) { return VIPS_TYPE_INTERPOLATE; }
static inline GType lpv_type_source(void) { return VIPS_TYPE_SOURCE; }
static inline GType lpv_type_target(void) { return VIPS_TYPE_TARGET; }
static inline GType lpv_type_array_image(void) { return VIPS_TYPE_ARRAY_IMAGE; }
static inline GType lpv_type_array_double(void) { return VIPS_TYPE_ARRAY_DOUBLE; }
static inline GType lpv_type_array_int(void) { return VIPS_TYPE_ARRAY_INT; }
static inline GType lpv_type_blob(void) { return VIPS_TYPE_BLOB; }
static inline GType lpv_type_ref_string(void) { return VIPS_TYPE_REF_STRING; }

/* GParamSpec casts are checked macros; the caller has compared the type. */
static inline GParamSpecInt *lpv_spec_int(GParamSpec *spec) { return (GParamSpecInt *)spec; }
static inline GParamSpecUInt64 *lpv_spec_uint64(GParamSpec *spec) { return (GParamSpecUInt64 *)spec; }
static inline GParamSpecDouble *lpv_spec_double(GParamSpec *spec) { return (GParamSpecDouble *)spec; }
static inline GParamSpecBoolean *lpv_spec_boolean(GParamSpec *spec) { return (GParamSpecBoolean *)spec; }
static inline GParamSpecString *lpv_spec_string(GParamSpec *spec) { return (GParamSpecString *)spec; }
static inline GParamSpecEnum *lpv_spec_enum(GParamSpec *spec) { return (GParamSpecEnum *)spec; }
static inline GParamSpecFlags *lpv_spec_flags(GParamSpec *spec) { return (GParamSpecFlags *)spec; }

/* vips_error() takes a format and `...`; the text must not be taken for a format. */
static inline void lpv_error(const char *domain, const char *text) { vips_error(domain, "%s", text); }

/* VIPS_REGION_ADDR and VIPS_REGION_LSKIP are address arithmetic in macros. */
static inline void *lpv_region_address(VipsRegion *region, int x, int y) { return VIPS_REGION_ADDR(region, x, y); }
static inline size_t lpv_region_stride(VipsRegion *region) { return VIPS_REGION_LSKIP(region); }

/* VIPS_IMAGE_SIZEOF_PEL is a macro. */
static inline size_t lpv_image_pixel_bytes(VipsImage *image) { return VIPS_IMAGE_SIZEOF_PEL(image); }
