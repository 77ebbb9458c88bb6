/* alignments.c - a cast says how an address is aligned.
 *
 * Where code takes 16 bytes out of an array of halves, nvcc believes the cast and loads them at once. clang believes what it
 * knows of the array: an alignment of 2, so eight loads.
 *
 *     out[i] = *reinterpret_cast<uint4 *>(&tile[8 * i]);
 *     call void @llvm.memcpy...(ptr align 16 %9, ptr align 2 %7, i64 16, i1 false), !tbaa.struct !5
 *
 * LLVM's text of the source as it is written still has the access and its type, and there the alignment is raised to the
 * type's: of a number by what !tbaa calls it, of a structure that is copied to that of the copy's other side. The variable in
 * which it lies gets the alignment, too, so that nothing depends on what stands before it. Dynamic shared memory
 * begins at a multiple of 16, as with nvcc.
 *
 * What may really be anywhere is left alone: memcpy has no type, functions with a packed structure and programs
 * with a type that is aligned less than usual (`__attribute__((aligned(1)))`) stay as they are.
 */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir_value.h"
#include "system/output.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ALIGNED = 16, DEEPEST = 16 /* operations that an address is made by */ };

/* A number that stands in the text, and what is to stand there. */
struct edit {
    const char *at;
    size_t length;
    int align;
};
struct raising {
    const struct ir *ir;
    struct edit *edit;
    size_t edits, room;
    struct ir_text *packed; /* names of types: "%struct.P" */
    size_t packeds, packed_room;
};

static bool add_edit(struct raising *raising, struct ir_text number, int align, struct error *error)
{
    if (!memory_grow(&raising->edit, &raising->room, raising->edits + 1, sizeof *raising->edit,
                     "accesses of the program", error))
        return false;
    raising->edit[raising->edits++] = (struct edit){number.at, number.length, align};
    return true;
}

/* What stands behind the word in the text; at NULL: it is not there. */
static struct ir_text behind(struct ir_text text, const char *word)
{
    const char *at = text.at ? memmem(text.at, text.length, word, strlen(word)) : NULL;
    if (!at)
        return (struct ir_text){NULL, 0};
    at += strlen(word);
    return (struct ir_text){at, (size_t)(text.at + text.length - at)};
}

/* How much of the text is before the word. */
static size_t before(struct ir_text text, const char *word)
{
    const struct ir_text rest = behind(text, word);
    return rest.at ? (size_t)(rest.at - text.at) - strlen(word) : text.length;
}

/* The number that the text begins with, without what is behind it. */
static struct ir_text digits(struct ir_text text)
{
    return (struct ir_text){text.at, text.at ? strspn(text.at, "0123456789") : 0};
}

/* The number behind the line's last ", align ". */
static struct ir_text alignment_in(struct ir_text line)
{
    struct ir_text found = {NULL, 0};
    for (struct ir_text next = line; (next = behind(next, ", align ")).at;)
        found = next;
    return digits(found);
}

/* ---- types ---------------------------------------------------------------------------------------- */

static bool begins_with(const char *text, const char *word)
{
    return !strncmp(text, word, strlen(word));
}

/* Bytes of a number by its name in !tbaa; 0: it is none, or may be anywhere. */
static int number_bytes(const char *name)
{
    static const struct {
        const char *name;
        int bytes;
    } numbers[] = {{"short", 2},     {"int", 4},    {"float", 4},       {"long", 8},
                   {"long long", 8}, {"double", 8}, {"any pointer", 8}, {"_Float16", 2}};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!strcmp(name, numbers[i].name))
            return numbers[i].bytes;
    return 0;
}

/* The alignment of one of CUDA's vectors, "_ZTS6float4"; 0: it is none. */
static int vector_align(const char *name)
{
    static const struct {
        const char *element;
        int bytes;
    } vectors[] = {{"char", 1},  {"uchar", 1},  {"short", 2},    {"ushort", 2},
                   {"int", 4},   {"uint", 4},   {"float", 4},    {"long", 8},
                   {"ulong", 8}, {"double", 8}, {"longlong", 8}, {"ulonglong", 8}};
    if (!begins_with(name, "_ZTS"))
        return 0;
    name += 4 + strspn(name + 4, "0123456789");
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        if (begins_with(name, vectors[i].element)) {
            const char *count = name + strlen(vectors[i].element);
            const int elements = *count - '0', bytes = vectors[i].bytes;
            if (elements < 1 || elements > 4 || count[1])
                continue;
            const int align = elements % 2 ? bytes : bytes * elements;
            return align < MOST_ALIGNED ? align : MOST_ALIGNED;
        }
    return 0;
}

/* The name that a node of !tbaa begins with, in name; "" if there is none. */
static void name_of(const struct ir *ir, struct ir_text reference, char *name, size_t room)
{
    const struct ir_text text = behind(ir_node(ir, reference), "!{!\"");
    const char *end = text.at ? memchr(text.at, '"', text.length) : NULL;
    snprintf(name, room, "%.*s", end ? (int)(end - text.at) : 0, end ? text.at : "");
}

/* How the access is aligned that the line's !tbaa describes: "!{!6, !7, i64 8}" is a !7 in a !6. 0: not known. */
static int align_of_access(const struct ir *ir, struct ir_text line)
{
    const struct ir_text mark = behind(line, "!tbaa ");
    const struct ir_text tag =
        behind(ir_node(ir, mark.at ? ir_until(mark, strcspn(mark.at, ",\n")) : mark), "!{");
    const struct ir_text base = ir_part(tag, 0), access = ir_part(tag, 1);
    const struct ir_text where = behind(ir_part(tag, 2), "i64 ");
    char name[64];
    if (!base.at || !access.at || !where.at)
        return 0;
    if (base.length == access.length && !memcmp(base.at, access.at, base.length)) {
        name_of(ir, access, name, sizeof name);
        return number_bytes(name);
    }
    name_of(ir, base, name, sizeof name);
    const int align = vector_align(name), of_offset = atoi(where.at) & -atoi(where.at);
    return of_offset && of_offset < align ? of_offset : align;
}

/* ---- variables ------------------------------------------------------------------------------------- */

/* Raises what stands behind ", align " in the line. */
static bool raise_line(struct raising *raising, struct ir_text line, int align, struct error *error)
{
    const struct ir_text number = alignment_in(line);
    return !number.length || atoi(number.at) >= align || add_edit(raising, number, align, error);
}

static struct ir_text line_at(const char *at)
{
    return (struct ir_text){at, strcspn(at, "\n")};
}

/* Raises the variable that an address is in, if the function's text says which. */
static bool raise_variable(struct raising *raising, const struct ir_function *function,
                           struct ir_text address, int align, struct error *error)
{
    for (int i = 0; i < DEEPEST && address.at; i++) {
        const char *global = memchr(address.at, '@', address.length), *where;
        if (global) {
            char name[512];
            const size_t length = strcspn(global, " ,)");
            snprintf(name, sizeof name, "\n%.*s = ", (int)length, global);
            const char *found = strlen(name) == length + 4 ? strstr(raising->ir->text, name) : NULL;
            return !found || raise_line(raising, line_at(found + 1), align, error);
        }
        const struct ir_text made = ir_definition(function, address, &where);
        if (ir_begins(made, "alloca "))
            return raise_line(raising, made, align, error);
        if (ir_begins(made, "getelementptr "))
            address = ir_operand(ir_part(made, 1));
        else if (ir_begins(made, "bitcast ") || ir_begins(made, "addrspacecast "))
            address =
                ir_operand(ir_until(behind(made, "cast "), before(behind(made, "cast "), " to ")));
        else
            break;
    }
    return true;
}

/* ---- accesses -------------------------------------------------------------------------------------- */

static bool raise_access(struct raising *raising, const struct ir_function *function,
                         struct ir_text line, struct ir_text address, struct error *error)
{
    const struct ir_text number = alignment_in(line);
    const int align = number.length ? align_of_access(raising->ir, line) : 0;
    return !align || atoi(number.at) >= align ||
           (add_edit(raising, number, align, error) &&
            raise_variable(raising, function, address, align, error));
}

/* A structure that is copied: "call void @llvm.memcpy...(ptr align 16 %9, ptr align 2 %7, i64 16, i1 false)". A type whose
 * alignment is its size, as CUDA's vectors', shows it on that side of which no more is known than the type. */
static bool raise_copy(struct raising *raising, const struct ir_function *function,
                       struct ir_text arguments, struct error *error)
{
    struct ir_text side[2] = {ir_part(arguments, 0), ir_part(arguments, 1)}, number[2];
    int align[2];
    for (int i = 0; i < 2; i++) {
        number[i] = digits(behind(side[i], " align "));
        align[i] = number[i].length ? atoi(number[i].at) : 0;
    }
    const struct ir_text bytes = behind(ir_part(arguments, 2), "i64 ");
    const int lower = align[1] < align[0], size = bytes.at ? atoi(bytes.at) : 0;
    if (!align[lower] || align[lower] == align[!lower] || align[!lower] != size ||
        size > MOST_ALIGNED)
        return true;
    return add_edit(raising, number[lower], size, error) &&
           raise_variable(raising, function, ir_operand(side[lower]), size, error);
}

/* Whether the function has an address in a packed structure. */
static bool is_packed(const struct raising *raising, const struct ir_function *function)
{
    for (size_t i = 0; i < raising->packeds; i++) {
        const struct ir_text name = raising->packed[i];
        for (struct ir_text rest = function->body; (rest = behind(rest, "getelementptr ")).at;) {
            const size_t length = strcspn(rest.at, "\n");
            const char *found = memmem(rest.at, length, name.at, name.length);
            if (found && strchr(" ,*]}", found[name.length]))
                return true;
        }
    }
    return false;
}

static bool raise_function(struct raising *raising, const struct ir_function *function,
                           struct error *error)
{
    const char *at = function->body.at;
    struct ir_text line;
    bool label, good = true;
    if (is_packed(raising, function))
        return true;
    while (good && ir_next_line(function->body, &at, &line, &label)) {
        const struct ir_text load = behind(line, " = load ");
        if (load.at)
            good = raise_access(raising, function, line, ir_operand(ir_part(load, 1)), error);
        else if (ir_begins(line, "store "))
            good = raise_access(raising, function, line, ir_operand(ir_part(ir_from(line, 6), 1)),
                                error);
        else if (behind(line, "!tbaa.struct ").at && behind(line, "@llvm.memcpy.").at)
            good = raise_copy(raising, function, behind(behind(line, "@llvm.memcpy."), "("), error);
    }
    return good;
}

/* ---- the text -------------------------------------------------------------------------------------- */

/* Packed types, and dynamic shared memory. false: no memory. *unusual: a type is aligned otherwise than usual. */
static bool read_globals(struct raising *raising, bool *unusual, struct error *error)
{
    for (const char *at = raising->ir->text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const struct ir_text line = line_at(at);
        if (*at == '%' && behind(line, " = type <{").at) {
            if (!memory_grow(&raising->packed, &raising->packed_room, raising->packeds + 1,
                             sizeof *raising->packed, "types", error))
                return false;
            raising->packed[raising->packeds++] = (struct ir_text){at, strcspn(at, " ")};
        } else if (*at == '@' && behind(line, " = external ").at &&
                   behind(line, "addrspace(3) global [0 x ").at) {
            if (!raise_line(raising, line, MOST_ALIGNED, error))
                return false;
        } else if (*at == '!' && behind(line, "DW_TAG_typedef").at &&
                   behind(line, ", align: ").at) {
            *unusual = true;
        }
    }
    return true;
}

static int by_place(const void *one, const void *other)
{
    const struct edit *a = one, *b = other;
    return a->at != b->at ? (a->at > b->at) - (a->at < b->at) : b->align - a->align;
}

static bool put_edits(FILE *file, void *context, struct error *error)
{
    const struct raising *raising = context;
    const char *done = raising->ir->text;
    for (size_t i = 0; i < raising->edits; i++) {
        const struct edit *edit = &raising->edit[i]; /* of one number, the largest comes first */
        if (edit->at < done)
            continue;
        ir_put(file, done, edit->at);
        fprintf(file, "%d", edit->align);
        done = edit->at + edit->length;
    }
    ir_put(file, done, raising->ir->text + raising->ir->length);
    (void)error;
    return true;
}

bool alignments_raise(const struct ir *ir, const char *path, struct error *error)
{
    struct raising raising = {.ir = ir};
    struct ir_function *function = NULL;
    size_t functions = 0;
    bool unusual = false;
    bool good =
        read_globals(&raising, &unusual, error) && ir_functions(ir, &function, &functions, error);
    for (size_t i = 0; i < functions && good && !unusual; i++)
        good = raise_function(&raising, &function[i], error);
    if (raising.edits)
        qsort(raising.edit, raising.edits, sizeof *raising.edit, by_place);
    good = good && output_put(path, put_edits, &raising, error);
    free(function);
    free(raising.edit);
    free(raising.packed);
    return good;
}
