/* Pango, HarfBuzz and fontconfig for Plugins/Text, and what of them Swift cannot say by itself. */
#pragma once
#include <fontconfig/fontconfig.h>
#include <hb-ot.h>
#include <hb.h>
#include <pango/pangofc-font.h>
#include <pango/pangofc-fontmap.h>
#include <pango/pangoft2.h>

/* GObject's casts are macros. */
static inline PangoFcFontMap *lpt_fc_font_map(PangoFontMap *map) { return PANGO_FC_FONT_MAP(map); }

static inline PangoFT2FontMap *lpt_ft2_font_map(PangoFontMap *map) { return PANGO_FT2_FONT_MAP(map); }

/* A cast that is a macro, with its check: NULL for a font that fontconfig does not know. */
static inline FcPattern *lpt_font_pattern(PangoFont *font) {
    return PANGO_IS_FC_FONT(font) ? pango_fc_font_get_pattern(PANGO_FC_FONT(font)) : NULL;
}

/* Deprecated in favour of calling fribidi, which would be one more library for the same answer.
   > 0: left to right, < 0: right to left, 0: no strong character. */
static inline int lpt_base_direction(const char *text, int length) {
    switch (pango_find_base_dir(text, length)) {
    case PANGO_DIRECTION_LTR: return 1;
    case PANGO_DIRECTION_RTL: return -1;
    default: return 0;
    }
}

/* PangoLogAttr is made of bit-fields, which cross to Swift one call each. */
enum { LPT_LINE_BREAK = 1, LPT_CHAR_BREAK = 2, LPT_CURSOR = 4 };
static inline unsigned char lpt_break_flags(const PangoLogAttr *at) {
    return (unsigned char)((at->is_line_break ? LPT_LINE_BREAK : 0) | (at->is_char_break ? LPT_CHAR_BREAK : 0)
                           | (at->is_cursor_position ? LPT_CURSOR : 0));
}

/* Pango's scripts are GLib's, HarfBuzz' are ISO 15924 tags. */
static inline hb_script_t lpt_hb_script(int script) {
    return hb_script_from_iso15924_tag(g_unicode_script_to_iso15924((GUnicodeScript)script));
}

/* Renamed in HarfBuzz 7; Debian 12 has 6. */
static inline void lpt_draw_glyph(hb_font_t *font, hb_codepoint_t glyph, hb_draw_funcs_t *pen, void *data) {
#if HB_VERSION_ATLEAST(7, 0, 0)
    hb_font_draw_glyph(font, glyph, pen, data);
#else
    hb_font_get_glyph_shape(font, glyph, pen, data);
#endif
}

/* Two results at once; the macro-made object names are plain strings. Returns the binding, -1 at the list's end. */
static inline int lpt_family_with_binding(FcPattern *pattern, int index, const char **family) {
    FcValue value;
    FcValueBinding binding;
    if (FcPatternGetWithBinding(pattern, FC_FAMILY, index, &value, &binding) != FcResultMatch || value.type != FcTypeString)
        return -1;
    *family = (const char *)value.u.s;
    return binding;
}
