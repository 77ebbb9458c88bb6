/* overload.c - which function of several a call means. */
#include "kernelc/parser.h"

enum { MOST_ARGUMENTS = 64 };

struct candidate {
    struct function *function;
    enum rank rank[MOST_ARGUMENTS + 1]; /* the object's first */
};

static int least_arguments(const struct function *function)
{
    int least = 0;
    for (int i = 0; i < function->parameters; i++)
        if (!function->parameter[i].initial && function->parameter[i].type->kind != TYPE_VOID &&
            !(function->is_template && function->parameter[i].is_pack))
            least = i + 1;
    return least;
}

static int most_arguments(const struct function *function)
{
    int most = 0;
    for (int i = 0; i < function->parameters; i++) {
        if (function->is_template && function->parameter[i].is_pack)
            return MOST_ARGUMENTS;
        most += function->parameter[i].type->kind != TYPE_VOID;
    }
    return function->variadic ? MOST_ARGUMENTS : most;
}

static enum rank object_rank(const struct function *function, const struct node *object)
{
    if (!function->record || function->is_static || function->is_constructor || !object)
        return RANK_EXACT;
    if (object->type->is_const && !function->is_const)
        return RANK_NONE;
    return object->type->is_const == function->is_const ? RANK_EXACT : RANK_QUALIFIED;
}

static bool fits(struct kc *c, struct function *f, struct node *object, struct node **list,
                 int count, struct argument *argument, int arguments, struct place place,
                 struct candidate *candidate)
{
    if (count > MOST_ARGUMENTS || count > most_arguments(f) || count < least_arguments(f) ||
        f->is_deleted)
        return false;
    c->work += 16; /* as looking at every argument costs */
    if (f->is_template)
        f = kc_deduce_call(c, f, argument, arguments, list, count, place, NULL);
    else if (arguments)
        return false;
    if (!f || count > most_arguments(f) || count < least_arguments(f))
        return false;
    candidate->function = f;
    candidate->rank[0] = object_rank(f, object);
    bool good = candidate->rank[0] != RANK_NONE;
    for (int i = 0; i < count && good; i++) {
        candidate->rank[i + 1] =
            i < f->parameters ? kc_rank(c, list[i], f->parameter[i].type) : RANK_ELLIPSIS;
        good = candidate->rank[i + 1] != RANK_NONE;
    }
    return good;
}

static bool takes_reference(const struct candidate *one, int i)
{
    const struct function *f = one->function;
    return i > 0 && i <= f->parameters && kc_is_reference(f->parameter[i - 1].type);
}

/* That a reference is to const tells it from another reference, and not from a copy. */
static enum rank compared_rank(const struct candidate *one, const struct candidate *other, int i)
{
    const bool alike = one->rank[i] == RANK_QUALIFIED && takes_reference(one, i) &&
                       !(i == 0 || takes_reference(other, i));
    return alike ? RANK_EXACT : one->rank[i];
}

/* Compares references to one type, to which an object or one of its bases binds alike: 1 if only the second is to
 * const, -1 if only the first is. */
static int less_const(const struct candidate *a, const struct candidate *b, int i)
{
    if (!takes_reference(a, i) || !takes_reference(b, i))
        return 0;
    const struct type *one = a->function->parameter[i - 1].type,
                      *two = b->function->parameter[i - 1].type;
    return one->kind == two->kind && one->base->plain == two->base->plain
               ? two->base->is_const - one->base->is_const
               : 0;
}

/* Whether the first is the better choice. */
static bool better(struct kc *c, const struct candidate *a, const struct candidate *b, int count)
{
    bool some = false;
    for (int i = 0; i <= count; i++) {
        const enum rank l = compared_rank(a, b, i), r = compared_rank(b, a, i);
        const int tie = l == r ? less_const(a, b, i) : 0;
        if (l < r || tie < 0)
            return false;
        some |= l > r || tie > 0;
    }
    if (some)
        return true;
    const bool l = a->function->generic != NULL, r = b->function->generic != NULL;
    if (l != r)
        return r;
    if (l && a->function->generic != b->function->generic)
        return kc_more_special(c, a->function->generic, b->function->generic);
    return false;
}

static const char *argument_types(struct kc *c, struct node **list, int count)
{
    const char *text = "";
    for (int i = 0; i < count && i < 8; i++)
        text = kc_text(c, "%s%s%s", text, i ? ", " : "", kc_type_text(c, list[i]->type));
    return text;
}

/* Whether a function of the job's part is none for a call that stands before it. A header of ours may need the
 * part's operators for the part's classes. */
static bool is_hidden(struct kc *c, const struct function *function, struct node **list, int count)
{
    if (function->record || !kc_is_hidden(c, function->first))
        return false;
    if (!c->file_is_ours[kc_token(c)->place.file])
        return true;
    for (int i = 0; i < count; i++)
        if (kc_unreferenced(list[i]->type)->kind == TYPE_RECORD)
            return false;
    return true;
}

static bool takes_count(const struct function *function, int count)
{
    return count <= most_arguments(function) && count >= least_arguments(function);
}

/* What of the call does not fit the function. */
static void tell_misfit(struct kc *c, struct function *function, struct node *object,
                        struct node **list, int count, struct argument *argument, int arguments,
                        struct place place)
{
    const char *text = kc_function_text(c, function), *why = NULL;
    const int least = least_arguments(function), most = most_arguments(function);
    if (count > MOST_ARGUMENTS) {
        kc_error(c, place, "calls with over %d arguments are not supported", MOST_ARGUMENTS);
        return;
    }
    if (function->is_deleted) {
        kc_error(c, place, "'%s' is deleted", text);
        return;
    }
    if (!takes_count(function, count)) {
        const int limit = count < least ? least : most;
        kc_error(c, place, "'%s' takes %s%d argument%s, not %d", text,
                 least == most   ? ""
                 : count < least ? "at least "
                                 : "at most ",
                 limit, limit == 1 ? "" : "s", count);
        return;
    }
    if (object_rank(function, object) == RANK_NONE) {
        kc_error(c, place, "'%s' may change its object, which is const here", text);
        return;
    }
    if (function->is_template) {
        function = kc_deduce_call(c, function, argument, arguments, list, count, place, &why);
        if (!function) {
            kc_error(c, place, "template '%s' does not fit: %s", text,
                     why ? why : "it has no such instance");
            return;
        }
    } else if (arguments) {
        kc_error(c, place, "'%s' is no template: it takes no arguments in <>", text);
        return;
    }
    const char *name = function->is_constructor ? kc_type_text(c, function->record->type)
                       : function->name
                           ? kc_text(c, "%.*s%s", SLICE(function->name->text),
                                     function->arguments ? kc_arguments_text(c, function->argument,
                                                                             function->arguments)
                                                         : "")
                           : "lambda";
    for (int i = 0; i < count && i < function->parameters; i++)
        if (kc_rank(c, list[i], function->parameter[i].type) == RANK_NONE) {
            kc_convert(c, list[i], function->parameter[i].type,
                       kc_text(c, "argument %d of '%s' is", i + 1, name));
            return;
        }
    kc_error(c, place, "'%s' does not take arguments (%s)", kc_function_text(c, function),
             argument_types(c, list, count));
}

/* The argument, from 1, whose address would fit one of the functions; 0: none. */
static int wants_address(struct kc *c, struct function *first, struct node **list, int count)
{
    for (struct function *f = first; f && f->name && kc_work(c); f = f->next)
        for (int i = 0; i < count && i < f->parameters && takes_count(f, count); i++) {
            const struct type *to = f->parameter[i].type, *from = kc_unreferenced(list[i]->type);
            bool others = !f->is_template && to->kind == TYPE_POINTER && list[i]->is_place &&
                          to->base->plain == from->plain;
            for (int j = 0; j < count && others; j++)
                others = j == i || kc_rank(c, list[j], f->parameter[j].type) != RANK_NONE;
            if (others)
                return i + 1;
        }
    return 0;
}

/* No function fits: what is wrong with the only one of as many arguments, or which there are. */
static void no_match(struct kc *c, struct function *first, struct node *object, struct node **list,
                     int count, struct argument *argument, int arguments, struct place place)
{
    struct function *only = NULL;
    int all = 0, fitting = 0;
    const char *text = "";
    for (struct function *f = first; f && kc_work(c); f = f->next) {
        if (is_hidden(c, f, list, count))
            continue;
        if (all++ < 3)
            text = kc_text(c, "%s%s'%s'", text, *text ? ", " : "", kc_function_text(c, f));
        if (takes_count(f, count) && fitting++ == 0)
            only = f;
    }
    const int pointer = wants_address(c, first, list, count);
    if (pointer && all > 1)
        kc_error(c, place, "argument %d of '%.*s' is a pointer: write & before it", pointer,
                 SLICE(first->name->text));
    else if (all <= 1 || fitting == 1)
        tell_misfit(c, only ? only : first, object, list, count, argument, arguments, place);
    else
        kc_error(c, place, "no function '%s' takes arguments (%s): there are %s%s",
                 first->is_constructor ? kc_type_text(c, first->record->type)
                 : first->name         ? kc_text(c, "%.*s", SLICE(first->name->text))
                                       : "lambda",
                 argument_types(c, list, count), text,
                 all > 3 ? kc_text(c, " and %d more", all - 3) : "");
}

struct function *kc_find_overload(struct kc *c, struct function *first, struct node *object,
                                  struct node **list, int count, struct argument *argument,
                                  int arguments, struct place place, bool told)
{
    struct candidate *best = NULL, *rival = NULL;
    for (int i = 0; i < count; i++)
        if (list[i]->type->kind == TYPE_ERROR)
            return NULL;
    for (struct function *f = first; f && kc_work(c); f = f->next) {
        struct candidate one;
        if (is_hidden(c, f, list, count) ||
            !fits(c, f, object, list, count, argument, arguments, place, &one))
            continue;
        if (best && !better(c, &one, best, count)) {
            if (!better(c, best, &one, count) && best->function != one.function) {
                rival = KC_NEW(c, struct candidate);
                *rival = one;
            }
            continue;
        }
        if (rival && !better(c, &one, rival, count)) {
            /* it beats the best, but not the best's rival */
        } else
            rival = NULL;
        if (!best)
            best = KC_NEW(c, struct candidate);
        *best = one;
    }
    if (!best) {
        if (told)
            no_match(c, first, object, list, count, argument, arguments, place);
        return NULL;
    }
    if (rival && !best->function->is_ours) {
        if (told)
            kc_error(c, place, "this call could mean '%s' or '%s'",
                     kc_function_text(c, best->function), kc_function_text(c, rival->function));
        return NULL;
    }
    return best->function;
}
