/* collect.c - runs a program on a GPU, with the recorder in it (inject/), and reads its records.
 *
 * What comes through the ring is only as trustworthy as the program that writes it, so every record is
 * checked before a sink sees it. What was written is read to its end, however the program ended.
 */
#define _GNU_SOURCE /* SYS_pidfd_open */
#include "program/program.h"
#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
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
    int ring;
};

static int become(void *context, void *shared)
{
    const struct child *child = context;
    const struct program_choice *choice = child->choice;
    char fd[16];
    (void)shared;
    /* A number that programs do not take for their own, so that the standard ones stay free. */
    int ring = fcntl(child->ring, F_DUPFD, 100);
    if (ring < 0)
        ring = fcntl(child->ring, F_DUPFD, 3);
    snprintf(fd, sizeof fd, "%d", ring);
    setenv(RECORDS_RING, fd, 1);
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

struct reading {
    const struct program_sink *sink;
    struct error *error;
    bool started, in_launch, in_block, exited;
    uint64_t launch;            /* the number of the last one */
    enum program_memory memory; /* accesses to other memory are left out */
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
    const struct program_access access = {.pc = from.pc,
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
    return HAND_OVER(function, &function);
}

static bool read_record(struct reading *reading, uint32_t kind, const char *data, size_t bytes)
{
    if (!reading->started) {
        struct record_start start;
        if (kind != RECORD_START || bytes != sizeof start)
            return amiss(reading, "no start");
        memcpy(&start, data, bytes);
        if (start.version != RECORDS_VERSION)
            return amiss(reading, "another version of the recorder");
        reading->started = true;
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
                                            .pc = from.pc,
                                            .launch = from.launch,
                                            .count = 1,
                                            .error = true};
        return HAND_OVER(fault, &fault);
    }
    if (kind == RECORD_EXIT && !bytes) {
        reading->exited = true;
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
                                        .status = from.status,
                                        .reason = from.reason};
        reading->in_launch = reading->in_block = false;
        return HAND_OVER(launch_end, &end) && (!from.status || tell_failure(reading));
    }
    return amiss(reading, "an unknown record");
}

/* Hands over the whole records of `used` bytes. Returns how many bytes they are. */
static size_t read_records(struct reading *reading, const char *buffer, size_t used, bool *good)
{
    size_t done = 0;
    while (*good && used - done >= sizeof(struct record_head)) {
        struct record_head head;
        memcpy(&head, buffer + done, sizeof head);
        if (head.bytes > RECORD_MOST) {
            *good = amiss(reading, "a long record");
            break;
        }
        if (used - done < sizeof head + head.bytes)
            break;
        *good = read_record(reading, head.kind, buffer + done + sizeof head, head.bytes);
        done += sizeof head + head.bytes;
    }
    return *good ? done : used; /* the program must be able to write on */
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

/* Reads until the program has ended and nothing is left. */
static bool read_all(struct ring_reader *ring, const struct process *process, int *status,
                     struct reading *reading)
{
    enum { ROOM = 1 << 20 };
    char *buffer = memory_array(ROOM, 1, "bytes of records", reading->error);
    int system = (int)syscall(SYS_pidfd_open, process->id, 0), moment = 0;
    size_t used = 0;
    bool good = buffer != NULL, ended = false;
    if (!good)
        process_kill(process); /* or it would wait for room */
    while (good || !ended) {
        size_t some = buffer ? ring_take(ring, buffer + used, ROOM - used) : 0;
        if (good && ring->damaged) {
            good = amiss(reading, "its counts");
            process_kill(process); /* it cannot find room any more */
        }
        if (!some && ended)
            break;
        if (!some) {
            ended = pause_for(process, system, &moment, status);
            continue;
        }
        moment = 0;
        used += some;
        size_t done = read_records(reading, buffer, used, &good);
        memmove(buffer, buffer + done, used - done);
        used -= done;
    }
    if (system >= 0)
        close(system);
    free(buffer);
    return good;
}

/* Hands over the program's end, of which it said something or not. */
static bool read_end(const struct ring_reader *ring, int status, struct reading *reading)
{
    struct program_exit end = {.left =
                                   !reading->exited && WIFEXITED(status) && !reading->in_launch};
    ring_counts(ring, &end);
    return HAND_OVER(exit, &end);
}

int collect_run(const char *executable, char *const *words, const struct program_choice *choice,
                const struct program_sink *sink, struct error *error)
{
    struct child child = {executable, words, choice, -1};
    struct process process;
    struct ring_reader ring;
    struct reading reading = {.sink = sink, .error = error, .memory = choice->memory};
    int status = 0;
    if (!ring_make(&ring, error))
        return -1;
    child.ring = ring.file;
    /* An interrupt is the program's: what it recorded is to be shown. */
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    struct sigaction before;
    sigaction(SIGINT, &ignored, &before);
    bool good = process_start(&process, 1, become, &child, error);
    if (good) {
        good = read_all(&ring, &process, &status, &reading);
        process_free(&process);
        if (good && reading.started)
            good = read_end(&ring, status, &reading);
    }
    ring_free(&ring);
    sigaction(SIGINT, &before, NULL);
    if (!good)
        return -1;
    return WIFSIGNALED(status) ? PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
