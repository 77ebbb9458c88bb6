/* preset.c - see preset.h. */
#include "viewer/drawing/preset.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

/* Measured with the classes of TeX Live 2022; ACM's (sigconf) computed from its geometry. */
static const struct preset presets[] = {{"ieee-column", 252, 696},     {"ieee-page", 516, 696},
                                        {"acm-column", 241.15, 603},   {"acm-page", 506.3, 603},
                                        {"elsevier-column", 252, 682}, {"elsevier-page", 522, 682},
                                        {"lncs", 347.12, 549.14}};
enum { PRESETS = sizeof presets / sizeof *presets };

const struct preset *preset_find(const char *name, struct error *error)
{
    char names[200] = "";
    for (int i = 0; i < PRESETS; i++) {
        if (!strcmp(presets[i].name, name))
            return &presets[i];
        text_add(names, sizeof names, "%s%s", i ? i + 1 < PRESETS ? ", " : " or " : "",
                 presets[i].name);
    }
    error_set(error, "--preset is '%s'; it must be %s", name, names);
    return NULL;
}

static enum role role_find(const char *name, size_t length)
{
    for (int role = ROLE_NONE + 1; role < ROLES; role++)
        if (strlen(role_names[role]) == length && !strncmp(role_names[role], name, length))
            return (enum role)role;
    return ROLE_NONE;
}

bool palette_add(struct palette *palette, const char *text, struct error *error)
{
    const size_t length = strcspn(text, "=");
    const enum role role = role_find(text, length);
    const char *hex = text[length] ? text + length + 1 : "";
    char names[1000] = "";
    hex += *hex == '#';
    if (role == ROLE_NONE) {
        for (int i = ROLE_NONE + 1; i < ROLES; i++)
            text_add(names, sizeof names, "%s%s", i > 1 ? ", " : "", role_names[i]);
        return error_set(error, "--colour is '%s'; it must be ROLE=HEX, and roles are %s", text,
                         names);
    }
    if (strlen(hex) != 6 || strspn(hex, "0123456789abcdefABCDEF") != 6)
        return error_set(error,
                         "--colour is '%s'; a colour has six hexadecimal digits, as in "
                         "good=00A000",
                         text);
    int at = 0;
    while (at < palette->changes && palette->change[at].role != role)
        at++;
    palette->changes = at < palette->changes ? palette->changes : at + 1;
    palette->change[at].role = role;
    palette->change[at].colour = (uint32_t)strtoul(hex, NULL, 16);
    return true;
}

const struct theme *palette_of(struct palette *palette, const struct theme *theme)
{
    palette->theme = *theme;
    for (int i = 0; i < palette->changes; i++)
        palette->theme.colour[palette->change[i].role] = palette->change[i].colour;
    return &palette->theme;
}
