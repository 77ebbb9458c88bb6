/* program_registers.c - `run --registers`: what a thread executed, with the registers that it wrote. */
#include "subject/program_registers.h"
#include "program/records.h"
#include "viewer/scene/source.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int lanes_of(const struct program_options *options)
{
    enum { LANES = 32 };
    return options->choice.warp ? options->choice.warp : LANES;
}

void registers_choose(struct program_options *options)
{
    options->follow.warp = (uint32_t)(options->thread / lanes_of(options));
    if (!options->choice.launch)
        options->choice.launch = "0";
}

/* ---- what is told ---------------------------------------------------------------------------------- */

/* A place in the user's files; "t.ptx:12" where the source is PTX, "PTX:12" where no line is known. */
static void where(const struct registers *registers, const struct program_executed *executed,
                  char *text, size_t room)
{
    const struct source_place *place =
        executed->pc ? lines_place(registers->lines, executed->pc) : NULL;
    if (place && place->line)
        snprintf(text, room, "%s:%d", place->file, place->line);
    else
        snprintf(text, room, "PTX:%d", executed->line);
}

static bool on_launch(void *context, const struct program_launch *launch, struct error *error)
{
    struct registers *registers = context;
    const struct program_options *options = registers->options;
    (void)error;
    if (launch->number != strtoull(options->choice.launch, NULL, 10))
        return true;
    const uint64_t blocks = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
    const int64_t threads = (int64_t)launch->block[0] * launch->block[1] * launch->block[2];
    registers->missing = options->follow.block >= blocks ? "block"
                         : options->thread >= threads    ? "thread"
                                                         : NULL;
    return true;
}

static bool on_executed(void *context, const struct program_executed *executed, struct error *error)
{
    struct registers *registers = context;
    const struct program_options *options = registers->options;
    const int lane = (int)(options->thread % lanes_of(options));
    const uint64_t bit = UINT64_C(1) << lane;
    const struct source_place *place =
        executed->pc ? lines_place(registers->lines, executed->pc) : NULL;
    char text[600];
    (void)error;
    registers->rows++;
    if (!(executed->mask & bit) || (options->line && (!place || place->line != options->line)))
        return true;
    if (executed->first) {
        where(registers, executed, text, sizeof text);
        fprintf(registers->to, "%s%-*s  %0*" PRIx64 "  %-44s", registers->length++ ? "\n" : "",
                registers->width, text, (lanes_of(options) + 3) / 4, executed->mask,
                executed->text);
    }
    if (!*executed->name)
        return true;
    const int before = __builtin_popcountll(executed->mask & (bit - 1));
    fprintf(registers->to, "  %s = ", executed->name);
    register_put_value(registers->to, executed->type,
                       executed->value + (size_t)before * executed->bytes, executed->bytes);
    return true;
}

struct program_sink registers_sink(struct registers *registers)
{
    registers->missing = "launch";
    registers->width = 20;
    registers->to = open_memstream(&registers->text, &registers->room);
    if (!registers->to)
        memory_exhausted();
    return (struct program_sink){
        .launch = on_launch, .executed = on_executed, .context = registers};
}

bool registers_print(FILE *file, struct registers *registers, struct error *error)
{
    const struct program_options *options = registers->options;
    const int lanes = lanes_of(options);
    if (fflush(registers->to))
        memory_exhausted();
    if (registers->missing)
        return error_set(error, "--registers: launch %s has no %s %" PRIu64, options->choice.launch,
                         registers->missing,
                         strcmp(registers->missing, "block") ? (uint64_t)options->thread
                                                             : options->follow.block);
    fprintf(file, "\nlaunch %s, block %" PRIu64 ", thread %" PRId64 " (lane %d of warp %u)",
            options->choice.launch, options->follow.block, options->thread,
            (int)(options->thread % lanes), options->follow.warp);
    if (options->line)
        fprintf(file, ", line %d", options->line);
    fprintf(file, ":\n%-*s  %-*s  %-44s  registers\n%s%s", registers->width, "line",
            (lanes + 3) / 4 > 5 ? (lanes + 3) / 4 : 5, "lanes", "instruction", registers->text,
            registers->length ? "\n" : "nothing was executed there\n");
    if (registers->rows >= RECORDS_EXECUTED_MOST)
        fprintf(file, "(and more: what a warp executes is kept up to here)\n");
    return true;
}

void registers_free(struct registers *registers)
{
    if (registers->to)
        fclose(registers->to);
    free(registers->text);
    *registers = (struct registers){.options = NULL};
}
