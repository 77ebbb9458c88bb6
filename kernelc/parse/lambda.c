/* lambda.c - lambdas: a class whose members are what is captured, and whose operator() is the body. */
#include "kernelc/parser.h"

static void capture(struct kc *c, struct record *record, struct node *list, int *room,
                    struct word *name, struct type *type, struct node *value, struct place place)
{
    if (kc_find_in(c, record->scope, name))
        return;
    kc_add_field(c, record, name, type, place, -1, 0);
    struct element element = {
        .offset = record->last_field->offset,
        .node = kc_is_reference(type) ? value : kc_convert(c, value, type, "cannot capture")};
    kc_grow(c, &list->element, room, &list->elements, sizeof *list->element);
    list->element[list->elements++] = element;
}

static struct node *named_value(struct kc *c, const struct token *token, struct symbol *symbol)
{
    return kc_symbol_node(
        c, &(struct naming){.symbol = symbol, .word = token->word, .place = token->place});
}

static void capture_name(struct kc *c, struct record *record, struct node *list, int *room,
                         const struct token *token, bool by_reference)
{
    struct symbol *symbol = kc_find(c, token->word);
    if (!symbol || (symbol->kind != SYMBOL_VARIABLE && symbol->kind != SYMBOL_FIELD &&
                    symbol->kind != SYMBOL_BOUND))
        return;
    if (symbol->kind == SYMBOL_VARIABLE &&
        (!symbol->variable->function || symbol->variable->is_static ||
         symbol->variable->is_constexpr))
        return;
    if (symbol->kind == SYMBOL_FIELD &&
        !(symbol->scope->record && symbol->scope->record->is_lambda))
        return;
    struct node *value = named_value(c, token, symbol);
    if (value->type->kind == TYPE_ERROR)
        return;
    struct type *type = by_reference ? kc_reference(c, value->type) : value->type->plain;
    capture(c, record, list, room, token->word, type, value, token->place);
}

static void capture_this(struct kc *c, struct record *record, struct node *list, int *room,
                         bool copy, struct place place)
{
    struct function *function = c->parser->function;
    uint64_t offset;
    if (!function || !function->self)
        return;
    struct node *object = kc_new_node(c, NODE_THIS, place, function->self->type->base);
    object->variable = function->self;
    object->is_place = true;
    if (function->record->is_lambda) {
        struct field *field = kc_find_field(function->record, c->parser->word_this, &offset);
        if (!field)
            return;
        object = kc_field(c, object, field, offset, place);
    }
    capture(c, record, list, room, c->parser->word_this,
            copy ? object->type->plain : kc_reference(c, object->type), object, place);
}

/* All names of the body that are variables outside of it. */
static void capture_all(struct kc *c, struct record *record, struct node *list, int *room, int from,
                        int to, bool by_reference)
{
    for (int i = from; i < to && kc_work(c); i++) {
        const struct token *token = &c->token[i], *before = &c->token[i - 1];
        if (token->kind != TOKEN_WORD || token->word->keyword ||
            (before->kind == TOKEN_SIGN &&
             (before->sign == '.' || before->sign == SIGN_ARROW || before->sign == SIGN_SCOPE)))
            continue;
        struct symbol *symbol = kc_find(c, token->word);
        if (symbol && symbol->kind == SYMBOL_PACK && symbol->variables)
            for (int j = 0; j < symbol->elements; j++)
                ; /* packs are captured by their elements' names: not supported, told where they are used */
        capture_name(c, record, list, room, token, by_reference);
    }
    capture_this(c, record, list, room, false, c->token[from].place);
}

/* The list of captures, which stands here; *all: '&' or '=' or 0. */
static void captures(struct kc *c, struct record *record, struct node *list, int *room, int *all)
{
    kc_next(c);
    while (!kc_at(c, ']') && kc_token(c)->kind != TOKEN_END) {
        const bool reference = kc_at(c, '&');
        const struct place place = kc_token(c)->place;
        if (reference)
            kc_next(c);
        const struct token *token = kc_token(c), *next = kc_ahead(c, 1);
        if (reference && (kc_at(c, ',') || kc_at(c, ']'))) {
            *all = '&';
        } else if (kc_at(c, '=')) {
            *all = '=';
            kc_next(c);
        } else if (kc_at_key(c, KEY_THIS) ||
                   (kc_at(c, '*') && next->word && next->word->keyword == KEY_THIS)) {
            const bool copy = kc_accept(c, '*');
            kc_next(c);
            capture_this(c, record, list, room, copy, place);
        } else if (token->kind == TOKEN_WORD && next->kind == TOKEN_SIGN &&
                   (next->sign == '=' || next->sign == '{')) {
            struct type *type = c->parser->automatic;
            if (reference)
                type = kc_reference(c, type);
            kc_next(c);
            struct node *value = kc_initialiser(c, &type, place);
            capture(c, record, list, room, token->word, type, value, place);
        } else if (token->kind == TOKEN_WORD) {
            kc_next(c);
            capture_name(c, record, list, room, token, reference);
            kc_accept(c, SIGN_ELLIPSIS);
        } else {
            kc_syntax(c, "this capture is not understood");
            return;
        }
        if (!kc_accept(c, ','))
            break;
    }
    kc_expect(c, ']', "after the captures of a lambda");
}

/* Reads the parameters: as they are, as a pattern, or with what `auto` is. */
static void read_parameters(struct kc *c, struct function *function, bool pattern,
                            struct argument *argument)
{
    struct parser *p = c->parser;
    const int at = p->auto_at;
    struct argument *autos = p->autos;
    const bool was = p->auto_pattern;
    p->auto_at = 0;
    p->auto_pattern = pattern;
    p->autos = argument;
    if (kc_at(c, '('))
        kc_parameters(c, function);
    function->static_number = p->auto_at;
    p->auto_at = at;
    p->auto_pattern = was;
    p->autos = autos;
}

static void lambda_tail(struct kc *c, struct function *function)
{
    struct parser *p = c->parser;
    function->is_const = true;
    for (;;) {
        kc_attributes(c, NULL);
        if (kc_accept_key(c, KEY_MUTABLE))
            function->is_const = false;
        else if (kc_at_key(c, KEY_NOEXCEPT) || kc_at_key(c, KEY_CONSTEXPR) ||
                 kc_at_key(c, KEY_DEVICE) || kc_at_key(c, KEY_HOST) ||
                 kc_at_key(c, KEY_FORCEINLINE)) {
            kc_next(c);
        } else if (kc_at(c, SIGN_ARROW)) {
            kc_next(c);
            function->result = kc_type_name(c);
        } else {
            break;
        }
    }
    function->body = p->at;
}

static struct function *new_operator(struct kc *c, struct record *record, struct place place)
{
    struct function *function = KC_NEW(c, struct function);
    *function = (struct function){.name = c->parser->call_word,
                                  .place = place,
                                  .scope = record->scope,
                                  .record = record,
                                  .is_device = true,
                                  .is_host = true,
                                  .result = c->parser->automatic,
                                  .open = c->parser->at};
    function->is_constexpr = true;
    return function;
}

static void generic_head(struct kc *c, struct function *function)
{
    struct template *template = KC_NEW(c, struct template);
    template->kind = TEMPLATE_FUNCTION;
    template->name = function->name;
    template->scope = function->scope;
    template->parameters = function->static_number;
    template->parameter = kc_new(c, (size_t) template->parameters * sizeof *template->parameter);
    function->template = template;
    function->is_template = true;
}

struct function *kc_lambda_instance(struct kc *c, struct function *generic,
                                    struct argument *argument, int arguments, struct moment moment)
{
    struct function *function = new_operator(c, generic->record, generic->place);
    struct argument autos[32] = {0};
    for (int i = 0; i < arguments && i < 32; i++)
        autos[i] = argument[i];
    c->parser->at = generic->open;
    c->parser->in_pattern = c->parser->no_greater = c->parser->panic = false;
    c->parser->scope = generic->scope;
    read_parameters(c, function, false, autos);
    lambda_tail(c, function);
    function->argument = argument;
    function->arguments = arguments;
    function->generic = generic;
    function->template = generic->template;
    kc_new_instance(c, generic->template, argument)->function = function;
    kc_back(c, moment);
    kc_end_instance(c);
    return function;
}

/* A lambda that captures nothing as a pointer of type `to`, or of its own if that is NULL; NULL: it is none. Its body
 * is that of a function without an object then. */
struct node *kc_lambda_pointer(struct kc *c, struct node *lambda, struct type *to)
{
    struct record *record = kc_unreferenced(lambda->type)->record;
    const struct symbol *symbol = kc_find_in(c, record->scope, c->parser->call_word);
    struct function *function = symbol && !record->field ? symbol->function : NULL;
    if (!record->is_lambda || !function || (to && to->base->kind != TYPE_FUNCTION))
        return NULL;
    if (function->is_template) {
        struct argument found[32] = {0};
        bool good = to && function->parameters == to->base->parameters;
        for (int i = 0; good && i < function->parameters; i++)
            good = kc_deduce(c, function->parameter[i].type, to->base->parameter[i], found, 32);
        function = good ? kc_instantiate_function(c, function, found, function->static_number,
                                                  lambda->place)
                        : NULL;
    }
    if (!function)
        return NULL;
    kc_result(c, function, lambda->place);
    struct type *pointer = kc_pointer(c, kc_type_of_function(c, function));
    if (to && pointer != to->plain)
        return NULL;
    if (!function->invoked) {
        function->invoked = kc_copy_unread(c, function);
        function->invoked->is_static = true;
    }
    struct node *node = kc_new_node(c, NODE_FUNCTION, lambda->place, pointer);
    node->function = function->invoked;
    kc_take_address(c, function->invoked, lambda->place);
    return node;
}

static bool is_auto(const struct token *token)
{
    return token->kind == TOKEN_WORD && token->word->keyword == KEY_AUTO;
}

struct node *kc_lambda(struct kc *c)
{
    struct parser *p = c->parser;
    const struct place place = kc_token(c)->place;
    struct record *record = kc_new_record(c, NULL, place, p->scope);
    struct node *list = kc_new_node(c, NODE_LIST, place, record->type);
    int room = 0, all = 0;
    record->is_lambda = true;
    record->number = p->lambdas++;
    captures(c, record, list, &room, &all);
    struct function *function = new_operator(c, record, place);
    const int begin = p->at;
    read_parameters(c, function, true, NULL);
    for (int i = begin + 1; i < p->at; i++)
        if (c->token[i].kind == TOKEN_SIGN && c->token[i].sign == SIGN_ELLIPSIS &&
            (is_auto(&c->token[i - 1]) || is_auto(&c->token[i - 2])))
            kc_error(c, c->token[i].place,
                     "a lambda with a pack of parameters is not supported: write a template of a "
                     "function");
    if (function->static_number)
        generic_head(c, function);
    lambda_tail(c, function);
    if (!kc_at(c, '{')) {
        kc_syntax(c, "the body of a lambda is missing");
        return kc_error_node(c);
    }
    const int past = kc_past(c, p->at);
    p->at = past > p->at ? past : p->at + 1;
    if (all)
        capture_all(c, record, list, &room, begin, p->at, all == '&');
    kc_lay_out(c, record);
    kc_define(c, record->scope, SYMBOL_FUNCTION, p->call_word, place)->function = function;
    if (p->function)
        function->is_device = p->function->is_device;
    return list;
}
