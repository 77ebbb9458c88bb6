/* sink.c - hands what a program does to several sinks. */
#include "program/program.h"

/* Calls `function` of every sink that has it. */
#define EACH(function, ...)                                                                        \
    const struct program_tee *tee = context;                                                       \
    for (int i = 0; i < tee->count; i++)                                                           \
        if (tee->sinks[i].function && !tee->sinks[i].function(tee->sinks[i].context, __VA_ARGS__)) \
            return false;                                                                          \
    return true;

/* A function that hands one thing on. */
#define TEE(function, type)                                                                        \
    static bool tee_##function(void *context, type what, struct error *error)                      \
    {                                                                                              \
        EACH(function, what, error)                                                                \
    }
TEE(launch, const struct program_launch *)
TEE(count, const struct program_count *)
TEE(block, uint64_t)
TEE(access, const struct program_access *)
TEE(executed, const struct program_executed *)
TEE(launch_end, const struct program_end *)
TEE(fault, const struct program_fault *)
TEE(exit, const struct program_exit *)
TEE(function, const struct record_function *)

static bool tee_stage(void *context, uint32_t number, const char *name, struct error *error)
{
    EACH(stage, number, name, error)
}

static bool tee_block_end(void *context, struct error *error)
{
    EACH(block_end, error)
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
