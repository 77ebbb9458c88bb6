/* track.c - runs a warp instruction by instruction, while values in its registers are followed. */
#include "machine/check/track.h"
#include "machine/check/undefined.h"
#include "machine/decode/decode.h"

/* false: no instruction of the function begins at the step. */
static bool read_instruction(const struct warp *warp, const struct step *step,
                             struct reading *reading)
{
    const struct code *code = warp->frame->code;
    const struct effects *effects = &code->function->parsed->flow->effects;
    const struct step *last = step->run[0] == control_guard ? step + 1 : step;
    const int index = last->instruction;
    if (last->run[0] == control_block || index < 0 || index >= effects->count)
        return false;
    while (last + 1 < code->step + code->steps && last[1].instruction == index &&
           last[1].run[0] != control_block)
        last++;
    *reading = (struct reading){.first = step,
                                .last = last,
                                .instruction = &code->function->parsed->instruction[index],
                                .effect = &effects->of[index],
                                .index = index,
                                .mask = warp->mask};
    if (step->run[0] == control_guard)
        reading->mask &= warp_predicate(warp, step);
    return true;
}

const struct step *track_execute(struct warp *warp, const struct reading *reading)
{
    const struct step *step, *next = reading->first;
    do {
        warp->now = step = next;
        next = step->run[warp->some](warp, step);
    } while (next > step && next <= reading->last);
    return next;
}

bool track_can_repeat(const struct reading *reading, const struct code *code)
{
    const struct effect *effect = reading->effect;
    return effect->kind == EFFECT_VALUE && !effect->once && effect->uses &&
           code->function->parsed->flow->effects.use[effect->use].writes;
}

const int *track_last_reads(struct warp *warp)
{
    struct machine_run *run = warp->run;
    const struct code *code = warp->frame->code;
    run_lock(run);
    if (!run->last_read)
        run->last_read =
            run_new(run, &run->arena, (size_t)run->kernel->codes * sizeof *run->last_read);
    if (run->last_read && !run->last_read[code->number])
        run->last_read[code->number] = undefined_last_reads(code, run);
    const int *last = run->last_read ? run->last_read[code->number] : NULL;
    run_unlock(run);
    return last;
}

static const struct step *track_one(struct warp *warp, const struct step *step)
{
    struct reading reading;
    if (step->run[0] == control_block) {
        check_absent_at_block(warp, step);
        chance_at_block(warp, step);
    }
    warp->now = step;
    if (!read_instruction(warp, step, &reading))
        return step->run[warp->some](warp, step);
    const bool chance = chance_before(warp, &reading);
    const struct step *next = check_absent_execute(warp, &reading);
    if (chance)
        chance_after(warp, &reading, next);
    return next;
}

const struct step *check_track(struct warp *warp, const struct step *step)
{
    warp->tracking = true;
    while (step && (check_absent_is_on(warp) || chance_is_on(warp)))
        step = track_one(warp, step);
    warp->tracking = false;
    warp->tracked = check_absent_is_on(warp) || chance_is_on(warp);
    return step;
}
