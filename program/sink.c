/* sink.c - hands what a program does to several sinks. */
#include "program/program.h"

/* Calls `function` of every sink that has it. */
#define EACH(tee, function, ...)                                                                   \
    do {                                                                                           \
        for (int i = 0; i < (tee)->count; i++)                                                     \
            if ((tee)->sinks[i].function && !(tee)->sinks[i].function(__VA_ARGS__))                \
                return false;                                                                      \
        return true;                                                                               \
    } while (0)
#define SINK(tee) ((tee)->sinks[i].context)

static bool tee_launch(void *context, const struct program_launch *launch, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, launch, SINK(tee), launch, error);
}

static bool tee_count(void *context, const struct program_count *count, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, count, SINK(tee), count, error);
}

static bool tee_stage(void *context, uint32_t number, const char *name, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, stage, SINK(tee), number, name, error);
}

static bool tee_block(void *context, uint64_t index, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, block, SINK(tee), index, error);
}

static bool tee_access(void *context, const struct program_access *access, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, access, SINK(tee), access, error);
}

static bool tee_executed(void *context, const struct program_executed *executed,
                         struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, executed, SINK(tee), executed, error);
}

static bool tee_block_end(void *context, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, block_end, SINK(tee), error);
}

static bool tee_launch_end(void *context, const struct program_end *end, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, launch_end, SINK(tee), end, error);
}

static bool tee_fault(void *context, const struct program_fault *fault, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, fault, SINK(tee), fault, error);
}

static bool tee_exit(void *context, const struct program_exit *end, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, exit, SINK(tee), end, error);
}

static bool tee_function(void *context, const struct record_function *function, struct error *error)
{
    const struct program_tee *tee = context;
    EACH(tee, function, SINK(tee), function, error);
}

struct program_sink program_tee_sink(struct program_tee *tee)
{
    return (struct program_sink){.launch = tee_launch,
                                 .count = tee_count,
                                 .stage = tee_stage,
                                 .block = tee_block,
                                 .access = tee_access,
                                 .executed = tee_executed,
                                 .block_end = tee_block_end,
                                 .launch_end = tee_launch_end,
                                 .fault = tee_fault,
                                 .exit = tee_exit,
                                 .function = tee_function,
                                 .context = tee};
}
