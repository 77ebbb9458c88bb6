/* check_sums.c - sums of wgmma that are used before the group of their product is waited for.
 *
 *     wgmma.mma_async ... {%f1, ...};     %f1 is of an open group
 *     wgmma.commit_group;
 *     mov.f32 %f9, %f1;                   no use: ptxas gives both one register; %f9 waits, too
 *     wgmma.wait_group N;                 over, but for the last N groups
 *     add.f32 %f2, %f1, 1.0;              before that: a fault
 *
 * Another product of the same shape and type may add to it. Registers that may hold such a sum have numbers; before an
 * instruction with one of them stands a step #sums. A warp has for each number in which group it is.
 */
#include "machine/check/check.h"
#include "machine/decode/decode.h"
#include "machine/matrix.h"

#include <string.h>

enum { PASSES = 16 }; /* along moves that stand in the other order */

struct sums {
    struct effects effects; /* of the body's instructions */
    uint32_t number[];      /* [register]; 0: it holds no sum */
};

/* step->extra of #sums; step->c: a predicate, 0: none. */
struct sums_use {
    int count;
    struct {
        uint32_t number, from; /* from: of a move, the number of its source, 0: it holds no sum */
        bool moves, writes;
    } of[];
};

struct check_sum {
    uint32_t group; /* plus 1; 0: nothing is under way */
    uint32_t shape;
    int site; /* of the product */
};

/* ---- decoding ---------------------------------------------------------------------------------- */

static bool is_product(const struct ptx_instruction *instruction)
{
    return slice_is(instruction->opcode, "wgmma") && ptx_has(instruction, "mma_async") &&
           instruction->operands > 0;
}

static bool is_move(const struct ptx_instruction *instruction)
{
    return slice_is(instruction->opcode, "mov") && instruction->operands == 2 &&
           instruction->operand[0].kind == PTX_REG && instruction->operand[1].kind == PTX_REG;
}

static bool number_it(struct decoder *decoder, int reg)
{
    const bool is_new = !decoder->sums->number[reg];
    if (is_new)
        decoder->sums->number[reg] = ++decoder->kernel->sums;
    return is_new;
}

bool sums_find(struct decoder *decoder)
{
    const struct ptx_body *body = decoder->body;
    bool any = false;
    for (int i = 0; i < body->instructions && !any; i++)
        any = is_product(&body->instruction[i]);
    if (!any)
        return true;
    struct sums *found =
        decode_new(decoder, sizeof *found + (size_t)body->regs * sizeof found->number[0]);
    decoder->sums = found;
    if (!found)
        return false;
    for (int i = 0; i < body->instructions; i++) {
        if (!effects_add(&found->effects, &decoder->module->ptx.arena, body))
            return error_set(decoder->error, "out of memory for the program's code");
        const struct ptx_operand *sums = body->instruction[i].operand;
        for (int k = 0; is_product(&body->instruction[i]) && k < sums->elements; k++)
            if (sums->element[k].kind == PTX_REG)
                number_it(decoder, sums->element[k].reg);
    }
    for (int pass = 0; any && pass < PASSES; pass++) {
        any = false;
        for (int i = 0; i < body->instructions; i++) {
            const struct ptx_operand *operand = body->instruction[i].operand;
            if (is_move(&body->instruction[i]) && decoder->sums->number[operand[1].reg])
                any |= number_it(decoder, operand[0].reg);
        }
    }
    return true;
}

uint32_t sums_number(const struct decoder *decoder, const struct ptx_operand *operand)
{
    return decoder->sums && operand->kind == PTX_REG ? decoder->sums->number[operand->reg] : 0;
}

bool sums_bind(struct decoder *decoder)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    if (!decoder->sums || is_product(instruction))
        return true;
    int count = 0;
    EFFECT_EACH_USE (&decoder->sums->effects, decoder->index, use)
        count += decoder->sums->number[use->reg] != 0;
    if (!count)
        return true;
    struct sums_use *what = decode_new(decoder, sizeof *what + (size_t)count * sizeof what->of[0]);
    if (!what)
        return false;
    if (is_move(instruction)) {
        what->count = decoder->sums->number[instruction->operand[0].reg] != 0;
        what->of[0].number = decoder->sums->number[instruction->operand[0].reg];
        what->of[0].from = decoder->sums->number[instruction->operand[1].reg];
        what->of[0].moves = true;
    } else {
        EFFECT_EACH_USE (&decoder->sums->effects, decoder->index, use)
            if (decoder->sums->number[use->reg]) {
                what->of[what->count].number = decoder->sums->number[use->reg];
                what->of[what->count++].writes = use->writes;
            }
    }
    struct step step = {.extra = what};
    if (instruction->guard >= 0) {
        step.c = decoder->reg[instruction->guard];
        step.negated = (uint32_t)instruction->guard_negated;
    }
    return decode_internal(decoder, "#sums", step);
}

/* ---- running ----------------------------------------------------------------------------------- */

static struct check_sum *sums_of(struct warp *warp)
{
    struct check_warp *own = &warp->block->check->warp[warp->number];
    if (!own->sum)
        own->sum = run_new(warp->run, &warp->worker->arena,
                           ((size_t)warp->run->kernel->sums + 1) * sizeof *own->sum);
    return own->sum;
}

void check_sums_forget(struct check_warp *own, uint32_t sums)
{
    if (own->sum)
        memset(own->sum, 0, ((size_t)sums + 1) * sizeof *own->sum);
}

static void tell(struct warp *warp, const struct check_sum *sum, const char *what)
{
    const uint64_t lanes = warp->mask;
    const bool open = sum->group > check_late_open(warp);
    finding(warp, lanes ? __builtin_ctzll(lanes) : 0, MACHINE_FAULT_SUMS, sum->site,
            "%s a sum that wgmma may not have made yet: its group of products is not %s", what,
            open ? "committed (wgmma.commit_group) and waited for (wgmma.wait_group)"
                 : "waited for (wgmma.wait_group)");
}

static bool under_way(struct warp *warp, struct check_sum *sum)
{
    if (sum->group && sum->group <= check_late_over(warp))
        sum->group = 0;
    return sum->group != 0;
}

const struct step *check_sums_use(struct warp *warp, const struct step *step)
{
    const struct sums_use *what = step->extra;
    struct check_sum *sum = warp->run->check ? sums_of(warp) : NULL;
    if (!sum)
        return step + 1;
    uint64_t mask = warp->mask;
    if (step->c) {
        const uint64_t holds = *REGISTER(const uint64_t, warp, step->c);
        mask &= step->negated ? ~holds : holds;
    }
    for (int i = 0; i < what->count && mask; i++) {
        struct check_sum *of = &sum[what->of[i].number];
        if (!what->of[i].moves) {
            if (under_way(warp, of))
                tell(warp, of, what->of[i].writes ? "overwrites" : "reads");
        } else if (!what->of[i].from) {
            of->group = 0;
        } else if (mask == lanes_below(32) || !under_way(warp, &sum[what->of[i].from])) {
            *of = sum[what->of[i].from];
        }
    }
    return step + 1;
}

void check_sums_multiply(struct warp *warp, const struct step *step, const struct wgmma *what)
{
    struct check_sum *sum = warp->run->check ? sums_of(warp) : NULL;
    const uint32_t shape = (uint32_t)what->columns << 2 | (uint32_t)what->sum;
    if (!sum)
        return;
    for (int i = 0; i < 4; i++)
        if (what->a_number[i] && under_way(warp, &sum[what->a_number[i]]))
            tell(warp, &sum[what->a_number[i]], "wgmma reads as A");
    for (int i = 0; i < 128 && what->number[i]; i++) {
        struct check_sum *of = &sum[what->number[i]];
        if (under_way(warp, of) && of->shape != shape)
            tell(warp, of, "wgmma of another shape adds to");
        *of = (struct check_sum){check_late_open(warp) + 1, shape, step_site(warp, step)};
    }
}
