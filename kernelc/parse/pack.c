/* pack.c - parameter packs: what stands before `...` is read once for each element. */
#include "kernelc/parser.h"

/* What the name that ends with this token means, as far as namespaces lead to it; NULL: not known. */
static const struct symbol *named_before(struct kc *c, int at)
{
    const struct token *token = &c->token[at];
    if (at < 0 || token->kind != TOKEN_WORD || token->word->keyword)
        return NULL;
    if (at < 2 || token[-1].kind != TOKEN_SIGN || token[-1].sign != SIGN_SCOPE)
        return kc_find(c, token->word);
    int from = at - 2; /* of the first name */
    while (from >= 2 && token[from - at].kind == TOKEN_WORD &&
           token[from - at - 1].kind == TOKEN_SIGN && token[from - at - 1].sign == SIGN_SCOPE)
        from -= 2;
    const struct token *first = &c->token[from];
    const bool global = first->kind != TOKEN_WORD || first->word->keyword;
    const struct scope *scope = global ? c->parser->global : NULL;
    const struct symbol *symbol = NULL;
    for (int i = global ? from + 2 : from; i <= at; i += 2) {
        struct word *word = c->token[i].word;
        symbol = scope ? kc_find_in(c, (struct scope *)scope, word) : kc_find(c, word);
        if (i < at && (!symbol || symbol->kind != SYMBOL_NAMESPACE))
            return NULL;
        scope = i < at ? symbol->scope : NULL;
    }
    return symbol;
}

int kc_argument_end(struct kc *c, int at, int *ellipsis)
{
    int angles = 0;
    *ellipsis = 0;
    for (; at < c->tokens - 1; at++) {
        const struct token *token = &c->token[at];
        if (token->kind != TOKEN_SIGN)
            continue;
        if (token->match > at) {
            at = token->match;
            continue;
        }
        if (token->sign == '<') {
            const struct word *word = at ? c->token[at - 1].word : NULL;
            const struct symbol *symbol = named_before(c, at - 1);
            const bool template =
                symbol && (symbol->kind == SYMBOL_TEMPLATE || symbol->kind == SYMBOL_FUNCTION);
            angles +=
                template ||
                (word && word->keyword >= KEY_CONST_CAST && word->keyword == KEY_STATIC_CAST) ||
                (word && word->keyword == KEY_REINTERPRET_CAST);
        } else if (token->sign == '>') {
            if (!angles && c->parser->no_greater)
                return at;
            angles -= angles > 0;
        } else if (token->sign == SIGN_ELLIPSIS && !angles) {
            *ellipsis = at;
        } else if ((token->sign == ',' && !angles) || token->sign == ')' || token->sign == ']' ||
                   token->sign == '}' || token->sign == ';') {
            return at;
        }
    }
    return at;
}

static void add_pack(struct packs *packs, struct symbol *symbol)
{
    for (int i = 0; i < packs->count; i++)
        if (packs->symbol[i] == symbol)
            return;
    if (packs->count < 8)
        packs->symbol[packs->count++] = symbol;
}

bool kc_packs(struct kc *c, int from, int to, struct packs *packs)
{
    *packs = (struct packs){0};
    for (int i = from; i < to; i++) {
        const struct token *token = &c->token[i];
        if (token->kind != TOKEN_WORD || token->word->keyword)
            continue;
        struct symbol *symbol = kc_find(c, token->word);
        if (symbol && symbol->kind == SYMBOL_PACK)
            add_pack(packs, symbol);
    }
    if (!packs->count)
        return false;
    packs->elements = packs->symbol[0]->elements;
    for (int i = 1; i < packs->count; i++)
        if (packs->symbol[i]->elements != packs->elements) {
            kc_error(c, c->token[from].place, "packs of %d and of %d elements are read together",
                     packs->elements, packs->symbol[i]->elements);
            return false;
        }
    return true;
}

void kc_pack_element(struct packs *packs, int element)
{
    for (int i = 0; i < packs->count; i++) {
        struct symbol *symbol = packs->symbol[i];
        if (symbol->variables) {
            symbol->kind = SYMBOL_VARIABLE;
            symbol->variable = symbol->variables[element];
            continue;
        }
        const struct argument *argument = &symbol->pack[element];
        symbol->kind = argument->is_value ? SYMBOL_CONSTANT : SYMBOL_TYPE;
        symbol->type = argument->type;
        symbol->constant = argument->value;
    }
}

void kc_pack_end(struct packs *packs)
{
    for (int i = 0; i < packs->count; i++)
        packs->symbol[i]->kind = SYMBOL_PACK;
}
