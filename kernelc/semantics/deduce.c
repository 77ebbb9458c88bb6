/* deduce.c - the arguments of function templates, from those of calls. */
#include "kernelc/parser.h"

#include <string.h>

enum { MOST = 32 };

static bool note_type(struct argument *found, int room, int index, struct type *type)
{
    if (index < 0 || index >= room)
        return false;
    if (found[index].type && !found[index].is_value)
        return found[index].type == type;
    found[index] = (struct argument){.type = type};
    return true;
}

static bool note_value(struct kc *c, struct argument *found, int room, int index, int64_t value)
{
    if (index < 0)
        return true;
    if (index >= room)
        return false;
    if (found[index].is_value)
        return found[index].value.integer == value;
    found[index] = (struct argument){
        .is_value = true, .type = c->parser->basic[TYPE_INT], .value.integer = value};
    return true;
}

bool kc_note_pack(struct kc *c, struct argument *found, int room, const struct argument *pattern,
                  const struct argument *given, int count)
{
    const int index = pattern->type ? pattern->type->index : pattern->index;
    if (index < 0) /* an expression of parameters, from which nothing is deduced */
        return true;
    if (index >= room)
        return false;
    struct argument pack = {.is_pack = true, .elements = count};
    pack.element = kc_new(c, (size_t)count * sizeof *pack.element);
    if (count)
        memcpy(pack.element, given, (size_t)count * sizeof *pack.element);
    found[index] = pack;
    return true;
}

bool kc_deduce_argument(struct kc *c, const struct argument *pattern, const struct argument *given,
                        struct argument *found, int room)
{
    if (pattern->template) {
        if (!given->template)
            return false;
        if (pattern->depends && pattern->index < room)
            found[pattern->index] = *given;
        return true;
    }
    if (pattern->is_value && pattern->depends)
        return given->is_value && note_value(c, found, room, pattern->index, given->value.integer);
    if (pattern->is_value)
        return given->is_value && given->value.integer == pattern->value.integer;
    return given->type && !given->is_value && kc_deduce(c, pattern->type, given->type, found, room);
}

bool kc_is_pack_pattern(const struct argument *pattern)
{
    return pattern->is_pack ||
           (pattern->type && pattern->type->kind == TYPE_PARAMETER && pattern->type->pack);
}

static bool deduce_arguments(struct kc *c, const struct argument *pattern, int patterns,
                             const struct argument *given, int count, struct argument *found,
                             int room)
{
    for (int i = 0; i < patterns; i++) {
        const struct argument *one = &pattern[i];
        if (i < count && given[i].is_pack)
            return given[i].elements >= patterns - i - kc_is_pack_pattern(&pattern[patterns - 1]) &&
                   deduce_arguments(c, pattern + i, patterns - i, given[i].element,
                                    given[i].elements, found, room);
        if (kc_is_pack_pattern(one))
            return kc_note_pack(c, found, room, one, count > i ? given + i : NULL,
                                count > i ? count - i : 0);
        if (i >= count) /* a default of the template's */
            return true;
        if (!kc_deduce_argument(c, one, &given[i], found, room))
            return false;
    }
    return count <= patterns;
}

/* A class that is, or has as a base, an instance of the pattern's template. */
static bool deduce_instance(struct kc *c, struct type *pattern, struct record *record,
                            struct argument *found, int room, int depth)
{
    const struct symbol *any = pattern->template->template_argument;
    if (record->template && (record->template == pattern->template || any)) {
        struct argument before[MOST];
        memcpy(before, found, (size_t)(room < MOST ? room : MOST) * sizeof *found);
        if (any && any->index < room) {
            found[any->index].template =
                kc_find_in(c, record->template->scope, record->template->name);
        }
        /* What the pattern does not give are defaults. */
        const int count = record->arguments < pattern->arguments ||
                                  (pattern->arguments &&
                                   kc_is_pack_pattern(&pattern->argument[pattern->arguments - 1]))
                              ? record->arguments
                              : pattern->arguments;
        if (deduce_arguments(c, pattern->argument, pattern->arguments, record->argument, count,
                             found, room))
            return true;
        memcpy(found, before, (size_t)(room < MOST ? room : MOST) * sizeof *found);
    }
    for (const struct field *f = record->field; f && depth < 8; f = f->next)
        if (f->is_base && deduce_instance(c, pattern, f->type->record, found, room, depth + 1))
            return true;
    return false;
}

/* Deduces from the type of a function. */
static bool deduce_parameters(struct kc *c, const struct type *pattern, const struct type *type,
                              struct argument *found, int room)
{
    int count = pattern->parameters;
    struct type *last = count ? pattern->parameter[count - 1] : NULL;
    if (last && last->kind == TYPE_PARAMETER && last->pack) {
        count--;
        const int rest = type->parameters - count;
        struct argument *given = kc_new(c, (size_t)(rest > 0 ? rest : 1) * sizeof *given);
        for (int i = 0; i < rest; i++)
            given[i] = (struct argument){.type = type->parameter[count + i]};
        if (rest < 0 ||
            !kc_note_pack(c, found, room, &(struct argument){.type = last}, given, rest))
            return false;
    } else if (type->parameters != count) {
        return false;
    }
    for (int i = 0; i < count; i++)
        if (!kc_deduce(c, pattern->parameter[i], type->parameter[i], found, room))
            return false;
    return true;
}

bool kc_deduce(struct kc *c, struct type *pattern, struct type *type, struct argument *found,
               int room)
{
    if (!kc_is_dependent(pattern))
        return pattern->plain == type->plain && (pattern->is_const || !type->is_const) &&
               pattern->is_volatile == type->is_volatile;
    switch (pattern->kind) {
    case TYPE_PARAMETER:
        if (pattern->is_const || pattern->is_volatile)
            type = kc_qualified(c, type->plain, type->is_const && !pattern->is_const,
                                type->is_volatile && !pattern->is_volatile);
        return note_type(found, room, pattern->index, type);
    case TYPE_POINTER:
    case TYPE_REFERENCE:
    case TYPE_RVALUE:
        return pattern->kind == type->kind && kc_deduce(c, pattern->base, type->base, found, room);
    case TYPE_ARRAY:
        if (type->kind != TYPE_ARRAY || (pattern->count >= 0 && pattern->count != type->count))
            return false;
        if (pattern->count == -2 && !note_value(c, found, room, pattern->index, type->count))
            return false;
        return kc_deduce(c, pattern->base, type->base, found, room);
    case TYPE_INSTANCE:
        return type->kind == TYPE_RECORD &&
               deduce_instance(c, pattern, type->record, found, room, 0);
    case TYPE_FUNCTION:
        return type->kind == TYPE_FUNCTION &&
               kc_deduce(c, pattern->base, type->base, found, room) &&
               deduce_parameters(c, pattern, type, found, room);
    default:
        return true;
    }
}

/* What a parameter's pattern tells of the argument of a call. */
static bool deduce_parameter(struct kc *c, struct type *pattern, struct node *node,
                             struct argument *found)
{
    struct type *type = kc_unreferenced(node->type);
    if (!kc_is_dependent(pattern))
        return true; /* a conversion will do */
    if (node->type->kind == TYPE_OVERLOAD && node->function && !node->function->next &&
        !node->function->is_template)
        type = kc_type_of_function(c, node->function);
    else if (type->kind == TYPE_LIST || type->kind == TYPE_OVERLOAD || type->kind == TYPE_ERROR)
        return true;
    if (pattern->kind == TYPE_RVALUE && pattern->base->kind == TYPE_PARAMETER &&
        !pattern->base->is_const) {
        if (node->is_place && !node->is_moved)
            type = kc_reference(c, type);
        return note_type(found, MOST, pattern->base->index, type);
    }
    if (kc_is_reference(pattern))
        return kc_deduce(c, pattern->base, type, found, MOST);
    if (type->kind == TYPE_ARRAY)
        type = kc_pointer(c, type->base);
    else if (type->kind == TYPE_FUNCTION)
        type = kc_pointer(c, type);
    return kc_deduce(c, pattern->plain, type->plain, found, MOST);
}

/* The rest of a call's arguments, for a pack. */
static bool deduce_pack(struct kc *c, struct type *pattern, int index, struct node **list,
                        int count, struct argument *found)
{
    struct argument pack = {.is_pack = true, .elements = count};
    pack.element = kc_new(c, (size_t)count * sizeof *pack.element);
    for (int i = 0; i < count; i++) {
        struct argument one[MOST];
        memcpy(one, found, sizeof one);
        one[index] = (struct argument){0};
        if (!deduce_parameter(c, pattern, list[i], one))
            return false;
        pack.element[i] = one[index];
    }
    if (found[index].is_pack && found[index].elements >= count)
        return true; /* given */
    found[index] = pack;
    return true;
}

static int pack_index(const struct type *pattern)
{
    while (pattern->kind == TYPE_POINTER || kc_is_reference(pattern) || pattern->kind == TYPE_ARRAY)
        pattern = pattern->base;
    if (pattern->kind == TYPE_PARAMETER)
        return pattern->index;
    for (int i = 0; pattern->kind == TYPE_INSTANCE && i < pattern->arguments; i++)
        if (pattern->argument[i].type && kc_is_dependent(pattern->argument[i].type))
            return pack_index(pattern->argument[i].type);
    return -1;
}

static bool is_found(const struct argument *argument)
{
    return argument->is_pack || argument->type || argument->is_value || argument->template;
}

/* " (T = int, N = 4)", or "" */
static const char *found_text(struct kc *c, const struct template *template,
                              const struct argument *found)
{
    const char *text = "";
    for (int i = 0; i < template->parameters; i++) {
        if (!is_found(&found[i]) || !template->parameter[i].name)
            continue;
        const char *value = kc_arguments_text(c, &found[i], 1); /* <int> */
        text = kc_text(c, "%s%s%.*s = %.*s", text, *text ? ", " : "",
                       SLICE(template->parameter[i].name->text), (int)strlen(value) - 2, value + 1);
    }
    return *text ? kc_text(c, " (%s)", text) : "";
}

/* Says why a call does not fit, where somebody wants to know. */
static struct function *unfit(const char **why, const char *text)
{
    if (why)
        *why = text;
    return NULL;
}

struct function *kc_deduce_call(struct kc *c, struct function *generic,
                                struct argument *explicit_ones, int explicit_count,
                                struct node **list, int count, struct place place, const char **why)
{
    struct template *template = generic->template;
    struct argument found[MOST + 1] = {0};
    if (template->parameters > MOST || explicit_count > MOST)
        return unfit(why, "over 32 template arguments are not supported");
    int given = 0;
    for (int i = 0; i < explicit_count; i++, given++) {
        if (i < template->parameters && template->parameter[i].is_pack) {
            found[i].is_pack = true;
            found[i].elements = explicit_count - i;
            found[i].element = &explicit_ones[i];
            given = template->parameters;
            break;
        }
        if (i >= template->parameters)
            return unfit(why, !why ? NULL
                                   : kc_text(c, "it takes %d template argument%s, not %d",
                                             template->parameters,
                                             template->parameters == 1 ? "" : "s", explicit_count));
        found[i] = explicit_ones[i];
    }
    for (int i = 0; i < generic->parameters; i++) {
        const struct parameter *parameter = &generic->parameter[i];
        if (parameter->is_pack) {
            const int index = pack_index(parameter->type);
            if (index < 0 || index >= MOST ||
                !deduce_pack(c, parameter->type, index, list + (i < count ? i : count),
                             count > i ? count - i : 0, found))
                return unfit(why, "its pack does not take the rest of the arguments");
            break;
        }
        if (i >= count)
            break;
        /* What was given explicitly is not deduced: the argument is converted to it. */
        struct argument these[MOST];
        memcpy(these, found, sizeof these);
        if (!deduce_parameter(c, parameter->type, list[i], these)) {
            struct argument fresh[MOST] = {0};
            bool all_given = deduce_parameter(c, parameter->type, list[i], fresh);
            for (int j = 0; j < template->parameters; j++)
                if ((fresh[j].type || fresh[j].is_value) && j >= explicit_count)
                    all_given = false;
            if (!all_given &&
                !(parameter->type->kind != TYPE_INSTANCE && explicit_count >= template->parameters))
                return unfit(why, !why ? NULL
                                       : kc_text(c, "argument %d is '%s', which is no '%s'%s",
                                                 i + 1, kc_type_text(c, list[i]->type),
                                                 kc_pattern_text(c, parameter->type, template),
                                                 found_text(c, template, found)));
            continue;
        }
        memcpy(found, these, sizeof these);
    }
    for (int i = 0; i < template->parameters; i++)
        if (is_found(&found[i]))
            given = i + 1 > given ? i + 1 : given;
    struct argument *argument = kc_new(c, (MOST + 1) * sizeof *argument);
    memcpy(argument, found, MOST * sizeof *argument);
    const bool failed = c->failed;
    c->failed = false;
    c->quiet++;
    struct function *function = NULL;
    int arguments = given;
    if (kc_default_arguments(c, template, argument, &arguments, place, why != NULL) && !c->failed)
        function = kc_instantiate_function(c, generic, argument, arguments, place);
    c->quiet--;
    if (!function && c->failed && why)
        *why = kc_text(c, "%s%s", c->failed_text, found_text(c, template, found));
    c->failed = failed;
    return function;
}

/* Whether all that a's parameters take, b's would take as well, but not the other way round. */
bool kc_more_special(struct kc *c, struct function *a, struct function *b)
{
    bool a_fits = true, b_fits = true;
    struct argument found[MOST], other[MOST];
    memset(found, 0, sizeof found);
    memset(other, 0, sizeof other);
    const int count = a->parameters < b->parameters ? a->parameters : b->parameters;
    for (int i = 0; i < count; i++) {
        struct type *one = kc_unreferenced(a->parameter[i].type),
                    *two = kc_unreferenced(b->parameter[i].type);
        if (a->parameter[i].is_pack != b->parameter[i].is_pack) {
            a_fits &= b->parameter[i].is_pack;
            b_fits &= a->parameter[i].is_pack;
            continue;
        }
        a_fits &= kc_deduce(c, two, one, found, MOST) &&
                  !(one->kind == TYPE_PARAMETER && two->kind != TYPE_PARAMETER);
        b_fits &= kc_deduce(c, one, two, other, MOST) &&
                  !(two->kind == TYPE_PARAMETER && one->kind != TYPE_PARAMETER);
    }
    if (a_fits && b_fits && a->parameters != b->parameters)
        return a->parameters < b->parameters
                   ? b->parameters > 0 && b->parameter[b->parameters - 1].is_pack
                   : false;
    if (a_fits && b_fits)
        for (int i = 0; i < count; i++) {
            const bool l = a->parameter[i].type->kind == TYPE_REFERENCE,
                       r = b->parameter[i].type->kind == TYPE_REFERENCE;
            if (l != r)
                return l;
        }
    return a_fits && !b_fits;
}
