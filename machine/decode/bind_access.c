/* bind_access.c - operands of loads, stores, atomic operations and asynchronous copies. */
#include "machine/atomic.h"
#include "machine/decode/decode.h"

#include <string.h>

static const struct {
    const char *word;
    enum ptx_space space;
} spaces[] = {
    {"global", PTX_GLOBAL},      {"shared", PTX_SHARED},
    {"shared::cta", PTX_SHARED}, {"shared::cluster", PTX_SHARED},
    {"local", PTX_LOCAL},        {"const", PTX_CONST},
    {"param", PTX_PARAM},        {"param::entry", PTX_PARAM},
    {"param::func", PTX_PARAM},
};

enum ptx_space bind_space(const struct ptx_instruction *instruction)
{
    for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++)
        if (ptx_has(instruction, spaces[i].word))
            return spaces[i].space;
    return PTX_GENERIC;
}

enum ptx_type bind_last_type(const struct ptx_instruction *instruction)
{
    enum ptx_type type = PTX_NONE;
    for (int i = 0; i < instruction->words; i++)
        if (ptx_type_named(instruction->word[i]))
            type = ptx_type_named(instruction->word[i]);
    return type;
}

int decode_access(struct decoder *decoder, bool global, enum op op, int bytes,
                  const struct ptx_variable *array)
{
    struct kernel_code *kernel = decoder->kernel;
    const struct ptx_instruction *instruction = decoder->instruction;
    if (!arena_grow(&decoder->module->ptx.arena, &kernel->access, &kernel->access_room,
                    kernel->accesses + 1, sizeof *kernel->access))
        return error_set(decoder->error, "out of memory for the program's code"), -1;
    struct machine_access_facts *facts = &kernel->access[kernel->accesses].facts;
    *facts = (struct machine_access_facts){.global = global,
                                           .op = op,
                                           .bytes = bytes,
                                           .site = instruction->site,
                                           .text = instruction->text.at,
                                           .text_length = instruction->text.length};
    kernel->access[kernel->accesses].code = decoder->code;
    kernel->access[kernel->accesses].step = decoder->code->steps;
    kernel->shares |= !global;
    for (int i = 0; array && i < kernel->shareds; i++)
        if (kernel->shared_variable[i] == array)
            facts->array = kernel->shared[i].name;
    return kernel->accesses++;
}

/* For the checker: which variable it is of, and what nobody reads of it. */
static void note_origin(struct decoder *decoder, const struct ptx_operand *base,
                        struct access *access)
{
    const struct ptx_variable *variable = base->kind == PTX_VARIABLE ? base->variable
                                          : base->kind == PTX_REG
                                              ? decoder->origin[base->reg].variable
                                              : NULL;
    if (!variable || variable->space != PTX_SHARED || variable->open)
        return;
    access->array_at = decode_shared_offset(decoder, variable);
    access->array_bytes = (uint32_t)variable->bytes;
}

static void note_least(struct kernel_code *kernel, enum ptx_space space, int bytes)
{
    for (int i = 0; i < 2; i++)
        if (space == PTX_GENERIC || space == (i ? PTX_GLOBAL : PTX_SHARED))
            if (!kernel->least[i] || bytes < kernel->least[i])
                kernel->least[i] = (uint8_t)bytes;
}

/* How it is counted: by itself, with its neighbours, by another, or not at all (join.h). */
static void count_joined(const struct decoder *decoder, struct access *access)
{
    const struct join_access *join = &decoder->join[decoder->index];
    access->lanes = join->lanes;
    access->reduction = join->reduction;
    if (join->fate == JOIN_LEADS) {
        access->count_bytes = (uint8_t)join->bytes;
        access->count_offset = (int)join->offset;
    }
}

/* What is common to loads, stores and atomic operations: address, numbers, size. */
static struct access *new_access(struct decoder *decoder, const struct ptx_operand *operand,
                                 enum op op, int bytes, int elements, uint32_t *at, int64_t *offset)
{
    struct access *access = decode_new(decoder, sizeof *access);
    if (!access)
        return NULL;
    *access = (struct access){
        .space = bind_space(decoder->instruction),
        .op = op,
        .bytes = (uint8_t)bytes,
        .elements = (uint8_t)elements,
        .relaxed =
            ptx_has(decoder->instruction, "volatile") || ptx_has(decoder->instruction, "relaxed") ||
            ptx_has(decoder->instruction, "acquire") || ptx_has(decoder->instruction, "release") ||
            ptx_has(decoder->instruction, "mmio") || ptx_has(decoder->instruction, "cv") ||
            ptx_has(decoder->instruction, "wt"),
        .releases =
            ptx_has(decoder->instruction, "release") || ptx_has(decoder->instruction, "acq_rel"),
        .number = -1,
        .global_number = -1};
    if (!decode_address(decoder, operand, &access->space, at, offset, &access->wide_address))
        return NULL;
    const struct ptx_variable *array =
        operand->element[0].kind == PTX_VARIABLE ? operand->element[0].variable : NULL;
    const bool generic = access->space == PTX_GENERIC;
    const struct join_access *join = &decoder->join[decoder->index];
    const int counted = join->fate == JOIN_LEADS ? join->bytes : bytes * elements;
    const bool alone = join->fate == JOIN_AS_WRITTEN || join->fate == JOIN_LEADS;
    if (alone && (generic || access->space == PTX_SHARED))
        access->number = decode_access(decoder, false, op, counted, array);
    if (alone && (generic || access->space == PTX_GLOBAL))
        access->global_number = decode_access(decoder, true,
                                              !op_is_atomic(op) ? op
                                              : join->reduction ? OP_REDUCTION
                                                                : OP_ATOMIC,
                                              counted, array);
    global_array_note(decoder, access->global_number, &operand->element[0]);
    if (alone && access->space == PTX_LOCAL) {
        access->local_number = decode_access(decoder, true, op, counted, NULL) + 1;
        if (access->local_number)
            decoder->kernel->access[access->local_number - 1].facts.local = true;
    }
    count_joined(decoder, access);
    if (access->space == PTX_CONST)
        access->space = PTX_GLOBAL; /* which the profiler does not count */
    note_origin(decoder, &operand->element[0], access);
    note_least(decoder->kernel, access->space, bytes);
    if (access->space == PTX_PARAM && !decoder->code->function->entry)
        access->space = PTX_LOCAL;
    return access;
}

bool bind_elements(struct decoder *decoder, const struct ptx_operand *operand, enum ptx_type type,
                   bool results, struct access *access)
{
    const struct ptx_operand *element = operand->kind == PTX_VECTOR ? operand->element : operand;
    for (int i = 0; i < access->elements; i++) {
        int bytes = ptx_type_bytes(type) < 2 ? 2 : ptx_type_bytes(type);
        if (element[i].kind == PTX_NOTHING && results) {
            access->unread |= (uint8_t)(1 << i);
            continue;
        }
        if (element[i].kind == PTX_REG) { /* it may be wider than the element */
            bytes = ptx_type_bytes(decoder->body->reg[element[i].reg].type);
            bytes = bytes < 2 ? 2 : bytes;
            if (bytes < ptx_type_bytes(type) || bytes > 16)
                return decode_wrong(decoder, "a register is too small");
            access->reg[i] = decoder->reg[element[i].reg];
            if (results && decoder->origin[element[i].reg].mentions == 1)
                access->unread |= (uint8_t)(1 << i);
        } else {
            access->reg[i] = results ? 0 : decode_source(decoder, &element[i], type);
        }
        if (!access->reg[i] || (access->register_bytes && access->register_bytes != bytes))
            return decode_wrong(decoder, "a register of another size is expected");
        access->register_bytes = (uint8_t)bytes;
    }
    if (!access->register_bytes)
        access->register_bytes = (uint8_t)(ptx_type_bytes(type) < 2 ? 2 : ptx_type_bytes(type));
    return true;
}

static int elements_of(const struct ptx_operand *operand)
{
    return operand->kind == PTX_VECTOR ? operand->elements : 1;
}

/* ld.param and st.param by name: the kernel's parameters, or a place in the frame. false: it is an
 * ordinary access. */
static bool is_named_parameter(struct decoder *decoder, const struct ptx_operand *address)
{
    const struct ptx_variable *variable =
        address->kind == PTX_ADDRESS && address->element[0].kind == PTX_VARIABLE
            ? address->element[0].variable
            : NULL;
    if (!variable || variable->space != PTX_PARAM)
        return false;
    const bool of_kernel = decoder->code->function->entry && variable->order < 1 << 20;
    return of_kernel || !decode_place(decoder, variable)->local;
}

static bool bind_parameter(struct decoder *decoder, const struct ptx_operand *address,
                           const struct ptx_operand *value, enum ptx_type type, bool stores)
{
    const struct ptx_variable *variable = address->element[0].variable;
    const bool of_kernel = decoder->code->function->entry && variable->order < 1 << 20;
    struct access *access = decode_new(decoder, sizeof *access);
    if (!access)
        return false;
    access->bytes = (uint8_t)ptx_type_bytes(type);
    access->elements = (uint8_t)elements_of(value);
    access->is_signed = ptx_type_is_signed(type);
    if (!bind_elements(decoder, value, type, !stores, access))
        return false;
    const int64_t end = address->offset + access->bytes * access->elements;
    if (address->offset < 0 || end > (int64_t)variable->bytes)
        return decode_wrong(decoder, "this is outside of the parameter");
    if (of_kernel && stores)
        return decode_wrong(decoder, "parameters of a kernel are read-only");
    struct step step = {.extra = access, .immediate = address->offset};
    if (of_kernel) {
        step.immediate += variable->offset;
        return decode_internal(decoder, "#ld.param", step);
    }
    step.a = decode_place(decoder, variable)->at;
    step.c = decode_place(decoder, variable)->bytes;
    return decode_internal(decoder, stores ? "#st.piece" : "#ld.piece", step);
}

/* Other warps have their turn between a load of shared memory and a store behind it: hardware does not
 * run a warp alone from one to the other, and programs with races would show what it never shows. */
static bool give_turn(struct decoder *decoder, const struct access *access, bool stores)
{
    if (access->space != PTX_SHARED)
        return true;
    if (stores && decoder->loaded) {
        decoder->loaded = false;
        return decode_internal(decoder, "#turn", (struct step){0});
    }
    decoder->loaded |= !stores;
    return true;
}

static bool bind_access(struct decoder *decoder, const struct ptx_instruction *instruction,
                        const struct operation *operation, bool stores)
{
    if (instruction->operands < 2)
        return decode_wrong(decoder, "an address and a value are expected");
    const struct ptx_operand *address = &instruction->operand[stores ? 0 : 1];
    const struct ptx_operand *value = &instruction->operand[stores ? 1 : 0];
    const enum ptx_type type = bind_last_type(instruction);
    uint32_t at = 0;
    int64_t offset;
    if (is_named_parameter(decoder, address))
        return bind_parameter(decoder, address, value, type, stores);
    const int elements = elements_of(value);
    if (elements > ACCESS_VECTOR || !elements || ptx_type_bytes(type) * elements > 32)
        return decode_wrong(decoder, "a vector of another length is expected");
    struct access *access = new_access(decoder, address, stores ? OP_STORE : OP_LOAD,
                                       ptx_type_bytes(type), elements, &at, &offset);
    if (!access || !bind_elements(decoder, value, type, !stores, access) ||
        !give_turn(decoder, access, stores))
        return false;
    access->is_signed = ptx_type_is_signed(type);
#ifndef __wasm__ /* see track.h */
    access->decides = !stores && (access->relaxed || access->space != PTX_GLOBAL) &&
                      value->kind == PTX_REG && access->register_bytes <= 8 && !access->unread &&
                      reaches_shared(decoder, value->reg);
    decoder->follows = access->decides && access->relaxed;
#endif
    if (!access->relaxed && (access->space == PTX_SHARED || access->space == PTX_GLOBAL ||
                             access->space == PTX_GENERIC))
        access->pattern = ++decoder->kernel->patterns;
    return decode_emit(decoder, operation,
                       (struct step){.a = at, .immediate = offset, .extra = access});
}

bool bind_load(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    (void)choice;
    return bind_access(decoder, instruction, operation, false);
}

bool bind_store(struct decoder *decoder, const struct ptx_instruction *instruction,
                const struct operation *operation, const int *choice)
{
    (void)choice;
    return bind_access(decoder, instruction, operation, true);
}

static const struct {
    const char *word;
    enum atomic_rule rule;
} rules[] = {
    {"add", ATOMIC_ADD},       {"min", ATOMIC_MIN}, {"max", ATOMIC_MAX}, {"and", ATOMIC_AND},
    {"or", ATOMIC_OR},         {"xor", ATOMIC_XOR}, {"cas", ATOMIC_CAS}, {"inc", ATOMIC_INC},
    {"exch", ATOMIC_EXCHANGE}, {"dec", ATOMIC_DEC},
};

/* Whether it counts one in a word, without a result: lanes of one word are combined before. */
static bool counts_one(const struct decoder *decoder, enum atomic_rule rule, enum ptx_type type,
                       const struct ptx_operand *value)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    int64_t one;
    return rule == ATOMIC_ADD && ptx_type_bytes(type) == 4 && !ptx_type_is_float(type) &&
           (slice_is(instruction->opcode, "red") || decoder->join[decoder->index].reduction) &&
           ptx_constant(value, &one) && one == 1;
}

/* How the banks serve it: ptxas makes loops of compare-and-swap of what the hardware has not. */
static enum op atomic_op(enum atomic_rule rule, enum ptx_type type)
{
    if (rule == ATOMIC_CAS || ptx_type_bytes(type) == 2)
        return OP_COMPARE_AND_SWAP;
    return (ptx_type_is_float(type) || ptx_type_bytes(type) == 8) && rule != ATOMIC_EXCHANGE
               ? OP_SPIN
               : OP_ATOMIC;
}

/* In shared memory: the load of the word that such a loop swaps. */
static bool add_tries(struct decoder *decoder, struct access *access)
{
    const bool loops = access->op == OP_SPIN || access->bytes == 2;
    if (!loops || access->number < 0)
        return true;
    struct access *tries = decode_new(decoder, sizeof *tries);
    if (!tries)
        return false;
    access->timing = true;
    *tries = *access;
    tries->op = OP_LOAD;
    tries->number =
        decode_access(decoder, false, OP_LOAD, access->bytes < 4 ? 4 : access->bytes, NULL);
    access->tries = tries;
    return tries->number >= 0;
}

static enum atomic_rule rule_of(const struct ptx_instruction *instruction)
{
    enum atomic_rule rule = ATOMIC_ADD;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (ptx_has(instruction, rules[i].word))
            rule = rules[i].rule;
    return rule;
}

/* Whether the last operand is a policy of the second-level cache, which changes neither values nor counts. */
static int has_policy(const struct ptx_instruction *instruction)
{
    return ptx_has(instruction, "L2::cache_hint");
}

static bool is_policy_known(struct decoder *decoder)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    return !has_policy(instruction) ||
           decode_source(decoder, &instruction->operand[instruction->operands - 1], PTX_B64);
}

/* Of floats there are sums only, but for one or several halves. */
static bool has_rule(enum ptx_type type, enum atomic_rule rule)
{
    return rule == ATOMIC_ADD || !ptx_type_is_float(type) || type == PTX_F16 || type == PTX_BF16;
}

/* atom.shared.add.u32 d, [a], b, c; and red, which has no result. */
bool bind_atomic(struct decoder *decoder, const struct ptx_instruction *instruction,
                 const struct operation *operation, const int *choice)
{
    const int first = slice_is(instruction->opcode, "atom");
    const enum ptx_type type = bind_last_type(instruction);
    const uint32_t bytes = (uint32_t)ptx_type_bytes(type);
    uint32_t at = 0, b, c = 0, d = 0;
    int64_t offset;
    (void)choice;
    const enum atomic_rule rule = rule_of(instruction);
    if (instruction->operands != first + (rule == ATOMIC_CAS ? 3 : 2) + has_policy(instruction) ||
        bytes < 2 || !has_rule(type, rule))
        return decode_wrong(decoder, "this atomic operation is not known");
    if (!is_policy_known(decoder))
        return false;
    const struct ptx_operand *operand = instruction->operand;
    const enum op op = counts_one(decoder, rule, type, &operand[first + 1]) ? OP_MERGED_ATOMIC
                                                                            : atomic_op(rule, type);
    struct access *access = new_access(decoder, &operand[first], op, (int)bytes, 1, &at, &offset);
    b = decode_source(decoder, &operand[first + 1], type);
    if (rule == ATOMIC_CAS)
        c = decode_source(decoder, &operand[first + 2], type);
    if (first && operand[0].kind != PTX_NOTHING)
        d = decode_destination(decoder, &operand[0], bytes);
    if (!access || !b || (rule == ATOMIC_CAS && !c) ||
        (first && operand[0].kind != PTX_NOTHING && !d))
        return false;
    access->register_bytes = (uint8_t)bytes;
    access->chooses = rule == ATOMIC_MIN || rule == ATOMIC_MAX || rule == ATOMIC_AND ||
                      rule == ATOMIC_OR || rule == ATOMIC_CAS;
    access->unread = !d || decoder->origin[operand[0].reg].mentions == 1;
#ifndef __wasm__ /* see track.h */
    decoder->follows = access->decides = first && operand[0].kind == PTX_REG && bytes <= 8 &&
                                         !access->unread && !ptx_type_is_float(type) &&
                                         reaches_shared(decoder, operand[0].reg);
#endif
    return add_tries(decoder, access) && decode_emit(decoder, operation,
                                                     (struct step){.a = at,
                                                                   .b = b,
                                                                   .c = c,
                                                                   .d = d,
                                                                   .immediate = offset,
                                                                   .sub = atomic_kind(rule, type),
                                                                   .extra = access});
}

#ifndef __wasm__ /* see table.inc */
/* atom.global.add.v4.f32 {d...}, [a], {b...}; and red: each element by itself. */
bool bind_atomic_vector(struct decoder *decoder, const struct ptx_instruction *instruction,
                        const struct operation *operation, const int *choice)
{
    const int first = slice_is(instruction->opcode, "atom");
    const enum ptx_type type = bind_last_type(instruction);
    uint32_t at = 0;
    int64_t offset;
    (void)choice;
    if (instruction->operands != first + 2 + has_policy(instruction) ||
        (type == PTX_F32 && rule_of(instruction) != ATOMIC_ADD))
        return decode_wrong(decoder, "this atomic operation is not known");
    if (!is_policy_known(decoder))
        return false;
    const struct ptx_operand *operand = instruction->operand, *value = &operand[first + 1];
    struct atomic_vector *vector = decode_new(decoder, sizeof *vector);
    if (!vector)
        return false;
    const int elements = ptx_has(instruction, "v2") ? 2 : ptx_has(instruction, "v4") ? 4 : 8;
    const int bytes = ptx_type_bytes(type);
    if (elements * bytes > 16 || elements_of(value) != elements ||
        (first && elements_of(&operand[0]) != elements))
        return decode_wrong(decoder, "a vector of another length is expected");
    struct access *access =
        new_access(decoder, &operand[first], OP_ATOMIC, bytes, elements, &at, &offset);
    vector->old = (struct access){.bytes = (uint8_t)bytes, .elements = (uint8_t)elements};
    if (!access || !bind_elements(decoder, value, type, false, access) ||
        (first && !bind_elements(decoder, &operand[0], type, true, &vector->old)))
        return false;
    access->unread = vector->old.unread;
    vector->access = *access;
    return decode_emit(decoder, operation,
                       (struct step){.a = at,
                                     .immediate = offset,
                                     .sub = atomic_kind(rule_of(instruction), type),
                                     .extra = vector});
}
#endif

/* cp.async.cg.shared.global [to], [from], 16, read; and instead of how much is read, a predicate that nothing is. */
bool bind_copy(struct decoder *decoder, const struct ptx_instruction *instruction,
               const struct operation *operation, const int *choice)
{
    struct copy *copy = decode_new(decoder, sizeof *copy);
    enum ptx_space to = PTX_SHARED, from = PTX_GLOBAL;
    int64_t bytes, offset;
    uint32_t a, b, c = 0, negated = 0;
    bool wide_to, wide_from;
    (void)choice;
    if (!copy || instruction->operands < 3 ||
        !decode_number(decoder, &instruction->operand[2], &bytes))
        return decode_wrong(decoder, "two addresses and a size are expected");
    if (bytes != 4 && bytes != 8 && bytes != 16)
        return decode_wrong(decoder, "a copy has 4, 8 or 16 bytes");
    if (!decode_address(decoder, &instruction->operand[0], &to, &a, &offset, &wide_to) ||
        !decode_address(decoder, &instruction->operand[1], &from, &b, &copy->source_offset,
                        &wide_from))
        return false;
    const struct ptx_operand *read =
        instruction->operands - has_policy(instruction) > 3 ? &instruction->operand[3] : NULL;
    const bool ignores =
        read && read->kind == PTX_REG && decoder->body->reg[read->reg].type == PTX_PRED;
    if (ignores && !(copy->ignores = decode_predicate(decoder, read, FIELD_C, &negated)))
        return false;
    if (read && !ignores && !(c = decode_source(decoder, read, PTX_U32)))
        return false;
    copy->to = (struct access){.space = PTX_SHARED,
                               .op = OP_ASYNC_STORE,
                               .bytes = (uint8_t)bytes,
                               .elements = 1,
                               .wide_address = wide_to,
                               .global_number = -1};
    copy->from =
        (struct access){.space = PTX_GLOBAL,
                        .op = ptx_has(instruction, "cg") ? OP_ASYNC_LOAD_CG : OP_ASYNC_LOAD,
                        .bytes = (uint8_t)bytes,
                        .elements = 1,
                        .wide_address = true,
                        .number = -1};
    note_origin(decoder, &instruction->operand[0].element[0], &copy->to);
    note_least(decoder->kernel, PTX_GENERIC, (int)bytes);
    copy->to.number = decode_access(decoder, false, OP_ASYNC_STORE, (int)bytes, NULL);
    copy->from.global_number = decode_access(decoder, true, copy->from.op, (int)bytes, NULL);
    global_array_note(decoder, copy->from.global_number, &instruction->operand[1].element[0]);
    if (!wide_from)
        return decode_wrong(decoder, "the address of the source is in 64 bits");
    return decode_emit(
        decoder, operation,
        (struct step){
            .a = a, .b = b, .c = c, .negated = negated, .immediate = offset, .extra = copy});
}
