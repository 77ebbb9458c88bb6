/* bind_async.c - operands of mbarriers, bulk copies and stores that an mbarrier is told of. */
#include "machine/async.h"
#include "machine/atomic.h"
#include "machine/decode/decode.h"

#include <string.h>

/* ---- mbarrier -------------------------------------------------------------------------------- */

/* An address of shared memory: what the words say of its space, or PTX_GENERIC. */
static enum ptx_space shared_or_generic(const struct ptx_instruction *instruction,
                                        const struct ptx_operand *address)
{
    const bool said = ptx_has(instruction, "shared") || ptx_has(instruction, "shared::cta") ||
                      ptx_has(instruction, "shared::cluster");
    return said || address->element[0].kind == PTX_VARIABLE ? PTX_SHARED : PTX_GENERIC;
}

static enum mbarrier_kind mbarrier_kind(const struct ptx_instruction *instruction)
{
    static const struct {
        const char *word;
        enum mbarrier_kind kind;
    } kinds[] = {
        {"init", MBARRIER_INIT},        {"inval", MBARRIER_INVAL},
        {"arrive", MBARRIER_ARRIVE},    {"arrive_drop", MBARRIER_DROP},
        {"expect_tx", MBARRIER_EXPECT}, {"complete_tx", MBARRIER_COMPLETE},
        {"test_wait", MBARRIER_WAIT},   {"try_wait", MBARRIER_WAIT},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (slice_is(instruction->word[0], kinds[i].word))
            return kinds[i].kind == MBARRIER_WAIT && ptx_has(instruction, "parity")
                       ? MBARRIER_WAIT_PARITY
                       : kinds[i].kind;
    return ptx_has(instruction, "noinc") ? MBARRIER_ARRIVE
                                         : MBARRIER_COPIES; /* cp.async.mbarrier.arrive */
}

/* mbarrier.init [at], count; arrive state, [at], count; arrive.expect_tx state, [at], bytes; expect_tx [at], bytes;
 * test_wait p, [at], state, time; ...parity p, [at], x, time; cp.async.mbarrier.arrive{.noinc} [at]; */
bool bind_mbarrier(struct decoder *decoder, const struct ptx_instruction *instruction,
                   const struct operation *operation, const int *choice)
{
    struct mbarrier_step *what = decode_new(decoder, sizeof *what);
    const bool copies = slice_is(instruction->opcode, "cp");
    uint32_t b = 0, d = 0, f = 0, negated = 0, at;
    int64_t offset;
    (void)choice;
    if (!what)
        return false;
    what->kind = mbarrier_kind(instruction);
    what->copies = copies;
    const bool waits = what->kind >= MBARRIER_WAIT;
    const bool arrives = what->kind == MBARRIER_ARRIVE || what->kind == MBARRIER_DROP;
    what->expects = arrives && ptx_has(instruction, "expect_tx");
    if (!instruction->operands)
        return decode_wrong(decoder, "an mbarrier's address is expected");
    const struct ptx_operand *operand = instruction->operand,
                             *end = operand + instruction->operands;
    const struct ptx_operand *result =
        operand < end && operand->kind != PTX_ADDRESS ? operand++ : NULL;
    if (operand == end || operand->kind != PTX_ADDRESS || (waits && !result))
        return decode_wrong(decoder, "an mbarrier's address is expected");
    what->access.op = OP_ATOMIC;
    what->access.space = shared_or_generic(instruction, operand);
    enum ptx_space space = what->access.space;
    if (!decode_address(decoder, operand++, &space, &at, &offset, &what->access.wide_address))
        return false;
    if (operand < end &&
        !(b = decode_source(decoder, operand, what->kind == MBARRIER_WAIT ? PTX_B64 : PTX_B32)))
        return false;
    if ((what->kind == MBARRIER_INIT || what->expects || waits || what->kind == MBARRIER_EXPECT ||
         what->kind == MBARRIER_COMPLETE) &&
        !b)
        return decode_wrong(decoder, "a number is expected behind the mbarrier's address");
    if (waits && !(f = decode_predicate(decoder, result, FIELD_F, &negated)))
        return false;
    if (!waits && result && result->kind != PTX_NOTHING &&
        !(d = decode_destination(decoder, result, 8)))
        return false;
    return decode_emit(
        decoder, operation,
        (struct step){.a = at, .b = b, .d = d, .f = f, .immediate = offset, .extra = what});
}

/* ---- bulk copies ------------------------------------------------------------------------------- */

static const struct {
    const char *word;
    enum atomic_rule rule;
} rules[] = {
    {"add", ATOMIC_ADD}, {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {"and", ATOMIC_AND},
    {"or", ATOMIC_OR},   {"xor", ATOMIC_XOR}, {"inc", ATOMIC_INC}, {"dec", ATOMIC_DEC},
};

/* A reduction through a tensor map has the map's type of elements, which is known when it runs. */
static void bind_rule(struct decoder *decoder, struct bulk_copy *copy, enum ptx_type *type)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    enum atomic_rule rule = ATOMIC_ADD;
    *type = PTX_NONE;
    for (int i = 0; i < instruction->words; i++) {
        for (size_t k = 0; k < sizeof rules / sizeof *rules; k++)
            if (slice_is(instruction->word[i], rules[k].word))
                rule = rules[k].rule;
        if (ptx_type_named(instruction->word[i]))
            *type = ptx_type_named(instruction->word[i]);
    }
    copy->element_bytes = ptx_type_bytes(*type);
    copy->rule = atomic_kind(rule, *type);
}

static int dimensions_of(const struct ptx_instruction *instruction)
{
    static const char *const words[] = {"1d", "2d", "3d", "4d", "5d"};
    for (int i = 0; i < TENSOR_DIMENSIONS; i++)
        if (ptx_has(instruction, words[i]))
            return i + 1;
    return 0;
}

/* [map, {x, y}] */
static bool bind_map(struct decoder *decoder, const struct ptx_operand *operand,
                     struct bulk_copy *copy, uint32_t *at, int64_t *offset, bool *wide)
{
    enum ptx_space space = PTX_GENERIC;
    if (operand->kind != PTX_ADDRESS || operand->elements != 2 ||
        operand->element[1].elements != copy->dimensions ||
        !decode_address(decoder, operand, &space, at, offset, wide))
        return decode_wrong(decoder,
                            "a tensor map and a coordinate for each dimension are expected");
    for (int i = 0; i < copy->dimensions; i++)
        if (!(copy->coordinate[i] =
                  decode_source(decoder, &operand->element[1].element[i], PTX_S32)))
            return false;
    return true;
}

static bool bind_place(struct decoder *decoder, const struct ptx_operand *operand,
                       enum ptx_space space, uint32_t *at, int64_t *offset, bool *wide)
{
    return decode_address(decoder, operand, &space, at, offset, wide);
}

/* Spaces: shared::cluster or shared::cta first: to shared memory. */
static void name_spaces(const struct ptx_instruction *instruction, struct bulk_copy *copy)
{
    copy->to = copy->from = PTX_GLOBAL;
    bool first = true;
    for (int i = 0; i < instruction->words; i++) {
        const bool shared = slice_is(instruction->word[i], "shared::cluster") ||
                            slice_is(instruction->word[i], "shared::cta");
        if (!shared && !slice_is(instruction->word[i], "global"))
            continue;
        *(first ? &copy->to : &copy->from) = shared ? PTX_SHARED : PTX_GLOBAL;
        first = false;
    }
}

/* {x, y}: from each pixel of a column. */
static bool bind_offsets(struct decoder *decoder, const struct ptx_operand *operand,
                         struct bulk_copy *copy)
{
    const int wanted = copy->dimensions - 2;
    const struct ptx_operand *element = operand->kind == PTX_VECTOR ? operand->element : operand;
    if (wanted < 1 || (operand->kind == PTX_VECTOR ? operand->elements : 1) != wanted)
        return decode_wrong(decoder, "an offset for each dimension of a pixel is expected");
    for (int i = 0; i < wanted; i++)
        if (!(copy->offset[i] = decode_source(decoder, &element[i], PTX_U16)))
            return false;
    return true;
}

/* What is behind the mbarrier: offsets, the blocks that it goes to; a hint for caches is nothing here. */
static bool bind_rest(struct decoder *decoder, const struct ptx_operand *operand,
                      const struct ptx_operand *end, struct bulk_copy *copy)
{
    if (ptx_has(decoder->instruction, "im2col") &&
        (operand >= end || !bind_offsets(decoder, operand++, copy)))
        return decode_wrong(decoder, "offsets are expected");
    if (!ptx_has(decoder->instruction, "multicast::cluster"))
        return true;
    if (operand >= end)
        return decode_wrong(decoder, "a mask of blocks is expected");
    return (copy->mask = decode_source(decoder, operand, PTX_B16)) != 0;
}

/* cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [to], [from], bytes, [mbarrier], mask, hint;
 * cp.async.bulk.global.shared::cta.bulk_group [to], [from], bytes, hint; cp.async.bulk.prefetch.L2.global [from], bytes;
 * cp.async.bulk.tensor.2d...: [to], [map, {x, y}], [mbarrier]; [map, {x, y}], [from]; prefetch: [map, {x, y}] */
bool bind_bulk(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    struct bulk_copy *copy = decode_new(decoder, sizeof *copy);
    uint32_t a = 0, b = 0, c = 0, e = 0;
    enum ptx_type type = PTX_NONE;
    bool good = true;
    (void)choice;
    if (!copy)
        return false;
    decoder->kernel->by_proxy = true;
    name_spaces(instruction, copy);
    copy->dimensions = dimensions_of(instruction);
    copy->prefetches = ptx_has(instruction, "prefetch");
    copy->completes = ptx_has(instruction, "mbarrier::complete_tx::bytes");
    copy->reduces = slice_begins(instruction->text, "cp.reduce");
    copy->columns = ptx_has(instruction, "im2col") || ptx_has(instruction, "im2col_no_offs");
    if (copy->reduces)
        bind_rule(decoder, copy, &type);
    const bool map_first = copy->dimensions && (copy->to == PTX_GLOBAL || copy->prefetches);
    const int least = copy->prefetches ? 1 + !copy->dimensions : copy->completes ? 3 : 2;
    if (instruction->operands < least + (!copy->dimensions && !copy->prefetches))
        return decode_wrong(decoder, "an operand is missing");
    const struct ptx_operand *operand = instruction->operand,
                             *end = operand + instruction->operands;
    if (copy->prefetches)
        good = copy->dimensions
                   ? bind_map(decoder, operand++, copy, &b, &copy->from_offset, &copy->wide_from)
                   : bind_place(decoder, operand++, PTX_GLOBAL, &b, &copy->from_offset,
                                &copy->wide_from);
    else
        good = (map_first ? bind_map(decoder, operand++, copy, &a, &copy->to_offset, &copy->wide_to)
                          : bind_place(decoder, operand++, copy->to, &a, &copy->to_offset,
                                       &copy->wide_to)) &&
               (copy->dimensions && !map_first
                    ? bind_map(decoder, operand++, copy, &b, &copy->from_offset, &copy->wide_from)
                    : bind_place(decoder, operand++, copy->from, &b, &copy->from_offset,
                                 &copy->wide_from));
    if (good && !copy->dimensions)
        good = (c = decode_source(decoder, operand++, PTX_U32)) != 0;
    if (good && copy->completes)
        good = bind_place(decoder, operand++, PTX_SHARED, &e, &copy->barrier_offset,
                          &copy->wide_barrier) &&
               bind_rest(decoder, operand, end, copy);
    if (!good)
        return false;
    copy->access = (struct access){.space = PTX_SHARED,
                                   .op = copy->to == PTX_SHARED ? OP_ASYNC_STORE : OP_LOAD,
                                   .bytes = 16,
                                   .elements = 1,
                                   .late = copy->from == PTX_SHARED && !copy->completes,
                                   .number = -1,
                                   .global_number = -1};
    if (copy->to == PTX_SHARED && !copy->prefetches)
        copy->access.number = decode_access(decoder, false, OP_ASYNC_STORE, 16, NULL);
    return decode_emit(decoder, operation,
                       (struct step){.a = a, .b = b, .c = c, .e = e, .extra = copy});
}

/* st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.u32 [to], value, [mbarrier]; red.async...: the same */
bool bind_async_store(struct decoder *decoder, const struct ptx_instruction *instruction,
                      const struct operation *operation, const int *choice)
{
    struct async_store *store = decode_new(decoder, sizeof *store);
    struct bulk_copy rule = {0};
    enum ptx_space space = PTX_SHARED;
    enum ptx_type type;
    uint32_t at, barrier;
    int64_t offset;
    (void)choice;
    if (!store || instruction->operands != 3)
        return decode_wrong(decoder, "an address, a value and an mbarrier are expected");
    const struct ptx_operand *values = &instruction->operand[1];
    const struct ptx_operand *value = values->kind == PTX_VECTOR ? values->element : values;
    const int elements = values->kind == PTX_VECTOR ? values->elements : 1;
    bind_rule(decoder, &rule, &type);
    store->reduces = slice_is(instruction->opcode, "red");
    store->rule = rule.rule;
    store->access.bytes = store->access.register_bytes = (uint8_t)ptx_type_bytes(type);
    store->access.elements = (uint8_t)elements;
    if (elements > 4 || (elements > 1 && store->reduces) || store->access.bytes < 4 ||
        store->access.bytes > 8)
        return decode_wrong(decoder, "this type is not known");
    for (int i = 0; i < elements; i++)
        if (!(store->access.reg[i] = decode_source(decoder, &value[i], type)))
            return false;
    if (!decode_address(decoder, &instruction->operand[0], &space, &at, &offset,
                        &store->access.wide_address) ||
        !decode_address(decoder, &instruction->operand[2], &space, &barrier, &store->barrier_offset,
                        &store->wide_barrier))
        return false;
    return decode_emit(decoder, operation,
                       (struct step){.a = at, .e = barrier, .immediate = offset, .extra = store});
}

/* tensormap.replace.tile.FIELD.shared::cta.b1024.b32 [map], value; of what there is one of for each dimension: [map],
 * dimension, value */
bool bind_replace(struct decoder *decoder, const struct ptx_instruction *instruction,
                  const struct operation *operation, const int *choice)
{
    static const struct {
        const char *word;
        enum tensor_field field;
        int dimensions; /* 0: it is one number */
    } fields[] = {
        {"global_address", TENSOR_ADDRESS, 0},
        {"rank", TENSOR_RANK, 0},
        {"box_dim", TENSOR_BOX, 5},
        {"global_dim", TENSOR_SIZE, 5},
        {"global_stride", TENSOR_STRIDE, 4},
        {"element_stride", TENSOR_STEP, 5},
        {"elemtype", TENSOR_TYPE, 0},
        {"interleave_layout", TENSOR_INTERLEAVE, 0},
        {"swizzle_mode", TENSOR_SWIZZLE, 0},
        {"fill_mode", TENSOR_FILL, 0},
    };
    struct tensor_change *what = decode_new(decoder, sizeof *what);
    int dimensions = 0;
    int64_t offset, ordinal = 0;
    uint32_t at, value;
    (void)choice;
    for (size_t i = 0; what && i < sizeof fields / sizeof *fields; i++)
        if (ptx_has(instruction, fields[i].word)) {
            what->field = fields[i].field;
            dimensions = fields[i].dimensions;
        }
    if (!what || instruction->operands != 2 + (dimensions > 0))
        return decode_wrong(decoder, "another number of operands is expected");
    what->space = ptx_has(instruction, "global")        ? PTX_GLOBAL
                  : ptx_has(instruction, "shared::cta") ? PTX_SHARED
                                                        : PTX_GENERIC;
    what->wide_value = ptx_has(instruction, "b64");
    const struct ptx_operand *operand = instruction->operand;
    if (!decode_address(decoder, operand++, &what->space, &at, &offset, &what->wide) ||
        (dimensions && !decode_number(decoder, operand++, &ordinal)))
        return false;
    if (dimensions && (ordinal < 0 || ordinal >= dimensions))
        return decode_wrong(decoder, "there is no such dimension");
    if (!(value = decode_source(decoder, operand, what->wide_value ? PTX_B64 : PTX_B32)))
        return false;
    what->ordinal = (int)ordinal;
    return decode_emit(decoder, operation,
                       (struct step){.a = at, .b = value, .immediate = offset, .extra = what});
}

/* tensormap.cp_fenceproxy.global.shared::cta...: [to], [from], 128 */
bool bind_publish(struct decoder *decoder, const struct ptx_instruction *instruction,
                  const struct operation *operation, const int *choice)
{
    struct tensor_publish *what = decode_new(decoder, sizeof *what);
    uint32_t to, from;
    (void)choice;
    if (!what || instruction->operands != 3)
        return decode_wrong(decoder, "two addresses and a size are expected");
    if (!bind_place(decoder, &instruction->operand[0], PTX_GLOBAL, &to, &what->to_offset,
                    &what->wide_to) ||
        !bind_place(decoder, &instruction->operand[1], PTX_SHARED, &from, &what->from_offset,
                    &what->wide_from))
        return false;
    return decode_emit(decoder, operation, (struct step){.a = to, .b = from, .extra = what});
}
