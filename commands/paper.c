/* paper.c - see paper.h. */
#include "commands/paper.h"
#include "commands/command.h"

#include <stdlib.h>
#include <string.h>

/* Measured with the classes of TeX Live 2022; ACM's (sigconf) computed from its geometry. */
static const struct preset presets[] = {{"ieee-column", 252, 696},     {"ieee-page", 516, 696},
                                        {"acm-column", 241.15, 603},   {"acm-page", 506.3, 603},
                                        {"elsevier-column", 252, 682}, {"elsevier-page", 522, 682},
                                        {"lncs", 347.12, 549.14}};
enum { PRESETS = sizeof presets / sizeof *presets };

const struct preset *preset_find(const char *command, const char *name)
{
    const char *names[PRESETS + 1] = {NULL};
    for (int i = 0; i < PRESETS; i++)
        names[i] = presets[i].name;
    int chosen = command_choice(command, "--preset", name, names);
    return chosen < 0 ? NULL : &presets[chosen];
}

static enum role role_find(const char *name, size_t length)
{
    for (int role = ROLE_NONE + 1; role < ROLES; role++)
        if (strlen(role_names[role]) == length && !strncmp(role_names[role], name, length))
            return (enum role)role;
    return ROLE_NONE;
}

bool palette_take(const char *command, struct palette *palette, const char *text)
{
    const size_t length = strcspn(text, "=");
    const enum role role = role_find(text, length);
    const char *hex = text[length] ? text + length + 1 : "";
    char names[1000] = "";
    hex += *hex == '#';
    if (role == ROLE_NONE) {
        for (int i = ROLE_NONE + 1; i < ROLES; i++)
            text_add(names, sizeof names, "%s%s", i > 1 ? ", " : "", role_names[i]);
        return command_usage(command, "--colour is '%s'; it must be ROLE=HEX, and roles are %s",
                             text, names),
               false;
    }
    if (strlen(hex) != 6 || strspn(hex, "0123456789abcdefABCDEF") != 6)
        return command_usage(command,
                             "--colour is '%s'; a colour has six hexadecimal digits, as in "
                             "good=00A000",
                             text),
               false;
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

void warn_flaws(const char *command, struct drawing_flaws flaws)
{
    const double least = 5; /* points: what journals ask for */
    if (flaws.unlabelled)
        fprintf(stderr,
                "bankscope %s: cells are too small for their text; a larger --width shows it\n",
                command);
    if (flaws.cut)
        fprintf(stderr,
                "bankscope %s: some words had no room and were cut; a larger --width, or shorter "
                "words, leave them whole\n",
                command);
    if (flaws.smallest > 0 && flaws.smallest < least - 0.01)
        fprintf(
            stderr,
            "bankscope %s: the smallest text has %.1f points, and journals ask for %g; a larger "
            "--width, or less in the picture, makes it larger\n",
            command, flaws.smallest, least);
}
