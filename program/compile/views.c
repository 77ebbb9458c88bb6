/* views.c - pointers into dynamic shared memory that a kernel declares, out of LLVM's text before it is optimised.
 *
 *     extern __shared__ char buf[];
 *     float *a = (float *) buf;          "s"                               of float
 *     int *b = (int *) &a[n];            "s p1.0.4 sext32 4 mul64 add64"   of int
 *
 * A view is a pointer that has one value for all threads of a launch (ir_value.h). One that is set again to other
 * such values only says where another array begins, and has no name. If a pointer begins somewhere that is not
 * known here, the kernel has no views: the array before it would seem to go on.
 */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir_value.h"
#include "program/compile/names.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_FOLLOWED = 3000, MOST_VIEWS = 64 };

struct view {
    struct ir_text node; /* of the variable */
    bool named;
    char offset[VALUE_TEXT];
};
struct looking {
    struct ir_values values;
    struct view view[MOST_VIEWS];
    int views;
    bool unknown; /* there are others */
};

static bool is_kernel(const struct ir *ir, const struct ir_function *function)
{
    char text[1000];
    if (memmem(function->line.at, function->line.length, "ptx_kernel", 10))
        return true;
    const struct ir_text symbol = function->symbol;
    snprintf(text, sizeof text, "@%.*s, !\"kernel\"",
             (int)(symbol.length < 900 ? symbol.length : 900), symbol.at);
    return strstr(ir->text, text);
}

/* A line that says which variable of the source something is: the something, and the variable's node. */
static bool read_declaration(const struct ir *ir, struct ir_text line, struct ir_text *value,
                             struct ir_text *node)
{
    static const char *const words[] = {"@llvm.dbg.declare(", "#dbg_declare("};
    const char *found = NULL;
    for (int i = 0; i < 2 && !found; i++)
        if ((found = memmem(line.at, line.length, words[i], strlen(words[i]))) != NULL)
            found += strlen(words[i]);
    if (!found)
        return false;
    const struct ir_text list = {found, line.length - (size_t)(found - line.at)};
    const struct ir_text part = ir_part(list, 0), reference = ir_part(list, 1);
    const char *name = memrchr(part.at, '%', part.length);
    const char *number = reference.at ? memchr(reference.at, '!', reference.length) : NULL;
    if (!name || !number)
        return false;
    *value = (struct ir_text){name, part.length - (size_t)(name - part.at)};
    *node =
        ir_node(ir, (struct ir_text){number, reference.length - (size_t)(number - reference.at)});
    return node->at;
}

static void add_view(struct looking *looking, struct ir_text node, const char *offset)
{
    for (int i = looking->views; i-- && looking->view[i].node.at == node.at;) {
        if (!strcmp(looking->view[i].offset, offset))
            return;
        looking->view[i].named = false;
    }
    if (looking->views == MOST_VIEWS) {
        looking->unknown = true;
        return;
    }
    const int last = looking->views - 1;
    struct view *view = &looking->view[looking->views++];
    view->node = node;
    view->named = last < 0 || looking->view[last].node.at != node.at;
    snprintf(view->offset, sizeof view->offset, "%s", offset);
}

/* What a variable is set to. */
static void look_at(struct looking *looking, const struct ir_function *function,
                    struct ir_text variable, struct ir_text node)
{
    struct ir_text stored;
    struct ir_value value;
    bool moves = false;
    const int first = looking->views;
    for (const char *at = NULL; ir_next_store(function, variable, &at, &stored);) {
        ir_value(&looking->values, function, stored, stored.at, &value);
        looking->unknown |= value.shared && value.kind == VALUE_UNKNOWN;
        moves |= value.kind == VALUE_MOVES;
        if (value.shared && value.kind == VALUE_LAUNCH)
            add_view(looking, node, value.text);
    }
    for (int i = first; i < looking->views && moves; i++)
        looking->view[i].named = false;
}

static bool put_view(const struct ir *ir, const struct ir_function *function,
                     const struct view *view, struct source_names *names, struct error *error)
{
    if (!memory_grow(&names->view, &names->view_room, names->views + 1, sizeof *names->view,
                     "variables", error))
        return false;
    struct source_variable *to = &names->view[names->views++];
    const int64_t line = ir_number(view->node, "line");
    *to = (struct source_variable){.symbol =
                                       memory_copy_of(function->symbol.at, function->symbol.length),
                                   .space = SOURCE_SHARED,
                                   .dynamic = true,
                                   .function = memory_copy(""),
                                   .file = ir_path(ir_follow(ir, view->node, "file")),
                                   .line = line > 0 && line <= INT32_MAX ? (int)line : 0,
                                   .offset = memory_copy(view->offset)};
    to->name = view->named ? ir_string(view->node, "name") : memory_copy("");
    if (view->named)
        variable_describe(ir, to, variable_target(ir, ir_follow(ir, view->node, "type")));
    else
        to->type = memory_copy("");
    to->bytes = 0;
    return true;
}

static bool read_kernel(struct looking *looking, const struct ir_function *function,
                        struct source_names *names, struct error *error)
{
    const struct ir *ir = looking->values.ir;
    const char *stop = function->body.at + function->body.length;
    looking->views = 0;
    looking->unknown = false;
    looking->values.left = MOST_FOLLOWED;
    for (const char *line = function->body.at, *end; line < stop; line = end + 1) {
        struct ir_text variable, node;
        end = memchr(line, '\n', (size_t)(stop - line));
        end = end ? end : stop;
        if (read_declaration(ir, (struct ir_text){line, (size_t)(end - line)}, &variable, &node) &&
            variable_target(ir, ir_follow(ir, node, "type")).at)
            look_at(looking, function, variable, node);
    }
    bool good = true;
    for (int i = 0; i < looking->views && good && !looking->unknown; i++)
        good = put_view(ir, function, &looking->view[i], names, error);
    return good;
}

bool views_read(const struct ir *ir, struct source_names *names, struct error *error)
{
    struct ir_function *function;
    size_t count;
    bool good = ir_functions(ir, &function, &count, error);
    struct looking *looking = memory_new(1, sizeof *looking);
    looking->values = (struct ir_values){.ir = ir, .function = function, .functions = count};
    for (size_t i = 0; i < count && good && views_wanted(ir); i++)
        good = !is_kernel(ir, &function[i]) || read_kernel(looking, &function[i], names, error);
    free(looking);
    free(function);
    return good;
}

bool views_wanted(const struct ir *ir)
{
    return strstr(ir->text, "addrspace(3) global [0 x ");
}
