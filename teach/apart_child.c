/* apart_child.c - the process that runs a student's kernel once (apart.c starts it).
 *
 * It is this program anew, with nothing of the grader's memory and an empty environment. It reads what it is
 * to run, loads the kernel's object, enters its box (system/box.c) and runs the kernel.
 */
#include "program/compile/dialect.h"
#include "teach/apart.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the order ------------------------------------------------------------------------------- */

static bool read_all(void *to, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t some = read(APART_ORDER, (char *)to + done, bytes - done);
        if (some <= 0)
            return false;
        done += (size_t)some;
    }
    return true;
}

/* What the order says: a launch, whose parts are its own. */
struct work {
    struct order order;
    struct trace_header header;
    struct launch launch;
    char *params, *text, *name[MAX_STAGES];
    void *in;
};

/* The names in the text become those of the header. */
static bool read_names(struct work *work)
{
    char *at = work->text, *end = work->text + work->order.text_bytes;
    work->header.kernel = at;
    work->header.stage = work->name;
    for (int i = 0; at && i < work->order.stages; i++) {
        at = memchr(at, '\0', (size_t)(end - at));
        at = at && at + 1 < end ? at + 1 : NULL;
        work->name[i] = at;
    }
    return at && !end[-1];
}

static bool take_order(struct work *work, struct error *error)
{
    struct order *order = &work->order;
    if (!read_all(order, sizeof *order) || order->stages < 0 || order->stages > MAX_STAGES ||
        !order->text_bytes || order->object[sizeof order->object - 1])
        return error_set(error, "there is no order to run");
    work->header = (struct trace_header){.warp = order->warp,
                                         .banks = order->banks,
                                         .bank_bytes = order->bank_bytes,
                                         .threads = order->threads,
                                         .blocks = order->blocks,
                                         .shared_bytes = order->shared_bytes,
                                         .stages = order->stages};
    work->params = memory_array(order->params_bytes + 1, 1, "bytes of parameters", error);
    work->text = memory_array(order->text_bytes, 1, "bytes of names", error);
    work->in = global_new(order->in_bytes, error);
    work->launch = (struct launch){.header = &work->header,
                                   .params = work->params,
                                   .in = work->in,
                                   .in_bytes = order->in_bytes,
                                   .out = global_new(order->out_bytes, error),
                                   .out_bytes = order->out_bytes,
                                   .params_bytes = order->params_bytes,
                                   .partial = order->partial};
    if (error->text[0])
        return false;
    memset(work->launch.out, POISON_BYTE, order->out_bytes);
    return (read_all(work->params, order->params_bytes) && read_all(work->in, order->in_bytes) &&
            read_all(work->text, order->text_bytes) && read_names(work)) ||
           error_set(error, "the order to run is cut");
}

/* ---- the tale -------------------------------------------------------------------------------- */

static bool tell(FILE *to, const struct message *message)
{
    return fwrite(message, sizeof *message, 1, to) == 1;
}

static bool tell_access(void *context, const struct warp_access *access, struct error *error)
{
    FILE *tale = context;
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
    return tell(tale, &message) || error_set(error, "the grader has gone");
}

/* For watch.c: the grader looks up the line, as a process in the box cannot. */
static int ask_line(void *context, size_t place)
{
    FILE *tale = context;
    const struct message message = {.tale = LINE, .place = place};
    int line = 0;
    tell(tale, &message);
    fflush(tale);
    return read(APART_ANSWERS, &line, sizeof line) == sizeof line ? line : 0;
}

/* Enters the box. */
static bool confine(const struct order *order, FILE *tale, struct error *error)
{
    box_limit(APART_SECONDS, 0, 0);
    watch_user_code(error);
    watch_strictly(ask_line, tale);
    if (order->unconfined)
        return true;
    box_files(NULL, NULL);
    return box_calls(error);
}

int apart_child(void)
{
    struct work work = {.in = NULL};
    struct message last = {.tale = UNFIT};
    struct error error = {{0}};
    struct run_result result;
    FILE *tale = fdopen(APART_TALE, "wb");
    if (!tale)
        return 1;
    const struct trace_sink sink = {.access = tell_access, .context = tale};
    if (take_order(&work, &error))
        work.launch.body = dialect_load_body(work.order.object, "the file", &error);
    dup2(STDERR_FILENO, APART_ORDER); /* /dev/null */
    if (work.launch.body && confine(&work.order, tale, &error))
        last.tale = host_run(&work.launch, &sink, &result, &error) ? OUT : FAULT;
    snprintf(last.text, sizeof last.text, "%s", error.text);
    bool told = tell(tale, &last) &&
                (last.tale != OUT ||
                 fwrite(work.launch.out, 1, work.launch.out_bytes, tale) == work.launch.out_bytes);
    _exit(!told || fflush(tale)); /* nothing is left to do, and little is allowed */
}
