/* recorded.c - runs a program that is linked with the runtime, and prints what it told: a row for each launch
 * (kernel, number, launches folded into it, grid, block, outcome; instructions and passes of loads, stores,
 * atomics, matrix loads, matrix stores and asynchronous copies in shared memory; blocks and accesses that are
 * kept), one for each fault; with the word `lines`, one for each access, too. For tests.
 *
 *     recorded [NAME=NUMBER...] [loops=FILE] [lines] PROGRAM [ARGUMENT...]       NAME: jobs, accesses, warp, check, ...
 */
#include "program/records.h"
#include "machine/machine.h"
#include "system/file.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool set(struct records_choice *choice, const char *word)
{
    const struct {
        const char *name;
        uint32_t *small;
        uint64_t *large;
    } names[] = {
        {"jobs=", &choice->jobs, NULL},          {"warp=", &choice->warp, NULL},
        {"check=", &choice->check, NULL},        {"global=", &choice->global, NULL},
        {"values=", &choice->values, NULL},      {"leaks=", &choice->leaks, NULL},
        {"seed=", NULL, &choice->seed},          {"accesses=", NULL, &choice->accesses},
        {"launch=", NULL, &choice->launch},      {"seconds=", NULL, &choice->seconds},
        {"from=", NULL, &choice->first_block},   {"to=", NULL, &choice->last_block},
        {"limit=", NULL, &choice->instructions}, {"count=", &choice->count, NULL},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i].name);
        if (strncmp(word, names[i].name, length))
            continue;
        uint64_t value = strtoull(word + length, NULL, 10);
        if (names[i].small)
            *names[i].small = (uint32_t)value;
        else
            *names[i].large = value;
        return true;
    }
    return false;
}

static int start(struct records *records, char **words)
{
    int status;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        records_export(records);
        execvp(words[0], words);
        _exit(127);
    }
    signal(SIGINT, SIG_IGN);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void print_text(const struct records_taken *taken, struct records_text text)
{
    printf("%.*s", (int)text.length, taken->text + text.at);
}

/* Its place in the program's own .cu file: what stands in a header counts as where it was called. */
static void print_place(const struct records_taken *taken, uint32_t site)
{
    for (; site < taken->sites; site = taken->site[site].inlined_at) {
        const struct records_site *at = &taken->site[site];
        const struct records_text file = at->file;
        const bool own =
            file.length > 3 && !memcmp(taken->text + file.at + file.length - 3, ".cu", 3);
        if (!own && at->inlined_at < taken->sites)
            continue;
        print_text(taken, file);
        printf(":%u", at->line);
        return;
    }
}

/* "line", its place, and what it does: of each access of shared memory that was executed. */
static void print_lines(const struct records_taken *taken, const struct records_launch *launch)
{
    const struct records_kernel *kernel = &taken->kernel[launch->kernel];
    for (uint32_t i = 0; i < launch->counts; i++) {
        const struct records_access *access = &taken->access[kernel->first_access + i];
        const struct records_count *count = &taken->count[launch->first_count + i];
        if (access->global == RECORDS_LOCAL || !count->instructions)
            continue;
        printf("line\t%" PRIu64 "\t", launch->number);
        print_place(taken, access->site);
        printf("\t%s\t%u\t%" PRIu64 "\t%" PRIu64 "\t", op_name((enum op)access->op), access->bytes,
               count->instructions, count->passes);
        print_text(taken, access->text);
        putchar('\n');
    }
}

/* Of global memory: requests, sectors and the least sectors of loads, stores, reductions and atomics; of local
 * memory the instructions. */
static void print_global(const struct records_taken *taken, const struct records_launch *launch)
{
    static const enum op kinds[] = {OP_LOAD, OP_STORE, OP_REDUCTION, OP_ATOMIC};
    const struct records_kernel *kernel = &taken->kernel[launch->kernel];
    struct records_count sum[4] = {{0}};
    uint64_t local = 0;
    for (uint32_t i = 0; i < launch->counts; i++) {
        const struct records_access *access = &taken->access[kernel->first_access + i];
        const struct records_count *count = &taken->count[launch->first_count + i];
        local += access->global == RECORDS_LOCAL ? count->instructions : 0;
        for (int k = 0; k < 4 && access->global == RECORDS_GLOBAL; k++)
            if (kinds[k] == (access->op == OP_ASYNC_LOAD || access->op == OP_ASYNC_LOAD_CG
                                 ? OP_LOAD
                                 : (enum op)access->op)) {
                sum[k].instructions += count->instructions;
                sum[k].passes += count->passes;
                sum[k].conflicts += count->conflicts;
            }
    }
    for (int k = 0; k < 4; k++)
        printf("\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64, sum[k].instructions, sum[k].passes,
               sum[k].passes - sum[k].conflicts);
    printf("\t%" PRIu64, local);
}

static void print_launch(const struct records_taken *taken, const struct records_launch *launch)
{
    static const char *const outcomes[] = {"running", "good", "failed", "refused"};
    const struct records_kernel *kernel = &taken->kernel[launch->kernel];
    static const enum op kinds[] = {OP_LOAD,        OP_STORE,        OP_ATOMIC,
                                    OP_MATRIX_LOAD, OP_MATRIX_STORE, OP_ASYNC_STORE};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    uint64_t instructions[KINDS] = {0}, passes[KINDS] = {0};
    for (uint32_t i = 0; i < launch->counts; i++) {
        const struct records_access *access = &taken->access[kernel->first_access + i];
        const struct records_count *count = &taken->count[launch->first_count + i];
        const enum op op = op_is_atomic((enum op)access->op) ? OP_ATOMIC : (enum op)access->op;
        int kind = 0;
        while (kind < KINDS && kinds[kind] != op)
            kind++;
        if (access->global || kind == KINDS)
            continue;
        instructions[kind] += count->instructions;
        passes[kind] += count->passes;
    }
    print_text(taken, kernel->name);
    printf("\t%" PRIu64 "\t%" PRIu64 "\t%ux%ux%u\t%ux%ux%u\t%s", launch->number, launch->launches,
           launch->grid[0], launch->grid[1], launch->grid[2], launch->block[0], launch->block[1],
           launch->block[2], outcomes[launch->outcome]);
    for (int i = 0; i < KINDS; i++)
        printf("\t%" PRIu64 "\t%" PRIu64, instructions[i], passes[i]);
    printf("\t%" PRIu64 "\t%" PRIu64, launch->kept_blocks, launch->kept_accesses);
    print_global(taken, launch);
    putchar('\n');
}

int main(int count, char **words)
{
    struct error error = {""};
    struct records_taken taken;
    bool lines = false;
    struct records_choice choice = {
        .count = 1, .check = 1, .launch = RECORDS_EVERY, .last_block = RECORDS_EVERY};
    const char *loops = NULL;
    for (; count > 1; words++, count--)
        if (!strncmp(words[1], "loops=", 6))
            loops = words[1] + 6;
        else if (!strcmp(words[1], "lines"))
            lines = true;
        else if (!set(&choice, words[1]))
            break;
    struct records *records = records_new(&choice, NULL, UINT64_C(1) << 28, &error);
    size_t length;
    char *text = loops ? file_read(loops, 1 << 20, &length, &error) : NULL;
    if (records && text)
        records_tell_code(records, text);
    free(text);
    if (count < 2 || !records)
        return fprintf(stderr, "recorded: %s\n", error.text), 2;
    int status = start(records, words + 1);
    if (!records_take(records, &taken, &error))
        return fprintf(stderr, "recorded: %s\n", error.text), 2;
    for (uint64_t i = 0; i < taken.launches; i++)
        if (taken.launch[i].ready) {
            print_launch(&taken, &taken.launch[i]);
            if (lines)
                print_lines(&taken, &taken.launch[i]);
        }
    for (uint64_t i = 0; i < taken.faults; i++)
        if (taken.fault[i].ready)
            printf("fault\t%s\t%" PRIu64 "\t%s\n",
                   taken.fault[i].kind < MACHINE_FAULT_KINDS
                       ? machine_fault_name((enum machine_fault_kind)taken.fault[i].kind)
                       : "host",
                   taken.fault[i].count, taken.fault[i].text);
    printf("status\t%d\n", status);
    records_taken_free(&taken);
    records_free(records);
    return 0;
}
