/* demangle.c - C++'s names of functions as people write them, by the C++ library's own demangler, which is there where a compiler
 * of C++ is. */
#include "program/compile/names.h"
#include "program/program.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

typedef char *demangle_function(const char *, char *, size_t *, int *);

/* Loaded once and kept; NULL: there is no such library. */
static demangle_function *demangler(void)
{
    static demangle_function *found;
    static bool asked;
    if (!asked) {
        void *library = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_LOCAL);
        void *symbol = library ? dlsym(library, "__cxa_demangle") : NULL;
        memcpy(&found, &symbol, sizeof found);
        asked = true;
    }
    return found;
}

/* A mangled name in full. Only names that begin with _Z are: "t" alone would be a type, unsigned short. */
static char *in_full(const char *mangled)
{
    int status;
    demangle_function *demangle = strncmp(mangled, "_Z", 2) ? NULL : demangler();
    char *text = demangle ? demangle(mangled, NULL, NULL, &status) : NULL;
    return text ? text : memory_copy(mangled);
}

/* "void transpose<float>(float*, int)" becomes "transpose<float>": cuts the parameters and what
 * stands before the name; both are told by parentheses and angle brackets that do not nest. */
static void shorten(char *text)
{
    int depth = 0;
    char *begin = text;
    for (char *at = text; *at; at++) {
        if (*at == '<' || *at == '{' || *at == '[')
            depth++;
        else if ((*at == '>' && (at == text || at[-1] != '-')) || *at == '}' || *at == ']')
            depth--;
        else if (*at == ' ' && depth == 0)
            begin = at + 1;
        else if (*at == '(' && depth == 0) {
            *at = '\0';
            break;
        } else if (*at == '(')
            depth++;
        else if (*at == ')')
            depth--;
    }
    memmove(text, begin, strlen(begin) + 1);
}

/* nvcc calls a static template "__nv_static_29__11821c40_4_t_cu_dd1e393b__Z4scanIiEvPT_": its name is at the end. */
static const char *without_file(const char *mangled)
{
    const char *end = strncmp(mangled, "__nv_static_", 12) ? NULL : strstr(mangled, "__Z");
    return end ? end + 1 : mangled;
}

char *name_of_function(const char *mangled)
{
    mangled = without_file(mangled);
    char *text = in_full(mangled);
    if (!strncmp(mangled, "_Z", 2)) {
        source_tidy(text);
        shorten(text);
    }
    return text;
}
