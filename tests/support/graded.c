/* graded.c - an exercise with a part, as the kernel compiler and as another compiler translate it. For
 * tests/compare-small.
 *
 *     graded LESSON PART         prints the exercise with the part behind it, for another compiler
 *     graded LESSON PART PTX     runs the exercise's tries with both, and prints
 *                                runs, runs that ended otherwise, words, words that differ, lines that access memory,
 *                                and of those: alike, with more accesses by this compiler, with fewer
 *
 * Lines are told apart by what they do: load from shared memory, store to global memory, ... The words of a run
 * that has a fault are not compared. A line for each difference goes to the standard error.
 */
#include "base/memory.h"
#include "grade/exercise.h"
#include "system/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINES = 2000, KINDS = 32, TEXT = 1 << 22 };

/* Of each line of the exercise [0] and of the part [1]. */
struct count {
    uint64_t instructions, passes;
};
struct seen {
    const struct grade_case *of;
    const struct machine_module *module;
    const struct machine_kernel *kernel;
    struct grade_outcome *outcome;
    struct count count[2][LINES][2][KINDS];
};

static char *read_text(const char *path, size_t *length)
{
    struct error error = {""};
    char *text = file_read(path, TEXT, length, &error);
    if (!text) {
        fprintf(stderr, "graded: %s\n", error.text);
        exit(2);
    }
    return text;
}

static bool is_named(const char *path, const char *name)
{
    const size_t length = strlen(path), own = strlen(name);
    return length >= own && !strcmp(path + length - own, name);
}

static struct count *count_of(struct seen *seen, const struct machine_access *access)
{
    struct machine_access_facts facts;
    machine_kernel_access(seen->kernel, access->access, &facts);
    for (int site = facts.site; site >= 0;) {
        struct machine_site at;
        machine_module_site(seen->module, site, &at);
        const bool in_part = is_named(at.file, GRADE_PART_FILE);
        if ((in_part || is_named(at.file, GRADE_EXERCISE_FILE)) && at.line < LINES)
            return &seen->count[in_part][at.line][access->global][access->op];
        site = at.inlined_at;
    }
    return &seen->count[0][0][access->global][access->op];
}

static bool on_begin(void *context, struct machine_module *module, struct machine_kernel *kernel)
{
    struct seen *seen = context;
    seen->module = module;
    seen->kernel = kernel;
    return true;
}

static void on_fault(void *context, const struct machine_fault *fault)
{
    const struct seen *seen = context;
    grade_tell_fault(seen->outcome, seen->module, fault);
}

static void on_access(void *context, const struct machine_access *access)
{
    struct seen *seen = context;
    const int lanes = grade_case_warp(seen->of);
    const struct trace_header header = {.banks = lanes, .bank_bytes = 4, .warp = lanes};
    struct count *count = count_of(seen, access);
    uint8_t lane[MACHINE_LANES];
    uint32_t address[MACHINE_LANES];
    struct warp_access shared = {
        .op = access->op, .bytes = access->bytes, .lane = lane, .addr = address, .site = -1};
    struct bank_cost cost = {.passes = 0};
    if (!access->mask)
        return;
    for (uint64_t mask = access->mask; mask; mask &= mask - 1, shared.lanes++) {
        lane[shared.lanes] = (uint8_t)__builtin_ctzll(mask);
        address[shared.lanes] = (uint32_t)access->address[lane[shared.lanes]];
    }
    if (!access->global)
        bank_model_cost(&header, &shared, &cost);
    count->instructions++;
    count->passes += (uint64_t)cost.passes;
}

struct sums {
    int runs, otherwise, lines, alike, more, fewer;
    uint64_t words, wrong;
};

static bool run(const struct grade_exercise *exercise, const struct grade_case *of,
                const struct kernelc_result *code, struct grade_words *words, struct seen *seen,
                struct grade_outcome *outcome)
{
    struct error error = {""};
    const struct machine_observer observer = {
        .context = seen, .fault = on_fault, .access = on_access};
    const struct grade_watch watch = {.observer = &observer,
                                      .begin = on_begin,
                                      .context = seen,
                                      .check = true,
                                      .limit = GRADE_INSTRUCTIONS};
    seen->of = of;
    seen->outcome = outcome;
    if (!grade_words_new(of, &heap_allocator, words, &error) ||
        !grade_words_prepare(of, &exercise->grading, words, &heap_allocator, &error)) {
        fprintf(stderr, "graded: %s\n", error.text);
        return false;
    }
    grade_run(of, code, of->table->kernel, words, &heap_allocator, &watch, outcome);
    return true;
}

static void compare_words(const struct grade_case *of, const struct grade_words *a,
                          const struct grade_words *b, struct sums *sums)
{
    for (int i = 0; i < of->table->arrays; i++)
        for (int k = 0; of->table->array[i].is_output && k < a->count[i]; k++) {
            sums->words++;
            sums->wrong += a->word[i][k] != b->word[i][k];
        }
}

/* The kind before the first blank or ':' says whether both are the same fault. */
static bool end_alike(const struct grade_outcome *a, const struct grade_outcome *b)
{
    const size_t kind = strcspn(a->why, ": ");
    return a->good == b->good && a->endless == b->endless && kind == strcspn(b->why, ": ") &&
           !strncmp(a->why, b->why, kind);
}

static bool try_both(const struct grade_exercise *exercise, const struct grade_case *of,
                     const struct kernelc_result *code, struct seen *seen, struct sums *sums)
{
    struct grade_words words[2];
    struct grade_outcome outcome[2];
    char text[120];
    bool good = true;
    for (int i = 0; i < 2 && good; i++)
        good = run(exercise, of, &code[i], &words[i], &seen[i], &outcome[i]);
    if (!good)
        return false;
    sums->runs++;
    grade_case_show(of, text, sizeof text);
    if (!end_alike(&outcome[0], &outcome[1])) {
        sums->otherwise++;
        fprintf(stderr, "%s: ends with '%s', and the other's with '%s'\n", text, outcome[0].why,
                outcome[1].why);
    }
    if (!outcome[0].why[0] && !outcome[1].why[0])
        compare_words(of, &words[0], &words[1], sums);
    grade_words_free(&words[0]);
    grade_words_free(&words[1]);
    return true;
}

static void compare_lines(const struct seen *seen, struct sums *sums)
{
    for (int i = 0; i < 2 * LINES * 2 * KINDS; i++) {
        const int part = i / KINDS / 2 / LINES, line = i / KINDS / 2 % LINES,
                  global = i / KINDS % 2, op = i % KINDS;
        const struct count *a = &seen[0].count[part][line][global][op],
                           *b = &seen[1].count[part][line][global][op];
        if (!a->instructions && !b->instructions)
            continue;
        sums->lines++;
        if (a->instructions == b->instructions && a->passes == b->passes) {
            sums->alike++;
            continue;
        }
        const bool more = a->instructions > b->instructions;
        sums->more += more;
        sums->fewer += !more;
        fprintf(stderr, "%s:%d: %s of %s memory: %llu instructions, %llu passes (%llu, %llu)\n",
                part ? GRADE_PART_FILE : GRADE_EXERCISE_FILE, line, op_name((enum op)op),
                global ? "global" : "shared", (unsigned long long)a->instructions,
                (unsigned long long)a->passes, (unsigned long long)b->instructions,
                (unsigned long long)b->passes);
    }
}

static int compare(const struct grade_exercise *exercise, const struct grade_text *part,
                   const char *path)
{
    const struct grade_table *table = &exercise->table;
    struct grade_case of = {.table = table};
    struct sums sums = {0};
    struct kernelc_result code[2];
    static struct seen seen[2];
    const struct grade_source source = {{NULL, 0}, *part, 2};
    struct grade_text placed = {NULL, 0};
    char *text = grade_placed(&heap_allocator, &source, &placed.length);
    placed.text = text;
    if (!text || !grade_compile(&heap_allocator, &exercise->source.before, &placed, &code[0])) {
        fprintf(stderr, "graded: line %d: %s\n", code[0].message[0].line, code[0].message[0].text);
        return 3;
    }
    code[1] = code[0];
    code[1].ptx = read_text(path, &code[1].length);
    for (int t = 0; t < table->tries; t++)
        for (of.seed = 1; of.seed <= (uint64_t)table->inputs; of.seed++) {
            memcpy(of.value, table->try_value[t], sizeof of.value);
            if (!try_both(exercise, &of, code, seen, &sums))
                return 2;
        }
    compare_lines(seen, &sums);
    printf("%d\t%d\t%llu\t%llu\t%d\t%d\t%d\t%d\n", sums.runs, sums.otherwise,
           (unsigned long long)sums.words, (unsigned long long)sums.wrong, sums.lines, sums.alike,
           sums.more, sums.fewer);
    free(code[1].ptx);
    kernelc_free(&code[0]);
    free(text);
    return 0;
}

int main(int count, char **word)
{
    static const char *const names[] = {"exercise.txt", "exercise.cu", "grading.cu"};
    struct grade_text text[3], part;
    struct error error = {""};
    char *owned[4];
    if (count < 3) {
        fprintf(stderr, "usage: graded LESSON PART [PTX]\n");
        return 2;
    }
    for (int i = 0; i < 3; i++) {
        char path[300];
        snprintf(path, sizeof path, "lessons/%s/%s", word[1], names[i]);
        text[i].text = owned[i] = read_text(path, &text[i].length);
    }
    part.text = owned[3] = read_text(word[2], &part.length);
    const struct grade_texts texts = {text[0], text[1], text[2]};
    struct grade_exercise *exercise = grade_exercise_new(&heap_allocator, &texts, &error);
    if (!exercise) {
        fprintf(stderr, "graded: %s\n", error.text);
        return 2;
    }
    int status = 0;
    if (count > 3)
        status = compare(exercise, &part, word[3]);
    else
        printf("#line 1 \"" GRADE_EXERCISE_FILE "\"\n%.*s\n#line 2 \"" GRADE_PART_FILE "\"\n%.*s\n",
               (int)exercise->source.before.length, exercise->source.before.text, (int)part.length,
               part.text);
    grade_exercise_free(exercise);
    for (int i = 0; i < 4; i++)
        free(owned[i]);
    return status;
}
