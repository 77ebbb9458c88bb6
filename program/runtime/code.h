/* code.h - what code.c and link.c know of a program's GPU code. */
#ifndef BANKSCOPE_RUNTIME_CODE_H
#define BANKSCOPE_RUNTIME_CODE_H

#include "program/runtime/runtime.h"

enum { CODE_NAME = 48 /* bytes of a unit's name */ };

/* A text of PTX. */
struct unit {
    const char *text;
    size_t length;
    int target; /* 90 */
    char name[CODE_NAME];
    const char *path; /* of the file that it is of, or NULL */
};

/* What one registration is about. */
struct runtime_binary {
    struct unit *unit;
    size_t units, room;
    struct runtime_module *module; /* NULL: not asked for yet */
    struct runtime_binary *leader; /* of those that become one module; itself at first */
    struct runtime_binary *next;
    const char *problem; /* why there is no unit */
    bool gone, failed;
    /* The program loaded it itself: it is a module by itself, and its texts are copies. */
    bool image;
};

/* ---- container.c ------------------------------------------------------------------------------- */

/* Adds a text of PTX, which is not copied. false: no memory. */
bool code_add(struct runtime_binary *binary, const char *text, size_t length);
/* Adds what data is: a container's newest PTX, or a text. Where there is none, binary->problem says why. */
void code_open(struct runtime_binary *binary, const void *data);
/* Whether data is neither a container nor machine code. */
bool code_is_text(const void *data, size_t length);

/* ---- link.c ------------------------------------------------------------------------------------ */

/* The first of those that are one module with it. */
struct runtime_binary *code_leader(struct runtime_binary *binary);
/* Puts those together that name what others define, unless they are modules already. */
void code_group(struct runtime_binary *binaries);

#endif
