/* workshop_dials.c - the parameters of a kernel as dials. */
#include "subject/workshop.h"

#include <string.h>

static bool has_unit(const struct kernel *kernel, const struct kernel_param *param)
{
    return !strcmp(param->name, "u") && kernel_has_param(kernel, "w");
}

/* The inputs that the kernel takes and that need no more words, and the one that it has now. */
static int64_t list_inputs(const struct subject *subject, const char **inputs,
                           const struct recipe *now)
{
    int count = 0, chosen = 0;
    inputs[0] = NULL;
    for (int bit = 0; input_name(bit); bit++) {
        enum input_kind kind = (enum input_kind)(1u << bit);
        bool current = now->input.kind == kind;
        if (!(subject->kernel->inputs & kind) ||
            ((kind == INPUT_SPLITS || kind == INPUT_FILE) && !current))
            continue;
        const char *name = input_name(bit);
        if (kind == INPUT_SPLITS || kind == INPUT_FILE) /* with what was given */
            for (int i = 0; i < subject->options.words.count; i++)
                if (subject->options.words.word[i].kind == RECIPE_INPUT)
                    name = subject->options.words.word[i].text;
        chosen = current ? count : chosen;
        inputs[count++] = name;
        inputs[count] = NULL;
    }
    return chosen;
}

int workshop_dials(void *context, int number, struct dial *dial, int room)
{
    const int64_t seeds = INT64_C(1) << 53;
    struct subject_workshop *shop = context;
    const struct subject *subject = &shop->subjects.subject[number];
    const char **offered = shop->shown[number].inputs;
    struct recipe now;
    struct error error = {{0}};
    int count = 0;
    if (!subject->kernel)
        return 0;
    subject_recipe(subject, &now, &error);
    for (const struct kernel_param *param = subject->kernel->params;
         param->name && count < room - 2; param++) {
        int value = *param_of(now.params, param),
            slider = 8 * (int64_t)param->standard < 64 ? 64 : 8 * param->standard;
        slider = slider < value ? value : slider;
        dial[count] = (struct dial){.help = param->help,
                                    .unit = has_unit(subject->kernel, param) ? "w" : NULL,
                                    .words = param->words,
                                    .value = value,
                                    .lowest = param->lowest,
                                    .highest = param->highest,
                                    .slider = param->highest < slider ? param->highest : slider};
        snprintf(dial[count++].name, sizeof dial->name, "%s", param->name);
    }
    int64_t input = list_inputs(subject, offered, &now);
    int inputs = 0;
    while (offered[inputs])
        inputs++;
    if (inputs > 1)
        dial[count++] = (struct dial){.name = "input",
                                      .help = "what the kernel gets",
                                      .words = offered,
                                      .value = input,
                                      .highest = inputs - 1,
                                      .slider = inputs - 1};
    if (inputs > 0)
        dial[count++] = (struct dial){.name = "seed",
                                      .help = "of random numbers",
                                      .value = (int64_t)now.input.seed,
                                      .highest = seeds,
                                      .slider = 99};
    recipe_free(&now);
    return count;
}

/* Puts what the subject's dials say into its recipe. */
static bool apply_dials(int subject, const struct dials *dials, struct recipe *recipe,
                        struct error *error)
{
    unsigned bit = 1u << subject;
    bool good = true;
    for (int i = 0; good && i < dials->count; i++) {
        const struct dial *dial = &dials->dial[i];
        char value[4096], word[4200];
        if (!(dial->subjects & bit) || !dial->turned)
            continue;
        dial_text(dial, value, sizeof value);
        bool input = !strcmp(dial->name, "input"), seed = !strcmp(dial->name, "seed");
        snprintf(word, sizeof word, "%s%s%s", input || seed ? "" : dial->name,
                 input || seed ? "" : "=", value);
        struct recipe_words words = {.count = 0};
        good = recipe_words_add(&words,
                                input  ? RECIPE_INPUT
                                : seed ? RECIPE_SEED
                                       : RECIPE_PARAM,
                                word, error) &&
               recipe_apply(recipe, &words, error);
    }
    return good;
}

bool workshop_record_turned(struct subject_workshop *shop, int number, const struct dials *turned,
                            const struct trace_sink *sink, struct error *error)
{
    const struct subject *subject = &shop->subjects.subject[number];
    struct recipe recipe;
    bool good = subject_recipe(subject, &recipe, error) &&
                apply_dials(number, turned, &recipe, error) &&
                subject_run(subject, &recipe, sink, error);
    recipe_free(&recipe);
    return good;
}
