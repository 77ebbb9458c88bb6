/* follow.c - warps that an observer follows: each instruction, with the lanes that executed it and the registers that
 * it wrote.
 *
 * A step is told when it is the last one of its instruction, so that its registers are written. Lanes that only came to
 * where they wait for others of their warp have executed nothing yet.
 */
#include "machine/decode/decode.h"
#include "machine/ptxas/effect.h"

#include <string.h>

/* The instruction that a step is of; -1: none. */
static int instruction_of(const struct step *step)
{
    return step->run[0] == control_block ? -1 : step->instruction;
}

static bool is_last(const struct code *code, const struct step *step)
{
    return step + 1 == code->step + code->steps || instruction_of(step + 1) != instruction_of(step);
}

/* Lanes of the mask that are to execute the step yet. */
static uint64_t still_before(const struct warp *warp, const struct step *step, uint64_t mask)
{
    const struct {
        const struct group *group;
        int count;
    } lists[] = {{warp->ready, warp->readies}, {warp->parked, warp->parkeds}};
    uint64_t before = 0;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        for (int k = 0; k < lists[i].count; k++)
            if (lists[i].group[k].at == step)
                before |= lists[i].group[k].mask & mask;
    return before;
}

/* Copies of a predicate: a byte for each lane. */
static void spread(const struct warp *warp, uint32_t at, uint8_t to[MACHINE_LANES])
{
    const uint64_t bits = *REGISTER(const uint64_t, warp, at);
    for (int i = 0; i < MACHINE_LANES; i++)
        to[i] = (uint8_t)(bits >> i & 1);
}

/* What a register holds: where it is declared as bits only, the instruction's type says more. */
static enum ptx_type type_of(const struct ptx_instruction *instruction,
                             const struct ptx_register *reg)
{
    const bool bits = reg->type == PTX_B16 || reg->type == PTX_B32 || reg->type == PTX_B64;
    for (int i = 0; i < instruction->words && bits; i++) {
        const enum ptx_type type = ptx_type_named(instruction->word[i]);
        if (type != PTX_NONE && ptx_type_bytes(type) == ptx_type_bytes(reg->type))
            return type;
    }
    return reg->type;
}

static void take_results(const struct warp *warp, const struct code *code,
                         const struct ptx_instruction *instruction,
                         struct machine_executed *executed, struct machine_result *result,
                         uint8_t (*bits)[MACHINE_LANES])
{
    const struct ptx_body *body = code->function->parsed;
    const int operands = effect_results(instruction);
    int predicates = 0;
    for (int i = 0; i < operands; i++) {
        const struct ptx_operand *operand = &instruction->operand[i];
        const bool vector = operand->kind == PTX_VECTOR;
        const int elements = vector ? operand->elements : 1;
        for (int k = 0; k < elements && executed->results < MACHINE_RESULTS; k++) {
            const struct ptx_operand *element = vector ? &operand->element[k] : operand;
            if (element->kind != PTX_REG)
                continue;
            const struct ptx_register *reg = &body->reg[element->reg];
            const uint32_t at = code->reg[element->reg];
            struct machine_result *to = &result[executed->results];
            *to = (struct machine_result){.bytes = (int)decode_register_bytes(reg->type),
                                          .type = ptx_type_name(type_of(instruction, reg)),
                                          .value = warp->registers + at};
            if (reg->number < 0)
                snprintf(to->name, sizeof to->name, "%.*s", SLICE(reg->name));
            else
                snprintf(to->name, sizeof to->name, "%.*s%d", SLICE(reg->name), reg->number);
            if (reg->type == PTX_PRED) {
                if (predicates == MACHINE_RESULT_PREDICATES)
                    continue;
                spread(warp, at, bits[predicates]);
                to->bytes = 1;
                to->value = bits[predicates++];
            }
            executed->results++;
        }
    }
}

static void tell(struct warp *warp, const struct code *code, const struct step *step,
                 const struct step *next, uint64_t mask)
{
    const int index = instruction_of(step);
    uint8_t bits[MACHINE_RESULT_PREDICATES][MACHINE_LANES];
    struct machine_result result[MACHINE_RESULTS];
    if (index < 0 || !is_last(code, step))
        return;
    /* lanes that waited for these go on with them */
    const bool straight = next == step + 1 && (warp->mask & mask) == mask;
    if (straight)
        mask = step[-1].run[0] == control_guard ? mask : warp->mask;
    else if (!(mask &= ~still_before(warp, step, mask)) || next == step)
        return;
    const struct ptx_instruction *instruction = &code->function->parsed->instruction[index];
    struct machine_executed executed = {.function = code->function->name.at,
                                        .function_length = code->function->name.length,
                                        .text = instruction->text.at,
                                        .text_length = instruction->text.length,
                                        .line = instruction->line,
                                        .site = instruction->site,
                                        .block = warp->block->number,
                                        .warp = warp->number,
                                        .phase = warp->phase,
                                        .mask = mask,
                                        .result = result};
    if (straight)
        take_results(warp, code, instruction, &executed, result, bits);
    warp->run->observer.executed(warp->run->observer.context, &executed);
}

void warp_follow(struct warp *warp, const struct step *step)
{
    while (step) {
        const struct code *code = warp->frame->code;
        const bool guarded = step->run[0] == control_guard;
        const uint64_t mask = warp->mask & (guarded ? warp_predicate(warp, step) : ~UINT64_C(0));
        warp->now = step;
        const struct step *next = step->run[warp->some](warp, step);
        if (!guarded || mask)
            tell(warp, code, guarded ? step + 1 : step, next, mask);
        step = next;
    }
}
