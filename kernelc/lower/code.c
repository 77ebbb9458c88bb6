/* code.c - making instructions and blocks, and SSA form of variables. */
#include "kernelc/code.h"

#include <string.h>

int kc_bytes(enum code_type type)
{
    static const uint8_t bytes[] = {0, 1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};
    return bytes[type];
}

bool kc_is_signed_code(enum code_type type)
{
    return type == CODE_S8 || type == CODE_S16 || type == CODE_S32 || type == CODE_S64;
}

bool kc_is_float_code(enum code_type type)
{
    return type >= CODE_F16;
}

enum code_type kc_code_type(const struct type *type)
{
    static const uint8_t basic[TYPE_BASIC] = {
        [TYPE_ERROR] = CODE_U32, [TYPE_VOID] = CODE_NONE,  [TYPE_BOOL] = CODE_PRED,
        [TYPE_CHAR] = CODE_S8,   [TYPE_SCHAR] = CODE_S8,   [TYPE_UCHAR] = CODE_U8,
        [TYPE_SHORT] = CODE_S16, [TYPE_USHORT] = CODE_U16, [TYPE_INT] = CODE_S32,
        [TYPE_UINT] = CODE_U32,  [TYPE_LONG] = CODE_S64,   [TYPE_ULONG] = CODE_U64,
        [TYPE_LLONG] = CODE_S64, [TYPE_ULLONG] = CODE_U64, [TYPE_HALF] = CODE_F16,
        [TYPE_BF16] = CODE_BF16, [TYPE_FLOAT] = CODE_F32,  [TYPE_DOUBLE] = CODE_F64,
    };
    return type->kind == TYPE_ENUM   ? kc_code_type(type->base)
           : type->kind < TYPE_BASIC ? (enum code_type)basic[type->kind]
                                     : CODE_U64;
}

enum code_type kc_register_type(enum code_type type)
{
    switch (type) {
    case CODE_U8:
    case CODE_U16:
        return CODE_U32;
    case CODE_S8:
    case CODE_S16:
        return CODE_S32;
    default:
        return type;
    }
}

struct code *kc_same(struct code *code)
{
    while (code && code->same)
        code = code->same;
    return code;
}

bool kc_is_constant(const struct code *code, int64_t *value)
{
    if (!code || code->op != IR_CONST || kc_is_float_code(code->type))
        return false;
    *value = code->integer;
    return true;
}

bool kc_has_effect(const struct code *code)
{
    switch (code->op) {
    case IR_STORE:
    case IR_CALL:
    case IR_JUMP:
    case IR_BRANCH:
    case IR_RETURN:
    case IR_TRAP:
        return true;
    case IR_ASM:
    case IR_LOAD:
        return code->is_volatile;
    default:
        return false;
    }
}

/* ---- blocks ------------------------------------------------------------------------------------- */

struct block *kc_new_block(struct lowering *l)
{
    struct block *block = KC_NEW(l->c, struct block);
    block->number = l->blocks++;
    return block;
}

void kc_begin(struct lowering *l, struct block *block)
{
    if (l->last)
        l->last->next = block;
    else
        l->first = block;
    l->last = l->now = block;
}

static void append(struct block *block, struct code *code)
{
    code->block = block;
    code->before = block->last;
    if (block->last)
        block->last->next = code;
    else
        block->first = code;
    block->last = code;
}

void kc_insert_behind(struct code *at, struct code *code)
{
    struct block *block = at->block;
    while (at->op == IR_PHI && code->op != IR_PHI && at->next && at->next->op == IR_PHI)
        at = at->next;
    code->block = block;
    code->before = at;
    code->next = at->next;
    if (at->next)
        at->next->before = code;
    else
        block->last = code;
    at->next = code;
}

static struct code *new_code(struct lowering *l, enum code_op op, enum code_type type)
{
    struct code *code = KC_NEW(l->c, struct code);
    code->op = op;
    code->type = type;
    code->site = l->at_site;
    if (++l->codes > KC_CODE)
        kc_stop(l->c, l->function->place, "the kernel becomes too large");
    kc_work(l->c);
    return code;
}

struct code *kc_add(struct lowering *l, enum code_op op, enum code_type type, struct code *a,
                    struct code *b)
{
    struct code *code = new_code(l, op, type);
    code->a = a;
    code->b = b;
    struct code *simple = kc_fold(l, code);
    if (simple)
        return simple;
    append(l->now, code);
    return code;
}

/* Constants, addresses of symbols and special registers are made once, in a block before all others. */
static struct code *at_entry(struct lowering *l, struct code *code)
{
    append(l->entry, code);
    return code;
}

struct code *kc_const(struct lowering *l, enum code_type type, int64_t integer)
{
    const int bits = 8 * kc_bytes(type);
    if (type == CODE_PRED)
        integer = integer != 0;
    else if (bits < 64 && bits)
        integer = kc_is_signed_code(type)
                      ? (int64_t)((uint64_t)integer << (64 - bits)) >> (64 - bits)
                      : (int64_t)((uint64_t)integer & ((UINT64_C(1) << bits) - 1));
    if (kc_is_float_code(type))
        return kc_real(l, type, (double)integer);
    int looked = 0;
    for (struct code_cache *i = l->cache; i && looked < 64; i = i->next, looked++)
        if (!i->key && i->code->type == type && i->extra == integer)
            return i->code;
    struct code *code = new_code(l, IR_CONST, type);
    code->integer = integer;
    struct code_cache *cache = KC_NEW(l->c, struct code_cache);
    *cache = (struct code_cache){l->cache, NULL, code, integer};
    l->cache = cache;
    return at_entry(l, code);
}

struct code *kc_real(struct lowering *l, enum code_type type, double real)
{
    struct code *code = new_code(l, IR_CONST, type);
    code->real = real;
    return at_entry(l, code);
}

static void connect(struct lowering *l, struct block *from, struct block *to)
{
    kc_grow(l->c, &to->before, &to->before_room, &to->before_count, sizeof *to->before);
    to->before[to->before_count++] = from;
}

void kc_jump(struct lowering *l, struct block *to)
{
    if (l->now->ended)
        return;
    struct code *code = new_code(l, IR_JUMP, CODE_NONE);
    append(l->now, code);
    l->now->to[0] = to;
    l->now->ended = true;
    connect(l, l->now, to);
}

void kc_branch(struct lowering *l, struct code *condition, struct block *yes, struct block *no)
{
    int64_t known;
    if (l->now->ended)
        return;
    if (kc_is_constant(condition, &known) || yes == no) {
        kc_jump(l, yes == no || known ? yes : no);
        return;
    }
    struct code *code = new_code(l, IR_BRANCH, CODE_NONE);
    code->a = condition;
    append(l->now, code);
    l->now->to[0] = yes;
    l->now->to[1] = no;
    l->now->ended = true;
    connect(l, l->now, yes);
    connect(l, l->now, no);
}

/* ---- slots -------------------------------------------------------------------------------------- */

int kc_new_slot(struct lowering *l, enum code_type type)
{
    kc_grow(l->c, &l->slot_type, &l->slot_room, &l->slots, sizeof *l->slot_type);
    l->slot_type[l->slots] = type;
    return l->slots++;
}

static struct definition *definition_of(struct lowering *l, const struct block *block, int slot)
{
    const uint64_t key = (uint64_t)block->number << 32 | (uint32_t)(slot + 1);
    uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15) >> 20;
    for (;; hash++) {
        struct definition *d = &l->definition[hash & (uint64_t)(l->definition_room - 1)];
        if (d->key == key || !d->key)
            return d;
    }
}

static void grow_definitions(struct lowering *l)
{
    struct definition *old = l->definition;
    const int room = l->definition_room;
    l->definition_room = room ? 2 * room : 256;
    const size_t bytes = (size_t)l->definition_room * sizeof *old;
    if (bytes > KC_RESERVE / 2 && l->c->used + bytes > l->c->limit) {
        kc_stop(l->c, l->function->place, "the kernel needs more memory than it may have");
    }
    l->definition = bytes > KC_RESERVE / 2 && l->c->stopped ? NULL : kc_new(l->c, bytes);
    if (!l->definition) { /* overwrites what is there: nothing of it is used any more */
        l->definition = old;
        l->definition_room = room;
        memset(old, 0, (size_t)room * sizeof *old);
        l->definitions = 0;
        return;
    }
    for (int i = 0; i < room; i++)
        if (old[i].key) {
            struct definition *d =
                definition_of(l, &(struct block){.number = (int)(old[i].key >> 32)},
                              (int)(uint32_t)old[i].key - 1);
            *d = old[i];
        }
}

static void define(struct lowering *l, struct block *block, int slot, struct code *value)
{
    if (2 * (l->definitions + 1) > l->definition_room)
        grow_definitions(l);
    struct definition *d = definition_of(l, block, slot);
    l->definitions += !d->key;
    d->key = (uint64_t)block->number << 32 | (uint32_t)(slot + 1);
    d->value = value;
}

void kc_write(struct lowering *l, int slot, struct code *value)
{
    define(l, l->now, slot, value);
}

static struct code *new_phi(struct lowering *l, struct block *block, int slot)
{
    struct code *phi = new_code(l, IR_PHI, l->slot_type[slot]);
    phi->slot = slot;
    phi->block = block;
    struct code *at = block->first;
    phi->next = at;
    if (at)
        at->before = phi;
    else
        block->last = phi;
    block->first = phi;
    struct code **waiting = block->sealed ? &l->waiting : &block->waiting;
    phi->twin = *waiting;
    *waiting = phi;
    define(l, block, slot, phi);
    return phi;
}

/* The value of a slot at the end of a block: found above, or a phi that waits for its operands. */
static struct code *value_at(struct lowering *l, struct block *block, int slot)
{
    struct block *from = block;
    while (kc_work(l->c)) {
        struct definition *d = l->definition_room ? definition_of(l, block, slot) : NULL;
        struct code *value = d && d->key ? d->value : NULL;
        if (!value && (!block->sealed || block->before_count > 1))
            value = new_phi(l, block, slot);
        else if (!value && !block->before_count)
            value = kc_const(l, l->slot_type[slot], 0); /* never written */
        if (value) {
            if (block != from)
                define(l, from, slot, value);
            return value;
        }
        block = block->before[0];
    }
    return kc_const(l, l->slot_type[slot], 0);
}

/* Fills in the operands of phis in blocks whose predecessors are all known. New ones may come up. */
static void fill_phis(struct lowering *l)
{
    while (l->waiting && kc_work(l->c)) {
        struct code *phi = l->waiting;
        l->waiting = phi->twin;
        phi->twin = NULL;
        phi->count = phi->block->before_count;
        phi->list = kc_new(l->c, (size_t)(phi->count + 1) * sizeof *phi->list);
        for (int i = 0; i < phi->count; i++)
            phi->list[i] = value_at(l, phi->block->before[i], phi->slot);
    }
}

struct code *kc_read(struct lowering *l, int slot)
{
    struct code *value = value_at(l, l->now, slot);
    fill_phis(l);
    return kc_same(value);
}

void kc_seal(struct lowering *l, struct block *block)
{
    block->sealed = true;
    while (block->waiting) {
        struct code *phi = block->waiting;
        block->waiting = phi->twin;
        phi->twin = l->waiting;
        l->waiting = phi;
    }
    fill_phis(l);
}
