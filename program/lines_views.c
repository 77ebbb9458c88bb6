/* lines_views.c - where a launch's pointers into dynamic shared memory begin (compile/views.c), by its arguments: then
 * what is there is called by them.
 *
 *     extern __shared__ char buf[];                n = 64: buf[0 .. 255] is a[0 .. 63], what follows is b
 *     float *a = (float *) buf;
 *     int *b = (int *) &a[n];
 */
#include "program/lines.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_SETS = 1024, DEEPEST = 16 };

/* ---- offsets ------------------------------------------------------------------------------------- */

struct calculation {
    const struct records_launch *launch;
    const char *arguments; /* records_launch.arguments */
    size_t length;
    uint64_t begin; /* of dynamic shared memory */
    uint64_t stack[DEEPEST];
    int depth;
};

static bool push(struct calculation *c, uint64_t value)
{
    if (c->depth == DEEPEST)
        return false;
    c->stack[c->depth++] = value;
    return true;
}

static int digit_of(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "2.8.4": of parameter 2 the four bytes from byte 8 on. */
static bool push_parameter(struct calculation *c, const char *word)
{
    unsigned index, offset, bytes;
    if (sscanf(word, "%u.%u.%u", &index, &offset, &bytes) != 3 || bytes > 8 || offset > 4096)
        return false;
    const char *at = c->arguments, *end = at + c->length;
    for (; index && at < end; index--) {
        const char *blank = memchr(at, ' ', (size_t)(end - at));
        at = blank ? blank + 1 : end;
    }
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; i++) {
        const char *byte = at + 2 * (offset + (size_t)i);
        const int high = byte + 1 < end ? digit_of(byte[0]) : -1,
                  low = high < 0 ? -1 : digit_of(byte[1]);
        if (low < 0)
            return false;
        value |= (uint64_t)(16 * high + low) << 8 * i;
    }
    return push(c, value);
}

static uint64_t low_bits(uint64_t value, int bits)
{
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

static uint64_t with_sign(uint64_t value, int bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (low_bits(value, bits) ^ sign) - sign;
}

/* Signs are those of so many bits. Division by 0, and by -1, gives 0. */
static uint64_t divided(uint64_t a, uint64_t b, int bits, bool sign, bool rest)
{
    if (!sign)
        return !low_bits(b, bits) ? 0
               : rest             ? low_bits(a, bits) % low_bits(b, bits)
                                  : low_bits(a, bits) / low_bits(b, bits);
    const int64_t x = (int64_t)with_sign(a, bits), y = (int64_t)with_sign(b, bits);
    return y == 0 || y == -1 ? 0 : (uint64_t)(rest ? x % y : x / y);
}

static bool operate(struct calculation *c, const char *word, size_t length, int bits)
{
    static const char *const names[] = {"add", "sub",  "mul",  "shl",  "lshr", "ashr", "and",  "or",
                                        "xor", "udiv", "urem", "sdiv", "srem", "sext", "trunc"};
    enum { ADD, SUB, MUL, SHL, LSHR, ASHR, AND, OR, XOR, UDIV, UREM, SDIV, SREM, SEXT, TRUNC, ALL };
    int what = 0;
    while (what < ALL && (strlen(names[what]) != length || memcmp(names[what], word, length) != 0))
        what++;
    const int needs = what == SEXT || what == TRUNC ? 1 : 2;
    if (what == ALL || bits < 1 || bits > 64 || c->depth < needs)
        return false;
    c->depth -= needs;
    const uint64_t a = c->stack[c->depth], b = c->stack[c->depth + needs - 1];
    const uint64_t results[] = {[ADD] = a + b,
                                [SUB] = a - b,
                                [MUL] = a * b,
                                [SHL] = b < 64 ? a << b : 0,
                                [LSHR] = b < 64 ? low_bits(a, bits) >> b : 0,
                                [ASHR] =
                                    (uint64_t)((int64_t)with_sign(a, bits) >> (b < 63 ? b : 63)),
                                [AND] = a & b,
                                [OR] = a | b,
                                [XOR] = a ^ b,
                                [UDIV] = divided(a, b, bits, false, false),
                                [UREM] = divided(a, b, bits, false, true),
                                [SDIV] = divided(a, b, bits, true, false),
                                [SREM] = divided(a, b, bits, true, true),
                                [SEXT] = with_sign(a, bits),
                                [TRUNC] = a};
    return push(c, what == SEXT ? results[what] : low_bits(results[what], bits));
}

static bool push_word(struct calculation *c, const char *word)
{
    const uint32_t *size = *word == 'n' ? c->launch->block : c->launch->grid;
    if ((*word >= '0' && *word <= '9') || *word == '-')
        return push(c, (uint64_t)strtoll(word, NULL, 10));
    if (*word == 'p')
        return push_parameter(c, word + 1);
    if (*word == 's' && (!word[1] || word[1] == ' '))
        return push(c, c->begin);
    if ((*word == 'n' || *word == 'g') && word[1] >= 'x' && word[1] <= 'z')
        return size[0] && push(c, size[word[1] - 'x']);
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz");
    return operate(c, word, length, atoi(word + length));
}

/* Where a view begins in shared memory; false: nobody knows. */
static bool calculate(struct calculation *c, const char *offset, uint64_t *value)
{
    c->depth = 0;
    for (const char *word = offset; *word; word += strcspn(word, " "), word += *word == ' ')
        if (!push_word(c, word))
            return false;
    *value = c->stack[0];
    return c->depth == 1;
}

/* ---- arrays -------------------------------------------------------------------------------------- */

struct begin {
    uint64_t at;
    size_t order;
    const struct source_variable *view;
};

static int by_begin(const void *a, const void *b)
{
    const struct begin *x = a, *y = b;
    return x->at != y->at ? (x->at < y->at ? -1 : 1) : x->order < y->order ? -1 : 1;
}

static bool is_byte(const struct source_variable *view)
{
    return view->element <= 1;
}

/* The view that names what begins where `count` views do: the first one whose elements are no bytes. NULL: there are
 * several, of different types. */
static const struct source_variable *name_giver(const struct begin *begin, size_t count)
{
    const struct source_variable *found = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct source_variable *view = begin[i].view;
        if (!*view->name || (found && is_byte(view)))
            continue;
        if (found && !is_byte(found) && strcmp(found->type, view->type) != 0)
            return NULL;
        if (!found || is_byte(found))
            found = view;
    }
    return found;
}

/* An array from there to the next one; view NULL: of the memory's own type. */
static void add_array(struct source_lines *lines, const struct source_array *memory,
                      const struct source_variable *view, uint32_t from, uint32_t bytes)
{
    struct source_array array = *memory;
    array.symbol = memory_copy(memory->symbol);
    array.from = from;
    array.bytes = bytes;
    if (view && view->element)
        lines_describe(&array, view);
    else if (from > memory->from)
        snprintf(array.name, sizeof array.name, "%.60s+%u", memory->name, from - memory->from);
    lines_add_array(lines, &array);
}

/* The views of a launch, in the order of their addresses. */
static size_t find_begins(const struct source_lines *lines, const struct records_launch *launch,
                          const struct source_array *memory, const char *viewer,
                          struct begin *begin)
{
    const struct source_names *names = &lines->names;
    struct calculation c = {.launch = launch,
                            .arguments = lines->taken.text + launch->arguments.at,
                            .length = (size_t)launch->arguments.length,
                            .begin = memory->from};
    size_t count = 0;
    for (size_t i = 0; i < names->views; i++) {
        struct begin one = {.order = i, .view = &names->view[i]};
        if (strcmp(one.view->symbol, viewer) != 0)
            continue;
        if (!calculate(&c, one.view->offset, &one.at))
            return 0;
        if (one.at >= memory->from && one.at - memory->from < launch->dynamic_shared)
            begin[count++] = one;
    }
    if (count)
        qsort(begin, count, sizeof *begin, by_begin);
    return count;
}

/* Makes arrays of them: whether a name is there that says more than the memory's own. */
static void add_arrays(struct source_lines *lines, const struct records_launch *launch,
                       const struct source_array *memory, const struct begin *begin, size_t count)
{
    const uint32_t end = memory->from + launch->dynamic_shared;
    if (begin->at > memory->from)
        add_array(lines, memory, NULL, memory->from, (uint32_t)begin->at - memory->from);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && begin[next].at == begin[i].at;)
            next++;
        const uint32_t stop = next < count ? (uint32_t)begin[next].at : end;
        const struct source_variable *view = name_giver(begin + i, next - i);
        const bool whole = begin[i].at == memory->from && stop == end;
        if (whole && view && !strcmp(view->type, memory->type)) /* it is another name of all */
            view = NULL;
        add_array(lines, memory, view, (uint32_t)begin[i].at, stop - (uint32_t)begin[i].at);
    }
}

/* An equal set of arrays that is there; 0: there is none. */
static uint32_t same_set(const struct source_lines *lines, const struct kernel_arrays *wanted)
{
    for (size_t i = lines->sets; --i > 0;) {
        const struct kernel_arrays *set = &lines->set[i];
        size_t k = 0;
        while (set->count == wanted->count && k < set->count) {
            const struct source_array *a = &lines->array[set->first + k],
                                      *b = &lines->array[wanted->first + k];
            if (a->from != b->from || a->bytes != b->bytes || strcmp(a->name, b->name) != 0 ||
                strcmp(a->symbol, b->symbol) != 0 || strcmp(a->type, b->type) != 0)
                break;
            k++;
        }
        if (k == wanted->count && set->count == k)
            return (uint32_t)i;
    }
    return 0;
}

/* The number of the launch's set of views; 0: it has none. */
static uint32_t take_launch(struct source_lines *lines, const struct records_launch *launch,
                            struct begin *begin)
{
    const struct kernel_arrays *of = &lines->kernel[launch->kernel];
    const char *viewer = lines->viewer[launch->kernel];
    const struct source_array *memory = NULL;
    for (size_t i = of->first; i < of->first + of->count && !memory; i++)
        memory = lines->array[i].dynamic ? &lines->array[i] : NULL;
    if (!viewer || !memory || lines->sets == MOST_SETS)
        return 0;
    const struct source_array copy = *memory; /* the list grows */
    const size_t count = find_begins(lines, launch, &copy, viewer, begin);
    if (!count)
        return 0;
    struct kernel_arrays set = {.first = lines->arrays};
    add_arrays(lines, launch, &copy, begin, count);
    set.count = lines->arrays - set.first;
    const uint32_t same = same_set(lines, &set);
    if (!same) {
        lines->set[lines->sets] = set;
        return (uint32_t)lines->sets++;
    }
    while (lines->arrays > set.first)
        free(lines->array[--lines->arrays].symbol);
    return same;
}

void lines_take_views(struct source_lines *lines)
{
    const struct records_taken *taken = &lines->taken;
    if (!lines->names.views || !taken->launches)
        return;
    struct begin *begin = memory_new(lines->names.views, sizeof *begin);
    lines->viewer = memory_new((size_t)taken->kernels + 1, sizeof *lines->viewer);
    lines->set = memory_new(MOST_SETS, sizeof *lines->set);
    lines->sets = 1; /* number 0: none */
    lines->set_of = memory_new((size_t)taken->launches, sizeof *lines->set_of);
    for (uint64_t i = 0; i < taken->kernels; i++) {
        char *symbol = lines_copy(lines, taken->kernel[i].name);
        lines->viewer[i] = source_viewer(&lines->names, symbol);
        free(symbol);
    }
    for (uint64_t i = 0; i < taken->launches; i++)
        if (taken->launch[i].ready)
            lines->set_of[i] = take_launch(lines, &taken->launch[i], begin);
    free(begin);
}

void lines_forget_views(struct source_lines *lines)
{
    free(lines->viewer);
    free(lines->set);
    free(lines->set_of);
    lines->viewer = NULL;
    lines->set = NULL;
    lines->set_of = NULL;
    lines->sets = 0;
}

const struct kernel_arrays *lines_kernel_views(const struct source_lines *lines, uint32_t kernel)
{
    uint32_t all = 0;
    for (uint64_t i = 0; lines->set_of && i < lines->taken.launches; i++) {
        const struct records_launch *launch = &lines->taken.launch[i];
        if (!launch->ready || launch->kernel != kernel)
            continue;
        if (!lines->set_of[i] || (all && all != lines->set_of[i]))
            return NULL;
        all = lines->set_of[i];
    }
    return all ? &lines->set[all] : NULL;
}
