/* copies.c - a copy of 16 aligned bytes is one load and one store.
 *
 * NVPTX makes two loads of 8 bytes out of a copied float4; nvcc makes one:
 *
 *     call void @llvm.memcpy.p0.p0.i64(ptr align 16 %9, ptr align 16 %7, i64 16, i1 false), !tbaa.struct !26
 *
 *     %whole0 = load <4 x i32>, ptr %7, align 16
 *     store <4 x i32> %whole0, ptr %9, align 16
 */
#define _GNU_SOURCE /* memmem */
#include "program/compile/ir_value.h"

#include <stdlib.h>
#include <string.h>

/* What a copy's side is: "ptr noundef align 16 %9" is "ptr" and "%9". */
struct side {
    struct ir_text type, address;
};

static bool has(struct ir_text text, const char *word)
{
    return text.at && memmem(text.at, text.length, word, strlen(word));
}

/* false: its alignment is less, or an expression of constants. */
static bool read_side(struct ir_text argument, struct side *side)
{
    const struct ir_text address = ir_operand(argument);
    size_t end = ir_word_length(argument, 0);
    const struct ir_text behind = ir_from(argument, end);
    if (ir_begins(behind, "addrspace(")) /* of "ptr addrspace(3)", "i8 addrspace(3)*" */
        end = (size_t)(behind.at - argument.at) + ir_word_length(behind, 0);
    *side = (struct side){{argument.at, end}, address};
    return has(argument, " align 16 ") && address.at && *address.at == '%';
}

static bool read_copy(struct ir_text line, struct side side[2])
{
    static const char call[] = "call void @llvm.memcpy.";
    const char *at = memmem(line.at, line.length, call, sizeof call - 1);
    const char *open = at ? memchr(at, '(', (size_t)(line.at + line.length - at)) : NULL;
    if (!open || !has(line, "!tbaa.struct "))
        return false;
    const struct ir_text arguments = {open + 1, (size_t)(line.at + line.length - open - 1)};
    return read_side(ir_part(arguments, 0), &side[0]) &&
           read_side(ir_part(arguments, 1), &side[1]) && ir_is(ir_part(arguments, 2), "i64 16") &&
           ir_begins(ir_part(arguments, 3), "i1 false)");
}

/* The address as one of four words: pointers had types before LLVM 15. */
static void put_side(FILE *file, const struct side *side, int number, const char *name)
{
    if (side->type.at[side->type.length - 1] == '*')
        fprintf(file, "  %%whole%d.%s = bitcast %.*s %.*s to <4 x i32>%.*s\n", number, name,
                (int)side->type.length, side->type.at, (int)side->address.length, side->address.at,
                (int)side->type.length - 2, side->type.at + 2);
}

static void put_pointer(FILE *file, const struct side *side, int number, const char *name)
{
    if (side->type.at[side->type.length - 1] == '*')
        fprintf(file, "<4 x i32>%.*s %%whole%d.%s", (int)side->type.length - 2, side->type.at + 2,
                number, name);
    else
        fprintf(file, "%.*s %.*s", (int)side->type.length, side->type.at, (int)side->address.length,
                side->address.at);
}

static void put_copy(FILE *file, struct ir_text line, const struct side side[2], int number)
{
    const struct ir_text place = ir_place(line);
    put_side(file, &side[1], number, "from");
    put_side(file, &side[0], number, "to");
    fprintf(file, "  %%whole%d = load <4 x i32>, ", number);
    put_pointer(file, &side[1], number, "from");
    fprintf(file, ", align 16%.*s\n  store <4 x i32> %%whole%d, ", (int)place.length, place.at,
            number);
    put_pointer(file, &side[0], number, "to");
    fprintf(file, ", align 16%.*s\n", (int)place.length, place.at);
}

/* Whether the line orders the uses of something that a copy uses, of which there are fewer now. */
static bool is_order_of_copies(struct ir_text line)
{
    return ir_begins(line, "uselistorder ") &&
           (has(line, "@llvm.memcpy.") || has(line, " i64 16, {") || has(line, " i1 false, {"));
}

char *copies_whole(char *text, size_t *length)
{
    const struct ir_text whole = {text, *length};
    const char *at = text;
    struct side side[2];
    struct ir_text line;
    int copies = 0;
    bool label;
    while (ir_next_line(whole, &at, &line, &label))
        copies += !label && read_copy(line, side);
    char *fresh = NULL;
    size_t size;
    FILE *file = copies ? open_memstream(&fresh, &size) : NULL;
    if (!file)
        return text;
    at = text;
    copies = 0;
    for (const char *begin = at; ir_next_line(whole, &at, &line, &label); begin = at)
        if (!label && read_copy(line, side))
            put_copy(file, line, side, copies++);
        else if (!is_order_of_copies(line))
            fwrite(begin, 1, (size_t)(at - begin) - (at > text + *length), file);
    if (fclose(file)) {
        free(fresh);
        return text;
    }
    free(text);
    *length = size;
    return fresh;
}
