/* bind_wgmma.c - operands of wgmma.mma_async. */
#include "machine/decode/decode.h"
#include "machine/matrix.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    struct product_type type;
    int depth; /* of a product */
} types[] = {
    {"f16", {PRODUCT_HALF, 16}, 16},   {"bf16", {PRODUCT_BRAIN, 16}, 16},
    {"tf32", {PRODUCT_TF32, 32}, 8},   {"e4m3", {PRODUCT_E4M3, 8}, 32},
    {"e5m2", {PRODUCT_E5M2, 8}, 32},   {"s8", {PRODUCT_SIGNED, 8}, 32},
    {"u8", {PRODUCT_UNSIGNED, 8}, 32}, {"b1", {PRODUCT_UNSIGNED, 1}, 256},
};

static int type_named(struct slice word)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (slice_is(word, types[i].word))
            return (int)i;
    return -1;
}

static bool is_fp8(struct product_type type)
{
    return type.kind == PRODUCT_E4M3 || type.kind == PRODUCT_E5M2;
}

/* .m64n128k16.f32.f16.f16: what D, A and B are. */
static bool read_words(const struct ptx_instruction *instruction, bool sparse, struct wgmma *what)
{
    int type[3], types_read = 0, rows = 0;
    struct slice d = {NULL, 0};
    for (int i = 0; i < instruction->words; i++) {
        char word[24] = "";
        if (instruction->word[i].length < (int)sizeof word)
            memcpy(word, instruction->word[i].at, (size_t)instruction->word[i].length);
        if (sscanf(word, "m%2dn%3dk%3d", &rows, &what->columns, &what->depth) == 3)
            continue;
        const bool sum =
            slice_is(instruction->word[i], "f32") || slice_is(instruction->word[i], "s32");
        if (rows && !d.at)
            d = instruction->word[i];
        else if (rows && !sum && types_read < 2 &&
                 (type[types_read] = type_named(instruction->word[i])) >= 0)
            types_read++;
    }
    if (types_read != 2 || rows != 64)
        return false;
    const bool is_whole = types[type[0]].type.kind <= PRODUCT_SIGNED;
    what->a_type = types[type[0]].type;
    what->b_type = types[type[1]].type;
    what->sum = slice_is(d, "f16") ? WGMMA_HALF : slice_is(d, "s32") ? WGMMA_WHOLE : WGMMA_FLOAT;
    const bool same = type[0] == type[1] || (is_fp8(what->a_type) && is_fp8(what->b_type)) ||
                      (is_whole && what->a_type.bits == 8 && what->b_type.bits == 8 &&
                       what->b_type.kind <= PRODUCT_SIGNED);
    const bool columns = what->columns >= 8 && what->columns <= 256 && what->columns % 8 == 0 &&
                         (!is_whole || what->columns <= 24 || what->columns % 16 == 0);
    const bool halves = what->a_type.kind == PRODUCT_HALF || is_fp8(what->a_type);
    const int depth = types[type[0]].depth * (sparse ? 2 : 1);
    return same && columns && what->depth == depth && !(sparse && what->a_type.bits == 1) &&
           (what->sum == WGMMA_WHOLE) == is_whole && (what->sum != WGMMA_HALF || halves);
}

/* The registers of D, which are read, too. */
static bool bind_sums(struct decoder *decoder, const struct ptx_operand *operand,
                      struct wgmma *what)
{
    const int wanted = what->sum == WGMMA_HALF ? what->columns / 4 : what->columns / 2;
    if (operand->kind != PTX_VECTOR || operand->elements != wanted)
        return decode_wrong(decoder, "another number of registers is expected");
    for (int i = 0; i < wanted; i++) {
        if (!(what->d[i] = decode_destination(decoder, &operand->element[i], 4)))
            return false;
        what->number[i] = sums_number(decoder, &operand->element[i]);
    }
    return true;
}

static bool bind_numbers(struct decoder *decoder, const struct ptx_operand *operand,
                         const struct ptx_operand *end, struct wgmma *what)
{
    int64_t number[4] = {1, 1, 0, 0};
    int count = 0;
    for (; operand < end && count < 4; operand++)
        if (!decode_number(decoder, operand, &number[count++]))
            return false;
    const bool turns = count > 2;
    what->minus_a = number[0] == -1;
    what->minus_b = number[1] == -1;
    what->turned_a = count == 4 && number[2];
    what->turned_b = count == 4 ? number[3] != 0 : turns && number[2];
    if (turns && what->a_type.bits != 16)
        return decode_wrong(decoder, "only matrices of 16 bits can be turned");
    for (int i = 0; i < 2; i++)
        if (number[i] != 1 && number[i] != -1)
            return decode_wrong(decoder, "a factor of 1 or -1 is expected");
    return operand == end || decode_wrong(decoder, "there are too many operands");
}

static struct access reads(struct decoder *decoder, bool any)
{
    return (struct access){.space = PTX_SHARED,
                           .op = OP_WGMMA_LOAD,
                           .bytes = 16,
                           .elements = 1,
                           .late = true,
                           .number =
                               any ? decode_access(decoder, false, OP_WGMMA_LOAD, 16, NULL) : -1,
                           .global_number = -1};
}

/* wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {d, ...}, a, b, scale-d, scale-a, scale-b, turned-a, turned-b;
 * a is a descriptor or four registers; of a sparse product (mma_async.sp) metadata and their lanes follow b */
bool bind_wgmma(struct decoder *decoder, const struct ptx_instruction *instruction,
                const struct operation *operation, const int *choice)
{
    struct wgmma *what = decode_new(decoder, sizeof *what);
    uint32_t a = 0, b, c = 0, negated = 0;
    int64_t adds = 0;
    (void)choice;
    const bool sparse = ptx_has(instruction, "sp");
    if (!what || instruction->operands < (sparse ? 6 : 4) || !read_words(instruction, sparse, what))
        return decode_wrong(decoder, "a product of this shape or type is not known");
    const struct ptx_operand *operand = instruction->operand,
                             *end = operand + instruction->operands;
    if (!bind_sums(decoder, operand++, what))
        return false;
    if (operand->kind == PTX_VECTOR) {
        if (operand->elements != 4)
            return decode_wrong(decoder, "A has four registers");
        for (int i = 0; i < 4; i++) {
            if (!(what->a[i] = decode_source(decoder, &operand->element[i], PTX_B32)))
                return false;
            what->a_number[i] = sums_number(decoder, &operand->element[i]);
        }
    } else if (!(a = decode_source(decoder, operand, PTX_B64))) {
        return false;
    }
    operand++;
    if (!(b = decode_source(decoder, operand++, PTX_B64)))
        return false;
    if (sparse && !bind_sparse(decoder, operand, what->depth, what->a_type.bits, &what->sparse))
        return false;
    operand += sparse ? 2 : 0;
    if (operand->kind == PTX_CONSTANT
            ? !decode_number(decoder, operand, &adds)
            : !(c = decode_predicate(decoder, operand, FIELD_C, &negated)))
        return false;
    if (!bind_numbers(decoder, operand + 1, end, what))
        return false;
    what->read_a = reads(decoder, a != 0);
    what->read_b = reads(decoder, true);
    decoder->kernel->by_proxy = true;
    return decode_emit(
        decoder, operation,
        (struct step){
            .a = a, .b = b, .c = c, .negated = negated, .immediate = adds, .extra = what});
}
