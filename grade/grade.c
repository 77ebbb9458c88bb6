/* grade.c - tries and marks. */
#include "grade/exercise.h"
#include "grade/judge.h"

#include "base/text.h"

#include <stdarg.h>
#include <string.h>

enum {
    FAULTY = 3, /* runs that a fault ended: there are no more tries */
    DRAWS = 12, /* sets of parameters beyond these, each with an input of its own */
    PATIENCE = 1000,
};

bool grade_met(const struct grade_marks *marks, int i)
{
    return marks->finding[i].measured && !marks->finding[i].why[0];
}

const char *grade_summary(const struct grade_exercise *exercise)
{
    return exercise->table.summary;
}

const char *grade_hint(const struct grade_exercise *exercise, int index)
{
    return index >= 0 && index < exercise->table.hints ? exercise->table.hint[index] : NULL;
}

/* ---- compiling -------------------------------------------------------------------------------------- */

static void take_messages(const struct kernelc_result *compiled, struct grade_marks *marks)
{
    for (int i = 0; i < compiled->messages && i < GRADE_MESSAGES; i++) {
        const struct kernelc_message *from = &compiled->message[i];
        struct grade_message *message = &marks->message[marks->messages++];
        message->line = from->line;
        message->column = from->column;
        snprintf(message->text, sizeof message->text, "%s%s%s", from->text,
                 from->line && strcmp(from->file, GRADE_PART_FILE) ? ", in " : "",
                 from->line && strcmp(from->file, GRADE_PART_FILE) ? from->file : "");
        text_clean(message->text);
    }
}

/* ---- a hand-in ---------------------------------------------------------------------------------------- */

struct grading {
    const struct grade_exercise *exercise;
    struct grade_memory memory;
    struct allocator allocator;
    struct kernelc_result compiled;
    struct judge judge;
    struct grade_marks *marks;
    struct error *trouble;
    const char *part; /* its text */
    uint64_t spent;   /* instructions of warps */
    int faulty;       /* runs that a fault ended */
    bool over;        /* no more runs make sense */
};

/* Inputs, and outputs at random. false: trouble. */
static bool prepare(struct grading *g, const struct grade_case *of, struct grade_words *words,
                    struct grade_words *expected)
{
    return grade_words_new(of, &g->allocator, words, g->trouble) &&
           grade_words_new(of, &g->allocator, expected, g->trouble) &&
           grade_words_prepare(of, &g->exercise->grading, words, &g->allocator, g->trouble);
}

/* What must come out, of the choices that the part made. false: trouble. */
static bool expect(struct grading *g, const struct grade_case *of, const struct grade_words *words,
                   struct grade_words *expected)
{
    /* A word that neither of the two kernels writes differs. */
    grade_words_random(of->table, expected, true, of->seed + 1);
    grade_words_copy(of->table, expected, words, false);
    grade_words_copy(of->table, expected, words, true);
    return grade_run_teachers(of, &g->exercise->grading, "reference", expected, &g->allocator,
                              g->trouble);
}

/* The first output word that differs. false: there is none. */
static bool first_wrong(const struct grade_table *table, const struct grade_words *words,
                        const struct grade_words *expected, int *array, int *index)
{
    for (*array = 0; *array < table->arrays; ++*array)
        for (*index = 0; table->array[*array].is_output && *index < words->count[*array]; ++*index)
            if (words->word[*array][*index] != expected->word[*array][*index])
                return true;
    return false;
}

static uint64_t count_wrong(const struct grade_table *table, const struct grade_words *words,
                            const struct grade_words *expected)
{
    uint64_t count = 0;
    for (int i = 0; i < table->arrays; i++)
        for (int k = 0; table->array[i].is_output && k < words->count[i]; k++)
            count += words->word[i][k] != expected->word[i][k];
    return count;
}

/* Where the word came from, told by one more run. */
static void explain(struct grading *g, const struct grade_case *of, const struct grade_wrong *wrong,
                    char *from, size_t room)
{
    const struct grade_take take = {.exercise = g->exercise,
                                    .allocator = &g->allocator,
                                    .compiled = &g->compiled,
                                    .part = g->part,
                                    .of = *of,
                                    .wrong = *wrong};
    struct trace trace = {.count = 0};
    struct grade_seen seen;
    struct error none = {""};
    grade_take(&take, &trace, &seen, from, room, &none);
    trace_free(&trace);
}

static void miss_word(struct grading *g, const struct grade_case *of, int array, int index,
                      uint32_t got, uint32_t expected)
{
    struct grade_place *place = &g->marks->place;
    const struct grade_wrong wrong = {array, index, got};
    const bool first = !place->known;
    char from[200] = "";
    if (!g->marks->finding[FINDING_RESULT].why[0])
        explain(g, of, &wrong, from, sizeof from);
    judge_miss(&g->judge, FINDING_RESULT, "%s[%d]: got %d, expected %d%s%s",
               of->table->array[array].name, index, (int)got, (int)expected, *from ? ": " : "",
               from);
    if (first && place->known) {
        place->array = array;
        place->index = index;
        place->got = got;
    }
}

static void judge_result(struct grading *g, const struct grade_case *of,
                         const struct grade_outcome *outcome, const struct grade_words *words,
                         const struct grade_words *expected)
{
    int array, index;
    g->marks->finding[FINDING_RESULT].measured = true;
    if (!outcome->good || outcome->why[0])
        judge_miss(&g->judge, FINDING_RESULT, "%s", outcome->why);
    else if (first_wrong(of->table, words, expected, &array, &index))
        miss_word(g, of, array, index, words->word[array][index], expected->word[array][index]);
}

/* Runs the student's kernel. false: this machine is at fault. */
static bool run_kernel(struct grading *g, const struct grade_case *of, bool alters, uint64_t limit,
                       struct grade_words *words, struct grade_outcome *outcome)
{
    struct machine_observer observer;
    g->judge.outcome = outcome;
    judge_begin(&g->judge, of, alters, limit);
    const struct grade_watch watch = judge_watch(&g->judge, &observer);
    grade_run(of, &g->compiled, of->table->kernel, words, &g->allocator, &watch, outcome);
    return g->memory.refused ? error_set(g->trouble, "out of memory for a run") : true;
}

/* A run whose data is altered may go astray, but not for long. That ends no tries: else a kernel that notices
 * could end them itself. */
static uint64_t altered_limit(uint64_t instructions)
{
    return 4 * instructions + 10000;
}

/* The first word of the result that is not an altered one. false: there is none. */
static bool first_kept(const struct grade_case *of, const struct grade_words *words,
                       const struct grade_words *expected, int *array, int *index)
{
    for (*array = 0; *array < of->table->arrays; ++*array)
        for (*index = 0; of->table->array[*array].is_output && *index < words->count[*array];
             ++*index)
            if (words->word[*array][*index] !=
                judge_altered_word(of, expected->word[*array][*index]))
                return true;
    return false;
}

/* How the result of a run with altered words must differ. */
static void judge_followed(struct grading *g, const struct grade_case *of, int finding,
                           const struct grade_words *words, const struct grade_words *expected)
{
    const uint64_t wrong = count_wrong(of->table, words, expected), altered = g->judge.altered;
    int array, index;
    if (of->table->follow == GRADE_FOLLOW_MOVED) {
        if (first_kept(of, words, expected, &array, &index))
            judge_miss(&g->judge, finding, "%s[%d] was not read there",
                       of->table->array[array].name, index);
    } else if (wrong < (of->table->follow == GRADE_FOLLOW_EACH ? altered : 1)) {
        judge_miss(
            &g->judge, finding,
            "%llu words that the kernel read were altered, and %llu words of the result changed",
            (unsigned long long)altered, (unsigned long long)wrong);
    }
}

/* Once more, with words altered that are read in shared memory. They must show in the result. */
static bool judge_altered(struct grading *g, const struct grade_case *of, uint64_t instructions,
                          struct grade_words *words, const struct grade_words *expected)
{
    const int finding = g->marks->findings - 1;
    struct grade_outcome outcome = {.good = false};
    grade_words_random(of->table, words, true, ~of->seed);
    if (!run_kernel(g, of, true, altered_limit(instructions), words, &outcome))
        return false;
    g->marks->finding[finding].measured = true;
    if (!g->judge.altered)
        judge_miss(&g->judge, finding, "nothing is read that was stored in shared memory");
    else if (outcome.good)
        judge_followed(g, of, finding, words, expected);
    else if (of->table->follow != GRADE_FOLLOW_SOME)
        judge_miss(&g->judge, finding, "%s", outcome.why);
    if (outcome.good && of->table->follow == GRADE_FOLLOW_MOVED)
        judge_end(&g->judge);
    return true;
}

/* Whether more runs make sense is told by runs that are not altered, with a reason. */
static void note_cost(struct grading *g, const struct grade_outcome *outcome)
{
    g->spent += outcome->instructions;
    if (g->spent > GRADE_ALL)
        judge_miss(&g->judge, FINDING_RESULT,
                   "all runs together take more than %d instructions of warps", GRADE_ALL);
    g->faulty += !outcome->good;
    g->over = !outcome->began || outcome->endless || g->faulty == FAULTY || g->spent > GRADE_ALL;
}

static bool judge_case(struct grading *g, const struct grade_case *of, struct grade_words *words,
                       struct grade_words *expected)
{
    struct grade_outcome outcome = {.good = false};
    if (!run_kernel(g, of, false, GRADE_INSTRUCTIONS, words, &outcome) ||
        (outcome.good && !expect(g, of, words, expected)))
        return false;
    g->marks->runs++;
    judge_result(g, of, &outcome, words, expected);
    note_cost(g, &outcome);
    if (!outcome.good)
        return true;
    judge_end(&g->judge);
    return of->table->follow == GRADE_FOLLOW_NOT ||
           judge_altered(g, of, outcome.instructions, words, expected);
}

static bool try_case(struct grading *g, const struct grade_case *of)
{
    struct grade_words words = {.allocator = NULL}, expected = {.allocator = NULL};
    const bool good = prepare(g, of, &words, &expected) && judge_case(g, of, &words, &expected);
    if (words.allocator)
        grade_words_free(&words);
    if (expected.allocator)
        grade_words_free(&expected);
    return good;
}

static int draw_between(uint64_t *random, int lowest, int highest, int choices)
{
    if (highest - lowest >= choices)
        highest = lowest + choices - 1;
    return lowest + (int)(grade_random(random) % (uint64_t)(highest - lowest + 1));
}

/* Parameters at random: few enough threads for a run of milliseconds. u, the threads, is a multiple of w. */
static void draw(const struct grade_table *table, uint64_t *random, struct grade_case *of)
{
    enum { LANES = 32, WARPS = 4, BLOCKS = 2, OTHERS = 40 };
    const int w = grade_parameter(table, "w"), u = grade_parameter(table, "u");
    for (int i = 0; i < table->parameters; i++) {
        const struct grade_parameter *p = &table->parameter[i];
        const int choices = i == w ? LANES : !strcmp(p->name, "blocks") ? BLOCKS : OTHERS;
        of->value[i] = draw_between(random, p->lowest, p->highest, choices);
    }
    if (u >= 0 && w >= 0)
        of->value[u] = of->value[w] * draw_between(random, 1, WARPS, WARPS);
    of->seed = grade_random(random) % 1000000;
}

static bool run_tries(struct grading *g, uint64_t seed)
{
    const struct grade_table *table = &g->exercise->table;
    struct grade_case of = {.table = table};
    for (int t = 0; t < table->tries; t++)
        for (of.seed = 1; of.seed <= (uint64_t)table->inputs && !g->over; of.seed++) {
            memcpy(of.value, table->try_value[t], sizeof of.value);
            if (!grade_case_fits(&of))
                return error_set(g->trouble,
                                 "the exercise's try %d: its line 'where' forbids it, or there is "
                                 "no launch of that size",
                                 t + 1);
            if (!try_case(g, &of))
                return false;
        }
    for (int i = 0, drawn = 0; i < PATIENCE && drawn < DRAWS && !g->over; i++) {
        draw(table, &seed, &of);
        if (!grade_case_fits(&of))
            continue;
        if (!try_case(g, &of))
            return false;
        drawn++;
    }
    return true;
}

/* The exercise with the part behind it. false: this machine is at fault; errors of the part are messages. */
static bool compile_part(struct grading *g, const struct grade_text *part)
{
    const struct grade_exercise *exercise = g->exercise;
    g->marks->compiled = grade_compile(&g->allocator, &exercise->source.before, part, &g->compiled);
    take_messages(&g->compiled, g->marks);
    return g->memory.refused ? error_set(g->trouble, "out of memory for compiling") : true;
}

static bool mark_source(const struct grade_exercise *exercise, const struct grade_source *source,
                        uint64_t seed, struct grade_marks *marks, struct error *trouble)
{
    struct grading g = {.exercise = exercise, .marks = marks, .trouble = trouble};
    struct grade_text part = {NULL, 0};
    g.memory = (struct grade_memory){.from = exercise->allocator, .most = GRADE_MEMORY};
    g.allocator = grade_allocator(&g.memory);
    g.judge = (struct judge){.marks = marks, .allocator = &g.allocator};
    *marks = (struct grade_marks){.runs = 0};
    judge_findings(&exercise->table, marks);
    char *text = grade_placed(&g.allocator, source, &part.length);
    part.text = g.part = text;
    bool good = text ? compile_part(&g, &part) : error_set(trouble, "out of memory for the part");
    if (good && marks->compiled)
        good = run_tries(&g, seed);
    judge_free(&g.judge);
    kernelc_free(&g.compiled);
    if (text)
        g.allocator.resize(g.allocator.context, text, part.length + 1, 0);
    return good;
}

static void give_points(const struct grade_exercise *exercise, struct grade_marks *marks)
{
    bool spoilt = !marks->compiled;
    for (int i = 0; i < marks->findings; i++) {
        struct grade_finding *finding = &marks->finding[i];
        finding->points = !exercise->given_met[i];
        marks->most += finding->points;
        marks->points += finding->points && grade_met(marks, i);
        spoilt = spoilt || (!finding->points && !grade_met(marks, i));
    }
    if (spoilt)
        marks->points = 0;
}

bool grade_hand_in(const struct grade_exercise *exercise, const struct grade_text *source,
                   uint64_t seed, struct grade_marks *marks, struct error *trouble)
{
    struct grade_source split;
    if (!grade_split(source, &split, trouble) ||
        !mark_source(exercise, &split, seed, marks, trouble))
        return false;
    give_points(exercise, marks);
    return true;
}

/* ---- exercises ------------------------------------------------------------------------------------------ */

static bool says(const struct kernelc_result *compiled, const char *of, struct error *error)
{
    if (compiled->ptx)
        return true;
    const struct kernelc_message *message = &compiled->message[0];
    return error_set(error, "the exercise's %s: line %d: %s", of, message->line, message->text);
}

/* The part as handed out: what it meets brings no points. */
static bool try_given(struct grade_exercise *exercise, struct error *error)
{
    struct grade_marks *marks =
        exercise->allocator->resize(exercise->allocator->context, NULL, 0, sizeof *marks);
    if (!marks)
        return error_set(error, "out of memory for marks");
    bool good = mark_source(exercise, &exercise->source, 1, marks, error);
    if (good && !marks->compiled)
        good = error_set(error, "the exercise: line %d: %s", marks->message[0].line,
                         marks->message[0].text);
    if (good && !grade_met(marks, FINDING_RESULT))
        good = error_set(error, "the exercise as it is handed out: %s", marks->finding[0].why);
    for (int i = 0; i < marks->findings; i++)
        exercise->given_met[i] = grade_met(marks, i);
    exercise->allocator->resize(exercise->allocator->context, marks, sizeof *marks, 0);
    return good;
}

struct grade_exercise *grade_exercise_new(const struct allocator *allocator,
                                          const struct grade_texts *texts, struct error *error)
{
    struct grade_exercise *exercise =
        allocator->resize(allocator->context, NULL, 0, sizeof *exercise);
    if (!exercise) {
        error_set(error, "out of memory for an exercise");
        return NULL;
    }
    *exercise = (struct grade_exercise){.allocator = allocator, .texts = *texts};
    if (grade_table_read(&texts->table, &exercise->table, error) &&
        grade_split(&texts->exercise, &exercise->source, error) &&
        (grade_compile(allocator, &texts->grading, NULL, &exercise->grading),
         says(&exercise->grading, "grading", error)) &&
        try_given(exercise, error))
        return exercise;
    grade_exercise_free(exercise);
    return NULL;
}

void grade_exercise_free(struct grade_exercise *exercise)
{
    const struct allocator *allocator = exercise->allocator;
    kernelc_free(&exercise->grading);
    allocator->resize(allocator->context, exercise, sizeof *exercise, 0);
}
