/* join.c - all passes over the accesses of a function, in their order. */
#include "machine/ptxas/join_pass.h"

const char *join_rule_text(enum join_rule rule)
{
    static const char *const texts[JOIN_RULES] = {
        [JOIN_NO_RULE] = "",
        [JOIN_NEIGHBOURS] = "neighbours are one access",
        [JOIN_THREE] = "three of four neighbours are one access",
        [JOIN_NARROWED] = "a part of it is not needed",
        [JOIN_UNUSED] = "nothing reads what it loads",
        [JOIN_REPEATED] = "loaded before",
        [JOIN_FORWARDED] = "stored before",
        [JOIN_OVERWRITTEN] = "stored again at once",
        [JOIN_ARM] = "one with the store before the branch",
    };
    return texts[rule];
}

/* ---- what the passes ask --------------------------------------------------------------------- */

const struct effect *join_effect(const struct join_pass *pass, int step)
{
    return &pass->effects->of[pass->step[step].instruction];
}

bool join_is_guarded(const struct join_pass *pass, int instruction)
{
    return pass->body->instruction[instruction].guard >= 0;
}

bool join_has_one_way_in(const struct join_pass *pass, int step)
{
    return pass->flow->block[pass->step[step].block].from_count == 1;
}

bool join_is_plain_access(const struct effect *effect)
{
    return (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_STORE) && !effect->fixed &&
           (effect->space == PTX_SHARED || effect->space == PTX_GLOBAL);
}

struct join_elements join_elements_of(const struct join_pass *pass, int instruction)
{
    const struct effect *effect = &pass->effects->of[instruction];
    const int bytes = ptx_type_bytes(effect->type);
    if (bytes == 1 || bytes > 8 || effect->bytes > 16)
        return (struct join_elements){effect->bytes, 1, false};
    struct join_elements elements = {bytes, effect->bytes / bytes, true};
    /* loads of 2 bytes stay alone if they are used as integers */
    if (bytes == 2 && effect->kind == EFFECT_LOAD)
        EFFECT_EACH_USE (pass->effects, instruction, use)
            if (use->writes && pass->integer[use->reg])
                elements.joins = false;
    return elements;
}

static bool is_plain_call(const struct join_pass *pass, int instruction)
{
    const struct ptx_instruction *call = &pass->body->instruction[instruction];
    for (int i = 0; i < call->operands && pass->context->is_plain; i++)
        if (call->operand[i].kind == PTX_FUNCTION)
            return pass->context->is_plain(pass->context->context, call->operand[i].function);
    return false;
}

/* Whether a generic access goes to local memory. */
static bool is_local(const struct join_pass *pass, const struct effect *effect)
{
    const int base = effect_base(effect);
    return base >= 0 && pass->local[base];
}

/* Whether stores before it must be seen before it is: they are not put behind it. */
static bool releases(const struct ptx_instruction *instruction)
{
    return ptx_has(instruction, "release") || ptx_has(instruction, "acq_rel");
}

/* Whether a matrix is loaded from, or stored to, another space that the instruction names. */
static bool is_elsewhere(const struct ptx_instruction *now, enum ptx_space space)
{
    return slice_is(now->opcode, "wmma") && ptx_has(now, space == PTX_SHARED ? "global" : "shared");
}

bool join_touches(const struct join_pass *pass, int instruction, enum ptx_space space, bool writes)
{
    const struct effect *effect = &pass->effects->of[instruction];
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    /* a tile of a matrix that nobody reads is there until the stores beside it are joined */
    if (pass->access[instruction].fate == JOIN_VANISHES && effect->kind != EFFECT_TOUCH)
        return false;
    if (effect->kind == EFFECT_CALL)
        return !is_plain_call(pass, instruction);
    if (effect->kind == EFFECT_LOAD || effect->kind == EFFECT_STORE ||
        effect->kind == EFFECT_ATOMIC) {
        if (effect->space != space && (effect->space != PTX_GENERIC || is_local(pass, effect)))
            return !writes && releases(now);
        return !writes || effect->writes || (effect->fixed && ptx_has(now, "acquire"));
    }
    if (is_elsewhere(now, space))
        return false;
    return writes ? effect->writes : effect->reads;
}

int64_t join_variable_place(const struct join_pass *pass, const struct ptx_variable *variable)
{
    return pass->context->place && variable->space == PTX_SHARED
               ? pass->context->place(pass->context->context, variable)
               : -1;
}

/* ---- preparing ------------------------------------------------------------------------------- */

static bool make_steps(struct join_pass *pass)
{
    pass->step = arena_new(pass->scratch, (size_t)pass->flow->items * sizeof *pass->step);
    int before = -1;
    for (int i = 0; i < pass->flow->items && pass->step; i++) {
        const struct flow_item *item = &pass->flow->item[i];
        const bool begins = item->block != before;
        if (item->kind == FLOW_INSTRUCTION)
            pass->step[pass->steps++] = (struct join_step){
                .instruction = item->instruction, .begins = begins, .block = item->block};
        if (item->kind == FLOW_INSTRUCTION || item->block < 0)
            before = item->block;
    }
    return pass->step;
}

/* One of the four of a copy of 16 bytes by halves. */
static bool is_half(const struct join_pass *pass, int step, enum effect_kind kind)
{
    const struct effect *effect = join_effect(pass, step);
    return effect->kind == kind && effect->bytes == 8 && effect->value->kind == PTX_REG &&
           join_is_plain_access(effect) && effect_base(effect) >= 0 &&
           !join_is_guarded(pass, pass->step[step].instruction);
}

static bool are_halves(const struct join_pass *pass, int first, int second)
{
    const struct effect *a = join_effect(pass, first), *b = join_effect(pass, second);
    return a->space == b->space && a->constant == b->constant && effect_base(a) == effect_base(b) &&
           b->address->offset == a->address->offset + 8;
}

/* LLVM copies 16 bytes as load, store, load, store of 8, all from one place of the source; nvcc as a load
 * and a store of 16. They are looked at as load, load, store, store. */
static void order_copies(struct join_pass *pass)
{
    for (int i = 0; i + 3 < pass->steps && pass->unit->from_llvm; i++) {
        struct join_step *step = &pass->step[i];
        const struct ptx_instruction *all = pass->body->instruction;
        bool one = all[step[0].instruction].site >= 0;
        for (int k = 1; k < 4; k++)
            one &= !step[k].begins && all[step[k].instruction].site == all[step->instruction].site;
        if (!one || !is_half(pass, i, EFFECT_LOAD) || !is_half(pass, i + 1, EFFECT_STORE) ||
            !is_half(pass, i + 2, EFFECT_LOAD) || !is_half(pass, i + 3, EFFECT_STORE) ||
            !are_halves(pass, i, i + 2) || !are_halves(pass, i + 1, i + 3) ||
            join_effect(pass, i)->value->reg != join_effect(pass, i + 1)->value->reg ||
            join_effect(pass, i + 2)->value->reg != join_effect(pass, i + 3)->value->reg ||
            join_effect(pass, i)->value->reg == effect_base(join_effect(pass, i)))
            continue;
        const struct join_step swapped = step[1];
        step[1] = step[2];
        step[2] = swapped;
    }
}

/* ptxas takes sums and logic of signed 16 bits for operations of 32 bits only, and a minimum of them for none. */
static bool has_small_form(const struct ptx_instruction *now)
{
    const enum ptx_type type = now->words ? ptx_type_named(now->word[now->words - 1]) : PTX_NONE;
    if (slice_is(now->opcode, "max") || slice_is(now->opcode, "min"))
        return true;
    return (type == PTX_S16 || type == PTX_S8) && !slice_is(now->opcode, "add") &&
           !slice_is(now->opcode, "sub");
}

/* Whether an instruction takes what it reads for whole numbers, so that loads of 2 bytes stay apart. */
static bool takes_integers(const struct join_pass *pass, int instruction)
{
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    const enum effect_kind kind = pass->effects->of[instruction].kind;
    if (kind == EFFECT_STORE || kind == EFFECT_LOAD || slice_is(now->opcode, "mov"))
        return false;
    if (slice_is(now->opcode, "cvt") && ptx_has(now, "bf16"))
        return true; /* a shift */
    if (has_small_form(now))
        return false;
    for (int i = 0; i < now->words; i++)
        if (ptx_type_is_float(ptx_type_named(now->word[i])))
            return false;
    return true;
}

/* Whether an instruction makes a generic address of something in local memory. */
static bool makes_local(const struct join_pass *pass, int instruction)
{
    static const char *const sums[] = {"mov", "add", "or"};
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    bool sum = false;
    if (slice_is(now->opcode, "cvta"))
        return ptx_has(now, "local") && !ptx_has(now, "to");
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        sum |= slice_is(now->opcode, sums[i]);
    return sum && now->operands > 1 && now->operand[1].kind == PTX_REG &&
           pass->local[now->operand[1].reg];
}

static bool note_registers(struct join_pass *pass)
{
    pass->reads = arena_new(pass->scratch, (size_t)pass->body->regs * sizeof *pass->reads);
    pass->reader = arena_new(pass->scratch, (size_t)pass->body->regs * sizeof *pass->reader);
    pass->writer = arena_new(pass->scratch, (size_t)pass->body->regs * sizeof *pass->writer);
    pass->integer = arena_new(pass->scratch, (size_t)pass->body->regs);
    pass->local = arena_new(pass->scratch, (size_t)pass->body->regs);
    bool *written = arena_new(pass->scratch, (size_t)pass->body->regs);
    if (!pass->reads || !pass->reader || !pass->writer || !pass->integer || !pass->local ||
        !written)
        return false;
    for (int r = 0; r < pass->body->regs; r++)
        pass->writer[r] = -1;
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        const bool integers = takes_integers(pass, instruction);
        EFFECT_EACH_USE (pass->effects, instruction, use) {
            if (use->writes) {
                pass->writer[use->reg] = written[use->reg] ? -1 : instruction;
                pass->local[use->reg] = !written[use->reg] && makes_local(pass, instruction);
                written[use->reg] = true;
                continue;
            }
            pass->reads[use->reg]++;
            pass->reader[use->reg] = instruction;
            pass->integer[use->reg] |= integers;
        }
    }
    return true;
}

static bool run_passes(struct join_pass *pass)
{
    if (!make_steps(pass))
        return false;
    order_copies(pass);
    if (!note_registers(pass) || !join_align(pass) || !join_sums(pass))
        return false;
    join_tiles(pass);
    return join_drop(pass) && join_group(pass) && join_atomics(pass);
}

const struct join_access *join_accesses(struct ptx_module *module,
                                        const struct ptx_function *function,
                                        const struct flow *flow, const struct join_context *context,
                                        struct error *error)
{
    struct arena scratch = {.allocator = module->arena.allocator};
    struct join_pass pass = {.scratch = &scratch,
                             .unit = function->unit,
                             .function = function,
                             .body = function->parsed,
                             .flow = flow,
                             .effects = &flow->effects,
                             .context = context};
    pass.access = arena_new(&module->arena, (size_t)pass.body->instructions * sizeof *pass.access);
    const bool good = pass.access && run_passes(&pass);
    arena_free(&scratch);
    if (!good)
        return error_set(error, "out of memory for the program's code"), NULL;
    return pass.access;
}
