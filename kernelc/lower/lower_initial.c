/* lower_initial.c - initialising objects: classes, arrays, from braces and by constructors. */
#include "kernelc/code.h"

static void zero_leaves(struct lowering *l, struct location to)
{
    struct leaf *leaf;
    const int leaves = kc_leaves(l->c, to.type, &leaf);
    if (leaves >= 0) {
        for (int i = 0; i < leaves; i++) {
            struct location at = to;
            at.offset += leaf[i].offset;
            at.type = leaf[i].type;
            if (kc_is_reference(at.type))
                continue;
            kc_store(l, at, kc_const(l, kc_register_type(kc_code_type(at.type)), 0));
        }
        return;
    }
    if (to.type->size > 65536)
        kc_stop(l->c, l->function->place,
                "an object of more than 64 KiB is set to zero: use a loop");
    uint64_t at = 0;
    while (at < to.type->size && kc_work(l->c)) {
        uint64_t piece = 8;
        while (piece > to.type->size - at || at % piece || to.type->align % piece)
            piece /= 2;
        struct type *type = l->c->parser->basic[piece == 8   ? TYPE_ULONG
                                                : piece == 4 ? TYPE_UINT
                                                : piece == 2 ? TYPE_USHORT
                                                             : TYPE_UCHAR];
        struct location one = to;
        one.offset += at;
        one.type = type;
        kc_store(l, one, kc_const(l, kc_register_type(kc_code_type(type)), 0));
        at += piece;
    }
}

/* Whether the elements of a list leave nothing of the object out. */
static bool covers(const struct node *node)
{
    uint64_t covered = 0;
    for (int i = 0; i < node->elements; i++) {
        if (node->element[i].field)
            return false;
        covered += node->element[i].node->type->size;
    }
    return covered >= node->type->size;
}

static void bind(struct lowering *l, struct location to, struct node *node)
{
    struct location at = kc_place(l, node);
    if (to.storage) {
        for (int i = 0; i < to.storage->leaves; i++)
            if (to.storage->leaf[i].offset == to.offset) {
                struct location *alias = KC_NEW(l->c, struct location);
                *alias = at;
                to.storage->alias[i] = alias;
            }
        return;
    }
    to.type = l->c->parser->basic[TYPE_ULONG];
    kc_store(l, to, kc_address_of(l, at));
}

static const struct field *reference_at(const struct record *record, uint64_t offset)
{
    for (const struct field *f = record->field; f; f = f->next) {
        if (f->offset == offset && kc_is_reference(f->type))
            return f;
        if (f->type->kind == TYPE_RECORD && offset >= f->offset &&
            offset < f->offset + f->type->size) {
            const struct field *inner = reference_at(f->type->record, offset - f->offset);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

static void list(struct lowering *l, struct location to, struct node *node)
{
    if (!node->post && !covers(node))
        zero_leaves(l, to);
    if (node->function) {
        struct location *self = KC_NEW(l->c, struct location);
        *self = to;
        node->function->self->location = self;
    }
    for (int i = 0; i < node->elements && kc_work(l->c); i++) {
        const struct element *element = &node->element[i];
        struct location at = to;
        at.offset += element->offset;
        at.bits = element->field;
        at.type = element->node->type->plain;
        if (node->type->kind == TYPE_RECORD && reference_at(node->type->record, element->offset)) {
            bind(l, at, element->node);
            continue;
        }
        kc_initialise(l, at, element->node);
    }
}

static void lower_choice(struct lowering *l, struct location to, struct node *node)
{
    struct block *yes = kc_new_block(l), *no = kc_new_block(l), *join = kc_new_block(l);
    kc_branch(l, kc_lower_value(l, node->left), yes, no);
    for (int i = 0; i < 2; i++) {
        kc_seal(l, i ? no : yes);
        kc_begin(l, i ? no : yes);
        kc_initialise(l, to, i ? node->third : node->right);
        kc_jump(l, join);
    }
    kc_seal(l, join);
    kc_begin(l, join);
}

static void special(struct lowering *l, struct location to, int index)
{
    static const char *const name[] = {"%tid.x",   "%tid.y",    "%tid.z",    "%ctaid.x",
                                       "%ctaid.y", "%ctaid.z",  "%ntid.x",   "%ntid.y",
                                       "%ntid.z",  "%nctaid.x", "%nctaid.y", "%nctaid.z"};
    struct block *now = l->now;
    for (int i = 0; i < 3; i++) {
        const char *text = name[index * 3 + i];
        struct code *code = NULL;
        for (struct code_cache *cache = l->cache; cache && !code; cache = cache->next)
            if (cache->key == text)
                code = cache->code;
        if (!code) {
            l->now = l->entry;
            code = kc_add(l, IR_SPECIAL, CODE_U32, NULL, NULL);
            code->text = text;
            l->now = now;
            struct code_cache *cache = KC_NEW(l->c, struct code_cache);
            *cache = (struct code_cache){l->cache, text, code, 0};
            l->cache = cache;
        }
        struct location at = to;
        at.offset += 4 * (uint64_t)i;
        at.type = l->c->parser->basic[TYPE_UINT];
        kc_store(l, at, code);
    }
}

/* Puts the value of an expression into an object. */
void kc_initialise(struct lowering *l, struct location to, struct node *node)
{
    if (!kc_enter(l->c, node->place)) {
        kc_leave(l->c);
        return;
    }
    kc_set_site(l, node->place);
    if (node->type->kind != TYPE_RECORD && node->type->kind != TYPE_ARRAY) {
        if (!(node->kind == NODE_ZERO && node->post))
            kc_store(l, to, kc_lower_value(l, node));
    } else if (node->kind == NODE_ZERO) {
        if (!node->post)
            zero_leaves(l, to);
    } else if (node->kind == NODE_LIST) {
        list(l, to, node);
    } else if (node->kind == NODE_MAKE) {
        kc_lower_make(l, to, node);
    } else if (node->kind == NODE_SPECIAL) {
        special(l, to, node->sign);
    } else if (node->kind == NODE_CAST && node->left->type->plain == node->type->plain) {
        kc_initialise(l, to, node->left);
    } else if (node->kind == NODE_CONDITION) {
        lower_choice(l, to, node);
    } else if (node->kind == NODE_COMMA && !node->is_place) {
        kc_lower_statement(l, &(struct node){.kind = NODE_EXPRESSION,
                                             .left = node->left,
                                             .place = node->left->place,
                                             .type = node->left->type});
        kc_initialise(l, to, node->right);
    } else if (node->kind == NODE_CALL && !node->is_place) {
        kc_lower_call(l, node, &to);
    } else {
        kc_copy(l, to, kc_place(l, node));
    }
    kc_leave(l->c);
}
