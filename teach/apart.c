/* apart.c - runs of a student's kernel, told from a process that is not trusted.
 *
 * Each launch is a process: it loads the kernel's object, enters its box (record/box.c) and runs the kernel.
 * Through one pipe it tells each warp access as it is recorded, and at the end what the kernel wrote
 * to `out`, or what went wrong. The grader's process takes these as it would take a trace from a file:
 * behind the same gate, and with the same check of the result, which is made here. So what the other
 * process can do at worst is to tell of a kernel that fails.
 */
#define _GNU_SOURCE /* pipe2, strsignal */
#include "teach/teach.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    RUN_SECONDS = 10,  /* of the processor for a launch */
    WALL_SECONDS = 60, /* that it may be silent, on whatever busy machine */
    MOST_ACCESSES = 1 << 22,
};

/* What goes through the pipe: one of these, and OUT is followed by the output's bytes. */
enum tale { ACCESS, LINE, FAULT, OUT, UNFIT };
struct message {
    int tale;
    size_t place; /* LINE: of an instruction in the object; the answer is an int */
    char text[sizeof((struct error *)0)->text]; /* FAULT; UNFIT: why the kernel cannot be run */
    int stage, round, slot, block, warp, op, bytes, lanes, valued, tagged;
    uint8_t lane[MAX_WARP];
    uint32_t addr[MAX_WARP];
    int64_t value[MAX_WARP];
    char tag[MAX_WARP];
};

/* ---- the process that runs the kernel ---------------------------------------------------------- */

struct teller {
    const struct apart *apart;
    const struct launch *launch;
    FILE *to;
    int pipe, answers; /* descriptors; the former is that of `to` */
};

static bool tell(FILE *to, const struct message *message)
{
    return fwrite(message, sizeof *message, 1, to) == 1;
}

static bool tell_access(void *context, const struct warp_access *access, struct error *error)
{
    struct teller *teller = context;
    struct message message = {.tale = ACCESS,
                              .stage = access->stage,
                              .round = access->round,
                              .slot = access->slot,
                              .block = access->block,
                              .warp = access->warp,
                              .op = (int)access->op,
                              .bytes = access->bytes,
                              .lanes = access->lanes,
                              .valued = access->value != NULL,
                              .tagged = access->tag != NULL};
    size_t lanes = (size_t)access->lanes;
    memcpy(message.lane, access->lane, lanes * sizeof *access->lane);
    memcpy(message.addr, access->addr, lanes * sizeof *access->addr);
    if (access->value)
        memcpy(message.value, access->value, lanes * sizeof *access->value);
    if (access->tag)
        memcpy(message.tag, access->tag, lanes);
    return tell(teller->to, &message) || error_set(error, "the grader has gone");
}

/* For watch.c: the grader looks up the line, as a process in the box cannot. */
static int ask_line(void *context, size_t place)
{
    struct teller *teller = context;
    const struct message message = {.tale = LINE, .place = place};
    int line = 0;
    tell(teller->to, &message);
    fflush(teller->to);
    return read(teller->answers, &line, sizeof line) == sizeof line ? line : 0;
}

static int run_kernel(void *context, void *shared)
{
    struct teller *teller = context;
    struct launch launch = *teller->launch;
    const struct trace_sink sink = {.access = tell_access, .context = teller};
    struct run_result result;
    struct message last = {.tale = UNFIT};
    struct error error = {{0}};
    int null = open("/dev/null", O_RDWR);
    (void)shared;
    dup2(null, STDIN_FILENO);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    box_descriptors(teller->pipe, teller->answers);
    outputs_leave();
    launch.body = record_load_body(teller->apart->object, "the file", &error);
    const char *missing = strstr(error.text, PART_PREFIX);
    if (missing)
        snprintf(last.text, sizeof last.text, "your part calls '%s', which it does not define",
                 missing + strlen(PART_PREFIX));
    box_limit(RUN_SECONDS, 0, 0);
    watch_user_code(&error);
    watch_strictly(ask_line, teller);
    if (!teller->apart->unconfined) {
        box_files(NULL, NULL);
        if (launch.body && !box_calls(&error))
            launch.body = NULL;
    }
    if (launch.body) {
        launch.partial = teller->apart->partial;
        last.tale = host_run(&launch, &sink, &result, &error) ? OUT : FAULT;
    }
    if (!missing)
        snprintf(last.text, sizeof last.text, "%s", error.text);
    bool told = tell(teller->to, &last) &&
                (last.tale != OUT ||
                 fwrite(launch.out, 1, launch.out_bytes, teller->to) == launch.out_bytes);
    return !told || fflush(teller->to);
}

/* ---- the grader's process ---------------------------------------------------------------------- */

struct listener {
    int from, answers;
    const char *object;
    bool late;
    char text[1 << 16];
    size_t begin, end;
};

/* false: the process has ended, or is silent for too long. */
static bool hear(struct listener *listener, void *to, size_t bytes)
{
    char *at = to;
    while (bytes) {
        size_t there = listener->end - listener->begin, take = there < bytes ? there : bytes;
        memcpy(at, listener->text + listener->begin, take);
        listener->begin += take;
        at += take;
        bytes -= take;
        if (!bytes)
            return true;
        struct pollfd wait = {.fd = listener->from, .events = POLLIN};
        int ready = poll(&wait, 1, WALL_SECONDS * 1000);
        if (ready < 0 && errno == EINTR)
            continue;
        listener->late = !ready;
        ssize_t got = ready > 0 ? read(listener->from, listener->text, sizeof listener->text) : 0;
        if (got <= 0)
            return false;
        listener->begin = 0;
        listener->end = (size_t)got;
    }
    return true;
}

static bool pass_on(const struct message *message, const struct trace_sink *sink,
                    struct error *error)
{
    const struct warp_access access = {.stage = message->stage,
                                       .round = message->round,
                                       .slot = message->slot,
                                       .block = message->block,
                                       .warp = message->warp,
                                       .op = (enum op)message->op,
                                       .bytes = message->bytes,
                                       .lanes = message->lanes,
                                       .lane = message->lane,
                                       .addr = message->addr,
                                       .value = message->valued ? message->value : NULL,
                                       .tag = message->tagged ? message->tag : NULL,
                                       .site = -1};
    return !sink->access || sink->access(sink->context, &access, error);
}

/* Takes the whole tale. *ended: it was told to its end, with whatever result. */
static bool listen_to(struct apart *apart, struct listener *listener, const struct launch *launch,
                      const struct trace_sink *sink, uint64_t *accesses, bool *ended,
                      struct error *error)
{
    struct message message;
    while (hear(listener, &message, sizeof message)) {
        switch (message.tale) {
        case ACCESS:
            if (++*accesses > MOST_ACCESSES)
                return error_set(error, "it makes more than %d accesses", MOST_ACCESSES);
            if (!pass_on(&message, sink, error))
                return false;
            break;
        case LINE: {
            int line = watch_line(listener->object, message.place);
            if (send(listener->answers, &line, sizeof line, MSG_NOSIGNAL) < 0)
                return false;
            break;
        }
        case OUT:
            *ended = hear(listener, launch->out, launch->out_bytes);
            return *ended;
        default:
            message.text[sizeof message.text - 1] = '\0';
            *ended = true;
            return error_set(message.tale == UNFIT ? &apart->trouble : error, "%s",
                             *message.text ? message.text : "it failed");
        }
    }
    return false;
}

/* What it means that the process ended without a last word. */
static bool explain(struct apart *apart, const struct listener *listener, int status,
                    struct error *error)
{
    bool timed = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
    apart->late = listener->late || timed || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    if (apart->late)
        return error_set(error, "it did not end within %d seconds: look for a loop without end",
                         RUN_SECONDS);
    if (WIFSIGNALED(status))
        return error_set(error, "it crashed (%s)", strsignal(WTERMSIG(status)));
    return error_set(error, "it ended its process (status %d)", WEXITSTATUS(status));
}

bool run_apart(void *context, const struct launch *launch, const struct trace_sink *sink,
               struct run_result *result, struct error *error)
{
    struct apart *apart = context;
    static const struct trace_sink nobody;
    struct process child;
    int tale[2], answers[2];
    uint64_t accesses = 0;
    bool ended = false;
    memset(result, 0, sizeof *result);
    sink = sink ? sink : &nobody;
    if (pipe2(tale, O_CLOEXEC))
        return error_set(&apart->trouble, "cannot make a pipe: %s", strerror(errno));
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, answers)) {
        close(tale[0]), close(tale[1]);
        return error_set(&apart->trouble, "cannot make a pipe: %s", strerror(errno));
    }
    struct teller teller = {apart, launch, fdopen(tale[1], "wb"), tale[1], answers[0]};
    bool good = process_start(&child, 1, run_kernel, &teller, &apart->trouble);
    fclose(teller.to);
    close(answers[0]);
    if (good) {
        struct listener *listener = memory_new(1, sizeof *listener);
        *listener =
            (struct listener){.from = tale[0], .answers = answers[1], .object = apart->object};
        good = (!sink->header || sink->header(sink->context, launch->header, error)) &&
               listen_to(apart, listener, launch, sink, &accesses, &ended, error);
        bool unsaid = !good && !ended && !error->text[0];
        if (!unsaid || listener->late)
            process_kill(&child);
        int status = process_wait(&child);
        process_free(&child);
        if (unsaid)
            explain(apart, listener, status, error);
        const struct trace_end end = {.warp_accesses = accesses, .complete = good};
        good = (!sink->end || sink->end(sink->context, &end, error)) && good;
        free(listener);
    }
    close(tale[0]);
    close(answers[1]);
    return good;
}
