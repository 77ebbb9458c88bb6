/* paper.h - what the commands share that make pictures for papers: pages of classes, a journal's colours, and
 * what they warn of (paper.c).
 */
#ifndef BANKSCOPE_COMMANDS_PAPER_H
#define BANKSCOPE_COMMANDS_PAPER_H

#include "viewer/viewer.h"

/* Width and height of a class's text, in points of TeX: 72.27 an inch. */
struct preset {
    const char *name;
    double width, height;
};
#define PRESET_HELP                                                                                \
    "  --preset NAME      width and height of a page: ieee-column, ieee-page, acm-column,\n"       \
    "                     acm-page, elsevier-column, elsevier-page or lncs\n"
#define COLOUR_HELP "  --colour ROLE=HEX  another colour, as in good=00A000; again for others\n"

/* NULL: reported. */
const struct preset *preset_find(const char *command, const char *name);

/* A theme whose colours may be changed. */
struct palette {
    struct theme theme;
    int changes;
    struct {
        enum role role;
        uint32_t colour;
    } change[ROLES];
};
/* Takes "ROLE=HEX". false: reported. */
bool palette_take(const char *command, struct palette *palette, const char *text);
/* The theme with the changes. */
const struct theme *palette_of(struct palette *palette, const struct theme *theme);

/* Says on standard error that texts are smaller than journals take, or were left out. */
void warn_flaws(const char *command, struct drawing_flaws flaws);

#endif
