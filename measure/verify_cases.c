/* verify_cases.c - the cases of verify: what is always tried, and what is drawn at random. */
#include "measure/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is run unless --random is given: every combination of the values in a line, "a,b,c" or "1..32";
 * inputs as well. The warp is always 32. A kernel without a line runs with its defaults. */
static const struct {
    const char *kernel, *params, *inputs;
} CASES[] = {
    {"stride", "s=1..32 u=32", "random"},
    {"stride", "s=1,2,3,17,32,33 u=256 rounds=4 blocks=3", "random"},
    {"puzzle", "variant=sequential,two-way n=8192,8190,1000", "random"},
    {"broadcast", "pattern=one-word,half-half,per-bank,random u=32,128", "random"},
    {"wide", "bytes=1,2,4,8,16 s=1..9 u=32", "random"},
    {"wide", "bytes=1,2,4,8,16 s=16,32,33 u=64 blocks=2", "random"},
    {"transpose", "u=32,1024 variant=naive,padded,swizzled,diagonal,in-place", "random"},
    {"reduce", "u=64,256,1024 variant=interleaved,sequential", "random"},
    {"thrust-merge", "u=64,256,512 E=8,15,16,17 order=library,model",
     "random,sorted,worst,duplicates"},
    {"dual-scan", "u=64,256,512 E=8,15,16,17", "random,sorted,worst"},
    {"cf-merge", "u=64,256,512 E=8,15,16,17", "random,sorted,worst"},
    {"cf-split", "u=64,256,512 E=8,15,16,17 variant=direct,conflict-free", "random,sorted"},
    {"thrust-sort", "u=64,256 E=15,16,17 n=20000 order=library,model", "random,worst"},
    {"cf-sort", "u=64,256 E=15,16,17 n=20000", "random,worst"},
    {"cf-sort4", "u=64 n=20000", "random,sorted"},
    {"cf-sort4", "u=1024 n=20000", "random"},
    {"distribute", "u=128,256 K=64,256 E=4,16 tree=eytzinger,sorted", "random"},
    {"distribute", "u=256 K=256 E=16 tree=eytzinger,sorted", "sorted,duplicates"},
    {"search-pbs", "K=1024,2048,4096 Q=512 u=64,256 key_bytes=4,8", "random,worst"},
    {"search-pbs", "K=1000,3000 Q=777 u=96 key_bytes=4,8", "random"},
    {"search-pbs-cf", "K=1024,2048,4096 Q=512 u=64,256 key_bytes=4,8", "random,worst"},
    {"search-pbs-cl", "K=1024,2048,4096 Q=512 u=64,256 key_bytes=4,8", "random,worst"},
    {"odd-even-sort", "u=32,64,128 n=256", "random"},
    {"batcher-sort", "u=32,64,128 n=256", "random"},
    {"shear-sort", "variant=transpose,diagonal h=1,2", "random,reverse"},
    {"shear-sort", "variant=transpose,diagonal memory=shared", "random"},
    {"bcf-merge", "n=2048,4000 variant=transpose,diagonal", "random,duplicates"},
    {"bcf-sort", "n=8192,10000 pivots=off,on variant=transpose,diagonal", "random,duplicates"},
    {"warp-sort", "n=8192,10000 t=64,128 u=32,128", "random,duplicates"},
    {"colored-scan", "u=32,256 colors=8,16 variant=naive,conflict-free", "random"},
    {"colored-sums", "n=5000 colors=1,8,16 variant=naive,conflict-free", "random"},
    {"matmul", "variant=plain,transposed", "random"},
    {"stencil", "u=64,256 radius=2,3 coarse=1,4", "random"},
    {"histogram", "u=32,64 bins=32,64 variant=rows,banked", "random"},
};
bool verify_add(struct verify_list *list, const struct verify_case *item, struct error *error)
{
    if (!memory_grow(&list->item, &list->room, list->count + 1, sizeof *item, "cases", error))
        return false;
    list->item[list->count++] = *item;
    return true;
}
/* The i-th value of "a,b,c" or "1..32" into value; false when there are only i. */
static bool nth_value(const char *values, int i, char *value, size_t room)
{
    char *end;
    long first = strtol(values, &end, 10);
    if (end != values && !strncmp(end, "..", 2)) {
        long last = strtol(end + 2, NULL, 10);
        snprintf(value, room, "%ld", first + i);
        return first + i <= last;
    }
    while (i > 0 && *values && *values != ' ')
        i -= *values++ == ',';
    snprintf(value, room, "%.*s", (int)strcspn(values, ", "), values);
    return i == 0 && *value;
}

/* Adds a case for every combination of the values in `rest`, of which item has the first ones. */
static bool add_combinations(struct verify_list *list, const struct verify_case *item,
                             const char *rest, const char *inputs, struct error *error)
{
    struct verify_case next;
    char value[32];
    rest += strspn(rest, " ");
    if (!*rest) {
        next = *item;
        for (int i = 0; nth_value(inputs, i, next.input, sizeof next.input); i++)
            if (!verify_add(list, &next, error))
                return false;
        return true;
    }
    size_t name = strcspn(rest, "=") + 1, length = strcspn(rest, " ");
    for (int i = 0; nth_value(rest + name, i, value, sizeof value); i++) {
        next = *item;
        text_add(next.params, sizeof next.params, "%s%.*s%s", *next.params ? " " : "", (int)name,
                 rest, value);
        if (!add_combinations(list, &next, rest + length, inputs, error))
            return false;
    }
    return true;
}

bool verify_is_chosen(const struct verify_choice *choice, const char *kernel)
{
    for (int i = 0; i < choice->count; i++)
        if (!strcmp(choice->kernels[i], kernel))
            return true;
    return !choice->count;
}

static bool choose_always(struct verify_list *list, const struct verify_choice *choice,
                          struct error *error)
{
    for (int k = 0; catalogue[k]; k++) {
        struct verify_case item = {.params = "w=32"};
        size_t before = list->count;
        snprintf(item.kernel, sizeof item.kernel, "%s", catalogue[k]->name);
        if (!verify_is_chosen(choice, item.kernel))
            continue;
        for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
            if (!strcmp(CASES[i].kernel, item.kernel) &&
                !add_combinations(list, &item, CASES[i].params, CASES[i].inputs, error))
                return false;
        if (list->count == before && !add_combinations(list, &item, "", "random", error))
            return false;
    }
    return true;
}

bool verify_recipe(const struct verify_case *item, struct recipe *recipe, struct error *error)
{
    char text[sizeof *item];
    snprintf(text, sizeof text, "%s %s --input %s", item->kernel, item->params, item->input);
    return recipe_parse(recipe, text, error);
}
/* ---- drawn at random ------------------------------------------------------------------------- */

/* A value of the parameter: one of its words, whole warps of threads, or a number up to a few times
 * the default; every fourth number is small. */
static void draw_value(const struct kernel_param *param, uint64_t *random, char *value, size_t room)
{
    enum { SMALL = 40, MOST_WARPS = 32 };
    if (param->words) {
        snprintf(value, room, "%s", param->words[random_below(random, param->highest + 1)]);
    } else if (!strcmp(param->name, "u")) {
        snprintf(value, room, "%d", 32 * (1 + random_below(random, MOST_WARPS)));
    } else {
        int64_t highest = SMALL;
        if (random_below(random, 4))
            highest += 4 * (int64_t)param->standard;
        if (highest > param->highest)
            highest = param->highest;
        snprintf(value, room, "%d",
                 highest < param->lowest
                     ? param->standard
                     : param->lowest + random_below(random, (int)highest - param->lowest + 1));
    }
}

/* Whether a GPU has room for the case and banks of its width, and the kernel takes it. */
static bool is_possible(const struct verify_case *item)
{
    enum { MOST_SHARED = 200 << 10, BLOCK_THREADS = 1024, GRID_THREADS = 2048, GPU_BANK_BYTES = 4 };
    struct recipe recipe;
    struct kernel_shape shape;
    struct error refused = {{0}};
    bool possible = verify_recipe(item, &recipe, &refused) &&
                    recipe_shape(&recipe, &shape, &refused) && shape.threads <= BLOCK_THREADS &&
                    shape.blocks <= GRID_THREADS / shape.threads &&
                    shape.shared_bytes <= MOST_SHARED && shape.bank_bytes == GPU_BANK_BYTES;
    int *in = possible ? memory_array(shape.in_words + 1, sizeof *in, "words", &refused) : NULL;
    possible = in && recipe.kernel->prepare(recipe.params, &shape, &recipe.input, in, &refused);
    free(in);
    recipe_free(&recipe);
    return possible;
}

static void draw_case(const struct kernel *kernel, uint64_t *random, struct verify_case *item)
{
    char value[32];
    int inputs = 0;
    *item = (struct verify_case){.params = "w=32"};
    snprintf(item->kernel, sizeof item->kernel, "%s", kernel->name);
    for (const struct kernel_param *param = kernel->params; param->name; param++) {
        if (!strcmp(param->name, "w") || !random_below(random, 4))
            continue;
        draw_value(param, random, value, sizeof value);
        text_add(item->params, sizeof item->params, " %s=%s", param->name, value);
    }
    for (int bit = 0; input_name(bit); bit++) /* each of them with equal chance */
        if ((kernel->inputs & ~(unsigned)(INPUT_FILE | INPUT_SPLITS)) >> bit & 1 &&
            !random_below(random, ++inputs))
            snprintf(item->input, sizeof item->input, "%s", input_name(bit));
}

/* Draws anew what the kernel refuses, and what does not fit. */
static bool draw_cases(struct verify_list *list, const struct verify_choice *choice,
                       struct error *error)
{
    enum { MOST_TRIES = 1000 }; /* for each case */
    for (int k = 0; catalogue[k]; k++) {
        uint64_t random = choice->seed + (uint64_t)k;
        if (!verify_is_chosen(choice, catalogue[k]->name))
            continue;
        for (int64_t drawn = 0, tries = 0; drawn < choice->random; tries++) {
            struct verify_case item;
            if (tries > MOST_TRIES * choice->random)
                return error_set(
                    error, "%s: of %" PRId64 " parameter sets that were drawn, it takes %" PRId64,
                    catalogue[k]->name, tries, drawn);
            draw_case(catalogue[k], &random, &item);
            if (!is_possible(&item))
                continue;
            if (!verify_add(list, &item, error))
                return false;
            drawn++;
        }
    }
    return true;
}

bool verify_choose(struct verify_list *list, const struct verify_choice *choice,
                   struct error *error)
{
    return choice->random ? draw_cases(list, choice, error) : choose_always(list, choice, error);
}
