/* machine.c - the recording as nvcc's machine code does it.
 *
 * What is recorded are the accesses of g++'s code. nvcc may have made one wide access of neighbours, or
 * kept a value in a register. Where there is an nvcc, it compiles the program meanwhile, and what its
 * instructions of a source line are (cubin.c) decides, for each launch:
 *
 *     merged   nvcc has a load (store) of W bytes on the line, and the same lanes load (store) the
 *              neighbours within W bytes, W-aligned in every lane, with nothing in between that
 *              touches them: they are one access. What is near the wide instruction, between two
 *              barriers of the code, must be recorded, too: for [R6+0x10] of 8 bytes beside
 *              [R6+0xc] of 4, the word before. If all loads of a line are W wide, lanes may take part
 *              in some of them only; and two variables may be neighbours that lie apart here, where
 *              each has a row of its own.
 *     split    nvcc has only narrower accesses on the line, and g++ only this width: one is several.
 *     dropped  nvcc has no load on the line, or each of them runs at most once in a thread and did,
 *              and every lane has had the value before, in the same phase: it is in a register. (Lanes
 *              that have not take part in the load before, on a line nearby.) Or it has no store on
 *              the line, and every lane stores to the same place afterwards.
 *     added    nvcc has a load on the line and g++ has none, and it is from where the line's store
 *              goes.
 *
 * Everything else stays as it is written. Accesses are looked at in runs: those of a warp in a phase.
 */
#include "hostcuda/machine.h"

#include <stdlib.h>
#include <string.h>

enum { RUN_MOST = 1 << 14 }; /* accesses of a run */

/* ---- runs ------------------------------------------------------------------------------------ */

struct handing {
    struct machine *machine;
    uint32_t round, slot; /* behind the last one */
    bool any;
};

static bool hand_one(struct handing *handing, struct record_access *access, int lanes,
                     const uint8_t *lane, const int64_t *value, struct error *error)
{
    const struct record_sink *to = &handing->machine->to;
    if (handing->any && access->round == handing->round && access->slot < handing->slot)
        access->slot = handing->slot;
    handing->any = true;
    handing->round = access->round;
    handing->slot = access->slot + 1;
    return !to->access || to->access(to->context, access, lanes, lane, value, error);
}

/* Hands over an item, in parts where nvcc has narrower accesses only. */
static bool hand_item(struct handing *handing, struct item *item, struct error *error)
{
    struct record_access access = item->access;
    struct made *made = item->made;
    bool good = true;
    int widest = 1;
    while (made && 2 * widest <= made->widths)
        widest *= 2;
    if (made)
        made->kept++;
    if (item->made && machine_adds_load(handing->machine->now, item)) {
        struct record_access load = access;
        load.operation = OP_LOAD;
        made->changed++;
        good = hand_one(handing, &load, item->lanes, item->lane, NULL, error);
    }
    if (!made || !made->count || !one_bit(made->seen) || widest >= access.bytes)
        return good && hand_one(handing, &access, item->lanes, item->lane,
                                item->values ? item->value : NULL, error);
    made->changed++;
    for (int from = 0; from < access.bytes && good; from += widest) {
        struct record_access part = access;
        int64_t value[RECORD_WARP];
        part.bytes = (uint8_t)widest;
        for (int i = 0; i < item->lanes; i++) {
            part.addr[i] += (uint32_t)from;
            value[i] = from < 8 ? (int64_t)((uint64_t)item->value[i] >> 8 * from) : 0;
        }
        good = hand_one(handing, &part, item->lanes, item->lane,
                        item->values && from + widest <= 8 ? value : NULL, error);
    }
    return good;
}

static bool end_run(struct machine *machine, struct error *error)
{
    struct handing handing = {.machine = machine};
    bool good = true;
    if (!machine->items)
        return true;
    machine->run++;
    machine_merge(machine);
    machine_drop(machine);
    for (size_t i = 0; i < machine->items && good; i++)
        if (machine->item[i].state != GONE)
            good = hand_item(&handing, &machine->item[i], error);
    machine->items = 0;
    return good;
}

/* ---- the sink -------------------------------------------------------------------------------- */

static bool on_launch(void *context, const struct record_launch *launch, struct error *error)
{
    struct machine *machine = context;
    const char *name = lines_symbol(machine->lines, launch->kernel);
    machine->dynamic_bytes = launch->dynamic_bytes;
    struct code *code = machine_code_of(machine, *name ? name : launch->name);
    machine->now = code && code->function ? code : NULL;
    return !machine->to.launch || machine->to.launch(machine->to.context, launch, error);
}

static bool on_stage(void *context, const struct record_stage *stage, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.stage || machine->to.stage(machine->to.context, stage, error));
}

static bool on_block(void *context, uint64_t index, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.block || machine->to.block(machine->to.context, index, error));
}

static void note_seen(struct made *made, const struct item *item)
{
    if (made->absolute && (!is_one_word(item) || (made->seen && made->addr != item->addr)))
        made->several = true;
    made->addr = item->addr;
    made->seen |= item->bytes;
}

static bool on_access(void *context, const struct record_access *access, int lanes,
                      const uint8_t *lane, const int64_t *value, struct error *error)
{
    struct machine *machine = context;
    if (!machine->now)
        return !machine->to.access ||
               machine->to.access(machine->to.context, access, lanes, lane, value, error);
    const struct record_access *last =
        machine->items ? &machine->item[machine->items - 1].access : access;
    if ((last->phase != access->phase || last->warp != access->warp ||
         last->stage != access->stage || machine->items == RUN_MOST) &&
        !end_run(machine, error))
        return false;
    if (!memory_grow(&machine->item, &machine->item_room, machine->items + 1, sizeof *machine->item,
                     "accesses", error))
        return false;
    struct item *item = &machine->item[machine->items++];
    item->access = *access;
    item->lanes = lanes;
    memcpy(item->lane, lane, (size_t)lanes);
    item->values = value != NULL;
    if (value)
        memcpy(item->value, value, (size_t)lanes * sizeof *value);
    item->state = STAYS;
    item->bytes = access->bytes;
    item->addr = access->addr[0];
    item->made = NULL;
    if (access->operation < OPERATIONS) {
        const struct site *site =
            machine_site_of(machine, lines_user_pc(machine->lines, access->pc, access->caller));
        item->made = site->made[access->operation];
        if (item->made)
            note_seen(item->made, item);
    }
    return true;
}

static bool on_block_end(void *context, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.block_end || machine->to.block_end(machine->to.context, error));
}

static bool on_launch_end(void *context, const struct record_launch_end *end, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.launch_end || machine->to.launch_end(machine->to.context, end, error));
}

static bool on_fault(void *context, const struct record_fault *fault, struct error *error)
{
    struct machine *machine = context;
    return !machine->to.fault || machine->to.fault(machine->to.context, fault, error);
}

static bool on_exit_of(void *context, const struct record_exit *end, struct error *error)
{
    struct machine *machine = context;
    return end_run(machine, error) &&
           (!machine->to.exit || machine->to.exit(machine->to.context, end, error));
}

struct record_sink machine_sink(struct machine *machine, const struct built_program *program,
                                struct source_lines *lines, const struct record_sink *to)
{
    machine->program = program;
    machine->lines = lines;
    machine->to = *to;
    nvcc_read(machine->nvcc, program);
    return (struct record_sink){.launch = on_launch,
                                .stage = on_stage,
                                .block = on_block,
                                .access = on_access,
                                .block_end = on_block_end,
                                .launch_end = on_launch_end,
                                .fault = on_fault,
                                .exit = on_exit_of,
                                .context = machine};
}

bool machine_finish(struct machine *machine, struct error *error)
{
    return end_run(machine, error);
}

const char *machine_told(const struct machine *machine, const struct source_lines *lines)
{
    if (lines_on_gpu(lines))
        return "a GPU";
    return machine && machine->now ? nvcc_told(machine->nvcc) : "";
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Whether accesses of a line stayed as they were although nvcc's code differs. */
static bool is_undecided(const struct made *made)
{
    return made->kept &&
           (!made->count || made->parting || (!made->paired && made->widths >= 2 * made->seen));
}

size_t machine_undecided(const struct machine *machine, struct machine_line *line, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; machine && i < machine->codes; i++)
        for (size_t k = 0; k < machine->code[i]->mades; k++) {
            const struct made *made = machine->code[i]->made[k];
            size_t same = 0;
            while (same < count && same < most &&
                   (line[same].line != made->line || line[same].op != made->op ||
                    strcmp(line[same].file, made->file) != 0))
                same++;
            if (!is_undecided(made) || same < (count < most ? count : most))
                continue;
            if (count < most)
                line[count] = (struct machine_line){made->file, made->line, made->op};
            count++;
        }
    return count;
}

void machine_print_notes(FILE *file, const struct machine *machine, const char *prefix)
{
    enum { MOST = 6 };
    struct machine_line line[MOST];
    size_t count = machine_undecided(machine, line, MOST);
    if (count)
        fprintf(file,
                "%saccesses of %zu line%s stay as written, because nvcc's code is not enough to "
                "tell what became of them:",
                prefix, count, count == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < MOST; i++) {
        fputs(i ? ", " : " ", file);
        text_put(file, TEXT_PLAIN, line[i].file);
        fprintf(file, ":%d (%s)", line[i].line, op_name(line[i].op));
    }
    if (count)
        fprintf(file, "%s\n", count > MOST ? ", ..." : "");
    if (machine && *nvcc_reason(machine->nvcc))
        fprintf(file, "%saccesses are as written, for nvcc fails: %s\n", prefix,
                nvcc_reason(machine->nvcc));
}

struct machine *machine_start(const struct program_request *request, const char *include)
{
    struct machine *machine = memory_new(1, sizeof *machine);
    machine->nvcc = nvcc_start(request, include);
    return machine;
}

void machine_free(struct machine *machine)
{
    if (!machine)
        return;
    for (size_t i = 0; i < machine->codes; i++)
        machine_code_free(machine->code[i]);
    nvcc_free(machine->nvcc);
    free(machine->code);
    free(machine->item);
    free(machine->key);
    free(machine->cursor);
    free(machine);
}
