/* listing.c - the instructions of a kernel, as its text has them, and what ptxas makes of them. */
#include "machine/module.h"

#include <string.h>

/* The last word before `at` that ends with a colon, with nothing but comments and .loc between them. */
static void take_label(struct machine_instruction *to, const char *begin, const char *at)
{
    while (at > begin) {
        const char *end = at;
        while (end > begin && strchr(" \t\r\n", end[-1]))
            end--;
        for (at = end; at > begin && at[-1] != '\n';)
            at--;
        const char *word = at + strspn(at, " \t");
        const char *colon = memchr(word, ':', (size_t)(end - word));
        if (colon && !memchr(word, ' ', (size_t)(colon - word))) {
            to->label = word;
            to->label_length = (int)(colon + 1 - word);
        }
        if (to->label || (*word != '.' && *word != '/'))
            return;
    }
}

/* The text from the predicate on, and the label before it. */
static void take_text(struct machine_instruction *to, const struct ptx_function *function,
                      const struct ptx_instruction *from)
{
    const char *begin = function->body, *at = from->text.at;
    while (at > begin && !strchr(";:}{\n", at[-1]))
        at--;
    at += strspn(at, " \t\r");
    to->text = at;
    to->text_length = (int)(from->text.at + from->text.length - at);
    if (from->labelled)
        take_label(to, begin, at);
}

static bool comes_first(const struct machine_instruction *a, const struct machine_instruction *b)
{
    return a->text < b->text;
}

/* In the order of the text: instructions are in it already, but for those of loops that are taken together. */
static int sort(struct machine_instruction *row, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const struct machine_instruction now = row[i];
        int at = kept;
        while (at > 0 && comes_first(&now, &row[at - 1]))
            at--;
        if (at > 0 && row[at - 1].text == now.text)
            continue;
        memmove(&row[at + 1], &row[at], (size_t)(kept - at) * sizeof *row);
        row[at] = now;
        kept++;
    }
    return kept;
}

/* Whether the text is the function's: what unrolling adds is not. */
static bool is_of(const struct ptx_function *function, const struct ptx_instruction *instruction)
{
    return instruction->text.at >= function->body && instruction->text.at < function->body_end;
}

static int list_function(const struct code *code, struct machine_instruction *row)
{
    const struct ptx_function *function = code->function;
    const struct ptx_body *body = function->parsed;
    int count = 0;
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *from = &body->instruction[i];
        const struct join_access *join = &code->join[i];
        if (!is_of(function, from))
            continue;
        struct machine_instruction *to = &row[count++];
        *to = (struct machine_instruction){.function = function->name.at,
                                           .function_length = function->name.length,
                                           .line = from->line,
                                           .site = from->site,
                                           .became = (enum machine_became)join->fate,
                                           .why = join_rule_text(join->rule),
                                           .bytes = join->bytes};
        take_text(to, function, from);
        if (join->fate == JOIN_PART)
            to->lead = body->instruction[join->lead].text.at;
    }
    return sort(row, count);
}

const struct machine_instruction *machine_kernel_listing(struct machine_kernel *kernel, int *count)
{
    const struct kernel_code *decoded = kernel->code[0] ? kernel->code[0] : kernel->code[1];
    size_t all = 0;
    *count = 0;
    for (const struct code *code = decoded ? decoded->code : NULL; code; code = code->next)
        all += (size_t)code->function->parsed->instructions;
    struct machine_instruction *row =
        arena_new(&kernel->module->ptx.arena, (all + 1) * sizeof *row);
    for (const struct code *code = decoded && row ? decoded->code : NULL; code; code = code->next)
        *count += list_function(code, row + *count);
    return row;
}
