/* finding.c - what is wrong with a launch, but does not end it. A place of the program is told once, with how
 * often it was, when the launch has ended: until then a suspicion may turn out to be none.
 */
#include "machine/step.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FINDINGS = 256, ACQUITTED = 1024 };

struct findings {
    struct row {
        struct machine_fault fault;
        const struct step *step; /* tells places without lines apart */
        uint32_t suspect;        /* the place that may be acquitted, plus 1; 0: it is certain */
    } row[FINDINGS];
    int rows;
    struct machine_fault beyond;   /* the first that found no row; count: of all of them; 0: none */
    uint32_t acquitted[ACQUITTED]; /* places, plus 1: open hash */
};

static struct findings *findings_of(struct machine_run *run)
{
    if (!run->findings)
        run->findings = run_new(run, &run->arena, sizeof *run->findings);
    return run->findings;
}

static struct row *find_row(struct machine_run *run, const struct warp *warp,
                            enum machine_fault_kind kind, int other_site)
{
    struct findings *findings = findings_of(run);
    const int site = step_site(warp, warp->now);
    for (int i = 0; findings && i < findings->rows; i++) {
        struct row *row = &findings->row[i];
        if (row->fault.kind == kind && row->fault.other_site == other_site &&
            row->fault.site == site && (site >= 0 || row->step == warp->now))
            return row;
    }
    return NULL;
}

static bool is_wanted(const struct machine_run *run, enum machine_fault_kind kind)
{
    return run->observer.fault && !(run->launch.checks_off >> kind & 1);
}

bool finding_again(struct warp *warp, enum machine_fault_kind kind, int other_site,
                   uint32_t suspect)
{
    struct machine_run *run = warp->run;
    if (!is_wanted(run, kind))
        return true;
    run_lock(run);
    struct row *row = find_row(run, warp, kind, other_site);
    if (row) {
        row->fault.count++;
        row->suspect = suspect ? row->suspect : 0;
    }
    run_unlock(run);
    return row != NULL;
}

bool finding_is_known(struct warp *warp, enum machine_fault_kind kind, int other_site)
{
    struct machine_run *run = warp->run;
    if (!is_wanted(run, kind))
        return true;
    run_lock(run);
    const bool known = find_row(run, warp, kind, other_site) != NULL;
    run_unlock(run);
    return known;
}

void finding_put(struct warp *warp, int lane, enum machine_fault_kind kind, int other_site,
                 uint32_t suspect, const char *text)
{
    struct machine_run *run = warp->run;
    struct machine_fault fault = {.kind = kind, .other_site = other_site, .count = 1};
    snprintf(fault.text, sizeof fault.text, "%s", text);
    fault_describe(warp, lane, &fault);
    run_lock(run);
    struct findings *findings = findings_of(run);
    if (findings && findings->rows < FINDINGS)
        findings->row[findings->rows++] = (struct row){fault, warp->now, suspect};
    else if (findings && !findings->beyond.count++)
        findings->beyond = fault;
    run_unlock(run);
}

void finding(struct warp *warp, int lane, enum machine_fault_kind kind, int other_site,
             const char *format, ...)
{
    char text[sizeof((struct machine_fault *)NULL)->text];
    va_list values;
    if (finding_again(warp, kind, other_site, 0))
        return;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    finding_put(warp, lane, kind, other_site, 0, text);
}

/* ---- suspicions ------------------------------------------------------------------------------ */

static uint32_t *acquittal(struct findings *findings, uint32_t place)
{
    for (uint32_t i = 0; i < ACQUITTED; i++) {
        uint32_t *slot = &findings->acquitted[(place + i) % ACQUITTED];
        if (!*slot || *slot == place + 1)
            return slot;
    }
    return NULL;
}

void finding_acquit(struct machine_run *run, uint32_t place)
{
    run_lock(run);
    struct findings *findings = findings_of(run);
    uint32_t *slot = findings ? acquittal(findings, place) : NULL;
    if (slot)
        *slot = place + 1;
    run_unlock(run);
}

static bool is_acquitted(struct findings *findings, const struct row *row)
{
    const uint32_t *slot = row->suspect ? acquittal(findings, row->suspect - 1) : NULL;
    return slot && *slot;
}

void findings_tell(struct machine_run *run)
{
    struct findings *findings = run->findings;
    for (int i = 0; findings && i < findings->rows; i++)
        if (!is_acquitted(findings, &findings->row[i]))
            run->observer.fault(run->observer.context, &findings->row[i].fault);
    if (findings && findings->beyond.count) {
        struct machine_fault *beyond = &findings->beyond;
        char first[sizeof beyond->text];
        memcpy(first, beyond->text, sizeof first);
        snprintf(beyond->text, sizeof beyond->text,
                 "more than %d places have faults; the others are not told apart, and this is the "
                 "first of them: %.200s",
                 FINDINGS, first);
        run->observer.fault(run->observer.context, beyond);
    }
}
