/* returns.c - functions that should return a value and have no 'return'.
 *
 * C++ allows them, and their value is nothing that a program can mean: usually somebody has forgotten the word.
 * They are an error here unless their end may not be reached: there is a loop, a jump or inline PTX, or the last
 * statement is a call, which need not come back. Behind other errors they are not told of: one may be "retrun".
 */
#include "kernelc/parser.h"

static bool may_hide_an_end(const struct token *token)
{
    static const char *const words[] = {"return", "for", "while",   "do",
                                        "goto",   "asm", "__asm__", "__asm"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token->kind == TOKEN_WORD && slice_is(token->text, words[i]))
            return true;
    return false;
}

/* Whether what stands before the token at `end` is `name(...);`. */
static bool ends_with_a_call(const struct kc *c, int begin, int end)
{
    const struct token *token = c->token;
    if (end - 4 <= begin || token[end - 1].sign != ';' || token[end - 2].sign != ')')
        return false;
    const int open = token[end - 2].match;
    return open > begin && token[open - 1].kind == TOKEN_WORD;
}

void kc_check_returns(struct kc *c, const struct function *function)
{
    const struct type *result = function->result;
    const int begin = function->body;
    const int end = begin ? c->token[begin].match : -1;
    if (end < 0 || c->result->messages || !function->is_device || function->is_ours ||
        function->is_constructor || function->is_destructor ||
        !(kc_is_scalar(result) || result->kind == TYPE_RECORD))
        return;
    for (int i = begin; i < end; i++)
        if (may_hide_an_end(&c->token[i]))
            return;
    if (!ends_with_a_call(c, begin, end))
        kc_error(c, c->token[end].place, "'%s' ends without a 'return': its result is of type '%s'",
                 kc_function_text(c, function), kc_type_text(c, result));
}
