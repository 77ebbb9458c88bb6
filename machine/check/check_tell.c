/* check_tell.c - how findings are worded: what the running lane does, where, and who else is there. */
#include "machine/check/check.h"
#include "machine/module.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct slice check_plain_name(const char *name)
{
    const char *end = strrchr(name, 'E');
    int length = 0, digits = 0;
    if (strncmp(name, "_ZZ", 3) || !end)
        return (struct slice){name, (int)strlen(name)};
    while (end > name) { /* the name itself may have an E */
        if (sscanf(end + 1, "%d%n", &length, &digits) == 1 && length > 0 && end[1] != '-' &&
            length <= (int)strlen(end + 1 + digits))
            return (struct slice){end + 1 + digits, length};
        while (end > name && *--end != 'E')
            ;
    }
    return (struct slice){name, (int)strlen(name)};
}

/* "byte 12 of tile": the variable that the access is of, or the one that lies there. */
static void say_shared(const struct look *look, uint64_t address, char *text, size_t room)
{
    const struct kernel_code *kernel = look->warp->run->kernel;
    const struct access *access = look->access;
    for (int i = 0; i < kernel->shareds; i++) {
        const struct machine_shared *shared = &kernel->shared[i];
        const uint32_t bytes =
            shared->dynamic ? look->warp->run->launch.dynamic_shared : shared->bytes;
        const bool of_it = access->array_bytes && !shared->dynamic
                               ? shared->offset == access->array_at
                               : address - shared->offset < bytes;
        const struct slice name = check_plain_name(shared->name);
        if (!of_it)
            continue;
        snprintf(text, room, "byte %d of %.*s", (int32_t)(address - shared->offset), SLICE(name));
        return;
    }
    snprintf(text, room, "byte %llu of shared memory", (unsigned long long)address);
}

static const char *doing(const struct access *access)
{
    return op_is_atomic(access->op)                                  ? "an atomic operation"
           : access->op == OP_ASYNC_STORE                            ? "a copy"
           : access->op == OP_WGMMA_LOAD                             ? "a load by wgmma"
           : access->op == OP_STORE || access->op == OP_MATRIX_STORE ? "a store"
                                                                     : "a load";
}

void check_say(const struct look *look, char *text, size_t room)
{
    char where[200];
    const uint64_t address = look->address[look->lane];
    if (look->global && look->range)
        memory_name(look->range, address - look->range->address, where, sizeof where);
    else if (look->global)
        snprintf(where, sizeof where, "0x%llx", (unsigned long long)address);
    else
        say_shared(look, address, where, sizeof where);
    snprintf(text, room, "%s of %d bytes at %s", doing(look->access), look->bytes, where);
}

/* "block (0, 0, 0)" */
static void say_block(const struct machine_run *run, uint64_t block, char *text, size_t room)
{
    const uint32_t *grid = run->launch.grid;
    snprintf(text, room, "block (%llu, %llu, %llu)", (unsigned long long)(block % grid[0]),
             (unsigned long long)(block / grid[0] % grid[1]),
             (unsigned long long)(block / grid[0] / grid[1]));
}

/* "thread (3, 0, 0) of block (0, 0, 0)" */
static void say_thread(const struct machine_run *run, uint32_t thread, uint64_t block, char *text,
                       size_t room)
{
    const uint32_t *shape = run->launch.block;
    const int used = snprintf(text, room, "thread (%u, %u, %u) of ", thread % shape[0],
                              thread / shape[0] % shape[1], thread / shape[0] / shape[1]);
    say_block(run, block, text + used, room - (size_t)used);
}

static int mark_site(const struct machine_run *run, struct mark mark)
{
    return place_site(run->kernel, mark.what >> MARK_PLACE);
}

/* The missing synchronisation that would order the two accesses. */
static const char *missing(const struct look *look, struct mark mark, bool same_block)
{
    return !same_block ? "nothing puts the two blocks in order"
           : warp_of(look, mark.what & MARK_THREAD) == look->warp->number
               ? "no __syncwarp() is between them"
               : "no barrier is between them";
}

bool check_race_is_told(const struct look *look, struct mark mark)
{
    return finding_is_known(look->warp, MACHINE_FAULT_RACE, mark_site(look->warp->run, mark));
}

void check_tell_race(const struct look *look, struct mark mark, uint32_t block, bool was_write,
                     uint32_t suspect)
{
    const struct machine_run *run = look->warp->run;
    const int site = mark_site(run, mark);
    const bool same_block = !look->global || block == (uint32_t)look->warp->block->number;
    const bool any =
        was_write && mark_is_stored_here(mark); /* the mark has another thread of the block */
    const bool many = mark.what & MARK_MANY && !any;
    char what[240], who[80], text[400];
    if (finding_again(look->warp, MACHINE_FAULT_RACE, site, suspect))
        return;
    check_say(look, what, sizeof what);
    if (any)
        say_block(run, block, who, sizeof who);
    else
        say_thread(run, mark.what & MARK_THREAD, same_block ? look->warp->block->number : block,
                   who, sizeof who);
    snprintf(text, sizeof text, "%s, where %s%s %s%s; %s", what, who, many ? " and others" : "",
             was_write ? "store" : "load", many ? "" : "s", missing(look, mark, same_block));
    finding_put(look->warp, look->lane, MACHINE_FAULT_RACE, site, suspect, text);
}

void check_tell_unordered(const struct look *look, enum machine_fault_kind kind, struct mark mark,
                          uint64_t block)
{
    const struct machine_run *run = look->warp->run;
    const int site = mark_site(run, mark);
    const char *behind = kind == MACHINE_FAULT_COPY ? " has not waited for"
                         : kind == MACHINE_FAULT_PROXY
                             ? " stores; no fence.proxy.async is between them"
                             : " stores; only an atomic operation is between them, with no "
                               "__threadfence() before it";
    char what[240], who[80], text[460];
    if (finding_again(look->warp, kind, site, 0))
        return;
    check_say(look, what, sizeof what);
    say_thread(run, mark.what & MARK_THREAD, block, who, sizeof who);
    snprintf(text, sizeof text, "%s, where %s%s%s", what,
             kind == MACHINE_FAULT_COPY ? "a copy (cp.async) is under way that " : "", who, behind);
    finding_put(look->warp, look->lane, kind, site, 0, text);
}

void check_tell_overwrite(const struct look *look, struct mark mark, bool early)
{
    const struct machine_run *run = look->warp->run;
    const int site = mark_site(run, mark);
    const bool product = mark.what & MARK_STRONG;
    char what[240], who[80], text[500];
    if (finding_again(look->warp, MACHINE_FAULT_OVERWRITE, site, 0))
        return;
    check_say(look, what, sizeof what);
    say_thread(run, mark.what & MARK_THREAD, look->warp->block->number, who, sizeof who);
    const char *group = product ? "wgmma.wait_group" : "cp.async.bulk.wait_group";
    snprintf(text, sizeof text, "%s, which %s of %s may still read; %s%s", what,
             product ? "wgmma" : "a bulk copy", who,
             early ? "it has not waited for it: " : "nothing puts this store in order behind its ",
             group);
    finding_put(look->warp, look->lane, MACHINE_FAULT_OVERWRITE, site, 0, text);
}

void check_tell_cluster(const struct look *look, struct mark mark, uint32_t block, bool was_write,
                        const struct block *of)
{
    const struct machine_run *run = look->warp->run;
    const int site = mark_site(run, mark);
    char what[240], where[60], who[80], text[460];
    if (finding_again(look->warp, MACHINE_FAULT_RACE, site, 0))
        return;
    check_say(look, what, sizeof what);
    say_block(run, of->number, where, sizeof where);
    say_thread(run, mark.what & MARK_THREAD, block, who, sizeof who);
    snprintf(text, sizeof text, "%s of %s, where %s %s; no barrier of the cluster is between them",
             what, where, who, was_write ? "stores" : "loads");
    finding_put(look->warp, look->lane, MACHINE_FAULT_RACE, site, 0, text);
}

void check_tell_ended(const struct look *look, const struct block *of)
{
    char what[240], where[60];
    check_say(look, what, sizeof what);
    say_block(look->warp->run, of->number, where, sizeof where);
    finding(look->warp, look->lane, MACHINE_FAULT_RACE, -1,
            "%s of %s, which has ended: a barrier of the cluster at its end keeps it", what, where);
}
