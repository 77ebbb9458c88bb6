/* bind_product.c - operands of mma and wmma: shapes, types, and which lane has which element. */
#include "machine/decode/decode.h"
#include "machine/matrix.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    struct product_type type;
} types[] = {
    {"f16", {PRODUCT_HALF, 16}},   {"bf16", {PRODUCT_BRAIN, 16}}, {"tf32", {PRODUCT_TF32, 32}},
    {"f32", {PRODUCT_FLOAT, 32}},  {"f64", {PRODUCT_DOUBLE, 64}}, {"s8", {PRODUCT_SIGNED, 8}},
    {"u8", {PRODUCT_UNSIGNED, 8}}, {"s4", {PRODUCT_SIGNED, 4}},   {"u4", {PRODUCT_UNSIGNED, 4}},
    {"b1", {PRODUCT_UNSIGNED, 1}}, {"s32", {PRODUCT_SIGNED, 32}}, {"e4m3", {PRODUCT_E4M3, 8}},
    {"e5m2", {PRODUCT_E5M2, 8}},
};

/* m16n8k16, and types in their order, at most four. */
struct words {
    int rows, columns, depth;
    struct product_type type[4];
    int types;
};
static void read_words(const struct ptx_instruction *instruction, struct words *words)
{
    *words = (struct words){0};
    for (int i = 0; i < instruction->words; i++) {
        char word[24] = "";
        if (instruction->word[i].length < (int)sizeof word)
            memcpy(word, instruction->word[i].at, (size_t)instruction->word[i].length);
        if (sscanf(word, "m%2dn%2dk%3d", &words->rows, &words->columns, &words->depth) == 3)
            continue;
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            if (!strcmp(word, types[k].word) && words->types < 4)
                words->type[words->types++] = types[k].type;
    }
}

/* The fragment of a matrix, A, B or C, of a product of such a shape. false: it does not fit into the registers. */
static bool fragment_make(struct fragment *fragment, enum product_role role, int rows, int columns,
                          int depth, struct product_type type)
{
    const bool sum = role == PRODUCT_OF_C, turned = sum && rows == 8 && columns == 32;
    const int outer = role == PRODUCT_OF_B || turned ? columns : rows;
    const int inner = !sum ? depth : turned ? rows : columns;
    const int each = sum ? 2 : type.bits < 32 ? 32 / type.bits : 1;
    *fragment = (struct fragment){.type = type,
                                  .outer = outer,
                                  .inner = inner,
                                  .each = each,
                                  .across = inner / (4 * each),
                                  .tiles = outer / 8 * (inner / (4 * each)),
                                  .across_first = role == PRODUCT_OF_B && outer == 16,
                                  .turned = turned};
    const int in_register = type.bits < 32 ? 32 / type.bits : 1;
    return fragment->tiles > 0 && fragment->tiles * each / in_register <= PRODUCT_REGISTERS;
}

static int registers_of(const struct fragment *fragment)
{
    const int bits = fragment->type.bits;
    return fragment->tiles * fragment->each / (bits < 32 ? 32 / bits : 1);
}

/* Its registers; `given` may be more than its elements fill. */
static bool bind_registers(struct decoder *decoder, const struct ptx_operand *operand,
                           struct fragment *fragment, int wanted, bool result)
{
    const struct ptx_operand *element = operand->kind == PTX_VECTOR ? operand->element : operand;
    const enum product_kind kind = fragment->type.kind;
    const enum ptx_type type = kind == PRODUCT_FLOAT    ? PTX_F32
                               : kind == PRODUCT_DOUBLE ? PTX_F64
                                                        : PTX_B32;
    if ((operand->kind == PTX_VECTOR ? operand->elements : 1) != wanted)
        return decode_wrong(decoder, "another number of registers is expected");
    for (int i = 0; i < wanted; i++) {
        fragment->reg[i] =
            result ? decode_destination(decoder, &element[i], (uint32_t)ptx_type_bytes(type))
                   : decode_source(decoder, &element[i], type);
        if (!fragment->reg[i])
            return false;
    }
    return true;
}

/* ---- mma, wmma.mma --------------------------------------------------------------------------- */

/* Halves of A and B fill 8 registers of wmma: some are there more than once. */
static int wmma_registers(const struct fragment *fragment, bool factor)
{
    return factor && fragment->type.kind == PRODUCT_HALF ? 8 : registers_of(fragment);
}

/* Whether wmma has a matrix of that shape and type. */
static bool is_wmma_shape(const struct words *words, bool factor, struct product_type type)
{
    const int rows = words->rows, columns = words->columns, depth = words->depth;
    const bool small = rows == 8 && columns == 8;
    if (rows == 16 && columns == 16 && depth == 8)
        return type.kind == (factor ? PRODUCT_TF32 : PRODUCT_FLOAT);
    if (small && depth == 4)
        return type.kind == PRODUCT_DOUBLE;
    if (small)
        return type.bits == (!factor ? 32 : depth == 32 ? 4 : 1) && type.kind <= PRODUCT_SIGNED;
    return factor ? type.bits == 8 || type.bits == 16
                  : type.kind == PRODUCT_FLOAT || type.kind == PRODUCT_HALF ||
                        (type.kind == PRODUCT_SIGNED && type.bits == 32);
}

/* Whether products of this type may be summed in that type. */
static bool may_sum(struct product_type factor, struct product_type sum)
{
    if (factor.kind <= PRODUCT_SIGNED)
        return sum.kind == PRODUCT_SIGNED && sum.bits == 32;
    if (factor.kind == PRODUCT_DOUBLE)
        return sum.kind == PRODUCT_DOUBLE;
    const bool small = factor.kind == PRODUCT_E4M3 || factor.kind == PRODUCT_E5M2;
    return sum.kind == PRODUCT_FLOAT ||
           (sum.kind == PRODUCT_HALF && (factor.kind == PRODUCT_HALF || small));
}

/* Whether mma.sp has the shape: 1 to 4 registers of metadata for each four lanes. */
static bool is_sparse_shape(const struct words *words, struct product_type a)
{
    const int registers = words->depth / 2 * 16 * a.bits / 32 / 32;
    return words->rows == 16 && words->columns == 8 && a.bits >= 4 && a.bits <= 32 &&
           (registers == 4 ||
            (registers == 2 && a.kind != PRODUCT_E4M3 && a.kind != PRODUCT_E5M2)) &&
           a.kind != PRODUCT_FLOAT && !(a.kind == PRODUCT_SIGNED && a.bits == 32);
}

/* The types of D, A, B and C; wmma names only D and C of halves. */
static bool make_product(const struct words *words, bool wmma, bool sparse, struct product *product)
{
    static const struct product_type half = {PRODUCT_HALF, 16};
    const bool halves = wmma && words->types == 2;
    const struct product_type d = words->type[0], c = words->type[halves ? 1 : 3];
    const struct product_type a = halves ? half : words->type[1];
    const struct product_type b = halves ? half : words->type[2];
    const int m = words->rows, n = words->columns, k = words->depth;
    const bool shape =
        wmma ? is_wmma_shape(words, true, a) && is_wmma_shape(words, false, c) && a.kind == b.kind
        : sparse ? is_sparse_shape(words, a)
                 : n == 8 && (m == 8 || m == 16) && !(m == 8 && a.bits == 16);
    product->rows = m, product->columns = n, product->depth = k;
    return (halves || words->types == 4) && shape && a.bits == b.bits && may_sum(a, c) &&
           may_sum(b, d) && m * k <= PRODUCT_A && n * k <= PRODUCT_B &&
           fragment_make(&product->d, PRODUCT_OF_C, m, n, k, d) &&
           fragment_make(&product->a, PRODUCT_OF_A, m, n, sparse ? k / 2 : k, a) &&
           fragment_make(&product->b, PRODUCT_OF_B, m, n, k, b) &&
           fragment_make(&product->c, PRODUCT_OF_C, m, n, k, c);
}

/* From how many elements 4 bits of metadata choose. */
static int sparse_span(int bits)
{
    return bits == 4 ? 8 : bits == 32 ? 2 : 4;
}

bool bind_sparse(struct decoder *decoder, const struct ptx_operand *operand, int depth, int bits,
                 struct sparse *sparse)
{
    int64_t selector;
    sparse->lanes = depth / sparse_span(bits) / 4; /* of 16 rows, 8 groups in a register */
    if (!(sparse->reg = decode_source(decoder, operand, PTX_B32)) ||
        !decode_number(decoder, operand + 1, &selector))
        return false;
    if (selector < 0 || selector >= 4 / sparse->lanes)
        return decode_wrong(decoder, "there are no such lanes with metadata");
    sparse->first = (int)selector * sparse->lanes;
    return true;
}

bool bind_product(struct decoder *decoder, const struct ptx_instruction *instruction,
                  const struct operation *operation, const int *choice)
{
    struct product *product = decode_new(decoder, sizeof *product);
    const bool wmma = slice_is(instruction->opcode, "wmma");
    const bool sparse = ptx_has(instruction, "sp") || ptx_has(instruction, "sp::ordered_metadata");
    struct words words;
    (void)choice;
    read_words(instruction, &words);
    if (!product || instruction->operands != (sparse ? 6 : 4) ||
        !make_product(&words, wmma, sparse, product))
        return decode_wrong(decoder, "a product of this shape or type is not known");
    if (sparse && !bind_sparse(decoder, &instruction->operand[4], words.depth, product->a.type.bits,
                               &product->sparse))
        return false;
    product->saturates = ptx_has(instruction, "satfinite");
    product->differ = ptx_has(instruction, "xor");
    struct fragment *const of[] = {&product->d, &product->a, &product->b, &product->c};
    for (int i = 0; i < 4; i++) {
        const bool factor = i == 1 || i == 2;
        const int wanted = wmma ? wmma_registers(of[i], factor) : registers_of(of[i]);
        if (!bind_registers(decoder, &instruction->operand[i], of[i], wanted, i == 0))
            return false;
    }
    return decode_emit(decoder, operation, (struct step){.extra = product});
}

/* ---- wmma.load, wmma.store ------------------------------------------------------------------- */

/* Tiles that one LDSM loads, 0: none; see wmma.inc. */
static int matrices_of(const struct wmma *wmma, bool factor)
{
    const struct fragment *fragment = &wmma->fragment;
    const int bits = fragment->type.bits, most = bits == 16 ? 4 : 2;
    if (!factor || bits > 16 || !(wmma->straight || bits == 16))
        return 0;
    return fragment->tiles < most ? fragment->tiles : most;
}

/* What nvcc says of where a matrix is, if it knows: for some types it does not. */
static bool nvcc_names_space(struct product_type type)
{
    return type.kind != PRODUCT_BRAIN && type.kind != PRODUCT_TF32 && type.kind != PRODUCT_DOUBLE &&
           type.bits != 1 && type.bits != 4;
}

static bool make_wmma(struct decoder *decoder, struct wmma *wmma, bool *factor)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    const enum product_role role = ptx_has(instruction, "a")   ? PRODUCT_OF_A
                                   : ptx_has(instruction, "b") ? PRODUCT_OF_B
                                                               : PRODUCT_OF_C;
    struct words words;
    read_words(instruction, &words);
    *factor = role != PRODUCT_OF_C;
    if (words.types != 1 || !is_wmma_shape(&words, *factor, words.type[0]) ||
        !fragment_make(&wmma->fragment, role, words.rows, words.columns, words.depth,
                       words.type[0]))
        return false;
    wmma->straight =
        ptx_has(instruction, "row") == ((role != PRODUCT_OF_B) != wmma->fragment.turned);
    wmma->stores = ptx_has(instruction, "store");
    wmma->registers = wmma_registers(&wmma->fragment, *factor);
    return wmma->straight || words.type[0].bits >= 8;
}

/* The accesses that it does: rows of matrices, where the machine code has LDSM, else each lane its own. */
static void number_accesses(struct decoder *decoder, struct wmma *wmma, enum ptx_space space,
                            bool wide, bool factor)
{
    const struct fragment *fragment = &wmma->fragment;
    const bool joined = wmma->straight || fragment->type.bits == 16;
    const int bytes = (joined ? fragment->each : 1) * fragment->type.bits / 8;
    const enum op op = wmma->stores ? OP_STORE : OP_LOAD;
    wmma->if_shared = space == PTX_GENERIC && decoder->code->function->unit->from_llvm &&
                      nvcc_names_space(fragment->type);
    wmma->matrices =
        !wmma->stores && (space == PTX_SHARED || wmma->if_shared) ? matrices_of(wmma, factor) : 0;
    wmma->piece = (struct access){.space = space,
                                  .op = op,
                                  .bytes = (uint8_t)bytes,
                                  .elements = 1,
                                  .wide_address = wide,
                                  .number = -1,
                                  .global_number = -1};
    if (wmma->matrices)
        wmma->rows = (struct access){.space = PTX_SHARED,
                                     .op = OP_MATRIX_LOAD,
                                     .bytes = 16,
                                     .elements = 1,
                                     .number = -1,
                                     .global_number = -1};
    if (decoder->join[decoder->index].fate == JOIN_VANISHES)
        return;
    if (wmma->matrices)
        wmma->rows.number = decode_access(decoder, false, OP_MATRIX_LOAD, 16, NULL);
    if (space == PTX_GENERIC || (space == PTX_SHARED && !wmma->matrices))
        wmma->piece.number = decode_access(decoder, false, op, bytes, NULL);
    if (space == PTX_GENERIC || space == PTX_GLOBAL)
        wmma->piece.global_number = decode_access(decoder, true, op, bytes, NULL);
    global_array_note(decoder, wmma->piece.global_number,
                      &decoder->instruction->operand[wmma->stores ? 0 : 1].element[0]);
}

static enum ptx_space wmma_space(const struct ptx_instruction *instruction)
{
    return ptx_has(instruction, "shared") || ptx_has(instruction, "shared::cta") ? PTX_SHARED
           : ptx_has(instruction, "global")                                      ? PTX_GLOBAL
                                                                                 : PTX_GENERIC;
}

/* wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {a, b, ...}, [at], stride; the stride may be missing.
 * wmma.store.d: the address first. */
bool bind_wmma(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    struct wmma *wmma = decode_new(decoder, sizeof *wmma);
    enum ptx_space space = wmma_space(instruction);
    bool factor, wide;
    uint32_t at, stride;
    int64_t offset;
    (void)choice;
    if (!wmma || instruction->operands < 2 || instruction->operands > 3 ||
        !make_wmma(decoder, wmma, &factor))
        return decode_wrong(decoder, "a matrix of this shape or type is not known");
    const struct ptx_operand *operand = instruction->operand;
    if (!decode_address(decoder, &operand[wmma->stores ? 0 : 1], &space, &at, &offset, &wide) ||
        !bind_registers(decoder, &operand[wmma->stores ? 1 : 0], &wmma->fragment, wmma->registers,
                        !wmma->stores))
        return false;
    const int length = wmma->straight ? wmma->fragment.inner : wmma->fragment.outer;
    stride = instruction->operands > 2 ? decode_source(decoder, &operand[2], PTX_U32)
                                       : decode_constant(decoder, (uint64_t)length, 4);
    if (!stride)
        return false;
    number_accesses(decoder, wmma, space, wide, factor);
    return decode_emit(decoder, operation,
                       (struct step){.a = at, .b = stride, .immediate = offset, .extra = wmma});
}
