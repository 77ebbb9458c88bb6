/* attributes.c - __attribute__, alignas, __launch_bounds__ and their like. */
#include "kernelc/parser.h"

static void align_to(struct specifiers *specifiers, uint32_t bytes)
{
    if (specifiers && bytes > specifiers->align)
        specifiers->align = bytes;
}

static void alignment(struct kc *c, struct specifiers *specifiers)
{
    if (!kc_expect(c, '(', "after the word for alignment"))
        return;
    const int close = kc_past(c, c->parser->at - 1) - 1;
    int64_t value = 0;
    if (c->parser->in_pattern) { /* each instance reads it */
        c->parser->at = close >= c->parser->at ? close + 1 : c->parser->at;
        return;
    }
    if (kc_at_type(c)) {
        struct type *type = kc_type_name(c);
        value = type->align;
    } else {
        struct node *node = kc_constant_expression(c);
        kc_integer(c, node, &value, "an alignment");
    }
    if (value > 0 && value <= 128 && (value & (value - 1)) == 0) {
        align_to(specifiers, (uint32_t)value);
    } else {
        kc_error(c, kc_ahead(c, -1)->place, "an alignment is a power of two, at most 128");
    }
    if (!kc_expect(c, ')', "after an alignment") && close > c->parser->at)
        c->parser->at = close + 1;
}

static void skip_parentheses(struct kc *c)
{
    if (kc_at(c, '('))
        c->parser->at = kc_past(c, c->parser->at);
}

static void launch_bounds(struct kc *c, struct specifiers *specifiers)
{
    if (!kc_expect(c, '(', "after __launch_bounds__"))
        return;
    const int close = kc_past(c, c->parser->at - 1);
    int64_t value = 0;
    if (!c->parser->in_pattern) {
        struct node *node = kc_constant_expression(c);
        if (specifiers && kc_integer(c, node, &value, "a number of threads"))
            specifiers->max_threads = value > 0 && value <= 1024 ? (int)value : 0;
    }
    if (close > c->parser->at)
        c->parser->at = close;
}

/* Attributes that advise an optimiser, warn, or speak to a linker. */
static bool changes_nothing(struct slice text)
{
    static const char *const names[] = {"always_inline",
                                        "noinline",
                                        "unused",
                                        "used",
                                        "const",
                                        "pure",
                                        "deprecated",
                                        "weak",
                                        "hot",
                                        "cold",
                                        "flatten",
                                        "may_alias",
                                        "noreturn",
                                        "nothrow",
                                        "visibility",
                                        "device",
                                        "host",
                                        "global",
                                        "shared",
                                        "constant",
                                        "nonnull",
                                        "optimize",
                                        "warn_unused_result",
                                        "no_sanitize",
                                        "artificial",
                                        "leaf",
                                        "fallthrough"};
    if (text.length > 4 && slice_begins(text, "__")) {
        text.at += 2;
        text.length -= 4;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (slice_is(text, names[i]))
            return true;
    return false;
}

static void gnu_attribute(struct kc *c, struct specifiers *specifiers)
{
    const int close = kc_past(c, c->parser->at);
    if (!kc_accept(c, '(') || !kc_accept(c, '('))
        return;
    while (c->parser->at < close && kc_token(c)->kind != TOKEN_END) {
        struct slice text = kc_token(c)->text;
        kc_next(c);
        if ((slice_is(text, "aligned") || slice_is(text, "__aligned__")) && kc_at(c, '('))
            alignment(c, specifiers);
        else if (slice_is(text, "aligned") || slice_is(text, "__aligned__"))
            align_to(specifiers, 16);
        else if (changes_nothing(text))
            skip_parentheses(c);
        else if (kc_ahead(c, -1)->kind == TOKEN_WORD && !c->parser->panic) {
            kc_error(c, kc_ahead(c, -1)->place, "attribute '%.*s' is not supported", SLICE(text));
            skip_parentheses(c);
        }
        if (!kc_at(c, ',') && !kc_at(c, ')'))
            continue;
        kc_next(c);
    }
    c->parser->at = close > c->parser->at ? close : c->parser->at;
}

/* __align__(8), alignas(8), __attribute__((aligned(8))), [[nodiscard]], __launch_bounds__(256): wherever they
 * may stand. */
void kc_attributes(struct kc *c, struct specifiers *specifiers)
{
    for (;;) {
        if (kc_at(c, '[') && kc_ahead(c, 1)->kind == TOKEN_SIGN && kc_ahead(c, 1)->sign == '[') {
            const int past = kc_past(c, c->parser->at);
            if (past == c->parser->at)
                return;
            c->parser->at = past;
        } else if (kc_accept_key(c, KEY_ALIGN) || kc_accept_key(c, KEY_ALIGNAS)) {
            alignment(c, specifiers);
        } else if (kc_accept_key(c, KEY_ATTRIBUTE)) {
            gnu_attribute(c, specifiers);
        } else if (kc_accept_key(c, KEY_LAUNCH_BOUNDS)) {
            launch_bounds(c, specifiers);
        } else if (kc_accept_key(c, KEY_CLUSTER_DIMS)) {
            kc_error(c, kc_ahead(c, -1)->place, "clusters of blocks are not supported");
            skip_parentheses(c);
        } else if (kc_accept_key(c, KEY_MAXNREG)) {
            skip_parentheses(c);
        } else if (!kc_accept_key(c, KEY_RESTRICT)) {
            return;
        }
    }
}
