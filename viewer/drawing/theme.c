/* theme.c - roles and their colours.
 *
 * Good and bad differ in lightness as well as in hue (light green under dark digits, dark vermilion
 * under white ones), after the palette of Okabe and Ito, so that they stay apart in greyscale and
 * for colour-blind eyes; bad cells have a thick edge besides. Lists are pale: yellow is lighter
 * than blue. "print" is for paper: white ground, black ink, the widest steps of grey.
 */
#include "viewer/drawing/drawing.h"

#include <string.h>

const char *const role_names[ROLES] = {
    [ROLE_NONE] = "none",
    [ROLE_PAPER] = "paper",
    [ROLE_INK] = "ink",
    [ROLE_FAINT] = "faint",
    [ROLE_GRID] = "grid",
    [ROLE_CELL] = "cell",
    [ROLE_USED] = "used",
    [ROLE_LIST_A] = "list-a",
    [ROLE_LIST_B] = "list-b",
    [ROLE_LIST_C] = "list-c",
    [ROLE_LIST_D] = "list-d",
    [ROLE_MUTED] = "muted",
    [ROLE_MUTED_A] = "muted-a",
    [ROLE_MUTED_B] = "muted-b",
    [ROLE_MUTED_C] = "muted-c",
    [ROLE_MUTED_D] = "muted-d",
    [ROLE_MUTED_INK] = "muted-ink",
    [ROLE_GOOD] = "good",
    [ROLE_GOOD_INK] = "good-ink",
    [ROLE_GOOD_EDGE] = "good-edge",
    [ROLE_BAD] = "bad",
    [ROLE_BAD_INK] = "bad-ink",
    [ROLE_BAD_EDGE] = "bad-edge",
    [ROLE_GREY] = "grey",
    [ROLE_BORDER] = "border",
    [ROLE_BAR] = "bar",
    [ROLE_BAR_BAD] = "bar-bad",
    [ROLE_HEAT] = "heat",
    [ROLE_HEAT_1] = "heat-1",
    [ROLE_HEAT_2] = "heat-2",
    [ROLE_HEAT_3] = "heat-3",
    [ROLE_HEAT_4] = "heat-4",
    [ROLE_CURSOR] = "cursor",
    [ROLE_OVERLAY] = "overlay",
    [ROLE_HALO] = "halo",
    [ROLE_BLANK] = "blank",
    [ROLE_CURVE_1] = "curve-1",
    [ROLE_CURVE_2] = "curve-2",
    [ROLE_CURVE_3] = "curve-3",
    [ROLE_CURVE_4] = "curve-4",
    [ROLE_CURVE_5] = "curve-5",
    [ROLE_CURVE_6] = "curve-6",
    [ROLE_CURVE_7] = "curve-7",
};

const struct theme themes[] = {
    {"light",
     {
         [ROLE_PAPER] = 0xFFFFFF,     [ROLE_INK] = 0x1A1A1A,     [ROLE_FAINT] = 0x6B6B6B,
         [ROLE_GRID] = 0xC6C6C6,      [ROLE_CELL] = 0xFAFAFA,    [ROLE_USED] = 0xE4E4E4,
         [ROLE_LIST_A] = 0xFFF3A8,    [ROLE_LIST_B] = 0xB5D5F2,  [ROLE_LIST_C] = 0xEFC9DF,
         [ROLE_LIST_D] = 0xD8CFF0,    [ROLE_MUTED] = 0xF0F0F0,   [ROLE_MUTED_A] = 0xFFFAE0,
         [ROLE_MUTED_B] = 0xE3EFFA,   [ROLE_MUTED_C] = 0xF9EBF3, [ROLE_MUTED_D] = 0xF1EDF9,
         [ROLE_MUTED_INK] = 0x828282, [ROLE_GOOD] = 0x5CC79B,    [ROLE_GOOD_INK] = 0x000000,
         [ROLE_GOOD_EDGE] = 0x0B5A3C, [ROLE_BAD] = 0xC4430E,     [ROLE_BAD_INK] = 0xFFFFFF,
         [ROLE_BAD_EDGE] = 0x6E1F00,  [ROLE_GREY] = 0xD9D9D9,    [ROLE_BORDER] = 0xD00000,
         [ROLE_BAR] = 0x4E9C7C,       [ROLE_BAR_BAD] = 0xC4430E, [ROLE_CURSOR] = 0x0B57B0,
         [ROLE_HEAT] = 0xDCEDE5,      [ROLE_HEAT_1] = 0xF4C58F,  [ROLE_HEAT_2] = 0xE89048,
         [ROLE_HEAT_3] = 0xC4521C,    [ROLE_HEAT_4] = 0x7A2000,  [ROLE_OVERLAY] = 0xF2F2EC,
         [ROLE_HALO] = 0xFFB000,      [ROLE_BLANK] = 0x000000,   [ROLE_CURVE_1] = 0xD55E00,
         [ROLE_CURVE_2] = 0x004C8C,   [ROLE_CURVE_3] = 0x009E73, [ROLE_CURVE_4] = 0xA8478A,
         [ROLE_CURVE_5] = 0xE69F00,   [ROLE_CURVE_6] = 0x56B4E9, [ROLE_CURVE_7] = 0x6B6B6B,
     }},
    {"print",
     {
         [ROLE_PAPER] = 0xFFFFFF,     [ROLE_INK] = 0x000000,     [ROLE_FAINT] = 0x404040,
         [ROLE_GRID] = 0x808080,      [ROLE_CELL] = 0xFFFFFF,    [ROLE_USED] = 0xEEEEEE,
         [ROLE_LIST_A] = 0xFFF7BF,    [ROLE_LIST_B] = 0xA9C9E8,  [ROLE_LIST_C] = 0xE8BFD6,
         [ROLE_LIST_D] = 0xCFC3EA,    [ROLE_MUTED] = 0xF7F7F7,   [ROLE_MUTED_A] = 0xFFFBE6,
         [ROLE_MUTED_B] = 0xDDE9F5,   [ROLE_MUTED_C] = 0xF6E6EF, [ROLE_MUTED_D] = 0xEEEAF7,
         [ROLE_MUTED_INK] = 0x606060, [ROLE_GOOD] = 0x56BE8F,    [ROLE_GOOD_INK] = 0x000000,
         [ROLE_GOOD_EDGE] = 0x000000, [ROLE_BAD] = 0xB23500,     [ROLE_BAD_INK] = 0xFFFFFF,
         [ROLE_BAD_EDGE] = 0x000000,  [ROLE_GREY] = 0xD9D9D9,    [ROLE_BORDER] = 0xD00000,
         [ROLE_BAR] = 0x808080,       [ROLE_BAR_BAD] = 0xB23500, [ROLE_CURSOR] = 0x000000,
         [ROLE_HEAT] = 0xE6E6E6,      [ROLE_HEAT_1] = 0xC4C4C4,  [ROLE_HEAT_2] = 0x9A9A9A,
         [ROLE_HEAT_3] = 0x666666,    [ROLE_HEAT_4] = 0x1A1A1A,  [ROLE_OVERLAY] = 0xF2F2F2,
         [ROLE_HALO] = 0xFFB000,      [ROLE_BLANK] = 0x000000,   [ROLE_CURVE_1] = 0xD55E00,
         [ROLE_CURVE_2] = 0x004C8C,   [ROLE_CURVE_3] = 0x009E73, [ROLE_CURVE_4] = 0xA8478A,
         [ROLE_CURVE_5] = 0xE69F00,   [ROLE_CURVE_6] = 0x56B4E9, [ROLE_CURVE_7] = 0x606060,
     }},
    {"dark",
     {
         [ROLE_PAPER] = 0x17191C,     [ROLE_INK] = 0xF0F0F0,     [ROLE_FAINT] = 0x9AA0A6,
         [ROLE_GRID] = 0x44494F,      [ROLE_CELL] = 0x1E2125,    [ROLE_USED] = 0x3A3F45,
         [ROLE_LIST_A] = 0x6B5F14,    [ROLE_LIST_B] = 0x1F4A78,  [ROLE_LIST_C] = 0x6B3657,
         [ROLE_LIST_D] = 0x4B3E7C,    [ROLE_MUTED] = 0x282C31,   [ROLE_MUTED_A] = 0x35311A,
         [ROLE_MUTED_B] = 0x1D2E40,   [ROLE_MUTED_C] = 0x382632, [ROLE_MUTED_D] = 0x2C2840,
         [ROLE_MUTED_INK] = 0x8D9399, [ROLE_GOOD] = 0x5CC79B,    [ROLE_GOOD_INK] = 0x000000,
         [ROLE_GOOD_EDGE] = 0xD9FFEF, [ROLE_BAD] = 0xD2541C,     [ROLE_BAD_INK] = 0xFFFFFF,
         [ROLE_BAD_EDGE] = 0xFFD9C7,  [ROLE_GREY] = 0x4A4E53,    [ROLE_BORDER] = 0xFF6B6B,
         [ROLE_BAR] = 0x5CC79B,       [ROLE_BAR_BAD] = 0xE0662E, [ROLE_CURSOR] = 0x7FB8FF,
         [ROLE_HEAT] = 0x26392F,      [ROLE_HEAT_1] = 0x644420,  [ROLE_HEAT_2] = 0x9E5826,
         [ROLE_HEAT_3] = 0xDB6E30,    [ROLE_HEAT_4] = 0xFFB488,  [ROLE_OVERLAY] = 0x24282D,
         [ROLE_HALO] = 0xFFB000,      [ROLE_BLANK] = 0x000000,   [ROLE_CURVE_1] = 0xFF8A4C,
         [ROLE_CURVE_2] = 0x6CB8FF,   [ROLE_CURVE_3] = 0x35D0A0, [ROLE_CURVE_4] = 0xE39AC8,
         [ROLE_CURVE_5] = 0xFFCB4D,   [ROLE_CURVE_6] = 0xB4E2FF, [ROLE_CURVE_7] = 0xA9AEB4,
     }},
    {NULL, {0}},
};

const struct theme *theme_find(const char *name, struct error *error)
{
    for (const struct theme *theme = themes; theme->name; theme++)
        if (strcmp(theme->name, name) == 0)
            return theme;
    error_set(error, "there is no theme '%s'; it must be light, print or dark", name);
    return NULL;
}
