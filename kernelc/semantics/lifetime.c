/* lifetime.c - what C++ does to objects without a word in the source: copies of members, and destructors.
 *
 * Objects are copied leaf by leaf and end in silence. Where a class wants anything else of a copy or an end that
 * is not written out, that is an error, and never left undone.
 */
#include "kernelc/parser.h"

static struct record *record_of(struct type *type)
{
    while (type->kind == TYPE_ARRAY)
        type = type->base;
    return type->kind == TYPE_RECORD ? type->record : NULL;
}

static bool is_copy(const struct record *record, const struct function *function)
{
    return function->parameters == 1 && !function->is_template && !function->is_defaulted &&
           kc_unreferenced(function->parameter[0].type)->plain == record->type->plain;
}

static bool has_copy(struct kc *c, const struct record *record, bool assignment)
{
    const struct function *f = record->constructor;
    if (assignment) {
        const struct symbol *symbol = kc_find_in(c, record->scope, kc_word_of(c, "operator="));
        f = symbol && symbol->kind == SYMBOL_FUNCTION && symbol->scope == record->scope
                ? symbol->function
                : NULL;
    }
    for (; f; f = f->next)
        if (is_copy(record, f))
            return true;
    return false;
}

/* The member or base, however deep, whose class has a copy of its own. */
static const struct field *special_member(struct kc *c, const struct record *record,
                                          bool assignment)
{
    for (const struct field *field = record->field; field; field = field->next) {
        const struct record *inner = record_of(field->type);
        if (inner && (has_copy(c, inner, assignment) || special_member(c, inner, assignment)))
            return field;
    }
    return NULL;
}

/* The record is copied as the bytes that it is made of. Told where C++ would do something else. */
bool kc_copies_plainly(struct kc *c, const struct record *record, bool assignment,
                       struct place place)
{
    for (const struct function *f = record->constructor; f && !assignment; f = f->next)
        if (f->is_deleted && is_copy(record, f)) {
            kc_error(c, place, "'%s' cannot be copied: its copy constructor is deleted",
                     kc_type_text(c, record->type));
            return false;
        }
    const struct field *field = special_member(c, record, assignment);
    if (!field)
        return true;
    kc_error(c, place,
             "copying '%s' would call %s of '%s' in it, which is not done: write one for '%s' that "
             "does",
             kc_type_text(c, record->type), assignment ? "the assignment" : "the copy constructor",
             kc_type_text(c, record_of(field->type)->type), kc_type_text(c, record->type));
    return false;
}

/* The class whose destructor does something: this one, a base's or a member's; NULL: none. */
static struct record *destroyed(struct kc *c, struct record *record)
{
    struct function *f = record->destructor;
    if (f && !f->body)
        kc_find_outside(c, f);
    const bool is_empty =
        !f || f->is_defaulted || f->is_deleted || (f->body && kc_past(c, f->body) == f->body + 2);
    if (!is_empty)
        return record;
    for (struct field *field = record->field; field; field = field->next) {
        struct record *inner = record_of(field->type);
        inner = inner ? destroyed(c, inner) : NULL;
        if (inner)
            return inner;
    }
    return NULL;
}

/* An object of this type is made, and would end by itself. */
void kc_ends(struct kc *c, struct type *type, struct place place)
{
    struct record *record = record_of(type);
    struct record *wanting = record && record->is_complete ? destroyed(c, record) : NULL;
    if (!wanting || wanting->end_is_told || c->parser->unevaluated)
        return;
    wanting->end_is_told = true;
    kc_error(c, place,
             "a destructor that does something is not supported: ~%.*s would be called at the end "
             "of this object; make it a function, and call that there",
             SLICE(wanting->name->text));
}

void kc_is_made_by_nothing(struct kc *c, struct type *type, struct place place)
{
    struct record *record = record_of(type);
    bool made = record && record->has_initial;
    for (struct function *f = record ? record->constructor : NULL; f; f = f->next) {
        if (!f->body)
            kc_find_outside(c, f);
        if (!f->parameters && !f->is_defaulted && !f->is_deleted)
            made |= f->initialisers || (f->body && kc_past(c, f->body) != f->body + 2);
    }
    if (made)
        kc_error(
            c, place,
            "no constructor is run for a __shared__ variable: '%s' has one that does something",
            kc_type_text(c, record->type));
}
