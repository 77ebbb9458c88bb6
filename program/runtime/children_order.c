/* children_order.c - children that touch what their parent touches beside them, or what another child does, with nothing to
 * put the two in order (race).
 *
 *     child<<<1, 32>>>(x);           the kernel goes on, and the child may begin now or later
 *     if (x[0] == 7) ...             told: the child may store to x[0]
 *     other<<<1, 32, 0, s>>>(x);     told if both are stored to: s and the block's own stream are two
 *
 * What a launch has touched is held against what is told of all that it comes from, and then kept for the children behind
 * it, as done by the child that it comes from. Of each level a number of the last ones is kept.
 */
#include "program/runtime/children.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DONE = 512, MOST_LATE = 1 << 18, MOST_COPIED = 1 << 16 /* extents of one */ };

static void add_late(void *context, const struct machine_late *late)
{
    struct heard_seen *seen = context;
    if (seen->late_count >= MOST_LATE ||
        !runtime_grow(&seen->late, &seen->late_room, seen->late_count + 1, sizeof *seen->late))
        seen->partial = true;
    else
        seen->late[seen->late_count++] = *late;
}

bool children_see(struct heard *heard, const struct machine_run *run)
{
    const struct records_choice *choice = runtime_choice();
    if ((!heard->parent && !heard->children) || !heard->report.counted || !choice->check ||
        choice->checks_off >> MACHINE_FAULT_RACE & 1)
        return true;
    struct heard_seen *seen = heard->seen = runtime_new(sizeof *seen);
    if (!seen)
        return false;
    if (heard->children)
        machine_children_late(heard->children, add_late, seen);
    if (heard->parent)
        seen->partial |= !machine_touched(run, footprint_add, &seen->touched);
    return !seen->partial && !seen->touched.partial;
}

void children_forget(struct heard_seen *seen)
{
    if (!seen)
        return;
    footprint_clear(&seen->touched);
    runtime_delete(seen->late);
    runtime_delete(seen);
}

/* ---- who meets whom ----------------------------------------------------------------------------- */

static void split(uint64_t number, const uint32_t size[3], uint32_t to[3])
{
    to[0] = (uint32_t)(number % size[0]);
    to[1] = (uint32_t)(number / size[0] % size[1]);
    to[2] = (uint32_t)(number / size[0] / size[1]);
}

static void tell_late(const struct children_level *level, const struct machine_late *late,
                      const char *what, const struct footprint_meeting *meeting)
{
    struct machine_fault fault = {
        .kind = MACHINE_FAULT_RACE, .site = late->site, .other_site = level->now->site, .count = 1};
    char bytes[120];
    footprint_say(&meeting->bytes, bytes, sizeof bytes);
    snprintf(fault.text, sizeof fault.text,
             "it %s what %.100s %s, which it asks for and does not wait for: %s",
             meeting->stored ? "stores to" : "reads", what, meeting->stores ? "stores to" : "reads",
             bytes);
    split(late->block, level->grid, fault.block);
    split(late->thread, level->block, fault.thread);
    runtime_report_fault(level->kernel, level->number, MACHINE_FAULT_RACE, &fault);
}

/* Against what the parent does beside the child. */
static void compare_late(const struct children_level *level, const char *what,
                         const struct runtime_footprint *touched)
{
    for (size_t i = 0; i < level->seen->late_count; i++) {
        const struct machine_late *late = &level->seen->late[i];
        struct extent bytes = {late->address, late->bytes};
        struct runtime_footprint own = {.partial = false};
        const enum machine_touch touch =
            late->stores   ? late->strong ? MACHINE_TOUCH_STORED_STRONG : MACHINE_TOUCH_STORED
            : late->strong ? MACHINE_TOUCH_READ_STRONG
                           : MACHINE_TOUCH_READ;
        struct footprint_meeting meeting;
        own.extent[touch] = &bytes;
        own.count[touch] = 1;
        if (machine_child_is_beside(level->now, late) && footprint_meets(touched, &own, &meeting))
            tell_late(level, late, what, &meeting);
    }
}

static void tell_children(const struct children_level *level, const char *what,
                          const struct children_done *before,
                          const struct footprint_meeting *meeting)
{
    const struct machine_child *now = level->now;
    struct machine_fault fault = {.kind = MACHINE_FAULT_RACE,
                                  .site = now->site,
                                  .other_site = before->child->site,
                                  .count = 1};
    char bytes[120];
    footprint_say(&meeting->bytes, bytes, sizeof bytes);
    snprintf(fault.text, sizeof fault.text,
             "%.80s %s what %.80s in another stream %s, and nothing puts the two in "
             "order: %s",
             what, meeting->stores ? "stores to" : "reads", before->what,
             meeting->stored ? "stores to" : "reads", bytes);
    memcpy(fault.block, now->parent_block, sizeof fault.block);
    memcpy(fault.thread, now->parent_thread, sizeof fault.thread);
    runtime_report_fault(level->kernel, level->number, MACHINE_FAULT_RACE, &fault);
}

static void compare_done(const struct children_level *level, const char *what,
                         const struct runtime_footprint *touched)
{
    struct footprint_meeting meeting;
    for (size_t i = 0; i < level->dones; i++)
        if (level->done[i].child != level->now &&
            machine_children_are_apart(level->children, level->done[i].child, level->now) &&
            footprint_meets(touched, &level->done[i].touched, &meeting))
            tell_children(level, what, &level->done[i], &meeting);
}

/* Keeps what was touched, which is the level's then. */
static void keep_done(struct children_level *level, const char *what,
                      struct runtime_footprint *touched)
{
    if (level->dones == MOST_DONE) {
        footprint_clear(&level->done[0].touched);
        memmove(&level->done[0], &level->done[1], --level->dones * sizeof *level->done);
    }
    if (footprint_extents(touched) > MOST_COPIED ||
        !runtime_grow(&level->done, &level->done_room, level->dones + 1, sizeof *level->done))
        footprint_clear(touched);
    else
        level->done[level->dones++] = (struct children_done){level->now, what, *touched};
    *touched = (struct runtime_footprint){.partial = false};
}

void children_touched(struct children_level *level, const char *what,
                      struct runtime_footprint *touched)
{
    for (const struct children_level *each = level; each; each = each->above) {
        if (each->seen)
            compare_late(each, what, touched);
        compare_done(each, what, touched);
    }
    keep_done(level, what, touched);
}

void children_hand_up(struct children_level *level)
{
    for (size_t i = 0; i < level->dones; i++)
        if (level->above)
            keep_done(level->above, level->done[i].what, &level->done[i].touched);
        else
            footprint_clear(&level->done[i].touched);
    runtime_delete(level->done);
    children_forget(level->seen);
}
