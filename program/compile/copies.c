/* copies.c - a copy of a small structure is one load and one store, as nvcc makes it.
 *
 * NVPTX makes two loads of 8 bytes out of a copied float4. So in optimised text
 *
 *     call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 16 %7, i64 16, i1 false), !tbaa.struct !26
 *
 *     %whole0 = load <4 x i32>, ptr %7, align 16
 *     store <4 x i32> %whole0, ptr %9, align 16
 *
 * When LLVM optimises, it copies each byte of a uchar4 by itself if its members are used. So text as it is written has
 *
 *     %whole0.loaded = load i32, ptr %7, align 4
 *     %whole0 = freeze i32 %whole0.loaded      or LLVM would see that load and store are a copy
 *     store i32 %whole0, ptr %9, align 4
 */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir_value.h"

#include <stdlib.h>
#include <string.h>

/* A copy that is looked for: so many bytes, aligned to as many, and what it becomes. */
struct copy {
    int bytes, member; /* member: bytes of its first one, at most; 0: any */
    const char *type;
    bool frozen;
};
static const struct copy optimised[] = {{16, 0, "<4 x i32>", false}},
                         written[] = {{4, 1, "i32", true}, {8, 2, "i64", true}};

/* What a copy's side is: "ptr noundef align 16 %9" is "ptr" and "%9". */
struct side {
    struct ir_text type, address;
};

static bool has(struct ir_text text, const char *word)
{
    return text.at && memmem(text.at, text.length, word, strlen(word));
}

/* false: its alignment is less, or an expression of constants. */
static bool read_side(struct ir_text argument, int bytes, struct side *side)
{
    char aligned[20];
    snprintf(aligned, sizeof aligned, " align %d ", bytes);
    const struct ir_text address = ir_operand(argument);
    size_t end = ir_word_length(argument, 0);
    const struct ir_text behind = ir_from(argument, end);
    if (ir_begins(behind, "addrspace(")) /* of "ptr addrspace(3)", "i8 addrspace(3)*" */
        end = (size_t)(behind.at - argument.at) + ir_word_length(behind, 0);
    *side = (struct side){{argument.at, end}, address};
    return has(argument, aligned) && address.at && *address.at == '%';
}

/* Bytes of the first member, which a node `!26 = !{i64 0, i64 1, !27, ...}` of the text says; 0: it says nothing. */
static int first_member(struct ir_text text, struct ir_text line)
{
    static const char word[] = "!tbaa.struct ";
    char node[40];
    const char *at = memmem(line.at, line.length, word, sizeof word - 1);
    const int length = at ? (int)strspn(at + sizeof word, "0123456789") : 0;
    if (!length || length > 10)
        return 0;
    snprintf(node, sizeof node, "\n!%.*s = !{i64 0, i64 ", length, at + sizeof word);
    at = memmem(text.at, text.length, node, strlen(node));
    return at ? atoi(at + strlen(node)) : 0;
}

/* The copy that a line is; NULL: none of these. */
static const struct copy *read_copy(struct ir_text text, struct ir_text line,
                                    const struct copy *copy, size_t copies, struct side side[2])
{
    static const char call[] = "call void @llvm.memcpy.";
    const char *at = memmem(line.at, line.length, call, sizeof call - 1);
    const char *open = at ? memchr(at, '(', (size_t)(line.at + line.length - at)) : NULL;
    if (!open)
        return NULL;
    const struct ir_text arguments = {open + 1, (size_t)(line.at + line.length - open - 1)};
    const struct ir_text bytes = ir_part(arguments, 2);
    for (; copies--; copy++)
        if (has(line, "!tbaa.struct ") && ir_begins(bytes, "i64 ") &&
            atoi(bytes.at + 4) == copy->bytes &&
            read_side(ir_part(arguments, 0), copy->bytes, &side[0]) &&
            read_side(ir_part(arguments, 1), copy->bytes, &side[1]) &&
            ir_begins(ir_part(arguments, 3), "i1 false)")) {
            const int member = copy->member ? first_member(text, line) : 0;
            return !copy->member || (member && member <= copy->member) ? copy : NULL;
        }
    return NULL;
}

/* The address as one of the whole: pointers had types before LLVM 15. */
static void put_side(FILE *file, const struct side *side, const char *type, int number,
                     const char *name)
{
    if (side->type.at[side->type.length - 1] == '*')
        fprintf(file, "  %%whole%d.%s = bitcast %.*s %.*s to %s%.*s\n", number, name,
                (int)side->type.length, side->type.at, (int)side->address.length, side->address.at,
                type, (int)side->type.length - 2, side->type.at + 2);
}

static void put_pointer(FILE *file, const struct side *side, const char *type, int number,
                        const char *name)
{
    if (side->type.at[side->type.length - 1] == '*')
        fprintf(file, "%s%.*s %%whole%d.%s", type, (int)side->type.length - 2, side->type.at + 2,
                number, name);
    else
        fprintf(file, "%.*s %.*s", (int)side->type.length, side->type.at, (int)side->address.length,
                side->address.at);
}

static void put_copy(FILE *file, struct ir_text line, const struct copy *copy,
                     const struct side side[2], int number)
{
    const struct ir_text place = ir_place(line);
    const int length = (int)place.length;
    put_side(file, &side[1], copy->type, number, "from");
    put_side(file, &side[0], copy->type, number, "to");
    fprintf(file, "  %%whole%d%s = load %s, ", number, copy->frozen ? ".loaded" : "", copy->type);
    put_pointer(file, &side[1], copy->type, number, "from");
    fprintf(file, ", align %d%.*s\n", copy->bytes, length, place.at);
    if (copy->frozen)
        fprintf(file, "  %%whole%d = freeze %s %%whole%d.loaded%.*s\n", number, copy->type, number,
                length, place.at);
    fprintf(file, "  store %s %%whole%d, ", copy->type, number);
    put_pointer(file, &side[0], copy->type, number, "to");
    fprintf(file, ", align %d%.*s\n", copy->bytes, length, place.at);
}

/* Whether the line orders the uses of something that a copy uses, of which there are fewer now. */
static bool is_order_of_copies(struct ir_text line)
{
    return ir_begins(line, "uselistorder ") &&
           (has(line, "@llvm.memcpy.") || has(line, " i64 16, {") || has(line, " i64 4, {") ||
            has(line, " i64 8, {") || has(line, " i1 false, {"));
}

static char *make_whole(char *text, size_t *length, const struct copy *copy, size_t copies)
{
    const struct ir_text whole = {text, *length};
    const char *at = text;
    struct side side[2];
    struct ir_text line;
    int found = 0;
    bool label;
    while (ir_next_line(whole, &at, &line, &label))
        found += !label && read_copy(whole, line, copy, copies, side);
    char *fresh = NULL;
    size_t size;
    FILE *file = found ? open_memstream(&fresh, &size) : NULL;
    if (!file)
        return text;
    at = text;
    found = 0;
    for (const char *begin = at; ir_next_line(whole, &at, &line, &label); begin = at) {
        const struct copy *is = label ? NULL : read_copy(whole, line, copy, copies, side);
        if (is)
            put_copy(file, line, is, side, found++);
        else if (!is_order_of_copies(line))
            fwrite(begin, 1, (size_t)(at - begin) - (at > text + *length), file);
    }
    if (fclose(file)) {
        free(fresh);
        return text;
    }
    free(text);
    *length = size;
    return fresh;
}

char *copies_whole(char *text, size_t *length)
{
    return make_whole(text, length, optimised, sizeof optimised / sizeof *optimised);
}

char *copies_small(char *text, size_t *length)
{
    return make_whole(text, length, written, sizeof written / sizeof *written);
}
