/* catalogue.h - for those who run kernels: the catalogue, recipes, the driver.
 *
 * A recipe is a kernel with parameters, an input and a seed. As text it is what follows
 * `bankscope run` on a command line, and the same everywhere else: in lessons, in the tables of
 * figures, in titles.
 *
 *     stride w=12 s=6
 *     thrust-merge w=12 u=12 E=5 --input splits=2,4,2,3,1,3,3,2,0,4,4,2
 *     cf-sort n=5000 --input 'file=my numbers.txt' --seed 7
 *
 *     recipe = KERNEL {word}
 *     word   = ["-p"] NAME=VALUE | "--input" INPUT | "--seed" NUMBER
 *
 * Blanks separate words; quotes ('...' or "...") keep blanks within a word. An option's value may also
 * follow a "=" (--seed=7). If something is given twice, the last one counts. What is not given is the
 * kernel's default, with input random and seed 1.
 */
#ifndef BANKSCOPE_CATALOGUE_H
#define BANKSCOPE_CATALOGUE_H

#include "kernels/kernel.h"

/* ---- catalogue.c ----------------------------------------------------------------------------- */

/* All kernels, NULL-terminated, in the order of `list`. */
extern const struct kernel *const catalogue[];
/* The kernel of that name; NULL: *error suggests the nearest. */
const struct kernel *catalogue_find(const char *name, struct error *error);

/* What kernels are from; the table ends with a NULL key. */
struct paper {
    const char *key; /* "cfmerge", as .source of a kernel and the names of figures have it */
    const char *citation;
};
extern const struct paper papers[];
/* Whether every int of the kernel's struct is one parameter, or the launch's number. */
bool catalogue_sound(const struct kernel *kernel, struct error *error);

/* ---- recipe.c -------------------------------------------------------------------------------- */

struct recipe {
    const struct kernel *kernel;
    void *params; /* the kernel's struct */
    struct input input;
    char *argument; /* of the input: "2,3,5" of splits, the path of a file; NULL: none */
};

/* The defaults. recipe_free leaves an empty recipe ({0}), which may be freed again. */
void recipe_init(struct recipe *recipe, const struct kernel *kernel);
void recipe_free(struct recipe *recipe);

/* The words of a recipe behind its kernel's name, as they come from a command line or a text,
 * before there is a kernel to check them against. */
enum recipe_word_kind { RECIPE_PARAM, RECIPE_INPUT, RECIPE_SEED };
enum { RECIPE_MAX_WORDS = 256 };
struct recipe_words {
    int count;
    struct recipe_word {
        enum recipe_word_kind kind;
        const char *text; /* "w=12", "worst", "7" */
    } word[RECIPE_MAX_WORDS];
    const char *kernel; /* of a text, or NULL: it names none */
    char *text;         /* what the words of a text point into, or NULL */
};

/* Whether a word is NAME=VALUE, not a kernel or a file: a file's name with a "=" begins with "./". */
bool recipe_is_param(const char *word);
/* Takes one more word. The text must outlive it. */
bool recipe_words_add(struct recipe_words *words, enum recipe_word_kind kind, const char *text,
                      struct error *error);
/* Takes a text apart; its syntax is checked, and no more. recipe_words_free afterwards, also when it
 * fails. */
bool recipe_words_split(struct recipe_words *words, const char *text, struct error *error);
void recipe_words_free(struct recipe_words *words);
/* Puts the words into the recipe of a kernel: names, ranges, and that the kernel takes the input. */
bool recipe_apply(struct recipe *recipe, const struct recipe_words *words, struct error *error);

/* "w=12 E=5 --input worst" into the recipe of a kernel. */
bool recipe_read(struct recipe *recipe, const char *words, struct error *error);
/* "thrust-merge w=12 E=5 --input worst", of the catalogue. recipe_free afterwards, also when it
 * fails. */
bool recipe_parse(struct recipe *recipe, const char *text, struct error *error);
/* The recipe as text, without what are defaults: recipe_parse makes the same recipe of it. The
 * caller frees it. */
char *recipe_text(const struct recipe *recipe);

/* The int of a parameter in a kernel's struct. */
int *param_of(void *params, const struct kernel_param *param);
/* The value of a parameter, or `otherwise` when the kernel has none of that name. */
int recipe_value(const struct recipe *recipe, const char *name, int otherwise);
/* A seed: a whole number from 0 to MAX_WHOLE, as a trace has it. */
bool recipe_seed(const char *text, uint64_t *seed, struct error *error);
/* "random", ... by bit number of input_kind; NULL behind the last. */
const char *input_name(int bit);

/* ---- relay.c: one trace out of several launches ---------------------------------------------- */

/* One header, one end, blocks numbered on: launch i + 1 follows launch i. An end that is not
 * complete is the last. */
struct relay {
    const struct trace_sink *to;
    int blocks;           /* of one launch */
    int launch, launches; /* the one that runs, from 0, and how many there are */
    struct trace_end end; /* private: of the launches so far */
};
struct trace_sink relay_sink(struct relay *relay);

/* ---- driver.c: from a recipe to a checked run ------------------------------------------------ */

/* auto is the host, which every machine has and which checks most. bare runs the bare build on the
 * GPU: the sink gets nothing, the result has the time. */
enum backend { BACKEND_AUTO, BACKEND_HOST, BACKEND_CUDA, BACKEND_BARE };
extern const char *const backend_names[]; /* that may be asked for: "auto", "host", "cuda", NULL */

struct run_options {
    enum backend backend;
    uint64_t records; /* as in struct launch, and so is repeat */
    int repeat;
    /* If not NULL, runs each launch instead of a backend, as host_run would. */
    bool (*run)(void *context, const struct launch *launch, const struct trace_sink *sink,
                struct run_result *result, struct error *error);
    void *context;
};

/* Runs it, hands the trace to the sink, and checks the result: a wrong result is an error. Without
 * options (NULL) it runs on the host. */
bool recipe_run(const struct recipe *recipe, const struct run_options *options,
                const struct trace_sink *sink, struct run_result *result, struct error *error);
/* The size of its launches; false: these parameters do not go together. */
bool recipe_shape(const struct recipe *recipe, struct kernel_shape *shape, struct error *error);
/* How many launches that takes. */
int recipe_launches(const struct recipe *recipe);

#endif
