/* statement.c - statements, and variables within functions. */
#include "kernelc/parser.h"

/* ---- local variables ---------------------------------------------------------------------------- */

static void check_array(struct kc *c, struct declarator *d, struct specifiers *s)
{
    if (d->type->kind == TYPE_ARRAY && d->type->count < 0 && !s->is_extern)
        kc_error(c, d->place, "the size of array '%.*s' is missing%s", SLICE(d->name->text),
                 s->is_shared ? ", or 'extern' before it, if the launch gives the size" : "");
}

static struct type *aligned_type(struct kc *c, struct type *type, uint32_t align)
{
    if (align <= type->align || type->kind == TYPE_ERROR)
        return type;
    struct type *fresh = kc_new_type(c, type->kind);
    *fresh = *type;
    fresh->align = align;
    if (type->plain == type)
        fresh->plain = type;
    return fresh;
}

static struct node *no_value(struct kc *c, struct type *type, struct declarator *d)
{
    if (kc_is_reference(type))
        kc_error(c, d->place, "reference '%.*s' needs something to refer to", SLICE(d->name->text));
    else if (type->kind == TYPE_AUTO)
        kc_error(c, d->place, "'%.*s' needs a value to have a type from", SLICE(d->name->text));
    struct type *element = type;
    while (element->kind == TYPE_ARRAY)
        element = element->base;
    if (element->kind != TYPE_RECORD)
        return NULL;
    if (!kc_complete(c, element, d->place))
        return NULL;
    if (!element->record->constructor && !element->record->has_initial)
        return NULL;
    return kc_default(c, type, d->place, false);
}

struct node *kc_local_variable(struct kc *c, struct specifiers *s, struct declarator *d)
{
    struct parser *p = c->parser;
    struct scope *scope = p->scope;
    struct symbol *known = kc_find_in(c, scope, d->name);
    struct variable *variable = KC_NEW(c, struct variable);
    struct node *node = kc_new_node(c, NODE_DECLARE, d->place, p->basic[TYPE_VOID]);
    if (known && known->scope == scope)
        kc_error(c, d->place, "'%.*s' is declared a second time (first on line %d)",
                 SLICE(d->name->text), known->place.line);
    struct type *type = aligned_type(c, d->type, s->align);
    if (s->is_thread_local)
        kc_error(c, s->place,
                 "there are no thread_local variables in device code: a variable of a function is "
                 "a thread's own");
    if (!s->is_extern)
        kc_ends(c, type, d->place);
    if (s->is_constexpr)
        type = kc_qualified(c, type, true, false);
    if (type->kind == TYPE_VOID) {
        kc_error(c, d->place, "variable '%.*s' cannot be of type 'void'", SLICE(d->name->text));
        type = p->basic[TYPE_ERROR];
    }
    *variable = (struct variable){.name = d->name,
                                  .type = type,
                                  .place = d->place,
                                  .function = p->function,
                                  .space = s->is_shared                       ? SPACE_SHARED
                                           : s->is_constant                   ? SPACE_CONST
                                           : s->is_static && !s->is_constexpr ? SPACE_GLOBAL
                                                                              : SPACE_NONE,
                                  .is_static = s->is_shared || s->is_static || s->is_constant,
                                  .is_constexpr = s->is_constexpr,
                                  .is_dynamic = s->is_shared && s->is_extern,
                                  .is_extern = s->is_extern};
    node->variable = variable;
    if (p->at >= c->part && (variable->space == SPACE_GLOBAL || variable->space == SPACE_CONST))
        kc_error(
            c, d->place,
            "'%.*s' outlives its function, which no variable of this part of the source may do",
            SLICE(d->name->text));
    /* The name is known in its own initialiser (sizeof), but for `auto`. */
    kc_define(c, scope, SYMBOL_VARIABLE, d->name, d->place)->variable = variable;
    if (kc_at(c, '=') || kc_at(c, '{') || kc_at(c, '(')) {
        const bool shared = s->is_shared;
        variable->initial = node->left = kc_initialiser(c, &type, d->place);
        if (shared && node->left->kind != NODE_ZERO &&
            !(node->left->kind == NODE_MAKE && !node->left->count))
            kc_error(
                c, d->place,
                "__shared__ variable '%.*s' cannot have a value at its declaration: assign to it",
                SLICE(d->name->text));
        if (shared)
            node->left = NULL;
        variable->type =
            node->left && node->left->type->kind == TYPE_ERROR && type->kind == TYPE_AUTO
                ? p->basic[TYPE_ERROR]
                : type;
    } else if (!s->is_shared && !s->is_extern) {
        node->left = no_value(c, type, d);
        if (variable->is_static)
            variable->initial = node->left;
        if (type->kind == TYPE_AUTO)
            variable->type = p->basic[TYPE_ERROR];
    } else if (type->kind == TYPE_RECORD && kc_complete(c, type, d->place)) {
        kc_is_made_by_nothing(c, type, d->place);
    }
    d->type = type;
    check_array(c, d, s);
    if (variable->is_static)
        kc_list_variable(c, variable);
    if (variable->is_static && !s->is_shared)
        node->left = NULL;
    return node;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

struct node *kc_new_statement(struct kc *c, enum node_kind kind)
{
    return kc_new_node(c, kind, kc_token(c)->place, c->parser->basic[TYPE_VOID]);
}

void kc_recover(struct kc *c)
{
    const struct token *last = kc_ahead(c, -1);
    if (!c->parser->panic)
        return;
    if (last->kind != TOKEN_SIGN || last->sign != ';')
        kc_skip_statement(c);
    c->parser->panic = false;
}

static struct node *one_statement(struct kc *c);

struct node *kc_block(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *block = kc_new_statement(c, NODE_BLOCK);
    const int close = kc_past(c, p->at) - 1;
    struct scope *outer = p->scope;
    int room = 0;
    if (!kc_expect(c, '{', "before a block"))
        return block;
    if (!kc_enter(c, block->place)) {
        kc_leave(c);
        return block;
    }
    p->scope = kc_scope(c, outer, 4);
    while (!kc_at(c, '}') && kc_token(c)->kind != TOKEN_END) {
        const int before = p->at;
        if (kc_at_declaration(c))
            kc_declaration(c, p->scope, NULL, NULL, block);
        else
            kc_list_add(c, &block->list, &block->count, &room, one_statement(c));
        kc_recover(c);
        if (p->at == before)
            kc_next(c);
    }
    p->scope = outer;
    kc_leave(c);
    if (!kc_accept(c, '}') && close > p->at)
        p->at = close + 1;
    return block;
}

/* ---- conditions --------------------------------------------------------------------------------- */

/* `(x)`, `(int i = f())`, `(init; x)`: in *declaration what comes before, and the scope stays. */
struct node *kc_controlling(struct kc *c, struct node *declaration, bool constant)
{
    struct parser *p = c->parser;
    const int close = kc_past(c, p->at) - 1;
    struct node *value = NULL;
    (void)constant;
    kc_expect(c, '(', "before a condition");
    for (int i = 0; i < 2 && !p->panic; i++) {
        if (kc_at_type(c)) {
            struct specifiers s;
            struct declarator d = {0};
            int room = 0;
            kc_specifiers(c, &s, false);
            if (!s.type || !kc_declarator(c, s.type, &d, false)) {
                kc_syntax(c, "this condition is not understood");
                break;
            }
            struct node *node = kc_local_variable(c, &s, &d);
            kc_list_add(c, &declaration->list, &declaration->count, &room, node);
            value = kc_new_node(c, NODE_VARIABLE, d.place, kc_unreferenced(node->variable->type));
            value->variable = node->variable;
            value->is_place = true;
        } else if (!kc_at(c, ';')) {
            value = kc_expression(c);
        }
        if (!kc_accept(c, ';'))
            break;
        if (value && value->kind != NODE_VARIABLE) {
            int room = 0;
            struct node *statement = kc_new_statement(c, NODE_EXPRESSION);
            statement->left = value;
            kc_list_add(c, &declaration->list, &declaration->count, &room, statement);
        }
        value = NULL;
    }
    if (!value)
        value = kc_error_node(c);
    if (!kc_expect(c, ')', "after a condition") && close > p->at) {
        p->at = close + 1;
        p->panic = false;
    }
    return value;
}

/* Past a statement that is not read. */
static void skip_arm(struct kc *c)
{
    struct parser *p = c->parser;
    bool good = kc_enter(c, kc_token(c)->place);
    while (good && (kc_at_key(c, KEY_FOR) || kc_at_key(c, KEY_WHILE) || kc_at_key(c, KEY_SWITCH))) {
        kc_next(c);
        good = kc_past(c, p->at) > p->at;
        p->at = kc_past(c, p->at);
    }
    if (!good) {
        kc_skip_statement(c);
    } else if (kc_accept_key(c, KEY_IF)) {
        kc_accept_key(c, KEY_CONSTEXPR);
        p->at = kc_past(c, p->at);
        skip_arm(c);
        if (kc_accept_key(c, KEY_ELSE))
            skip_arm(c);
    } else if (kc_accept_key(c, KEY_DO)) {
        skip_arm(c);
        kc_next(c);
        p->at = kc_past(c, p->at);
        kc_accept(c, ';');
    } else if (kc_at(c, '{')) {
        kc_skip_statement(c);
    } else {
        while (kc_token(c)->kind != TOKEN_END && !kc_at(c, '}') && !kc_accept(c, ';')) {
            const int past = kc_past(c, p->at);
            if (past == p->at)
                kc_next(c);
            else
                p->at = past;
        }
    }
    kc_leave(c);
}

static struct node *if_statement(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *outer = kc_new_statement(c, NODE_BLOCK), *node = kc_new_statement(c, NODE_IF);
    struct scope *scope = p->scope;
    int room = 0;
    kc_next(c);
    const bool constant = kc_accept_key(c, KEY_CONSTEXPR);
    p->scope = kc_scope(c, scope, 4);
    struct node *value = kc_controlling(c, outer, constant);
    node->left = kc_condition_value(c, value);
    int64_t known = 1;
    bool decided = false;
    if (constant && node->left->type->kind != TYPE_ERROR)
        decided = kc_integer(c, node->left, &known, "the condition of an if constexpr");
    /* The other arm of `if constexpr` is not read: it may be wrong for these template arguments. */
    if (decided && !known)
        skip_arm(c);
    else
        node->right = kc_statement(c);
    kc_recover(c);
    if (kc_accept_key(c, KEY_ELSE)) {
        if (decided && known)
            skip_arm(c);
        else
            node->third = kc_statement(c);
    }
    p->scope = scope;
    if (decided) {
        struct node *taken = known ? node->right : node->third;
        node = taken ? taken : kc_new_statement(c, NODE_NOTHING);
    }
    kc_list_add(c, &outer->list, &outer->count, &room, node);
    return outer;
}

/* ---- switch ------------------------------------------------------------------------------------- */

static struct node *switch_statement(struct kc *c)
{
    struct parser *p = c->parser;
    struct node *block = kc_new_statement(c, NODE_BLOCK), *node = kc_new_statement(c, NODE_SWITCH);
    struct scope *scope = p->scope;
    int room = 0;
    kc_next(c);
    p->scope = kc_scope(c, scope, 4);
    struct node *value = kc_controlling(c, block, false);
    if (value->type->kind != TYPE_ERROR && !kc_is_integer(value->type)) {
        kc_error(c, value->place, "switch needs an integer, not '%s'",
                 kc_type_text(c, value->type));
        value = kc_error_node(c);
    }
    node->left = value->type->kind == TYPE_ERROR ? value : kc_promote(c, value);
    struct node *outer = p->switch_node, *loop = p->loop;
    p->switch_node = node;
    node->right = kc_statement(c);
    p->switch_node = outer;
    p->loop = loop;
    p->scope = scope;
    kc_list_add(c, &block->list, &block->count, &room, node);
    return block;
}

static struct node *case_statement(struct kc *c, bool is_default)
{
    struct parser *p = c->parser;
    struct node *node = kc_new_statement(c, NODE_CASE);
    struct node *in = p->switch_node;
    int room = 0;
    kc_next(c);
    node->post = is_default;
    if (!is_default) {
        struct node *value = kc_constant_expression(c);
        kc_integer(c, value, &node->constant.integer, "the value of a case");
        node->constant.real = (double)node->constant.integer;
        node->offset = (uint64_t)node->constant.integer;
        if (kc_accept(c, SIGN_ELLIPSIS)) { /* case 1 ... 5: of GNU C */
            int64_t last = 0;
            kc_integer(c, kc_constant_expression(c), &last, "the value of a case");
            node->offset = (uint64_t)last;
        }
    }
    kc_expect(c, ':', "after a case");
    if (!in) {
        kc_error(c, node->place, "a case outside of a switch");
        return node;
    }
    for (int i = 0; i < in->count; i++)
        if (in->list[i]->post == is_default &&
            (is_default || in->list[i]->constant.integer == node->constant.integer))
            kc_error(c, node->place,
                     is_default ? "a second default in this switch"
                                : "a second case of this value");
    kc_list_add(c, &in->list, &in->count, &room, node);
    return node;
}

/* ---- jumps -------------------------------------------------------------------------------------- */

static struct node *return_statement(struct kc *c)
{
    struct parser *p = c->parser;
    struct function *function = p->function;
    struct node *node = kc_new_statement(c, NODE_RETURN);
    function->returns++;
    kc_next(c);
    struct node *value = kc_at(c, ';') ? NULL : kc_at(c, '{') ? kc_braces(c) : kc_expression(c);
    kc_expect(c, ';', "after 'return'");
    if (value && value->type->kind == TYPE_ERROR)
        return node;
    struct type *result = function->result;
    struct type *bare = kc_unreferenced(result);
    while (bare->kind == TYPE_POINTER)
        bare = bare->base;
    if (bare->kind == TYPE_AUTO && value && value->type->kind != TYPE_VOID &&
        value->kind != NODE_BRACES) {
        if (result == p->decltype_auto)
            result = kc_decltype(c, value);
        else if (result->kind == TYPE_AUTO)
            result = kc_decay(c, value)->type->plain;
        else if (kc_is_reference(result))
            result =
                value->is_place
                    ? kc_reference(c, kc_qualified(c, value->type, result->base->is_const, false))
                    : value->type->plain;
        else
            result = kc_decay(c, value)->type->plain;
        function->result = result;
    } else if (bare->kind == TYPE_AUTO) {
        function->result = result = p->basic[TYPE_VOID];
    }
    if (!value) {
        if (result->kind != TYPE_VOID && result->kind != TYPE_ERROR && !function->is_constructor)
            kc_error(c, node->place, "'%s' returns a value of type '%s': it is missing here",
                     kc_function_text(c, function), kc_type_text(c, result));
        return node;
    }
    if (result->kind == TYPE_VOID || function->is_constructor) {
        if (value->type->kind != TYPE_VOID)
            kc_error(c, value->place, "'%s' returns nothing: a value stands behind its 'return'",
                     kc_function_text(c, function));
        node->third = value;
        return node;
    }
    node->left =
        kc_convert(c, value, kc_is_reference(result) ? result : result->plain, "cannot return as");
    if (node->left->type->kind == TYPE_ERROR)
        node->left = NULL;
    return node;
}

static struct node *jump_statement(struct kc *c, enum node_kind kind)
{
    struct parser *p = c->parser;
    struct node *node = kc_new_statement(c, kind);
    kc_next(c);
    if (kind == NODE_GOTO) {
        if (kc_at(c, '*') || !kc_token(c)->word)
            kc_syntax(c, "the name of a label is missing after 'goto'");
        node->word = kc_token(c)->word;
        node->third = p->jumps;
        p->jumps = node;
        kc_next(c);
    } else if (!p->loop && !(kind == NODE_BREAK && p->switch_node)) {
        kc_error(c, node->place,
                 kind == NODE_BREAK ? "'break' outside of a loop and of a switch"
                                    : "'continue' outside of a loop");
        node->kind = NODE_NOTHING;
    }
    kc_expect(c, ';', "after this statement");
    return node;
}

/* ---- statements --------------------------------------------------------------------------------- */

static struct node *expression_statement(struct kc *c)
{
    struct node *node = kc_new_statement(c, NODE_EXPRESSION);
    if (kc_accept(c, ';')) {
        node->kind = NODE_NOTHING;
        return node;
    }
    node->left = kc_expression(c);
    if (node->left->kind == NODE_TYPE && node->left->type->kind != TYPE_ERROR)
        kc_error(c, node->left->place, "a type alone is no statement");
    else if (kc_at(c, SIGN_LAUNCH))
        kc_syntax(c, "a kernel is launched by the host, not by a kernel");
    else if (node->left->type->kind == TYPE_OVERLOAD)
        kc_missing_arguments(c, node->left);
    kc_expect(c, ';', "after an expression");
    return node;
}

static const struct node *label_named(struct kc *c, const struct word *word)
{
    const struct node *node = c->parser->jumps;
    while (node && !(node->kind == NODE_LABEL && node->word == word))
        node = node->third;
    return node;
}

static struct node *labelled(struct kc *c)
{
    struct node *node = kc_new_statement(c, NODE_LABEL);
    node->word = kc_token(c)->word;
    const struct node *known = label_named(c, node->word);
    if (known)
        kc_error(c, node->place, "label '%.*s' stands a second time (first on line %d)",
                 SLICE(node->word->text), known->place.line);
    node->third = c->parser->jumps;
    c->parser->jumps = node;
    kc_next(c);
    kc_next(c);
    return node;
}

/* At the end of a function: each goto has a label. */
void kc_check_jumps(struct kc *c)
{
    for (const struct node *node = c->parser->jumps; node; node = node->third)
        if (node->kind == NODE_GOTO && node->word && !label_named(c, node->word))
            kc_error(c, node->place, "there is no label '%.*s' in this function",
                     SLICE(node->word->text));
}

static struct node *statement(struct kc *c)
{
    const struct token *token = kc_token(c);
    const int keyword = token->kind == TOKEN_WORD ? token->word->keyword : 0;
    if (kc_at(c, '{'))
        return kc_block(c);
    switch (keyword) {
    case KEY_IF:
        return if_statement(c);
    case KEY_WHILE:
        return kc_while_statement(c);
    case KEY_DO:
        return kc_do_statement(c);
    case KEY_FOR:
        return kc_for_statement(c);
    case KEY_SWITCH:
        return switch_statement(c);
    case KEY_CASE:
    case KEY_DEFAULT:
        return case_statement(c, keyword == KEY_DEFAULT);
    case KEY_BREAK:
        return jump_statement(c, NODE_BREAK);
    case KEY_CONTINUE:
        return jump_statement(c, NODE_CONTINUE);
    case KEY_GOTO:
        return jump_statement(c, NODE_GOTO);
    case KEY_RETURN:
        return return_statement(c);
    case KEY_ASM:
        return kc_asm_statement(c);
    case KEY_ELSE:
        kc_syntax(c, "this 'else' has no 'if': one statement, or a block in braces, is before it");
        kc_next(c);
        c->parser->panic = false;
        return statement(c);
    case KEY_TRY:
    case KEY_CATCH:
        kc_error(c, token->place, "there are no exceptions in device code");
        kc_next(c);
        kc_skip_statement(c);
        return kc_new_statement(c, NODE_NOTHING);
    default:
        break;
    }
    if (token->kind == TOKEN_WORD && !keyword && kc_ahead(c, 1)->kind == TOKEN_SIGN &&
        kc_ahead(c, 1)->sign == ':')
        return labelled(c);
    return expression_statement(c);
}

/* A statement, or a label alone. */
static struct node *one_statement(struct kc *c)
{
    if (!kc_enter(c, kc_token(c)->place)) {
        kc_leave(c);
        return kc_new_statement(c, NODE_NOTHING);
    }
    kc_attributes(c, NULL);
    struct node *node;
    /* A case that is followed by a declaration: case 1: int x = 2; */
    if (kc_at_key(c, KEY_CASE) || kc_at_key(c, KEY_DEFAULT) || kc_at(c, '{') || !kc_at_type(c) ||
        (kc_token(c)->kind == TOKEN_WORD && !kc_token(c)->word->keyword)) {
        node = statement(c);
    } else {
        node = kc_new_statement(c, NODE_BLOCK);
        kc_declaration(c, c->parser->scope, NULL, NULL, node);
    }
    kc_leave(c);
    kc_recover(c);
    return node;
}

static bool is_label(const struct node *node)
{
    return node->kind == NODE_CASE || node->kind == NODE_LABEL;
}

struct node *kc_statement(struct kc *c)
{
    struct node *node = one_statement(c);
    if (!is_label(node))
        return node;
    struct node *block = kc_new_statement(c, NODE_BLOCK);
    int room = 0;
    kc_list_add(c, &block->list, &block->count, &room, node);
    while (is_label(node) && !kc_at(c, '}') && kc_token(c)->kind != TOKEN_END) {
        node = one_statement(c);
        kc_list_add(c, &block->list, &block->count, &room, node);
    }
    return block;
}
