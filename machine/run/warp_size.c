/* warp_size.c - warps of other sizes than 32, which no GPU has: what they cannot execute, and what a program
 * that counts on 32 lanes may do wrong. */
#include "machine/step.h"

#include <stdio.h>
#include <string.h>

/* "shfl.sync.down.b32": an instruction's text without guard and operands. */
static struct slice words_of(const struct ptx_instruction *instruction)
{
    struct slice words = {instruction->opcode.at, 0};
    const char *end = instruction->text.at + instruction->text.length;
    while (words.at + words.length < end && !strchr(" \t\r\n;", words.at[words.length]))
        words.length++;
    return words;
}

const struct step *warp_size_fault(struct warp *warp, const struct step *step, const char *why)
{
    const struct ptx_body *body = warp->frame->code->function->parsed;
    const struct slice words = step->instruction >= 0
                                   ? words_of(&body->instruction[step->instruction])
                                   : (struct slice){"this", 4};
    return fault(warp, -1, MACHINE_FAULT_INSTRUCTION, "%.*s %s: this warp has %d", SLICE(words),
                 why, warp->run->warp_lanes);
}

/* ---- 31 and 32 ------------------------------------------------------------------------------- */

static bool is_of_thread(const struct ptx_operand *operand, const bool *lanes)
{
    if (operand->kind == PTX_REG)
        return lanes[operand->reg];
    return operand->kind == PTX_NAME &&
           (slice_begins(operand->text, "%tid") || slice_is(operand->text, "%laneid"));
}

/* Whether one of the operands behind the first is a number of a thread. */
static bool reads_thread(const struct ptx_instruction *instruction, const bool *lanes)
{
    bool found = false;
    for (int i = 1; i < instruction->operands; i++)
        found |= is_of_thread(&instruction->operand[i], lanes);
    return found;
}

/* Moves and sums of numbers of threads are such numbers. */
static void spread(const struct ptx_body *body, bool *lanes)
{
    static const char *const kept[] = {"mov", "cvt", "add", "sub", "mad"};
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *now = &body->instruction[i];
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            if (slice_is(now->opcode, kept[k]) && now->operands > 1 &&
                now->operand[0].kind == PTX_REG && reads_thread(now, lanes))
                lanes[now->operand[0].reg] = true;
    }
}

/* The number 31 or 32 that the instruction has; 0: none. */
static int counts_on_32(const struct ptx_instruction *instruction)
{
    static const struct {
        const char *opcode;
        int32_t constant;
        int named;
    } rows[] = {
        {"and", 31, 31}, {"and", -32, 32}, {"div", 32, 32},  {"rem", 32, 32},
        {"shr", 5, 32},  {"setp", 31, 31}, {"setp", 32, 32}, {"bfe", 5, 32},
    };
    for (int i = 1; i < instruction->operands; i++) {
        const struct ptx_operand *operand = &instruction->operand[i];
        int64_t value;
        if (!ptx_constant(operand, &value))
            continue;
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (slice_is(instruction->opcode, rows[k].opcode) && (int32_t)value == rows[k].constant)
                return rows[k].named;
    }
    return 0;
}

static void note(struct machine_run *run, const struct ptx_instruction *instruction, int number)
{
    struct machine_fault fault = {
        .kind = MACHINE_FAULT_LANES, .site = instruction->site, .other_site = -1, .count = 1};
    snprintf(fault.text, sizeof fault.text,
             "%d in arithmetic on numbers of threads, as of warps of 32 lanes: here they have %d",
             number, run->warp_lanes);
    run->observer.fault(run->observer.context, &fault);
}

static void note_function(struct machine_run *run, const struct ptx_body *body, bool *lanes)
{
    int last = -2;                          /* site */
    for (int round = 0; round < 2; round++) /* a loop may carry them back */
        spread(body, lanes);
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *now = &body->instruction[i];
        const int number = reads_thread(now, lanes) ? counts_on_32(now) : 0;
        if (number && now->site != last)
            note(run, now, number);
        if (number)
            last = now->site;
    }
}

void warp_size_notes(struct machine_run *run)
{
    if (!run->observer.fault || run->launch.checks_off >> MACHINE_FAULT_LANES & 1)
        return;
    for (const struct code *code = run->kernel->code; code; code = code->next) {
        const struct ptx_body *body = code->function->parsed;
        bool *lanes = arena_new(&run->arena, (size_t)body->regs + 1);
        if (lanes)
            note_function(run, body, lanes);
    }
}
