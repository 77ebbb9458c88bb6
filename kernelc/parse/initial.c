/* initial.c - initialisers: `= x`, `(x)`, `{...}`, and what is made where there is none. */
#include "kernelc/parser.h"

/* ---- nothing given ------------------------------------------------------------------------------ */

/* The default of a type. zero: of T() and T{}, whose scalars are zero. */
struct node *kc_default(struct kc *c, struct type *type, struct place place, bool zero)
{
    if (type->kind == TYPE_RECORD && type->record->constructor) {
        bool all_defaulted = true;
        for (struct function *f = type->record->constructor; f; f = f->next)
            all_defaulted &= f->is_defaulted || f->is_deleted;
        if (!all_defaulted)
            return kc_construct(c, type, NULL, 0, false, place);
    }
    struct type *element = type;
    while (element->kind == TYPE_ARRAY)
        element = element->base;
    const bool made = element->kind == TYPE_RECORD && kc_complete(c, element, place) &&
                      (element->record->has_initial || element->record->constructor);
    if (!made) {
        struct node *node = kc_new_node(c, NODE_ZERO, place, type->plain);
        node->post = !zero;
        return node;
    }
    struct node *braces = kc_new_node(c, NODE_BRACES, place, c->parser->list);
    struct node *list = kc_from_braces(c, type->plain, braces);
    if (list->kind == NODE_LIST)
        list->post = !zero;
    return list;
}

/* ---- lists in braces ---------------------------------------------------------------------------- */

/* [3] = x of C, which is no lambda. */
static bool array_designator(struct kc *c)
{
    const struct token *behind = &c->token[kc_past(c, c->parser->at)];
    if (behind->kind != TOKEN_SIGN || behind->sign != '=')
        return false;
    kc_syntax(c, "a list of values cannot name the elements of an array");
    return true;
}

struct node *kc_braces(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *node = kc_new_node(c, NODE_BRACES, kc_token(c)->place, p->list);
    const int close = kc_past(c, p->at) - 1;
    const bool greater = p->no_greater;
    int room = 0;
    kc_next(c);
    if (!kc_enter(c, node->place)) {
        kc_leave(c);
        return node;
    }
    p->no_greater = false;
    while (!kc_at(c, '}') && kc_token(c)->kind != TOKEN_END && !p->panic) {
        struct word *designator = NULL;
        int ellipsis;
        struct packs packs;
        if (kc_at(c, '.') && kc_ahead(c, 1)->kind == TOKEN_WORD) {
            kc_next(c);
            designator = kc_token(c)->word;
            kc_next(c);
            if (!kc_at(c, '{'))
                kc_expect(c, '=', "after the name of a member");
        }
        if (kc_at(c, '[') && array_designator(c))
            break;
        const int from = p->at, end = kc_argument_end(c, from, &ellipsis);
        if (ellipsis && ellipsis == end - 1 && kc_packs(c, from, end, &packs)) {
            for (int i = 0; i < packs.elements; i++) {
                kc_pack_element(&packs, i);
                p->at = from;
                kc_list_add(c, &node->list, &node->count, &room, kc_assignment(c));
                kc_pack_end(&packs);
            }
            p->at = end;
        } else {
            struct node *value = kc_at(c, '{') ? kc_braces(c) : kc_assignment(c);
            if (designator) {
                struct node *named = kc_new_node(c, NODE_BRACES, value->place, p->list);
                named->word = designator;
                named->left = value;
                value = named;
            }
            kc_list_add(c, &node->list, &node->count, &room, value);
        }
        if (!kc_accept(c, ','))
            break;
    }
    kc_leave(c);
    p->no_greater = greater;
    if (!kc_expect(c, '}', "after a list of values") && close > p->at)
        p->at = close + 1;
    return node;
}

struct list {
    struct kc *c;
    struct node *result;
    int room;
    struct node **value;
    int count, at;
};

static void add_element(struct list *list, uint64_t offset, struct field *field, struct node *node)
{
    struct node *result = list->result;
    kc_grow(list->c, &result->element, &list->room, &result->elements, sizeof *result->element);
    result->element[result->elements++] =
        (struct element){offset, field && field->bits >= 0 ? field : NULL, node};
}

static bool fill_element(struct list *list, struct type *type, uint64_t offset,
                         struct field *field);

static bool is_aggregate(const struct type *type)
{
    if (type->kind == TYPE_ARRAY)
        return true;
    if (type->kind != TYPE_RECORD)
        return false;
    for (const struct function *f = type->record->constructor; f; f = f->next)
        if (!f->is_defaulted && !f->is_deleted)
            return false;
    return true;
}

/* In whose place initialisers of members are read: `this` is the list's object. */
static struct function *maker_of(struct list *list, struct record *record)
{
    struct kc *c = list->c;
    if (!list->result->function) {
        struct function *maker = KC_NEW(c, struct function);
        maker->name = record->name;
        maker->place = record->place;
        maker->record = record;
        maker->self = KC_NEW(c, struct variable);
        maker->self->type = kc_pointer(c, record->type);
        list->result->function = maker;
    }
    return list->result->function;
}

/* Elements beyond the values that are given. */
static void fill_rest(struct list *list, struct type *type, uint64_t offset, struct field *field,
                      struct record *record, struct place place)
{
    struct kc *c = list->c;
    if (field && field->initial) {
        if (record != list->result->type->record || list->result->type->kind != TYPE_RECORD)
            kc_error(
                c, place,
                "'%s' initialises members by itself: write braces of its own around its values",
                kc_type_text(c, record->type));
        else
            add_element(list, offset, field,
                        kc_field_initial(c, record, field, maker_of(list, record)));
        return;
    }
    struct type *element = type;
    while (element->kind == TYPE_ARRAY)
        element = element->base;
    if (element->kind != TYPE_RECORD ||
        !(element->record->has_initial || element->record->constructor))
        return;
    if (type->kind == TYPE_ARRAY)
        for (int64_t i = 0; i < type->count && kc_work(c); i++)
            fill_rest(list, type->base, offset + (uint64_t)i * type->base->size, NULL, NULL, place);
    else
        add_element(list, offset, field, kc_default(c, type, place, true));
}

static bool fill_array(struct list *list, struct type *type, uint64_t offset)
{
    struct kc *c = list->c;
    for (int64_t i = 0; (type->count < 0 || i < type->count) && kc_work(c); i++) {
        if (list->at >= list->count) {
            if (type->count < 0 || list->result->elements > 1000000)
                return true;
            fill_rest(list, type->base, offset + (uint64_t)i * type->base->size, NULL, NULL,
                      list->result->place);
            if (type->base->kind != TYPE_RECORD && type->base->kind != TYPE_ARRAY)
                return true;
            continue;
        }
        if (!fill_element(list, type->base, offset + (uint64_t)i * type->base->size, NULL))
            return false;
    }
    return true;
}

static bool fill_record(struct list *list, struct type *type, uint64_t offset)
{
    struct kc *c = list->c;
    for (struct field *field = type->record->field; field; field = field->next) {
        const struct node *next = list->at < list->count ? list->value[list->at] : NULL;
        if (next && next->word && next->word != field->name) {
            fill_rest(list, field->type, offset + field->offset, field, type->record,
                      list->result->place);
            continue;
        }
        if (!next) {
            fill_rest(list, field->type, offset + field->offset, field, type->record,
                      list->result->place);
            if (type->record->is_union)
                break;
            continue;
        }
        if (!fill_element(list, field->type, offset + field->offset, field))
            return false;
        if (type->record->is_union)
            break;
    }
    if (list->at < list->count && list->value[list->at]->word) {
        kc_error(c, list->value[list->at]->place, "'%s' has no member '%.*s', or not in this order",
                 kc_type_text(c, type), SLICE(list->value[list->at]->word->text));
        return false;
    }
    return true;
}

static struct node *string_elements(struct kc *c, struct type *type, struct node *string);

/* One element of a list: a value, a list of its own, or several values of this list. */
static bool fill_element(struct list *list, struct type *type, uint64_t offset, struct field *field)
{
    struct kc *c = list->c;
    struct node *value = list->value[list->at];
    if (value->word)
        value = value->left;
    if (!kc_enter(c, value->place)) {
        kc_leave(c);
        return false;
    }
    bool good = true;
    const bool convertible = value->kind != NODE_BRACES && value->kind != NODE_STRING &&
                             type->kind != TYPE_ARRAY && kc_rank(c, value, type) != RANK_NONE;
    if (value->kind == NODE_STRING && type->kind == TYPE_ARRAY) {
        list->at++;
        add_element(list, offset, NULL, string_elements(c, type, value));
    } else if (is_aggregate(type->plain) && value->kind != NODE_BRACES && !convertible) {
        good = type->kind == TYPE_ARRAY ? fill_array(list, type, offset)
                                        : fill_record(list, type->plain, offset);
    } else {
        list->at++;
        struct node *node = value->kind == NODE_BRACES && !kc_is_reference(type)
                                ? kc_from_braces(c, type->plain, value)
                                : kc_convert(c, value, kc_is_reference(type) ? type : type->plain,
                                             "cannot initialise");
        good = node->type->kind != TYPE_ERROR;
        add_element(list, offset, field, node);
    }
    kc_leave(c);
    return good;
}

/* char text[] = "abc" */
static struct node *string_elements(struct kc *c, struct type *type, struct node *string)
{
    struct node *node = kc_new_node(c, NODE_LIST, string->place, type->plain);
    struct list list = {.c = c, .result = node};
    if (type->count < 0)
        node->type = kc_array(c, type->base->plain, string->text.length + 1);
    for (int i = 0; i <= string->text.length && i < node->type->count; i++)
        add_element(&list, (uint64_t)i, NULL,
                    kc_integer_node(c, i < string->text.length ? string->text.at[i] : 0,
                                    type->base->plain, string->place));
    return node;
}

static struct node *list_of(struct kc *c, struct type *type, struct node *braces)
{
    struct node *node = kc_new_node(c, NODE_LIST, braces->place, type);
    struct list list = {.c = c, .result = node, .value = braces->list, .count = braces->count};
    bool good;
    if (type->kind == TYPE_ARRAY && type->count < 0) {
        good = fill_array(&list, type, 0);
        /* as many as there are values */
        int64_t count = 0;
        for (int i = 0; i < node->elements; i++)
            if (type->base->size)
                count = (int64_t)(node->element[i].offset / type->base->size) + 1;
        node->type = kc_array(c, type->base, count);
    } else {
        good = type->kind == TYPE_ARRAY ? fill_array(&list, type, 0) : fill_record(&list, type, 0);
    }
    if (good && list.at < list.count) {
        kc_error(c, braces->list[list.at]->place, "too many values for '%s'",
                 kc_type_text(c, type));
        good = false;
    }
    return good ? node : kc_error_node(c);
}

struct node *kc_from_braces(struct kc *c, struct type *type, struct node *braces)
{
    struct type *plain = type->plain;
    if (type->kind == TYPE_ERROR || kc_is_dependent(type))
        return kc_error_node(c);
    for (int i = 0; i < braces->count; i++)
        if (braces->list[i]->type->kind == TYPE_ERROR)
            return braces->list[i];
    if (kc_is_reference(type))
        return kc_from_braces(c, type->base->plain, braces);
    if (type->kind == TYPE_RECORD && !kc_complete(c, type, braces->place))
        return kc_error_node(c);
    if (type->kind == TYPE_RECORD && braces->count == 1 &&
        braces->list[0]->type->kind == TYPE_RECORD && braces->list[0]->type->record == type->record)
        return kc_construct(c, plain, braces->list, 1, true, braces->place);
    if (is_aggregate(plain))
        return list_of(c, plain, braces);
    if (type->kind == TYPE_RECORD)
        return kc_construct(c, plain, braces->list, braces->count, true, braces->place);
    if (braces->count == 0)
        return kc_default(c, plain, braces->place, true);
    if (braces->count > 1) {
        kc_error(c, braces->place, "'%s' has one value, not %d", kc_type_text(c, type),
                 braces->count);
        return kc_error_node(c);
    }
    if (type->kind == TYPE_AUTO)
        return braces->list[0];
    return kc_convert(c, braces->list[0], plain, "cannot initialise");
}

/* ---- the initialiser of a variable -------------------------------------------------------------- */

/* The type that 'auto' stands for, in T, T *, T &, const T. */
static struct type *deduced_auto(struct kc *c, struct type *type, struct node *value,
                                 struct place place)
{
    struct type *from = kc_unreferenced(value->type);
    if (type == c->parser->decltype_auto)
        return kc_decltype(c, value);
    if (type->kind == TYPE_REFERENCE && type->base->kind == TYPE_AUTO)
        return kc_reference(c, kc_qualified(c, from, type->base->is_const, false));
    if (type->kind == TYPE_RVALUE && type->base->kind == TYPE_AUTO)
        return value->is_place && !value->is_moved ? kc_reference(c, from) : kc_rvalue(c, from);
    struct node *decayed = kc_decay(c, value);
    from = decayed->type->plain;
    if (type->kind == TYPE_AUTO)
        return kc_qualified(c, from, type->is_const, false);
    if (type->kind == TYPE_POINTER && from->kind == TYPE_POINTER) {
        struct type *base =
            deduced_auto(c, type->base, kc_new_node(c, NODE_ZERO, place, from->base), place);
        if (type->base->kind == TYPE_AUTO)
            base = kc_qualified(c, from->base, type->base->is_const, false);
        return kc_qualified(c, kc_pointer(c, base), type->is_const, false);
    }
    if (from->kind != TYPE_ERROR)
        kc_error(c, place, "'%s' cannot be made of a value of type '%s'", kc_type_text(c, type),
                 kc_type_text(c, from));
    return c->parser->basic[TYPE_ERROR];
}

static bool has_auto(const struct type *type)
{
    while (type->kind == TYPE_POINTER || kc_is_reference(type))
        type = type->base;
    return type->kind == TYPE_AUTO;
}

static struct node *given_value(struct kc *c, struct type **type, struct node *value,
                                struct place place)
{
    if (value->type->kind == TYPE_ERROR)
        return value;
    if (value->kind == NODE_BRACES && has_auto(*type) && value->count == 1)
        value = value->list[0];
    if (has_auto(*type)) {
        if (value->kind == NODE_BRACES || value->kind == NODE_TYPE ||
            value->type->kind == TYPE_VOID) {
            kc_error(c, place, "'auto' needs a value to have a type from");
            return kc_error_node(c);
        }
        *type = deduced_auto(c, *type, value, place);
    }
    if (value->kind == NODE_BRACES) {
        struct node *node = kc_from_braces(c, *type, value);
        if ((*type)->kind == TYPE_ARRAY && (*type)->count < 0 && node->type->kind == TYPE_ARRAY)
            *type = kc_array(c, (*type)->base, node->type->count);
        return node;
    }
    if ((*type)->kind == TYPE_ARRAY && value->kind == NODE_STRING) {
        struct node *node = string_elements(c, *type, value);
        *type = kc_array(c, (*type)->base, node->type->count);
        return node;
    }
    return kc_convert(c, value, *type, "cannot initialise a variable of type");
}

struct node *kc_initialiser(struct kc *c, struct type **type, struct place place)
{
    struct parser *p = c->parser;
    if (kc_accept(c, '='))
        return given_value(c, type, kc_at(c, '{') ? kc_braces(c) : kc_assignment(c), place);
    if (kc_at(c, '{')) {
        struct node *braces = kc_braces(c);
        if ((*type)->kind == TYPE_RECORD || (*type)->kind == TYPE_ARRAY || braces->count != 1)
            return given_value(c, type, braces, place);
        return given_value(c, type, braces->list[0], place);
    }
    struct node **list;
    int count;
    const int close = kc_past(c, p->at) - 1;
    kc_next(c);
    kc_arguments(c, close, &list, &count);
    if (has_auto(*type) && count == 1)
        return given_value(c, type, list[0], place);
    for (int i = 0; i < count; i++)
        if (list[i]->type->kind == TYPE_ERROR)
            return list[i];
    return kc_construct(c, *type, list, count, false, place);
}
