/* lower_place.c - objects: in slots or in memory; loading, storing, copying them. */
#include "kernelc/code.h"

struct location kc_memory(struct code *address, struct type *type)
{
    return (struct location){.address = address, .type = type};
}

/* A new object. What cannot lie in slots, or must not, gets local memory. */
struct location kc_new_object(struct lowering *l, struct type *type, bool *needs_memory,
                              bool in_memory)
{
    struct leaf *leaf = NULL;
    const int leaves = in_memory || type->is_volatile ? -1 : kc_leaves(l->c, type, &leaf);
    if (leaves < 0) {
        const uint32_t align = type->align ? type->align : 1;
        const uint64_t at = (l->local_bytes + align - 1) / align * align;
        l->local_bytes = at + (type->size ? type->size : 1);
        if (align > l->local_align)
            l->local_align = align;
        if (l->local_bytes > 512 * 1024)
            kc_stop(l->c, l->function->place,
                    "a thread's variables need more than 512 KiB of local memory");
        struct code *base = kc_symbol(l, "__local_depot", SPACE_LOCAL);
        return kc_memory(kc_pointer_sum(l, base, kc_const(l, CODE_S64, (int64_t)at)), type);
    }
    struct storage *storage = KC_NEW(l->c, struct storage);
    *storage = (struct storage){.type = type,
                                .leaf = leaf,
                                .leaves = leaves,
                                .slot = l->slots,
                                .needs_memory = needs_memory};
    for (int i = 0; i < leaves; i++)
        kc_new_slot(l, kc_register_type(kc_code_type(leaf[i].type)));
    storage->alias = kc_new(l->c, (size_t)(leaves + 1) * sizeof *storage->alias);
    return (struct location){.storage = storage, .type = type};
}

static int leaf_at(const struct storage *storage, uint64_t offset)
{
    for (int i = 0; i < storage->leaves; i++)
        if (storage->leaf[i].offset == offset)
            return i;
    return -1;
}

/* The address of an object. One in slots must lie in memory after all: the function is lowered anew. */
struct code *kc_address_of(struct lowering *l, struct location location)
{
    if (!location.storage)
        return kc_pointer_sum(l, location.address, kc_const(l, CODE_S64, (int64_t)location.offset));
    if (location.storage->needs_memory && !*location.storage->needs_memory) {
        *location.storage->needs_memory = true;
        l->again = true;
    } else if (!location.storage->needs_memory) {
        /* of a temporary: a copy in memory */
        struct location copy = kc_new_object(l, location.storage->type, NULL, true);
        kc_copy(l, copy,
                (struct location){.storage = location.storage, .type = location.storage->type});
        return kc_pointer_sum(l, copy.address, kc_const(l, CODE_S64, (int64_t)location.offset));
    }
    return kc_const(l, CODE_U64, 0);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static struct code *access(struct lowering *l, enum code_op op, struct location at, uint64_t offset,
                           enum code_type type)
{
    struct code *code =
        kc_add(l, op, op == IR_LOAD ? kc_register_type(type) : CODE_NONE, at.address, NULL);
    code->from = type == CODE_PRED ? CODE_U8 : type;
    code->integer = (int64_t)(at.offset + offset);
    code->is_volatile = at.type->is_volatile || op == IR_STORE;
    code->lanes = 1;
    if (at.type->is_volatile)
        code->sign = 'v';
    return code;
}

static struct code *load_memory(struct lowering *l, struct location from, struct type *type)
{
    const enum code_type as = kc_code_type(type);
    struct code *code = access(l, IR_LOAD, from, 0, as);
    if (as != CODE_PRED)
        return code;
    code->type = CODE_U32;
    return kc_to_bool(l, code);
}

static void store_memory(struct lowering *l, struct location to, struct type *type,
                         struct code *value)
{
    const enum code_type as = kc_code_type(type);
    if (as == CODE_PRED) {
        value = kc_add(l, IR_CONVERT, CODE_U32, value, NULL);
    }
    access(l, IR_STORE, to, 0, as)->b = value;
}

/* ---- bit fields --------------------------------------------------------------------------------- */

static struct code *constant_like(struct lowering *l, struct code *like, uint64_t value)
{
    return kc_const(l, like->type, (int64_t)value);
}

/* The field's bits, which begin at `bit` of the unit. */
static struct code *extract(struct lowering *l, struct code *unit, const struct field *field,
                            int bit)
{
    const enum code_type type = kc_register_type(kc_code_type(field->unit));
    const int bits = 8 * kc_bytes(type), up = bits - bit - field->bits;
    unit = kc_add(l, IR_MOVE, type, unit, NULL);
    struct code *high = kc_add(l, IR_SHL, type, unit, kc_const(l, CODE_U32, up));
    struct code *value = kc_add(l, IR_SHR, type, high, kc_const(l, CODE_U32, bits - field->bits));
    return field->type->kind == TYPE_BOOL ? kc_to_bool(l, value) : value;
}

struct code *kc_as_field(struct lowering *l, struct code *value, const struct field *field)
{
    return value->type == CODE_PRED ? value : extract(l, value, field, 0);
}

static struct code *insert(struct lowering *l, struct code *unit, const struct field *field,
                           struct code *value)
{
    const enum code_type type = unit->type;
    const uint64_t mask = field->bits >= 64 ? UINT64_MAX : (UINT64_C(1) << field->bits) - 1;
    if (value->type == CODE_PRED)
        value = kc_add(l, IR_CONVERT, type, value, NULL);
    value = kc_add(l, IR_MOVE, type, value, NULL);
    value = kc_add(l, IR_AND, type, value, constant_like(l, unit, mask));
    value = kc_add(l, IR_SHL, type, value, kc_const(l, CODE_U32, field->bit));
    unit = kc_add(l, IR_AND, type, unit, constant_like(l, unit, ~(mask << field->bit)));
    return kc_add(l, IR_OR, type, unit, value);
}

/* ---- scalars ------------------------------------------------------------------------------------ */

static struct code *load_whole(struct lowering *l, struct location from, struct type *type)
{
    if (!from.storage)
        return load_memory(l, from, type);
    const int leaf = leaf_at(from.storage, from.offset);
    if (leaf < 0) /* an object seen as another type: in memory it can be */
        return kc_address_of(l, from), kc_const(l, kc_register_type(kc_code_type(type)), 0);
    struct code *value = kc_read(l, from.storage->slot + leaf);
    const enum code_type wanted = kc_register_type(kc_code_type(type));
    if (kc_bytes(value->type) != kc_bytes(wanted) ||
        (value->type == CODE_PRED) != (wanted == CODE_PRED))
        return kc_address_of(l, from), kc_const(l, wanted, 0);
    if (value->type != wanted)
        value = kc_add(l, IR_MOVE, wanted, value, NULL);
    return value;
}

struct code *kc_load(struct lowering *l, struct location from)
{
    if (!from.bits)
        return load_whole(l, from, from.type);
    return extract(l, load_whole(l, from, from.bits->unit), from.bits, from.bits->bit);
}

static void store_whole(struct lowering *l, struct location to, struct type *type,
                        struct code *value)
{
    if (!to.storage) {
        store_memory(l, to, type, value);
        return;
    }
    const int leaf = leaf_at(to.storage, to.offset);
    const enum code_type wanted = leaf < 0 ? CODE_NONE : l->slot_type[to.storage->slot + leaf];
    if (leaf < 0 || kc_bytes(wanted) != kc_bytes(value->type) ||
        (wanted == CODE_PRED) != (value->type == CODE_PRED)) {
        kc_address_of(l, to);
        return;
    }
    if (value->type != wanted)
        value = kc_add(l, IR_MOVE, wanted, value, NULL);
    kc_write(l, to.storage->slot + leaf, value);
}

void kc_store(struct lowering *l, struct location to, struct code *value)
{
    if (to.bits)
        value = insert(l, load_whole(l, to, to.bits->unit), to.bits, value);
    store_whole(l, to, to.bits ? to.bits->unit : to.type, value);
}

/* ---- whole objects ------------------------------------------------------------------------------ */

static struct location part(struct location of, uint64_t offset, struct type *type)
{
    of.offset += offset;
    of.type = type;
    of.bits = NULL;
    return of;
}

/* How many leaves from this one on are one access: 4 or 2 of a size, next to each other, aligned. */
static int run_of(const struct leaf *leaf, int leaves, int i, uint32_t align)
{
    const uint64_t size = leaf[i].type->size;
    for (int lanes = 4; lanes > 1; lanes /= 2) {
        bool good = i + lanes <= leaves && size * (uint64_t)lanes <= 16 &&
                    align % (size * (uint64_t)lanes) == 0 &&
                    leaf[i].offset % (size * (uint64_t)lanes) == 0;
        for (int j = 1; good && j < lanes; j++)
            good = leaf[i + j].offset == leaf[i].offset + size * (uint64_t)j &&
                   leaf[i + j].type->size == size &&
                   kc_is_float(leaf[i + j].type) == kc_is_float(leaf[i].type);
        for (int j = 0; good && j < lanes; j++)
            good = leaf[i + j].type->kind != TYPE_BOOL && !kc_is_reference(leaf[i + j].type);
        if (good)
            return lanes;
    }
    return 1;
}

static void load_run(struct lowering *l, struct location to, struct location from,
                     const struct leaf *leaf, int lanes)
{
    struct code *load = access(l, IR_LOAD, from, leaf[0].offset, kc_code_type(leaf[0].type));
    load->lanes = load->results = lanes;
    for (int i = 0; i < lanes; i++) {
        struct code *one = kc_add(l, IR_RESULT, load->type, load, NULL);
        one->index = i;
        store_whole(l, part(to, leaf[i].offset, leaf[i].type), leaf[i].type, one);
    }
}

static void store_run(struct lowering *l, struct location to, struct location from,
                      const struct leaf *leaf, int lanes)
{
    struct code **list = kc_new(l->c, (size_t)lanes * sizeof *list);
    for (int i = 0; i < lanes; i++)
        list[i] = load_whole(l, part(from, leaf[i].offset, leaf[i].type), leaf[i].type);
    struct code *store = access(l, IR_STORE, to, leaf[0].offset, kc_code_type(leaf[0].type));
    store->lanes = store->count = lanes;
    store->list = list;
}

static void copy_leaf(struct lowering *l, struct location to, struct location from,
                      const struct leaf *leaf)
{
    struct location source = part(from, leaf->offset, leaf->type),
                    target = part(to, leaf->offset, leaf->type);
    if (from.type->is_volatile)
        source.type = kc_qualified(l->c, leaf->type, false, true);
    if (to.type->is_volatile)
        target.type = kc_qualified(l->c, leaf->type, false, true);
    if (kc_is_reference(leaf->type)) {
        struct location *alias = NULL;
        if (source.storage)
            alias = source.storage->alias[leaf_at(source.storage, source.offset)];
        if (target.storage && alias) {
            target.storage->alias[leaf_at(target.storage, target.offset)] = alias;
            return;
        }
        if (alias) {
            source.type = target.type = l->c->parser->basic[TYPE_ULONG];
            kc_store(l, target, kc_address_of(l, *alias));
            return;
        }
        source.type = target.type = l->c->parser->basic[TYPE_ULONG];
    }
    kc_store(l, target, kc_load(l, source));
}

/* Copies between memories in pieces of at most 16 bytes. */
static void copy_bytes(struct lowering *l, struct location to, struct location from, uint64_t size,
                       uint32_t align)
{
    struct type **basic = l->c->parser->basic;
    if (size > 16384) {
        kc_stop(l->c, l->function->place,
                "an object of more than 16 KiB is copied: copy its elements in a loop");
        return;
    }
    for (uint64_t at = 0; at < size && kc_work(l->c);) {
        uint64_t piece = 16;
        while (piece > size - at || at % piece || align % piece)
            piece /= 2;
        struct leaf leaf[4];
        const int lanes = piece > 4 ? (int)piece / 4 : 1;
        struct type *type = piece >= 4   ? basic[TYPE_UINT]
                            : piece == 2 ? basic[TYPE_USHORT]
                                         : basic[TYPE_UCHAR];
        for (int i = 0; i < lanes; i++)
            leaf[i] = (struct leaf){at + 4 * (uint64_t)i, type};
        if (lanes > 1) {
            struct code *load = access(l, IR_LOAD, from, at, CODE_U32),
                        **list = kc_new(l->c, 4 * sizeof *list);
            load->lanes = load->results = lanes;
            for (int i = 0; i < lanes; i++) {
                list[i] = kc_add(l, IR_RESULT, CODE_U32, load, NULL);
                list[i]->index = i;
            }
            struct code *store = access(l, IR_STORE, to, at, CODE_U32);
            store->lanes = store->count = lanes;
            store->list = list;
        } else {
            copy_leaf(l, to, from, leaf);
        }
        at += piece;
    }
}

void kc_copy(struct lowering *l, struct location to, struct location from)
{
    struct type *type = to.type;
    struct leaf *leaf;
    if (kc_is_scalar(type) || kc_is_reference(type)) {
        kc_store(l, to, kc_load(l, from));
        return;
    }
    const int leaves = kc_leaves(l->c, type, &leaf);
    if (leaves < 0) {
        if (!to.storage && !from.storage)
            copy_bytes(l, to, from, type->size, type->align);
        else
            kc_address_of(l, to.storage ? to : from);
        return;
    }
    /* All is read before anything is written: the objects may overlap. */
    if (!to.storage && !from.storage) {
        struct location middle = kc_new_object(l, type->plain, NULL, false);
        kc_copy(l, middle, from);
        from = middle;
    }
    for (int i = 0; i < leaves; i++) {
        const bool plain = !to.type->is_volatile && !from.type->is_volatile;
        const int lanes = plain ? run_of(leaf, leaves, i, type->align) : 1;
        if (lanes > 1 && !from.storage && to.storage)
            load_run(l, to, from, leaf + i, lanes);
        else if (lanes > 1 && !to.storage && from.storage)
            store_run(l, to, from, leaf + i, lanes);
        else {
            copy_leaf(l, to, from, leaf + i);
            continue;
        }
        i += lanes - 1;
    }
}

/* ---- where expressions lie ---------------------------------------------------------------------- */

static struct location temporary(struct lowering *l, struct node *node)
{
    struct location to = kc_new_object(l, node->type->plain, &node->in_memory, node->in_memory);
    kc_initialise(l, to, node);
    return to;
}

static struct location variable_place(struct lowering *l, struct node *node)
{
    struct variable *variable = node->variable;
    const bool shared = variable->space == SPACE_SHARED;
    if (variable->is_static || !variable->function ||
        (variable->is_constexpr && !variable->location)) {
        enum space space = variable->space == SPACE_NONE ? SPACE_CONST : variable->space;
        const char *name =
            kc_variable_symbol(l->c, l->module, variable, shared ? l->function : NULL);
        return kc_memory(kc_symbol(l, name, space), node->type);
    }
    if (!variable->location) { /* jumped over its declaration, or captured by mistake */
        variable->location = KC_NEW(l->c, struct location);
        *variable->location = kc_new_object(l, kc_unreferenced(variable->type),
                                            &variable->in_memory, variable->in_memory);
    }
    struct location location = *variable->location;
    location.type = node->type;
    return location;
}

static struct location field_place(struct lowering *l, struct node *node)
{
    struct location at = kc_place(l, node->left);
    const bool is_volatile = at.type->is_volatile;
    at.offset += node->offset;
    at.type = node->type;
    at.bits = node->field->bits >= 0 ? node->field : NULL;
    if (!kc_is_reference(node->field->type)) {
        if (is_volatile)
            at.type = kc_qualified(l->c, at.type, false, true);
        return at;
    }
    if (at.storage) {
        const int leaf = leaf_at(at.storage, at.offset);
        struct location *alias = leaf >= 0 ? at.storage->alias[leaf] : NULL;
        if (alias) {
            struct location there = *alias;
            there.type = node->type;
            return there;
        }
    }
    at.type = l->c->parser->basic[TYPE_ULONG];
    struct code *pointer = kc_load(l, at);
    return kc_memory(pointer, node->type);
}

static struct location chosen_place(struct lowering *l, struct node *node)
{
    struct block *yes = kc_new_block(l), *no = kc_new_block(l), *join = kc_new_block(l);
    const int slot = kc_new_slot(l, CODE_U64);
    kc_branch(l, kc_lower_value(l, node->left), yes, no);
    for (int i = 0; i < 2; i++) {
        struct block *block = i ? no : yes;
        kc_seal(l, block);
        kc_begin(l, block);
        kc_write(l, slot, kc_address_of(l, kc_place(l, i ? node->third : node->right)));
        kc_jump(l, join);
    }
    kc_seal(l, join);
    kc_begin(l, join);
    return kc_memory(kc_read(l, slot), node->type);
}

static struct location deref_place(struct lowering *l, struct node *node)
{
    /* *&x is x */
    struct node *pointer = node->left;
    while (pointer->kind == NODE_CAST && pointer->type->kind == TYPE_POINTER &&
           pointer->left->type->plain == pointer->type->plain &&
           pointer->left->kind == NODE_ADDRESS)
        pointer = pointer->left;
    if (pointer->kind == NODE_ADDRESS && pointer->left->type->plain == node->type->plain)
        return kc_place(l, pointer->left);
    return kc_memory(kc_lower_value(l, node->left), node->type);
}

/* x = y of objects. What is made for it is made elsewhere, as it may be made of parts of x: x = {x.b, x.a} */
static struct location assigned_object(struct lowering *l, struct node *node)
{
    const bool is_there = node->right->is_place && node->right->kind != NODE_CONDITION;
    const struct location from = is_there ? kc_place(l, node->right) : temporary(l, node->right),
                          to = kc_place(l, node->left);
    kc_set_site(l, node->place);
    kc_copy(l, to, from);
    return to;
}

struct location kc_place(struct lowering *l, struct node *node)
{
    struct location at = {0};
    if (!kc_enter(l->c, node->place)) {
        kc_leave(l->c);
        return kc_memory(kc_const(l, CODE_U64, 0), node->type);
    }
    kc_set_site(l, node->place);
    switch (node->kind) {
    case NODE_VARIABLE:
        at = variable_place(l, node);
        break;
    case NODE_THIS:
        if (node->variable && node->variable->location)
            at = *node->variable->location;
        else if (l->result_place) /* the initialiser of a member */
            at = *l->result_place;
        else
            at = kc_memory(kc_const(l, CODE_U64, 0), node->type);
        at.type = node->type;
        break;
    case NODE_FIELD:
        at = field_place(l, node);
        break;
    case NODE_DEREF:
        at = deref_place(l, node);
        break;
    case NODE_BASE:
        at = kc_place(l, node->left);
        at.offset += node->offset;
        at.type = node->type;
        break;
    case NODE_STRING:
        at = kc_memory(kc_symbol(l, kc_string_symbol(l->c, l->module, node->text), SPACE_GLOBAL),
                       node->type);
        break;
    case NODE_COMMA:
        kc_lower_statement(l, &(struct node){.kind = NODE_EXPRESSION,
                                             .left = node->left,
                                             .place = node->left->place,
                                             .type = node->left->type});
        at = kc_place(l, node->right);
        break;
    case NODE_CONDITION:
        at = node->is_place ? chosen_place(l, node) : temporary(l, node);
        break;
    case NODE_CALL:
        at = node->is_place ? kc_lower_call(l, node, NULL) : temporary(l, node);
        break;
    case NODE_ASSIGN:
    case NODE_STEP:
        if (node->is_place)
            at = node->type->kind == TYPE_RECORD ? assigned_object(l, node)
                                                 : kc_changed_place(l, node);
        else
            at = temporary(l, node);
        break;
    default:
        at = temporary(l, node);
    }
    kc_leave(l->c);
    return at;
}
