/* alone_match.c - which kernel of the PTX a --call names: by its symbol, its name, or the types of its arrays. */
#include "base/text.h"
#include "program/alone.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Without blanks and the suffixes of integers: a compiler writes sum<float, 256U>, its user sum<float,256>. */
static char *tight(const char *text, size_t length)
{
    char *copy = memory_copy_of(text, length), *to = copy;
    bool in_number = false;
    for (const char *at = copy; *at; at++) {
        if (isspace((unsigned char)*at))
            continue;
        in_number = isdigit((unsigned char)*at)
                        ? in_number || at == copy || !text_is_identifier(at[-1])
                        : in_number && strchr("uUlL", *at);
        if (!in_number || isdigit((unsigned char)*at))
            *to++ = *at;
    }
    *to = '\0';
    return copy;
}

/* How well a kernel is what the call names: 4 by its symbol, 3 by its whole name, 2 by name and first arguments, 1 by
 * its name without arguments, 0 not. */
static int rank(const char *wanted, const char *symbol, const char *name)
{
    const size_t length = strlen(wanted), base = strcspn(name, "<");
    const char *plain = name;
    for (const char *at = name; at < name + base; at++)
        if (at[0] == ':' && at[1] == ':')
            plain = at + 2;
    if (!strcmp(wanted, symbol))
        return 4;
    for (int i = 0; i < 2; i++) {
        const char *of = i ? plain : name;
        const size_t own = strcspn(of, "<");
        if (!strcmp(wanted, of))
            return 3;
        if (strchr(wanted, '<') && length > 1 && !strncmp(wanted, of, length - 1) &&
            of[length - 1] == ',')
            return 2;
        if (!strchr(wanted, '<') && own == length && !strncmp(wanted, of, length))
            return 1;
    }
    return 0;
}

/* Whether the arrays of a call are of types that a template's arguments name: transpose<double>. */
static bool mentions_types(const struct alone *alone, const struct given_call *call,
                           const char *name)
{
    const char *at = call->arguments.at, *end = at + call->arguments.length;
    const char *arguments = strchr(name, '<');
    struct given_text piece;
    while (arguments && given_next(&at, end, &piece))
        for (int i = 0; i < alone->request->calls.arrays; i++) {
            char *type;
            if (!given_is(piece, alone->array[i].name))
                continue;
            type = tight(alone->array[i].type_text.at, (size_t)alone->array[i].type_text.length);
            const bool found = strstr(arguments, type);
            free(type);
            if (found)
                return true;
        }
    return false;
}

struct machine_kernel *alone_kernel(struct alone *alone, const struct given_call *call)
{
    struct machine_kernel *found = NULL, *kernel;
    struct machine_kernel_facts facts;
    char *wanted = tight(call->kernel.at, (size_t)call->kernel.length);
    char known[300] = "";
    int best = 0, count = 0;
    for (int i = 0; (kernel = machine_kernel_at(alone->module, i)) != NULL; i++) {
        machine_kernel_facts(kernel, &facts);
        const char *from_source = source_function(&alone->source_names, facts.name);
        char *name = from_source ? memory_copy(from_source) : name_of_function(facts.name);
        char *plain = tight(name, strlen(name));
        int fits = 2 * rank(wanted, facts.name, plain);
        fits += fits && mentions_types(alone, call, plain);
        text_add(known, sizeof known, "%s%s", *known ? ", " : "", name);
        count = fits > best ? 1 : count + (fits && fits == best);
        if (fits > best)
            found = kernel;
        best = fits > best ? fits : best;
        free(plain);
        free(name);
    }
    if (!found)
        error_set(alone->error, "--call: there is no kernel %s; there is %s%s", wanted,
                  *known ? known : "none",
                  !*known && !alone->ptx
                      ? ". A template needs its arguments, as in k<float><<<...>>>"
                      : "");
    else if (count > 1)
        error_set(alone->error, "--call: %s is several kernels: say which of %s", wanted, known);
    free(wanted);
    return found && count == 1 ? found : NULL;
}
