/* apart.c - runs of a student's kernel, told from a process that is not trusted.
 *
 * Each launch is a process (apart_child.c): this program anew, with an empty environment and nothing of the
 * grader's memory. Through one pipe it tells each warp access as it is recorded, and at the end what the
 * kernel wrote to `out`, or what went wrong. The grader's process takes these as it would take a trace from
 * a file: behind the same gate, and with the same check of the result, which is made here. So what the
 * other process can do at worst is to tell of a kernel that fails. Whatever it does or leaves undone, it
 * has a minute.
 */
#define _GNU_SOURCE /* pipe2, memfd_create, strsignal */
#include "teach/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    WALL_SECONDS = 60,  /* for a launch, on whatever busy machine */
    LAST_SECONDS = 5,   /* from its last word to its end */
    MOST_LOOKUPS = 100, /* of lines: a kernel needs two or three before its fault ends it */
    MOST_ACCESSES = 1 << 22,
};

/* ---- the process ------------------------------------------------------------------------------- */

/* What passes between the grader and the process: a file, then the ends of a pipe and of a socket. */
struct ends {
    int order, tale[2], answers[2];
};

static bool write_all(int file, const void *from, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t some = write(file, (const char *)from + done, bytes - done);
        if (some <= 0)
            return false;
        done += (size_t)some;
    }
    return true;
}

static bool write_order(int file, const struct apart *apart, const struct launch *launch)
{
    const struct trace_header *header = launch->header;
    struct order order = {.params_bytes = launch->params_bytes,
                          .in_bytes = launch->in_bytes,
                          .out_bytes = launch->out_bytes,
                          .text_bytes = strlen(header->kernel) + 1,
                          .warp = header->warp,
                          .banks = header->banks,
                          .bank_bytes = header->bank_bytes,
                          .threads = header->threads,
                          .blocks = header->blocks,
                          .shared_bytes = header->shared_bytes,
                          .stages = header->stages,
                          .partial = apart->partial,
                          .unconfined = apart->unconfined};
    snprintf(order.object, sizeof order.object, "%s", apart->object);
    for (int i = 0; i < header->stages; i++)
        order.text_bytes += strlen(header->stage[i]) + 1;
    bool good = write_all(file, &order, sizeof order) &&
                write_all(file, launch->params, launch->params_bytes) &&
                write_all(file, launch->in, launch->in_bytes) &&
                write_all(file, header->kernel, strlen(header->kernel) + 1);
    for (int i = 0; good && i < header->stages; i++)
        good = write_all(file, header->stage[i], strlen(header->stage[i]) + 1);
    return good && !lseek(file, 0, SEEK_SET);
}

/* In the child. */
static int become(void *context, void *shared)
{
    const struct ends *ends = context;
    char name[] = "bankscope", word[] = APART_WORD, *words[] = {name, word, NULL}, *none[] = {NULL};
    const int from[] = {ends->order, ends->tale[1], ends->answers[0]};
    static const int to[] = {APART_ORDER, APART_TALE, APART_ANSWERS};
    int high[3], null = open("/dev/null", O_RDWR);
    (void)shared;
    for (int i = 0; i < 3; i++)
        high[i] = fcntl(from[i], F_DUPFD, 10);
    for (int i = 0; i < 3; i++)
        if (dup2(high[i], to[i]) < 0)
            return 127;
    if (dup2(null, STDOUT_FILENO) < 0 || dup2(null, STDERR_FILENO) < 0)
        return 127;
    box_descriptors(APART_TALE, APART_ANSWERS);
    execve("/proc/self/exe", words, none);
    return 127;
}

static void close_end(int *end)
{
    if (*end >= 0)
        close(*end);
    *end = -1;
}

static void close_all(struct ends *ends)
{
    close_end(&ends->order);
    for (int i = 0; i < 2; i++) {
        close_end(&ends->tale[i]);
        close_end(&ends->answers[i]);
    }
}

static bool start(struct ends *ends, const struct apart *apart, const struct launch *launch,
                  struct process *child, struct error *error)
{
    *ends = (struct ends){-1, {-1, -1}, {-1, -1}};
    ends->order = memfd_create("order", MFD_CLOEXEC);
    bool good = ends->order >= 0 && !pipe2(ends->tale, O_CLOEXEC) &&
                !socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends->answers) &&
                write_order(ends->order, apart, launch);
    if (!good)
        error_set(error, "cannot prepare a run: %s", strerror(errno));
    good = good && process_start(child, 1, become, ends, error);
    if (!good) {
        close_all(ends);
        return false;
    }
    close_end(&ends->order);
    close_end(&ends->tale[1]);
    close_end(&ends->answers[0]);
    return true;
}

/* ---- what it tells ------------------------------------------------------------------------------- */

struct listener {
    int from, answers;
    const char *object;
    int seconds;
    double until;
    bool late;
    int lookups;
    char text[1 << 16];
    size_t begin, end;
};

/* false: the process has ended, or its time is over. */
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
        double left = listener->until - clock_seconds();
        int ready = left > 0 ? poll(&wait, 1, (int)(left * 1000) + 1) : 0;
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

static bool answer_line(struct listener *listener, size_t place, struct error *error)
{
    if (++listener->lookups > MOST_LOOKUPS)
        return error_set(error, "it asks for more than %d lines", MOST_LOOKUPS);
    int line = watch_line(listener->object, place);
    return send(listener->answers, &line, sizeof line, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
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
        case LINE:
            if (!answer_line(listener, message.place, error))
                return false;
            break;
        case OUT:
            *ended = hear(listener, launch->out, launch->out_bytes);
            return *ended;
        default:
            message.text[sizeof message.text - 1] = '\0';
            *ended = true;
            apart->ill = message.tale != FAULT || strstr(message.text, "out of memory");
            text_clean(message.text);
            return error_set(error, "%s", *message.text ? message.text : "it failed");
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
                         listener->late ? listener->seconds : APART_SECONDS);
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
    struct ends ends;
    uint64_t accesses = 0;
    bool ended = false;
    memset(result, 0, sizeof *result);
    apart->ill = false;
    sink = sink ? sink : &nobody;
    if (!start(&ends, apart, launch, &child, &apart->trouble))
        return false;
    struct listener *listener = memory_new(1, sizeof *listener);
    *listener = (struct listener){.from = ends.tale[0],
                                  .answers = ends.answers[1],
                                  .object = apart->object,
                                  .seconds = apart->seconds ? apart->seconds : WALL_SECONDS};
    listener->until = clock_seconds() + listener->seconds;
    bool good = (!sink->header || sink->header(sink->context, launch->header, error)) &&
                listen_to(apart, listener, launch, sink, &accesses, &ended, error);
    bool unsaid = !good && !ended && !error->text[0];
    int status = process_end(&child, unsaid && !listener->late ? LAST_SECONDS : 0);
    process_free(&child);
    if (unsaid)
        explain(apart, listener, status, error);
    apart->ill |= unsaid;
    const struct trace_end end = {.warp_accesses = accesses, .complete = good};
    good = (!sink->end || sink->end(sink->context, &end, error)) && good;
    free(listener);
    close_all(&ends);
    return good;
}
