/* collect.c - runs a program that has the engine in it and reads its records.
 *
 * What comes through the ring is only as trustworthy as the program that writes it, so every record is
 * checked before a sink sees it. What was written is read to its end, however the program ended.
 */
#define _GNU_SOURCE /* clearenv */
#include "hostcuda/driver.h"
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

struct child {
    const char *executable;
    char *const *words;
    const struct record_choice *choice;
    int ring;
};

/* What is taken from the program before it begins; the engine in it does the rest. */
static bool enter_box(const struct record_box *box, int records)
{
    int null = open("/dev/null", O_WRONLY);
    if (null < 0 || dup2(box->input, STDIN_FILENO) < 0 || dup2(box->output, STDOUT_FILENO) < 0 ||
        dup2(null, STDERR_FILENO) < 0)
        return false;
    box_descriptors(records, records);
    box_limit(box->seconds, box->output_bytes, RECORDS_RESERVED);
    return true;
}

static int become(void *context, void *shared)
{
    const struct child *child = context;
    const struct record_choice *choice = child->choice;
    char fd[16];
    (void)shared;
    /* A number that programs do not take for their own, so that the standard ones stay free. */
    int ring = fcntl(child->ring, F_DUPFD, 100);
    if (ring < 0)
        ring = fcntl(child->ring, F_DUPFD, 3);
    snprintf(fd, sizeof fd, "%d", ring);
    if (choice->box)
        clearenv();
    setenv(RECORDS_RING, fd, 1);
    const struct {
        const char *name, *value;
    } variables[] = {{RECORDS_KERNEL, choice->kernel},
                     {RECORDS_LAUNCH, choice->launch},
                     {RECORDS_BLOCKS, choice->blocks},
                     {RECORDS_SECONDS, choice->seconds},
                     {RECORDS_CUBINS, choice->cubins},
                     {"CUDA_INJECTION64_PATH", choice->inject},
                     {RECORDS_VALUES, choice->values ? "1" : NULL},
                     {RECORDS_BOX, choice->box && !choice->box->open ? "1" : NULL}};
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (variables[i].value)
            setenv(variables[i].name, variables[i].value, 1);
        else
            unsetenv(variables[i].name);
    if (choice->output_apart)
        dup2(STDERR_FILENO, STDOUT_FILENO);
    if (choice->silent)
        dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
    if (choice->box && !enter_box(choice->box, ring))
        return 127;
    signal(SIGINT, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    execvp(child->executable, child->words);
    return 127;
}

/* ---- a tee ----------------------------------------------------------------------------------- */

/* Calls `function` of every sink that has it. */
#define EACH(tee, function, ...)                                                                   \
    do {                                                                                           \
        for (int i = 0; i < (tee)->count; i++)                                                     \
            if ((tee)->sinks[i].function && !(tee)->sinks[i].function(__VA_ARGS__))                \
                return false;                                                                      \
        return true;                                                                               \
    } while (0)
#define SINK(tee) ((tee)->sinks[i].context)

static bool tee_launch(void *context, const struct record_launch *launch, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, launch, SINK(tee), launch, error);
}

static bool tee_stage(void *context, const struct record_stage *stage, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, stage, SINK(tee), stage, error);
}

static bool tee_block(void *context, uint64_t index, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, block, SINK(tee), index, error);
}

static bool tee_access(void *context, const struct record_access *access, int lanes,
                       const uint8_t *lane, const int64_t *value, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, access, SINK(tee), access, lanes, lane, value, error);
}

static bool tee_block_end(void *context, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, block_end, SINK(tee), error);
}

static bool tee_launch_end(void *context, const struct record_launch_end *end, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, launch_end, SINK(tee), end, error);
}

static bool tee_fault(void *context, const struct record_fault *fault, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, fault, SINK(tee), fault, error);
}

static bool tee_exit(void *context, const struct record_exit *end, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, exit, SINK(tee), end, error);
}

static bool tee_function(void *context, const struct record_function *function, struct error *error)
{
    const struct record_tee *tee = context;
    EACH(tee, function, SINK(tee), function, error);
}

struct record_sink record_tee_sink(struct record_tee *tee)
{
    return (struct record_sink){.launch = tee_launch,
                                .stage = tee_stage,
                                .block = tee_block,
                                .access = tee_access,
                                .block_end = tee_block_end,
                                .launch_end = tee_launch_end,
                                .fault = tee_fault,
                                .exit = tee_exit,
                                .function = tee_function,
                                .context = tee};
}

/* ---- records --------------------------------------------------------------------------------- */

struct reading {
    const struct record_sink *sink;
    struct error *error;
    bool started, values, in_launch, in_block, exited;
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

static bool take_access(struct reading *reading, const char *data, size_t bytes)
{
    struct record_access access;
    uint8_t lane[RECORD_WARP];
    int64_t value[RECORD_WARP];
    size_t head = offsetof(struct record_access, addr);
    int lanes = 0;
    if (bytes < head)
        return amiss(reading, "a short access");
    memcpy(&access, data, head);
    for (int i = 0; i < RECORD_WARP; i++)
        if (access.mask >> i & 1)
            lane[lanes++] = (uint8_t)i;
    size_t addresses = head + (size_t)lanes * sizeof access.addr[0];
    size_t padded = (addresses + 7) / 8 * 8;
    size_t wanted = reading->values ? padded + (size_t)lanes * 8 : addresses;
    if (!lanes || bytes != wanted || access.operation >= OPS || !is_width(access.bytes) ||
        access.warp >= 1024 / RECORD_WARP || access.stage > RECORD_STAGES)
        return amiss(reading, "an access");
    memcpy(access.addr, data + head, (size_t)lanes * sizeof access.addr[0]);
    if (reading->values)
        memcpy(value, data + padded, (size_t)lanes * 8);
    return HAND_OVER(access, &access, lanes, lane, reading->values ? value : NULL);
}

static bool take_launch(struct reading *reading, const char *data, size_t bytes)
{
    struct record_launch launch = {0};
    size_t head = offsetof(struct record_launch, name);
    if (bytes <= head || bytes > sizeof launch || data[bytes - 1])
        return amiss(reading, "a launch");
    memcpy(&launch, data, bytes);
    uint64_t threads = 1;
    for (int i = 0; i < 3; i++) {
        if (!launch.grid[i] || !launch.block[i] || launch.block[i] > 1024)
            return amiss(reading, "a launch's shape");
        threads *= launch.block[i];
    }
    if (threads > 1024)
        return amiss(reading, "a launch's shape");
    reading->in_launch = true;
    return HAND_OVER(launch, &launch);
}

static bool take_function(struct reading *reading, const char *data, size_t bytes)
{
    struct record_function function = {0};
    if (bytes <= offsetof(struct record_function, name) || bytes > sizeof function ||
        data[bytes - 1])
        return amiss(reading, "a function");
    memcpy(&function, data, bytes);
    return HAND_OVER(function, &function);
}

static bool take(struct reading *reading, uint32_t kind, const char *data, size_t bytes)
{
    if (!reading->started) {
        struct record_start start;
        if (kind != RECORD_START || bytes != sizeof start)
            return amiss(reading, "no start");
        memcpy(&start, data, bytes);
        if (start.version != RECORDS_VERSION)
            return amiss(reading, "another version of the engine");
        reading->started = true;
        reading->values = start.values;
        return true;
    }
    if (kind == RECORD_FUNCTION)
        return take_function(reading, data, bytes);
    if (kind == RECORD_LAUNCH)
        return take_launch(reading, data, bytes);
    if (kind == RECORD_FAULT && bytes == sizeof(struct record_fault)) {
        struct record_fault fault;
        memcpy(&fault, data, bytes);
        fault.text[sizeof fault.text - 1] = '\0';
        return fault.kind < FAULT_KINDS ? HAND_OVER(fault, &fault) : amiss(reading, "a fault");
    }
    if (kind == RECORD_EXIT && !bytes) {
        reading->exited = true;
        return true;
    }
    if (kind == RECORD_STAGE && bytes == sizeof(struct record_stage)) {
        struct record_stage stage;
        memcpy(&stage, data, bytes);
        if (!stage.number || stage.number > RECORD_STAGES || stage.name[sizeof stage.name - 1])
            return amiss(reading, "a stage");
        return HAND_OVER(stage, &stage);
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
        return take_access(reading, data, bytes);
    if (kind == RECORD_BLOCK_END && reading->in_block && !bytes) {
        reading->in_block = false;
        return !reading->sink->block_end ||
               reading->sink->block_end(reading->sink->context, reading->error);
    }
    if (kind == RECORD_LAUNCH_END && bytes == sizeof(struct record_launch_end)) {
        struct record_launch_end end;
        memcpy(&end, data, bytes);
        reading->in_launch = reading->in_block = false;
        return HAND_OVER(launch_end, &end);
    }
    return amiss(reading, "an unknown record");
}

/* Hands over the whole records of `used` bytes. Returns how many bytes they are. */
static size_t take_all(struct reading *reading, const char *buffer, size_t used, bool *good)
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
        *good = take(reading, head.kind, buffer + done + sizeof head, head.bytes);
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
        size_t done = take_all(reading, buffer, used, &good);
        memmove(buffer, buffer + done, used - done);
        used -= done;
    }
    if (system >= 0)
        close(system);
    free(buffer);
    return good;
}

/* Hands over the program's end, of which it said something or not. */
static bool take_end(const struct ring_reader *ring, int status, struct reading *reading)
{
    struct record_exit end = {.left = !reading->exited && WIFEXITED(status) && !reading->in_launch};
    ring_counts(ring, &end);
    return HAND_OVER(exit, &end);
}

int program_run(const char *executable, char *const *words, const struct record_choice *choice,
                const struct record_sink *sink, struct error *error)
{
    struct child child = {executable, words, choice, -1};
    struct process process;
    struct ring_reader ring;
    struct reading reading = {.sink = sink, .error = error};
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
        if (good && !reading.started && WIFEXITED(status) && !choice->inject)
            good = error_set(error,
                             "the program ended with status %d before anything of it ran: is there "
                             "room for what it reserves (ulimit -v), and may its folder run "
                             "programs?",
                             WEXITSTATUS(status));
        if (good && reading.started)
            good = take_end(&ring, status, &reading);
    }
    ring_free(&ring);
    sigaction(SIGINT, &before, NULL);
    if (!good)
        return -1;
    return WIFSIGNALED(status) ? PROGRAM_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}
