/* part.c - what the job's part may not have: words by which it could reach beyond its own functions.
 *
 * They are looked for behind the preprocessor, so that no macro hides them. Variables that outlive a
 * function are told of where they are declared, and #include where it is met. Names that the part declares
 * mean nothing to what stands before it (kc_is_hidden). What stands before it has no address in the part: a function
 * that is called by its address is inlined nowhere, so nothing would tell whose accesses it makes.
 */
#include "kernelc/parser.h"

static const struct {
    int keyword;
    const char *what;
} refused[] = {
    {KEY_ASM, "asm"},
    {KEY_GLOBAL, "a kernel"},
    {KEY_CONSTANT, "__constant__"},
    {KEY_MANAGED, "__managed__"},
};

/* What is refused at this token, or NULL. */
static const char *refused_at(const struct kc *c, int at)
{
    const struct token *token = &c->token[at];
    if (token->kind != TOKEN_WORD)
        return NULL;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (token->word->keyword == refused[i].keyword)
            return refused[i].what;
    const bool specialises = token->word->keyword == KEY_TEMPLATE && at + 2 < c->tokens &&
                             token[1].sign == '<' && token[2].sign == '>';
    return specialises ? "a specialisation of a template" : NULL;
}

void kc_check_part(struct kc *c)
{
    for (int i = c->part; i < c->tokens && !c->stopped; i++) {
        const char *what = refused_at(c, i);
        if (what)
            kc_error(c, c->token[i].place, "%s may not be used in this part of the source", what);
    }
}

void kc_take_address(struct kc *c, struct function *function, struct place place)
{
    if (function->is_global)
        kc_error(c, place, "'%s' is a kernel: it is launched, and has no address here",
                 kc_function_text(c, function));
    else if (c->parser->at >= c->part && function->body && function->body < c->part &&
             !function->is_ours)
        kc_error(c, place,
                 "'%s' stands before this part of the source, which may call it, but not by its "
                 "address",
                 kc_function_text(c, function));
    kc_need_body(c, function);
}

void kc_check_specialisation(struct kc *c, const struct symbol *template, struct place place)
{
    if (c->parser->at >= c->part && template->token < c->part)
        kc_error(c, place, "'%.*s' is a template that this part of the source may not specialise",
                 SLICE(template->name->text));
}
