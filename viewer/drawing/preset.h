/* preset.h - pictures for papers: the text widths of document classes, and colours of one's own.
 */
#ifndef BANKSCOPE_PRESET_H
#define BANKSCOPE_PRESET_H

#include "viewer/drawing/drawing.h"

/* Width and height of the text area of a document class, in points of TeX: 72.27 an inch. */
struct preset {
    const char *name;
    double width, height;
};
#define PRESET_HELP                                                                                \
    "  --preset NAME      width and height of a page: ieee-column, ieee-page, acm-column,\n"       \
    "                     acm-page, elsevier-column, elsevier-page or lncs\n"
#define COLOUR_HELP "  --colour ROLE=HEX  another colour, as in good=00A000; again for others\n"

/* NULL: there is none of that name. */
const struct preset *preset_find(const char *name, struct error *error);

/* A theme whose colours may be changed. */
struct palette {
    struct theme theme;
    int changes;
    struct {
        enum role role;
        uint32_t colour;
    } change[ROLES];
};
/* Adds the change "ROLE=HEX". */
bool palette_add(struct palette *palette, const char *text, struct error *error);
/* The theme with the changes. */
const struct theme *palette_of(struct palette *palette, const struct theme *theme);

#endif
