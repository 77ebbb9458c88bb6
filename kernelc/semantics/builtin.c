/* builtin.c - names that the compiler itself knows: special registers and a few functions. Everything else of
 * CUDA is a header of ours (include/). */
#include "kernelc/parser.h"

/* The registers' names in PTX are made by the lowering: sign is the index here. */
static const struct {
    const char *name, *type;
} specials[] = {
    {"threadIdx", "uint3"},
    {"blockIdx", "uint3"},
    {"blockDim", "dim3"},
    {"gridDim", "dim3"},
};

static struct node *special(struct kc *c, int index, struct place place)
{
    struct symbol *symbol = kc_find_in(c, c->parser->global, kc_word_of(c, specials[index].type));
    if (!symbol || symbol->kind != SYMBOL_TYPE)
        return NULL;
    struct node *node =
        kc_new_node(c, NODE_SPECIAL, place, kc_qualified(c, symbol->type, true, false));
    node->sign = index;
    return node;
}

bool kc_is_special(struct slice name)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (slice_is(name, specials[i].name))
            return true;
    return false;
}

void kc_know_specials(struct kc *c)
{
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        kc_word_of(c, specials[i].name);
}

/* Functions with a word of the user's own: __func__ */
static struct node *function_name(struct kc *c, const struct token *token)
{
    const struct function *function = c->parser->function;
    struct slice name = function && function->name ? function->name->text : kc_slice("");
    struct type *type =
        kc_array(c, kc_qualified(c, c->parser->basic[TYPE_CHAR], true, false), name.length + 1);
    struct node *node = kc_new_node(c, NODE_STRING, token->place, type);
    node->text = name;
    node->is_place = true;
    return node;
}

struct node *kc_builtin(struct kc *c, const struct token *token)
{
    struct slice text = token->text;
    if (token->kind != TOKEN_WORD || text.length < 7)
        return NULL;
    const char first = text.at[0];
    if (first != 't' && first != 'b' && first != 'g' && first != '_')
        return NULL;
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (slice_is(text, specials[i].name)) {
            if (kc_find(c, token->word))
                return NULL;
            kc_next(c);
            return special(c, (int)i, token->place);
        }
    if (slice_is(text, "__func__") || slice_is(text, "__FUNCTION__") ||
        slice_is(text, "__PRETTY_FUNCTION__")) {
        kc_next(c);
        return function_name(c, token);
    }
    return NULL;
}
