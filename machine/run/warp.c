/* warp.c - which lanes of a warp run: divergence, reconvergence, calls.
 *
 * Lanes that stand at the same step of the same call run together: they are a group. When a branch splits
 * them, the group at the lower place in the code goes on, and the other waits for its turn. Since code is
 * laid out so that arms of a branch come before the place where they meet (flow.c), the lower ones arrive
 * there, stop, and both go on as one group (thread frontiers). The lowest place at which others wait
 * is warp->stop; a group looks at it wherever a basic block begins.
 *
 *          if (x)        lanes 0-3: x holds in 0 and 1
 *     10   a();          {0,1} run 10; {2,3} wait at 20, so stop = 20
 *     20   else b();     {0,1} come to 30 > stop: {2,3} run 20
 *     30   c();          {2,3} come to 30, where {0,1} wait: {0,1,2,3} run 30
 *
 * Lanes deeper in calls go first. Lanes that wait for others of the warp (shuffles, __syncwarp) are parked,
 * those that wait at a barrier of the block are waiting (block.c). A group that spins, for a lock that
 * another lane of the warp has, gives way after a while: then the groups take turns (warp->fair). If it is
 * another warp that has the lock, they had better not: those that wait for the group are to go on with it.
 */
#include "machine/check/check.h"
#include "machine/module.h"

enum {
    TURN = 1,           /* basic blocks until another warp has its turn */
    PATIENCE = 20000,   /* basic blocks until groups take turns */
    VAIN = 64,          /* swaps that change nothing, until they do: another may have the lock */
    FAIR_TURN = 500,    /* basic blocks of such a turn */
    MOST_CALLS = 10000, /* in each other */
};

static void warp_set_mask(struct warp *warp, uint64_t mask)
{
    warp->mask = mask;
    warp->some = mask != warp->alive;
    warp->lanes_on = __builtin_popcountll(mask);
    if (warp->some)
        for (int i = 0; i < warp->slots; i++)
            warp->on[i] = -(int32_t)(mask >> i & 1);
}

void warp_go(struct warp *warp, struct frame *frame, uint64_t mask)
{
    warp->frame = frame;
    warp->registers = frame->registers;
    warp_set_mask(warp, mask);
}

void warp_set_stop(struct warp *warp)
{
    warp->stop = (const struct step *)UINTPTR_MAX;
    for (int i = 0; i < warp->readies && !warp->fair; i++) {
        const struct group *group = &warp->ready[i];
        if (group->frame == warp->frame && group->at < warp->stop)
            warp->stop = group->at;
        else if (group->frame->depth > warp->frame->depth)
            warp->stop = NULL;
    }
}

/* Puts lanes aside until it is their turn. */
static void warp_wait_turn(struct warp *warp, struct frame *frame, const struct step *at,
                           uint64_t mask)
{
    warp->ready[warp->readies++] = (struct group){frame, at, mask, -1};
}

static bool goes_first(const struct group *a, const struct group *b)
{
    if (a->frame != b->frame)
        return a->frame->depth != b->frame->depth
                   ? a->frame->depth > b->frame->depth
                   : __builtin_ctzll(a->mask) < __builtin_ctzll(b->mask);
    return a->at < b->at;
}

/* Lanes that wait for others of the warp that cannot come: they go on without them. */
static void give_up_waiting(struct warp *warp)
{
    warp->force = true;
    warp->gave_up = 0;
    while (warp->parkeds) {
        warp->ready[warp->readies++] = warp->parked[--warp->parkeds];
        warp->gave_up |= warp->parked[warp->parkeds].mask;
    }
}

const struct step *warp_pick(struct warp *warp)
{
    if (!warp->readies && warp->parkeds)
        give_up_waiting(warp);
    if (!warp->readies)
        return NULL;
    struct group best = warp->ready[0];
    for (int i = 1; i < warp->readies; i++)
        if (goes_first(&warp->ready[i], &best))
            best = warp->ready[i];
    uint64_t mask = 0;
    int kept = 0;
    for (int i = 0; i < warp->readies; i++) {
        const struct group group = warp->ready[i];
        if (group.frame == best.frame && group.at == best.at)
            mask |= group.mask;
        else
            warp->ready[kept++] = group;
    }
    warp->readies = kept;
    warp_go(warp, best.frame, mask);
    warp_set_stop(warp);
    return best.at;
}

/* The running lanes wait at a place, and the next group has its turn. */
static const struct step *pick_again(struct warp *warp, const struct step *at)
{
    warp_wait_turn(warp, warp->frame, at, warp->mask);
    return warp_pick(warp);
}

/* Groups of a warp that spins take turns: the one that has waited longest runs for a while. */
static void take_turns(struct warp *warp, const struct step *at)
{
    warp->turns = 0;
    warp->vain = 0;
    if (warp->fair || !warp->readies) {
        warp->fair = false;
        warp->at = pick_again(warp, at);
        return;
    }
    warp_wait_turn(warp, warp->frame, at, warp->mask);
    struct group first = warp->ready[0];
    for (int i = 1; i < warp->readies; i++)
        warp->ready[i - 1] = warp->ready[i];
    warp->readies--;
    warp->fair = true;
    warp_go(warp, first.frame, first.mask);
    warp_set_stop(warp);
    warp->at = first.at;
    warp->budget = FAIR_TURN;
}

static const struct step *end_turn(struct warp *warp, const struct step *at)
{
    warp->budget = TURN;
    warp->status = WARP_READY;
    warp->turns += TURN;
    const bool gives_way = warp->vain >= VAIN && warp->won & ~warp->mask;
    if (!warp->fair && warp->turns < PATIENCE && !gives_way)
        warp->at = at;
    else
        take_turns(warp, at);
    return NULL;
}

const struct step *warp_again(struct warp *warp, const struct step *step)
{
    return end_turn(warp, step);
}

void warp_run(struct warp *warp)
{
    const struct step *step = warp->at ? warp->at : warp_pick(warp);
    if (!step) {
        warp->status = warp->alive ? WARP_WAITS : WARP_DONE;
        return;
    }
    if (warp->followed) {
        warp_follow(warp, step);
        return;
    }
    if (warp->tracked)
        step = check_track(warp, step);
    while (step) {
        warp->now = step;
        step = step->run[warp->some](warp, step);
    }
}

/* ---- control --------------------------------------------------------------------------------- */

/* The head of a basic block; immediate: how many instructions it has. */
const struct step *control_block(struct warp *warp, const struct step *step)
{
    if (step >= warp->stop)
        return pick_again(warp, step);
    warp->steps += (uint64_t)step->immediate;
    warp->lane_steps += (uint64_t)step->immediate * (uint64_t)warp->lanes_on;
    return --warp->budget <= 0 ? end_turn(warp, step + 1) : step + 1;
}

/* Other warps have their turn before this one stores what it has loaded: see decode.c. */
const struct step *control_turn(struct warp *warp, const struct step *step)
{
    return --warp->budget <= 0 ? end_turn(warp, step + 1) : step + 1;
}

const struct step *control_jump(struct warp *warp, const struct step *step)
{
    (void)warp;
    return step->target;
}

uint64_t warp_predicate(const struct warp *warp, const struct step *step)
{
    const uint64_t mask = *REGISTER(const uint64_t, warp, step->a);
    return step->negated ? ~mask : mask;
}

const struct step *control_branch(struct warp *warp, const struct step *step)
{
    const uint64_t taken = warp->mask & warp_predicate(warp, step);
    if (!taken)
        return step + 1;
    if (taken == warp->mask)
        return step->target;
    const struct step *low = step + 1, *high = step->target;
    uint64_t low_mask = warp->mask & ~taken, high_mask = taken;
    if (high < low) {
        low = step->target, high = step + 1;
        low_mask = taken, high_mask = warp->mask & ~taken;
    }
    if (low == high)
        return low;
    warp_wait_turn(warp, warp->frame, high, high_mask);
    warp_set_mask(warp, low_mask);
    if (!warp->fair && high < warp->stop)
        warp->stop = high;
    return low;
}

/* brx: a table of steps at extra, `sub` of them; a: which. */
const struct step *control_table(struct warp *warp, const struct step *step)
{
    const struct step *const *table = step->extra;
    const uint32_t *index = REGISTER(const uint32_t, warp, step->a);
    FOR_LANES(lane, warp->mask)
    {
        if (index[lane] >= step->sub)
            return fault(warp, (int)lane, MACHINE_FAULT_INSTRUCTION,
                         "brx jumps to entry %u of a table of %u", index[lane], step->sub);
        warp_wait_turn(warp, warp->frame, table[index[lane]], UINT64_C(1) << lane);
    }
    return warp_pick(warp);
}

/* The next instruction is for the lanes whose predicate holds. What lanes do together, or does not go on
 * behind itself, has a branch around it instead: see decode.c. */
const struct step *control_guard(struct warp *warp, const struct step *step)
{
    const uint64_t before = warp->mask, mask = before & warp_predicate(warp, step);
    if (!mask)
        return step + 2;
    warp->now = step + 1;
    if (mask == before)
        return step[1].run[warp->some](warp, step + 1);
    warp_set_mask(warp, mask);
    const struct step *next = step[1].run[1](warp, step + 1);
    warp_set_mask(warp, before);
    return next;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* NULL: no memory; what was taken stays with the worker's arena. */
struct frame *frame_new(struct worker *worker, const struct code *code)
{
    const int slots = code->kernel->slots;
    struct frame *frame = worker->free_frame[code->number];
    if (frame) {
        worker->free_frame[code->number] = frame->next_free;
        stack_clear(frame);
        return frame;
    }
    frame = arena_new(&worker->arena, sizeof *frame);
    uint8_t *memory = arena_new(&worker->arena, (size_t)code->frame_bytes + 64);
    uint8_t *local = arena_new(&worker->arena, (size_t)code->local_bytes * (size_t)slots + 16);
    if (!frame || !memory || !local)
        return NULL;
    frame->registers = memory + (-(uintptr_t)memory & 63);
    frame->local = local;
    frame->code = code;
    for (int i = 0; i < code->constants; i++) {
        const struct constant *constant = &code->constant[i];
        for (int k = 0; k < slots; k++)
            __builtin_memcpy(frame->registers + constant->at + (uint32_t)k * constant->bytes,
                             &constant->value, constant->bytes > 8 ? 8 : constant->bytes);
    }
    return frame;
}

void frame_free(struct worker *worker, struct frame *frame)
{
    frame->next_free = worker->free_frame[frame->code->number];
    worker->free_frame[frame->code->number] = frame;
}

uint8_t *frame_piece(const struct frame *frame, const struct place *place, uint64_t lane)
{
    return place->local ? frame->local + lane * frame->code->local_bytes + place->at
                        : frame->registers + place->at + lane * place->bytes;
}

static void copy_places(const struct frame *to, const struct place *target,
                        const struct frame *from, const struct place *source, int count,
                        uint64_t mask)
{
    for (int i = 0; i < count; i++) {
        const uint32_t bytes =
            target[i].bytes < source[i].bytes ? target[i].bytes : source[i].bytes;
        FOR_LANES(lane, mask)
        __builtin_memcpy(frame_piece(to, &target[i], lane), frame_piece(from, &source[i], lane),
                         bytes);
    }
}

/* What a call takes of a thread's stack, at the least: ptxas never makes a local variable smaller, and keeps registers and
 * where to return to beside them. */
static uint32_t stack_bytes(const struct code *code)
{
    enum { RETURN_ADDRESS = 8 };
    return code->local_used + RETURN_ADDRESS;
}

static bool is_repeated(const struct frame *frame)
{
    const struct frame *outer = frame->caller;
    while (outer && outer->code != frame->code)
        outer = outer->caller;
    return outer;
}

/* Whether a thread's stack has room for the frame; if not, a fault ends the launch. A GPU's driver makes the stack of a
 * kernel as large as it needs, which is known unless functions call themselves; if they do, or call
 * alloca, all frames, the kernel's too, must fit what cudaLimitStackSize says. */
static bool fits_stack(struct warp *warp, const struct frame *frame)
{
    const uint64_t limit = warp->run->launch.stack_bytes;
    bool recursive = warp->run->kernel->recursive;
    if (frame->stack <= limit)
        return true;
    for (const struct frame *each = frame; each && !recursive; each = each->caller)
        recursive = is_repeated(each) || stack_most(each, warp->mask);
    if (!recursive)
        return true;
    fault(warp, -1, MACHINE_FAULT_STACK,
          "%d calls in each other, of a kernel with recursion or alloca, need %llu bytes of stack "
          "at least, "
          "and a thread has "
          "%llu: cudaDeviceSetLimit(cudaLimitStackSize, BYTES) gives it more",
          frame->depth, (unsigned long long)frame->stack, (unsigned long long)limit);
    return false;
}

static const struct step *enter_function(struct warp *warp, const struct step *step,
                                         const struct code *code)
{
    const struct call *call = step->extra;
    const uint64_t mask = warp->mask;
    if (warp->frame->depth >= MOST_CALLS)
        return fault(warp, -1, MACHINE_FAULT_STACK,
                     "calls nest over %d deep: a recursion without an end?", MOST_CALLS);
    struct frame *frame = frame_new(warp->worker, code);
    if (!frame)
        return fault(warp, -1, MACHINE_FAULT_MEMORY, "out of memory for a call's registers");
    frame->caller = warp->frame;
    frame->back = step + 1;
    frame->lanes = mask;
    frame->depth = warp->frame->depth + 1;
    const uint32_t taken = stack_most(warp->frame, mask);
    frame->local_base =
        (warp->frame->local_base + warp->frame->code->local_bytes + taken + 15) & ~15u;
    frame->stack = warp->frame->stack + taken + stack_bytes(code);
    if (!fits_stack(warp, frame))
        return NULL;
    const int arguments =
        call->arguments < code->function->parameters ? call->arguments : code->function->parameters;
    copy_places(frame, code->parameter, warp->frame, call->argument, arguments, mask);
    warp_go(warp, frame, mask);
    warp_set_stop(warp);
    return code->step;
}

/* Lanes that call the same function by its address go together, the others later. */
static const struct step *call_by_address(struct warp *warp, const struct step *step)
{
    const uint64_t *address = REGISTER(const uint64_t, warp, step->a);
    const int first = __builtin_ctzll(warp->mask);
    uint64_t same = 0;
    FOR_LANES(lane, warp->mask)
    same |= (uint64_t)(address[lane] == address[first]) << lane;
    const struct code *code = kernel_function(warp->run->kernel, address[first]);
    if (!code)
        return fault(warp, first, MACHINE_FAULT_INSTRUCTION,
                     "a call by an address at which there is no function");
    if (same != warp->mask) {
        warp_wait_turn(warp, warp->frame, step, warp->mask & ~same);
        warp_set_mask(warp, same);
    }
    return enter_function(warp, step, code);
}

const struct step *control_call(struct warp *warp, const struct step *step)
{
    const struct call *call = step->extra;
    if (call->builtin)
        return call_builtin(warp, step);
    return call->function ? enter_function(warp, step, call->code) : call_by_address(warp, step);
}

const struct step *control_return(struct warp *warp, const struct step *step)
{
    struct frame *frame = warp->frame, *caller = frame->caller;
    const uint64_t mask = warp->mask;
    (void)step;
    if (!caller)
        return warp_lanes_end(warp);
    const struct call *call = frame->back[-1].extra;
    const int results = call->results < frame->code->function->results
                            ? call->results
                            : frame->code->function->results;
    const struct step *back = frame->back;
    copy_places(caller, call->result, frame, frame->code->result, results, mask);
    frame->lanes &= ~mask;
    if (!frame->lanes)
        frame_free(warp->worker, frame);
    warp_wait_turn(warp, caller, back, mask);
    return warp_pick(warp);
}

const struct step *warp_lanes_end(struct warp *warp)
{
    struct block *block = warp->block;
    warp->alive &= ~warp->mask;
    block->alive -= (uint32_t)warp->lanes_on;
    for (int i = 0; i < BARRIERS; i++)
        if (block->barrier[i].arrived)
            block_release(block, i);
    if (block->cluster->arrived)
        cluster_release(block->cluster);
    const struct step *next = warp_pick(warp);
    if (!next) {
        warp->status = warp->alive ? WARP_WAITS : WARP_DONE;
        warp->at = NULL;
    }
    return next;
}

const struct step *control_exit(struct warp *warp, const struct step *step)
{
    (void)step;
    for (struct frame *frame = warp->frame, *caller; frame->caller; frame = caller) {
        caller = frame->caller;
        frame->lanes &= ~warp->mask;
        if (!frame->lanes)
            frame_free(warp->worker, frame);
    }
    return warp_lanes_end(warp);
}

static bool has_line(const struct warp *warp, const struct step *step)
{
    const int site = step_site(warp, step);
    return site >= 0 && warp->frame->code->kernel->module->site[site].line > 0;
}

/* nvcc puts traps where the source has no meaning, without a line: then the step before it that has one, or the branch
 * that leads there. */
static const struct step *place_of_trap(const struct warp *warp, const struct step *trap)
{
    const struct code *code = warp->frame->code;
    const struct step *place = trap, *nearest = NULL;
    if (has_line(warp, trap))
        return trap;
    for (const struct step *at = code->step; at < code->step + code->steps; at++) {
        const struct step *to = at->target ? at->target : at;
        const bool nearer = !nearest || to > nearest || (to == nearest && !at->target);
        const bool leads = to <= trap && at->run[0] != control_block && has_line(warp, at);
        if (leads && nearer) {
            nearest = to;
            place = at;
        }
    }
    return place;
}

const struct step *control_trap(struct warp *warp, const struct step *step)
{
    warp->now = place_of_trap(warp, step);
    return fault(warp, __builtin_ctzll(warp->mask), MACHINE_FAULT_TRAP, "the kernel trapped");
}

/* ---- operations of several lanes -------------------------------------------------------------- */

/* Lanes parked at this very step join the running ones. */
static void join_parked(struct warp *warp, const struct step *step)
{
    int kept = 0;
    uint64_t mask = warp->mask;
    for (int i = 0; i < warp->parkeds; i++) {
        if (warp->parked[i].frame == warp->frame && warp->parked[i].at == step)
            mask |= warp->parked[i].mask;
        else
            warp->parked[kept++] = warp->parked[i];
    }
    warp->parkeds = kept;
    warp_set_mask(warp, mask);
}

bool warp_gather(struct warp *warp, const struct step *step, uint64_t members,
                 const struct step **next)
{
    const uint64_t needed = members & warp->alive;
    if ((warp->mask & needed) != needed)
        join_parked(warp, step);
    bool here = (warp->mask & needed) == needed;
    if (!here && !warp->force && (warp->readies || warp->parkeds)) {
        warp->parked[warp->parkeds++] = (struct group){warp->frame, step, warp->mask, -1};
        *next = warp_pick(warp);
        return true;
    }
    if (here && warp->parkeds) { /* whom the others wait for may be among these */
        while (warp->parkeds)
            warp->ready[warp->readies++] = warp->parked[--warp->parkeds];
        warp_set_stop(warp);
    }
    warp->force = false;
    return false;
}
