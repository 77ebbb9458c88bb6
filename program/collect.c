/* collect.c - runs a program on a GPU, with the recorder in each of its processes (inject/), and reads their records.
 *
 * What comes through a ring is only as trustworthy as the program that writes it, so every record is
 * checked before a sink sees it. What was written is read to its end, however the program ended. A launch is read
 * whole before one of another process is; what the sinks get is in no particular order otherwise.
 */
#define _GNU_SOURCE /* SYS_pidfd_open */
#include "program/program.h"
#include "program/ring.h"
#include "system/process.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    const char *executable;
    char *const *words;
    const struct program_choice *choice;
    const struct rings_reader *rings;
};

static int become(void *context, void *shared)
{
    const struct child *child = context;
    const struct program_choice *choice = child->choice;
    (void)shared;
    rings_export(child->rings);
    const struct {
        const char *name, *value;
    } variables[] = {{RECORDS_KERNEL, choice->kernel},
                     {RECORDS_LAUNCH, choice->launch},
                     {RECORDS_BLOCKS, choice->blocks},
                     {RECORDS_MEMORY, choice->memory == MEMORY_SHARED ? NULL
                                      : choice->memory == MEMORY_ALL  ? "all"
                                                                      : "global"},
                     {RECORDS_CUBINS, choice->cubins},
                     {"CUDA_INJECTION64_PATH", choice->inject}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (variables[i].value)
            setenv(variables[i].name, variables[i].value, 1);
        else
            unsetenv(variables[i].name);
    if (choice->output_apart)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    execvp(child->executable, child->words);
    return 127;
}

/* ---- records --------------------------------------------------------------------------------- */

/* What one process writes. */
struct writer {
    struct ring_reader ring;
    int number, system; /* system: the system's descriptor of the process; -1: none */
    bool ended;         /* the process has, so that nothing comes any more */
    bool started, exited;
    uint64_t launches; /* that were read */
    char *buffer;
    size_t used;
};

enum { BUFFER = 1 << 20 };

struct reading {
    const struct program_sink *sink;
    struct error *error;
    struct rings_reader rings;
    struct writer **writer; /* of processes that have not ended */
    size_t writers, room;
    int claimed;         /* rings that were seen */
    struct writer *from; /* whose record is read */
    bool started, in_launch, in_block;
    uint64_t launch;            /* the number of the last one */
    enum program_memory memory; /* accesses to other memory are left out */
    pid_t program;
    int status; /* of the program, if it has ended */
    struct program_exit end;
};

static bool amiss(struct reading *reading, const char *what)
{
    return error_set(reading->error,
                     "the program's records are damaged (%s): does it write to memory that is not "
                     "its own?",
                     what);
}

#define HAND_OVER(function, ...)                                                                   \
    (!reading->sink->function ||                                                                   \
     reading->sink->function(reading->sink->context, __VA_ARGS__, reading->error))

/* A place in the code of one process, of which each has its own addresses; 0 stays: it is not known. */
static uint64_t place_of(const struct reading *reading, uint64_t pc)
{
    enum { BITS = 51 /* above them are the ring's number and the kind of the place (lines.c) */ };
    _Static_assert(RINGS <= 1 << (61 - BITS), "the bits are enough");
    return pc ? (uint64_t)reading->from->number << BITS | (pc & ((UINT64_C(1) << BITS) - 1)) : 0;
}

static bool is_width(int bytes)
{
    return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

/* The lanes of a mask, ascending. Returns how many. */
static int lanes_of(uint32_t mask, uint8_t lane[RECORD_WARP])
{
    int lanes = 0;
    for (int i = 0; i < RECORD_WARP; i++)
        if (mask >> i & 1)
            lane[lanes++] = (uint8_t)i;
    return lanes;
}

_Static_assert(offsetof(struct record_access, addr) == offsetof(struct record_global, addr) &&
                   sizeof(struct record_access) < sizeof(struct record_global),
               "a record of either kind begins as the other");

static bool is_operation(uint8_t operation, bool global)
{
    return global ? operation == OP_LOAD || operation == OP_STORE || operation == OP_ATOMIC ||
                        operation == OP_ASYNC_LOAD
                  : operation < OPS;
}

/* An access to shared memory, or to global memory, whose record has addresses of 8 bytes. */
static bool read_access(struct reading *reading, const char *data, size_t bytes, bool global)
{
    struct record_global from;
    uint8_t lane[RECORD_WARP];
    uint32_t addr[RECORD_WARP];
    const size_t head = offsetof(struct record_global, addr);
    const size_t each = global ? sizeof from.addr[0] : sizeof addr[0];
    if (bytes < head)
        return amiss(reading, "a short access");
    memcpy(&from, data, head);
    const int lanes = lanes_of(from.mask, lane);
    if (!lanes || bytes != head + (size_t)lanes * each || !is_operation(from.operation, global) ||
        !is_width(from.bytes) || from.warp >= 1024 / RECORD_WARP)
        return amiss(reading, "an access");
    memcpy(global ? (void *)from.addr : addr, data + head, (size_t)lanes * each);
    for (int i = 0; global && i < lanes; i++)
        if (from.addr[i] & (uint64_t)(from.bytes - 1) || from.addr[i] >= MAX_ADDRESS)
            return amiss(reading, "an address");
    const struct program_access access = {.pc = place_of(reading, from.pc),
                                          .mask = from.mask,
                                          .phase = from.phase,
                                          .round = from.round,
                                          .number = ROUND_UNNUMBERED,
                                          .warp = from.warp,
                                          .op = (enum op)from.operation,
                                          .bytes = from.bytes,
                                          .lanes = lanes,
                                          .lane = lane,
                                          .addr = global ? NULL : addr,
                                          .global = global ? from.addr : NULL};
    return HAND_OVER(access, &access);
}

static bool read_launch(struct reading *reading, const char *data, size_t bytes)
{
    struct record_launch from = {0};
    size_t head = offsetof(struct record_launch, name);
    if (bytes <= head || bytes > sizeof from || data[bytes - 1])
        return amiss(reading, "a launch");
    memcpy(&from, data, bytes);
    struct program_launch launch = {.number = from.number,
                                    .launches = 1,
                                    .process = from.process,
                                    .warp = RECORD_WARP,
                                    .banks = RECORD_WARP,
                                    .name = from.name};
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!from.grid[i] || !from.block[i] || from.block[i] > 1024)
            return amiss(reading, "a launch's shape");
        threads *= launch.block[i] = from.block[i];
        launch.grid[i] = from.grid[i];
    }
    if (threads > 1024)
        return amiss(reading, "a launch's shape");
    reading->in_launch = true;
    reading->launch = from.number;
    reading->from->launches++;
    return HAND_OVER(launch, &launch);
}

/* A launch that ended with an error of CUDA's, as those that follow it do: the program may not ask. */
static bool tell_failure(struct reading *reading)
{
    char text[200];
    snprintf(text, sizeof text,
             "launch %" PRIu64 ": the GPU ended the kernel with an error (compute-sanitizer says "
             "which); nothing of it, and of what is launched after it, is recorded",
             reading->launch);
    const struct program_fault fault = {
        .kind = "other", .text = text, .launch = reading->launch, .count = 1, .error = true};
    return HAND_OVER(fault, &fault);
}

static bool read_function(struct reading *reading, const char *data, size_t bytes)
{
    struct record_function function = {0};
    if (bytes <= offsetof(struct record_function, name) || bytes > sizeof function ||
        data[bytes - 1])
        return amiss(reading, "a function");
    memcpy(&function, data, bytes);
    function.pc = place_of(reading, function.pc);
    return HAND_OVER(function, &function);
}

static bool read_record(struct reading *reading, uint32_t kind, const char *data, size_t bytes)
{
    if (!reading->from->started) {
        struct record_start start;
        if (kind != RECORD_START || bytes != sizeof start)
            return amiss(reading, "no start");
        memcpy(&start, data, bytes);
        if (start.version != RECORDS_VERSION)
            return amiss(reading, "another version of the recorder");
        reading->started = reading->from->started = true;
        return true;
    }
    if (kind == RECORD_FUNCTION)
        return read_function(reading, data, bytes);
    if (kind == RECORD_LAUNCH)
        return read_launch(reading, data, bytes);
    if (kind == RECORD_FAULT && bytes == sizeof(struct record_fault)) {
        struct record_fault from;
        memcpy(&from, data, bytes);
        from.text[sizeof from.text - 1] = '\0';
        const struct program_fault fault = {.kind = "other",
                                            .text = from.text,
                                            .pc = place_of(reading, from.pc),
                                            .launch = from.launch,
                                            .count = 1,
                                            .error = true};
        return HAND_OVER(fault, &fault);
    }
    if (kind == RECORD_EXIT && !bytes) {
        reading->from->exited = true;
        return true;
    }
    if (!reading->in_launch)
        return amiss(reading, "something outside a launch");
    if (kind == RECORD_BLOCK && bytes == sizeof(struct record_block)) {
        struct record_block block;
        memcpy(&block, data, bytes);
        reading->in_block = true;
        return HAND_OVER(block, block.index);
    }
    if (kind == RECORD_ACCESS && reading->in_block)
        return reading->memory == MEMORY_GLOBAL || read_access(reading, data, bytes, false);
    if (kind == RECORD_GLOBAL && reading->in_block)
        return read_access(reading, data, bytes, true);
    if (kind == RECORD_BLOCK_END && reading->in_block && !bytes) {
        reading->in_block = false;
        return !reading->sink->block_end ||
               reading->sink->block_end(reading->sink->context, reading->error);
    }
    if (kind == RECORD_LAUNCH_END && bytes == sizeof(struct record_launch_end)) {
        struct record_launch_end from;
        memcpy(&from, data, bytes);
        const struct program_end end = {.blocks = from.blocks,
                                        .recorded_blocks = from.recorded_blocks,
                                        .kept_blocks = from.recorded_blocks,
                                        .dropped = from.dropped,
                                        .reason = from.reason};
        reading->in_launch = reading->in_block = false;
        return HAND_OVER(launch_end, &end) && (!from.status || tell_failure(reading));
    }
    return amiss(reading, "an unknown record");
}

/* Hands over the whole records of a process's buffer. */
static bool read_records(struct reading *reading, struct writer *from)
{
    size_t done = 0;
    bool good = true;
    reading->from = from;
    while (good && from->used - done >= sizeof(struct record_head)) {
        struct record_head head;
        memcpy(&head, from->buffer + done, sizeof head);
        if (head.bytes > RECORD_MOST)
            return amiss(reading, "a long record");
        if (from->used - done < sizeof head + head.bytes)
            break;
        good = read_record(reading, head.kind, from->buffer + done + sizeof head, head.bytes);
        done += sizeof head + head.bytes;
    }
    from->used -= done;
    memmove(from->buffer, from->buffer + done, from->used);
    return good;
}

/* ---- processes ------------------------------------------------------------------------------- */

/* Begins to read of processes that have taken a ring since. */
static bool find_writers(struct reading *reading)
{
    struct ring_reader ring;
    while (ring_open(&ring, &reading->rings, reading->claimed)) {
        struct writer *new = memory_new(1, sizeof *new);
        *new = (struct writer){.ring = ring,
                               .number = reading->claimed++,
                               .system = (int)syscall(SYS_pidfd_open, ring.owner, 0),
                               .buffer = memory_new(BUFFER, 1)};
        if (!memory_grow(&reading->writer, &reading->room, reading->writers + 1,
                         sizeof *reading->writer, "processes of the program", reading->error))
            return false;
        reading->writer[reading->writers++] = new;
    }
    return true;
}

/* Whether its process has ended, so that it writes no more. */
static bool has_ended(const struct writer *writer)
{
    struct pollfd end = {.fd = writer->system, .events = POLLIN};
    return writer->system >= 0 ? poll(&end, 1, 0) > 0
                               : kill(writer->ring.owner, 0) && errno == ESRCH;
}

/* Ends the reading of a process, and notes what is missing of it. */
static void end_writer(struct reading *reading, struct writer *writer)
{
    const uint64_t begun = ring_begun(&writer->ring);
    const bool killed =
        writer->ring.owner == reading->program && WIFSIGNALED(reading->status); /* which is said */
    reading->end.left += writer->ended && writer->launches && !writer->exited && !killed;
    reading->end.running += !writer->ended && writer->launches;
    reading->end.unsent += begun > writer->launches ? begun - writer->launches : 0;
    ring_end(&writer->ring);
    if (writer->system >= 0)
        close(writer->system);
    free(writer->buffer);
    free(writer);
}

/* Reads what there is of one process. Returns whether anything happened. */
static bool read_some(struct reading *reading, struct writer *writer, bool *good)
{
    const size_t some =
        ring_take(&writer->ring, writer->buffer + writer->used, BUFFER - writer->used);
    if (some) {
        writer->used += some;
        *good = read_records(reading, writer);
        return true;
    }
    if (writer->ring.damaged) {
        *good = amiss(reading, "its counts");
        return true;
    }
    if (!writer->ended)
        return writer->ended = has_ended(writer);
    if (reading->in_launch) /* its: it was cut short */
        reading->in_launch = reading->in_block = false;
    size_t at = 0;
    while (reading->writer[at] != writer)
        at++;
    reading->writer[at] = reading->writer[--reading->writers];
    end_writer(reading, writer);
    return true;
}

/* Reads what there is, of each process once; a launch is read to its end first. */
static bool read_each(struct reading *reading, bool *good)
{
    bool some = false;
    *good = find_writers(reading);
    for (size_t i = 0; *good && i < reading->writers; i++) {
        struct writer *writer = reading->writer[i];
        if (!reading->in_launch || reading->from == writer)
            some |= read_some(reading, writer, good);
    }
    return some;
}

/* Waits for the program's end, or for a moment, which is longer while nothing comes. */
static bool pause_for(const struct process *process, int system, int *moment, int *status)
{
    enum { SHORTEST = 1, LONGEST = 16 }; /* milliseconds */
    struct pollfd end = {.fd = system, .events = POLLIN};
    *moment = *moment ? *moment * 2 : SHORTEST;
    *moment = *moment < LONGEST ? *moment : LONGEST;
    poll(&end, 1, *moment); /* without the system's descriptor of a process, a mere pause */
    return process_ended(process, status);
}

static volatile sig_atomic_t interrupted;

static void note_interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

/* The program has ended; those of its processes that use the GPU are waited for. */
static void say_waiting(const struct reading *reading)
{
    const struct sigaction noted = {.sa_handler = note_interrupt};
    sigaction(SIGINT, &noted, NULL);
    fprintf(stderr,
            "bankscope run: the program has ended, but %zu of its processes that use the GPU run "
            "on, and are waited for; an interrupt (Ctrl-C) ends that\n",
            reading->writers);
}

/* Reads until the program has ended, with all of its processes that use the GPU, and nothing is left. */
static bool read_all(struct reading *reading, const struct process *process)
{
    enum { PATIENCE = 64 /* pauses of 16 ms, before it is said what is waited for */ };
    int system = (int)syscall(SYS_pidfd_open, process->id, 0), moment = 0, waits = 0;
    bool good = true, ended = false;
    for (;;) {
        if (good && read_each(reading, &good)) {
            moment = 0;
            continue;
        }
        if (ended && (!good || !reading->writers || interrupted))
            break;
        if (!good)
            rings_close(&reading->rings); /* the program runs on */
        if (!ended) {
            ended = pause_for(process, system, &moment, &reading->status);
            continue;
        }
        if (waits++ == PATIENCE)
            say_waiting(reading);
        poll(NULL, 0, 16);
    }
    rings_close(&reading->rings);
    if (system >= 0)
        close(system);
    while (reading->writers)
        end_writer(reading, reading->writer[--reading->writers]);
    free(reading->writer);
    return good;
}

int collect_run(const char *executable, char *const *words, const struct program_choice *choice,
                const struct program_sink *sink, struct error *error)
{
    struct process process;
    struct reading reading = {.sink = sink, .error = error, .memory = choice->memory};
    struct child child = {executable, words, choice, &reading.rings};
    if (!rings_make(&reading.rings, error))
        return -1;
    /* An interrupt is the program's: what it recorded is to be shown. */
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGINT, &ignored, &before);
    interrupted = 0;
    bool good = process_start(&process, 1, become, &child, error);
    if (good) {
        reading.program = process.id;
        good = read_all(&reading, &process);
        process_free(&process);
        rings_counts(&reading.rings, &reading.end);
        if (good && reading.started)
            good = !sink->exit || sink->exit(sink->context, &reading.end, error);
    }
    rings_free(&reading.rings);
    sigaction(SIGINT, &before, NULL);
    if (!good)
        return -1;
    const int status = reading.status;
    return WIFSIGNALED(status) ? PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
