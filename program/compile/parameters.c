/* parameters.c - the parameters of functions by the names that PTX gives them, so that pointers to global memory have the
 * source's: _Z5scalePfi_param_0 is "data", of floats. */
#include "program/compile/ir.h"
#include "program/compile/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "_Z5scalePfi_param_0"; for the caller to free. */
static char *symbol_of(struct ir_text function, int64_t number)
{
    char *linkage = ir_string(function, "linkageName"), *plain = ir_string(function, "name");
    const char *of = *linkage ? linkage : plain; /* extern "C" has but one */
    const size_t room = strlen(of) + 30;
    char *symbol = memory_new(room, 1);
    snprintf(symbol, room, "%s_param_%d", of, (int)number - 1);
    free(linkage);
    free(plain);
    return symbol;
}

static bool read_parameter(const struct ir *ir, struct ir_text node, struct source_names *names,
                           struct error *error)
{
    const int64_t number = ir_number(node, "arg"), line = ir_number(node, "line");
    const struct ir_text function = ir_follow(ir, node, "scope"),
                         type = ir_follow(ir, node, "type");
    if (number <= 0 || number > INT32_MAX || !ir_is_kind(function, "DISubprogram"))
        return true;
    if (!memory_grow(&names->variable, &names->variable_room, names->variables + 1,
                     sizeof *names->variable, "variables", error))
        return false;
    const struct ir_text target = variable_target(ir, type);
    struct source_variable *to = &names->variable[names->variables++];
    *to = (struct source_variable){.symbol = symbol_of(function, number),
                                   .name = ir_string(node, "name"),
                                   .function = ir_string(function, "name"),
                                   .file = ir_path(ir_follow(ir, node, "file")),
                                   .line = line > 0 && line <= INT32_MAX ? (int)line : 0,
                                   .space = SOURCE_GLOBAL,
                                   .dynamic = target.at};
    variable_describe(ir, to, to->dynamic ? target : type);
    to->bytes = to->dynamic ? 0 : to->bytes;
    return true;
}

bool parameters_read(const struct ir *ir, struct source_names *names, struct error *error)
{
    for (size_t i = 0; i < ir->nodes; i++)
        if (ir_is_kind(ir->node[i], "DILocalVariable") &&
            !read_parameter(ir, ir->node[i], names, error))
            return false;
    return true;
}
