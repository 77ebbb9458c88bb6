/* report.c - writes what happened into the file that the bankscope process made (program/records.h).
 *
 * Rows are claimed by raising a counter, filled, and then said to be there, so that several processes (a child
 * that forks) can write, and a process that is killed leaves no half row. Without a file, faults go to
 * standard error and nothing else is told.
 */
#define _GNU_SOURCE
#include "program/runtime/report.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    SHAPES = 1 << 16, /* rows of folded launches; beyond them a kernel has one */
    SHAPE_SLOTS = 4 * SHAPES
};

static struct {
    pthread_mutex_t lock;
    struct records_head *head; /* the mapping; NULL: there is no bankscope process */
    struct records_choice choice;
    uint32_t *shape;  /* rows of folded launches from 1, by their kernels and shapes; 0: free */
    uint64_t shapes;  /* rows that are in it */
    pid_t process_id; /* that `process` is the number of; 0: of none */
    uint32_t process;
} file = {.lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP,
          .choice = {.launch = RECORDS_EVERY, .last_block = RECORDS_EVERY}};

/* ---- the file ---------------------------------------------------------------------------------- */

static bool is_sound(const struct records_head *head, uint64_t bytes)
{
    if (head->magic != RECORDS_MAGIC || head->format != RECORDS_FORMAT || head->bytes != bytes)
        return false;
    for (int i = 0; i < RECORDS_TABLES; i++)
        if (head->table[i].at > bytes ||
            head->table[i].room > (bytes - head->table[i].at) / records_row_bytes(i))
            return false;
    return true;
}

void runtime_attach(void)
{
    const char *name = getenv(RECORDS_FILE);
    struct stat status;
    if (!name || !*name)
        return;
    int descriptor = open(name, O_RDWR | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &status) ||
        (size_t)status.st_size < sizeof *file.head) {
        if (descriptor >= 0)
            close(descriptor);
        fprintf(stderr, "bankscope: the run that records has ended, or its /proc cannot be seen "
                        "from here, so nothing of this process is recorded\n");
        return;
    }
    size_t bytes = (size_t)status.st_size;
    void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, descriptor, 0);
    close(descriptor);
    if (at == MAP_FAILED) {
        fprintf(stderr, "bankscope: cannot map %zu MB, so nothing is recorded (ulimit -v?)\n",
                bytes >> 20);
        return;
    }
    if (!is_sound(at, bytes)) {
        fprintf(stderr, "bankscope: this program was linked with another version of bankscope's "
                        "runtime, so nothing is recorded; build it anew\n");
        munmap(at, bytes);
        return;
    }
    file.head = at;
    file.choice = file.head->choice;
    file.choice.device[RECORDS_DEVICE_NAME - 1] = '\0';
    __atomic_store_n(&file.head->attached, 1, __ATOMIC_RELAXED);
}

const struct records_choice *runtime_choice(void)
{
    return &file.choice;
}

bool runtime_is_recorded(void)
{
    return file.head;
}

const char *report_text_at(struct records_text text)
{
    return (const char *)file.head + file.head->table[RECORDS_TABLE_TEXT].at + text.at;
}

void *runtime_claim(enum records_tables which, uint64_t count, uint64_t *first)
{
    if (!file.head)
        return NULL;
    struct records_table *table = &file.head->table[which];
    uint64_t used = __atomic_load_n(&table->used, __ATOMIC_RELAXED);
    do {
        if (used > table->room || count > table->room - used) {
            __atomic_fetch_add(&table->lost, count, __ATOMIC_RELAXED);
            return NULL;
        }
    } while (!__atomic_compare_exchange_n(&table->used, &used, used + count, false,
                                          __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
    *first = used;
    return (char *)file.head + table->at + used * records_row_bytes(which);
}

void report_publish(uint32_t *ready)
{
    __atomic_store_n(ready, 1, __ATOMIC_RELEASE);
}

/* ---- launches --------------------------------------------------------------------------------------- */

static struct records_launch *launch_row(uint64_t row)
{
    return (struct records_launch *)(void *)((char *)file.head +
                                             file.head->table[RECORDS_TABLE_LAUNCHES].at) +
           row;
}

static uint64_t hash_shape(uint32_t kernel, const uint32_t grid[3], const uint32_t block[3],
                           uint32_t shared)
{
    const uint32_t shape[] = {kernel,   grid[0],  grid[1],  grid[2],
                              block[0], block[1], block[2], shared};
    return report_hash((const char *)shape, sizeof shape);
}

/* The slot of the row with this kernel and shape (grid 0: of any), or a free one. */
static uint32_t *shape_slot(const struct records_launch *like)
{
    size_t i = hash_shape(like->kernel, like->grid, like->block, like->dynamic_shared);
    for (i &= SHAPE_SLOTS - 1; file.shape[i]; i = (i + 1) & (SHAPE_SLOTS - 1)) {
        const struct records_launch *row = launch_row(RECORDS_LAUNCHES + file.shape[i] - 1);
        if (row->kernel == like->kernel && row->dynamic_shared == like->dynamic_shared &&
            !memcmp(row->grid, like->grid, sizeof row->grid) &&
            !memcmp(row->block, like->block, sizeof row->block))
            break;
    }
    return &file.shape[i];
}

/* The row that launches of this kernel and shape share, or NULL. Rows that other processes have added meanwhile
 * are found, too. */
static struct records_launch *folded_row(uint32_t kernel, const struct machine_launch *launch,
                                         bool any_shape, uint64_t *at)
{
    const uint64_t used = file.head->table[RECORDS_TABLE_LAUNCHES].used - RECORDS_LAUNCHES;
    struct records_launch like = {.kernel = kernel};
    if (!file.shape)
        file.shape = runtime_new(SHAPE_SLOTS * sizeof *file.shape);
    if (!file.shape)
        return NULL;
    for (; file.shapes < used && file.shapes < SHAPE_SLOTS / 2; file.shapes++) {
        const struct records_launch *row = launch_row(RECORDS_LAUNCHES + file.shapes);
        if (!row->ready)
            break;
        *shape_slot(row) = (uint32_t)file.shapes + 1;
    }
    if (!any_shape) {
        memcpy(like.grid, launch->grid, sizeof like.grid);
        memcpy(like.block, launch->block, sizeof like.block);
        like.dynamic_shared = launch->dynamic_shared;
    }
    const uint32_t found = *shape_slot(&like);
    if (!found)
        return NULL;
    *at = RECORDS_LAUNCHES + found - 1;
    return launch_row(*at);
}

/* The number of this process; one that was forked has its own. */
static uint32_t process_number(void)
{
    if (file.process_id != getpid()) {
        file.process_id = getpid();
        file.process = __atomic_fetch_add(&file.head->processes, 1, __ATOMIC_RELAXED);
    }
    return file.process;
}

/* What a kernel is launched with, as records_launch has it. */
static struct records_text arguments_of(const struct runtime_kernel *kernel,
                                        const struct machine_launch *launch)
{
    char text[1024];
    size_t length = 0;
    if (!file.choice.arguments || !launch->parameters)
        return (struct records_text){0, 0};
    for (int i = 0; i < kernel->facts.parameters; i++) {
        const struct machine_parameter *parameter = &kernel->facts.parameter[i];
        const unsigned char *byte = (const unsigned char *)launch->parameters + parameter->offset;
        if (length + 2 * (size_t)parameter->size + 2 > sizeof text)
            break;
        for (uint32_t k = 0; k < parameter->size; k++, length += 2)
            snprintf(text + length, 3, "%02x", byte[k]);
        text[length++] = ' ';
    }
    return report_text(text, length);
}

static void fill_launch(struct records_launch *row, uint32_t kernel,
                        const struct machine_launch *launch, uint64_t number, bool any_shape)
{
    row->kernel = kernel;
    row->number = number;
    if (!any_shape) {
        memcpy(row->grid, launch->grid, sizeof row->grid);
        memcpy(row->block, launch->block, sizeof row->block);
        row->dynamic_shared = launch->dynamic_shared;
    }
    row->process = process_number();
    row->caller = runtime_caller();
    row->parent = row->parent_site = RECORDS_NOTHING;
}

static void begin_launch(struct runtime_report *report, struct runtime_kernel *kernel,
                         const struct machine_launch *launch)
{
    report->number = __atomic_fetch_add(&file.head->launches, 1, __ATOMIC_RELAXED);
    bool chosen = file.choice.launch == RECORDS_EVERY || file.choice.launch == report->number;
    if (!chosen || !runtime_wants_kernel(kernel))
        return;
    uint32_t of_kernel = report_kernel(kernel);
    uint64_t used = file.head->table[RECORDS_TABLE_LAUNCHES].used, at = 0;
    bool fold = used >= RECORDS_LAUNCHES, any_shape = used >= RECORDS_LAUNCHES + SHAPES;
    if (of_kernel == RECORDS_NOTHING)
        return;
    struct records_launch *row = NULL;
    const struct records_text arguments = arguments_of(kernel, launch);
    if (fold)
        row = folded_row(of_kernel, launch, any_shape, &at);
    report->folded = row;
    if (!row) {
        row = runtime_claim(RECORDS_TABLE_LAUNCHES, 1, &at);
        if (!row)
            return;
        fill_launch(row, of_kernel, launch, report->number, any_shape);
        row->arguments = arguments;
    }
    if (arguments.at != row->arguments.at)
        row->arguments.length = 0;
    report->row = (uint32_t)at;
    report->live = row;
    report->counted = file.choice.count || file.choice.check;
    row->launches++;
    row->blocks += (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    report_publish(&row->ready);
    __atomic_store_n(&file.head->current, at + 1, __ATOMIC_RELEASE);
}

void runtime_report_begin(struct runtime_report *report, struct runtime_kernel *kernel,
                          const struct machine_launch *launch)
{
    *report = (struct runtime_report){.row = RECORDS_NOTHING};
    if (!file.head)
        return;
    pthread_mutex_lock(&file.lock);
    begin_launch(report, kernel, launch);
    pthread_mutex_unlock(&file.lock);
}

void runtime_report_parent(struct runtime_report *report, struct runtime_kernel *parent, int site)
{
    struct records_launch *row = report->live;
    if (!row || !parent || report->folded)
        return;
    pthread_mutex_lock(&file.lock);
    row->parent = report_kernel(parent);
    report_sites(parent->module); /* of a module that was loaded anew */
    row->parent_site = runtime_report_site(parent, site);
    pthread_mutex_unlock(&file.lock);
}

static struct records_count *counts_at(uint64_t first)
{
    return (struct records_count *)(void *)((char *)file.head +
                                            file.head->table[RECORDS_TABLE_COUNTS].at) +
           first;
}

/* Adds what is more than was told before. */
static void add_count(struct records_count *to, const struct machine_count *now,
                      const struct machine_count *told)
{
    if (now->instructions) {
        to->low = to->instructions && to->low < now->low ? to->low : now->low;
        to->high = to->high > now->high ? to->high : now->high;
    }
    to->instructions += now->instructions - told->instructions;
    to->lanes += now->lanes - told->lanes;
    to->passes += now->passes - told->passes;
    to->conflicts += now->conflicts - told->conflicts;
    to->estimates += now->estimates - told->estimates;
    to->chances += now->chances - told->chances;
    to->max_ways = now->max_ways > to->max_ways ? now->max_ways : to->max_ways;
}

static void add_counts(struct runtime_report *report, const struct machine_outcome *outcome)
{
    static const struct machine_count none = {0};
    struct records_launch *row = report->live;
    uint64_t first;
    uint32_t count = (uint32_t)outcome->counts;
    if (!row->counts && runtime_claim(RECORDS_TABLE_COUNTS, count, &first)) {
        row->first_count = first;
        __atomic_store_n(&row->counts, count, __ATOMIC_RELEASE);
    }
    struct records_count *to = counts_at(row->first_count);
    for (uint32_t i = 0; i < count && row->counts == count; i++)
        add_count(&to[i], &outcome->count[i], report->known ? &report->known[i] : &none);
}

static void add_outcome(struct runtime_report *report, const struct machine_outcome *outcome)
{
    if (outcome->count && outcome->counts > 0)
        add_counts(report, outcome);
    report->live->instructions += outcome->instructions - report->known_instructions;
}

void runtime_report_progress(struct runtime_report *report, const struct machine_outcome *outcome)
{
    const size_t bytes = (size_t)outcome->counts * sizeof *report->known;
    if (!report->live)
        return;
    add_outcome(report, outcome);
    if (!report->known)
        report->known = runtime_new(bytes);
    if (!report->known)
        return;
    if (outcome->count)
        memcpy(report->known, outcome->count, bytes);
    report->known_instructions = outcome->instructions;
}

void runtime_report_end(struct runtime_report *report, const struct machine_outcome *outcome,
                        enum records_outcome how, cudaError_t error)
{
    struct records_launch *row = report->live;
    if (!row)
        return;
    if (outcome) {
        add_outcome(report, outcome);
        row->partly_checked += outcome->partly_checked;
    }
    runtime_delete(report->known);
    if (!report->folded || how != RECORDS_GOOD) { /* of many launches one that failed is told of */
        row->outcome = (uint32_t)how;
        row->error = (uint32_t)error;
    }
    __atomic_store_n(&file.head->current, 0, __ATOMIC_RELEASE);
}

/* ---- faults ------------------------------------------------------------------------------------------- */

static bool same_fault(const struct records_fault *a, const struct records_fault *b)
{
    return a->kind == b->kind && a->kernel == b->kernel && a->site == b->site &&
           a->other_site == b->other_site && a->caller == b->caller &&
           a->outer_caller == b->outer_caller &&
           (a->site != RECORDS_NOTHING || !strcmp(a->text, b->text));
}

/* Counts it where it is known, or adds a row. */
static struct records_fault *add_fault(const struct records_fault *fault)
{
    uint64_t used = file.head->table[RECORDS_TABLE_FAULTS].used, first;
    struct records_fault *row =
        (void *)((char *)file.head + file.head->table[RECORDS_TABLE_FAULTS].at);
    for (uint64_t i = 0; i < used; i++)
        if (row[i].ready && same_fault(&row[i], fault)) {
            __atomic_fetch_add(&row[i].count, fault->count, __ATOMIC_RELAXED);
            return &row[i];
        }
    row = runtime_claim(RECORDS_TABLE_FAULTS, 1, &first);
    if (!row)
        return NULL;
    *row = *fault;
    report_publish(&row->ready);
    return row;
}

static void copy_line(char *to, size_t room, const char *from)
{
    size_t length = strnlen(from, room - 1);
    memcpy(to, from, length);
    to[length] = '\0';
}

void runtime_report_fault(struct runtime_kernel *kernel, uint64_t launch, uint32_t kind,
                          const struct machine_fault *fault)
{
    if (!file.head) {
        fprintf(stderr, "bankscope: kernel %s: %s\n", kernel->name, fault->text);
        return;
    }
    pthread_mutex_lock(&file.lock);
    struct records_fault row = {.kind = kind,
                                .kernel = report_kernel(kernel),
                                .launch = launch,
                                .count = fault->count ? fault->count : 1,
                                .caller = kind == MACHINE_FAULT_TRAP ? runtime_caller() : 0};
    report_sites(kernel->module);
    row.site = runtime_report_site(kernel, fault->site);
    row.other_site = runtime_report_site(kernel, fault->other_site);
    memcpy(row.block, fault->block, sizeof row.block);
    memcpy(row.thread, fault->thread, sizeof row.thread);
    copy_line(row.text, sizeof row.text, fault->text);
    add_fault(&row);
    pthread_mutex_unlock(&file.lock);
}

struct records_fault *runtime_report_line(uint32_t kind, struct runtime_kernel *kernel,
                                          const char *format, ...)
{
    struct records_fault row = {.kind = kind,
                                .kernel = RECORDS_NOTHING,
                                .site = RECORDS_NOTHING,
                                .other_site = RECORDS_NOTHING,
                                .launch = RECORDS_EVERY,
                                .count = 1,
                                .caller = runtime_caller(),
                                .outer_caller = runtime_outer_caller()};
    va_list list;
    va_start(list, format);
    vsnprintf(row.text, sizeof row.text, format, list);
    va_end(list);
    if (!file.head) {
        fprintf(stderr, "bankscope: %s\n", row.text);
        return NULL;
    }
    pthread_mutex_lock(&file.lock);
    if (kernel && kernel->kernel)
        row.kernel = report_kernel(kernel);
    struct records_fault *added = add_fault(&row);
    pthread_mutex_unlock(&file.lock);
    return added;
}
