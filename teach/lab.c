/* lab.c - what a student has measured with a profiler, and what it means.
 *
 *     ask C = one.conflicts(read): l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum
 *     say C > W: More conflicts than wavefronts cannot be ...
 *
 * The numbers are typed, or taken from what `ncu --csv` has written: a line for each launch and metric, whose values
 * are added up. */
#include "system/file.h"
#include "teach/teach.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The value of an expression over the lab's numbers. */
static bool lesson_lab_value(const struct lesson_lab *lab, const int64_t *number,
                             const char *expression, int64_t *value, struct error *error)
{
    struct recording known[MAX_ASKS];
    for (int i = 0; i < lab->asks; i++)
        known[i] = (struct recording){.label = lab->ask[i].name, .number = number[i]};
    return expression_value(expression, known, lab->asks, value, error);
}

/* What the numbers mean: every text whose condition holds. */
static bool say_meaning(const struct lesson_play *play, const struct lesson_block *block,
                        struct lesson_numbers *numbers, struct error *error)
{
    const struct lesson_lab *lab = &block->lab;
    struct recording known[MAX_ASKS];
    struct lesson_play with = *play;
    for (int i = 0; i < lab->asks; i++)
        known[i] = (struct recording){.label = lab->ask[i].name, .number = numbers->number[i]};
    with.recording = known;
    with.count = lab->asks;
    numbers->said[0] = '\0';
    for (int i = 0; i < lab->asks; i++)
        text_add(numbers->said, sizeof numbers->said, "%s%s = %" PRId64, i ? ", " : "",
                 lab->ask[i].name, numbers->number[i]);
    for (int i = 0; i < lab->says; i++) {
        int64_t holds;
        struct error cause = {{0}};
        if (!lesson_lab_value(lab, numbers->number, lab->say[i].condition, &holds, &cause))
            return lesson_at(play->lesson, block, &cause, error);
        char *text = holds ? lesson_fill(&with, block, lab->say[i].text, error) : NULL;
        if (holds && !text)
            return false;
        if (text)
            text_add(numbers->said, sizeof numbers->said, "\n%s", text);
        free(text);
    }
    numbers->given = 0;
    return true;
}

bool lesson_example(const struct lesson_play *play, const struct lesson_block *block,
                    struct lesson_numbers *numbers, struct error *error)
{
    struct error cause = {{0}};
    for (int i = 0; i < block->lab.asks; i++)
        if (!expression_value(block->lab.ask[i].example, play->recording, play->count,
                              &numbers->number[i], &cause))
            return lesson_at(play->lesson, block, &cause, error);
    return say_meaning(play, block, numbers, error);
}

bool lesson_check_lab(const struct lesson_play *play, const struct lesson_block *block,
                      struct error *error)
{
    static const int64_t tried[] = {0, 1, 2, 3, 31, 32, 1000, 65536, 1000000000000};
    enum { TRIED = sizeof tried / sizeof tried[0] };
    struct lesson_numbers *numbers = memory_new(1, sizeof *numbers);
    bool good = true;
    long all = 1;
    for (int i = 0; i < block->lab.asks; i++)
        all *= i < 4 ? TRIED : 1;
    for (long n = 0; good && n < all; n++) {
        long rest = n;
        for (int i = 0; i < block->lab.asks; i++, rest /= TRIED)
            numbers->number[i] = tried[i < 4 ? rest % TRIED : n % TRIED];
        good = say_meaning(play, block, numbers, error);
    }
    free(numbers);
    return good;
}

/* ---- a file of ncu's ------------------------------------------------------------------------- */

enum { MOST_CSV = 64 << 20 /* bytes */, FIELDS = 256 };

/* "1,024", "12.0" */
static bool number_of(const char *text, int64_t *number)
{
    enum { MOST_DIGITS = 15 };
    int digits = 0;
    *number = 0;
    for (; isdigit((unsigned char)*text) || (*text == ',' && digits); text++)
        if (*text != ',')
            *number = 10 * *number + (*text - '0'), digits++;
    if (*text == '.')
        text += 1 + strspn(text + 1, "0");
    return digits && digits <= MOST_DIGITS && !*text;
}

/* The column of that name, or -1. */
static int column(char *const *field, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(field[i], name))
            return i;
    return -1;
}

static bool read_csv(const struct lesson_lab *lab, const char *path, struct lesson_numbers *numbers,
                     struct error *error)
{
    size_t length = 0;
    char *text = file_read(path, MOST_CSV, &length, error), *field[FIELDS];
    bool found[MAX_ASKS] = {false};
    int name = -1, value = -1;
    int64_t number;
    memset(numbers->number, 0, sizeof numbers->number);
    for (char *at = text; at && *at;) {
        const int count = text_record(&at, field, FIELDS),
                  here = column(field, count, "Metric Name");
        if (here >= 0) {
            name = here;
            value = column(field, count, "Metric Value");
        }
        for (int i = 0;
             here < 0 && name >= 0 && value >= 0 && name < count && value < count && i < lab->asks;
             i++)
            if (!strcmp(field[name], lab->ask[i].metric) && number_of(field[value], &number)) {
                numbers->number[i] += number;
                found[i] = true;
            }
    }
    free(text);
    for (int i = 0; i < lab->asks && !error->text[0]; i++)
        if (!found[i])
            error_set(error, "%s has no %s; write it with ncu --csv --metrics ...", path,
                      lab->ask[i].metric);
    return !error->text[0];
}

/* ---- replies ------------------------------------------------------------------------------- */

bool lesson_measured(const struct lesson_play *play, const struct lesson_block *block,
                     struct lesson_numbers *numbers, const char *typed, struct error *error)
{
    const struct lesson_lab *lab = &block->lab;
    struct error cause = {{0}};
    int64_t number;
    typed += strspn(typed, " \t");
    numbers->said[0] = '\0';
    if (tolower((unsigned char)*typed) == 'h' && !typed[1])
        return lesson_example(play, block, numbers, error);
    if (number_of(typed, &number)) {
        numbers->number[numbers->given++] = number;
        return numbers->given < lab->asks || say_meaning(play, block, numbers, error);
    }
    if (!strstr(typed, ".csv"))
        snprintf(
            numbers->said, sizeof numbers->said, "%s",
            lesson_says(play->lesson, "Type a whole number, or the name of a .csv file of ncu's."));
    else if (read_csv(lab, typed, numbers, &cause))
        return say_meaning(play, block, numbers, error);
    else
        snprintf(numbers->said, sizeof numbers->said, "%s", cause.text);
    return true;
}
