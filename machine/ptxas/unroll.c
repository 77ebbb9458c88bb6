/* unroll.c - finds loops that count, and writes several turns of them one behind the other. */
#include "machine/ptxas/unroll.h"

#include <stdio.h>
#include <string.h>

static const struct ptx_operand no_operand;

/* ---- finding loops ----------------------------------------------------------------------------- */

/* How often a register is written from `first` to before `last`; *where: by which instruction. */
static int writes_of(const struct effects *effects, int first, int last, int reg, int *where)
{
    int count = 0;
    for (int i = first; i < last; i++)
        EFFECT_EACH_USE (effects, i, use)
            if (use->writes && use->reg == reg) {
                *where = i;
                count++;
            }
    return count;
}

/* The only one that writes it, always; -1: there is none. */
static int writer_of(const struct ptx_body *body, const struct effects *effects, int first,
                     int last, int reg)
{
    int where = -1;
    return writes_of(effects, first, last, reg, &where) == 1 && body->instruction[where].guard < 0
               ? where
               : -1;
}

/* add.s32 a, b, 4 */
static bool is_step(const struct ptx_instruction *instruction)
{
    int64_t ignored;
    return (slice_is(instruction->opcode, "add") || slice_is(instruction->opcode, "sub")) &&
           instruction->words == 1 && instruction->operands == 3 &&
           instruction->operand[0].kind == PTX_REG && instruction->operand[1].kind == PTX_REG &&
           ptx_constant(&instruction->operand[2], &ignored);
}

static bool is_move(const struct ptx_instruction *instruction, int from)
{
    return slice_is(instruction->opcode, "mov") && instruction->operands == 2 &&
           instruction->operand[1].kind == PTX_REG && instruction->operand[1].reg == from;
}

/* Whether the compared register counts: is added to in the loop, or is a copy of what is. */
static bool counts(const struct ptx_body *body, const struct effects *effects, int reg,
                   struct unroll_loop *loop)
{
    int writer = writer_of(body, effects, loop->first, loop->last, reg), copied = -1;
    if (writer >= 0 && !is_step(&body->instruction[writer])) {
        const struct ptx_operand *from = &body->instruction[writer].operand[1];
        copied = writer;
        if (body->instruction[writer].operands != 2 || from->kind != PTX_REG ||
            !is_move(&body->instruction[writer], from->reg))
            return false;
        writer = writer_of(body, effects, loop->first, loop->last, from->reg);
    }
    if (writer < 0 || !is_step(&body->instruction[writer]))
        return false;
    const struct ptx_instruction *step = &body->instruction[writer];
    const int sum = step->operand[0].reg, start = step->operand[1].reg;
    if (sum != start) { /* %r2 = %r1 + 4; %r1 = %r2 */
        const int copy = writer_of(body, effects, loop->first, loop->last, start);
        if (copy < writer || !is_move(&body->instruction[copy], sum) ||
            (copied >= 0 && copied != copy))
            return false;
        copied = copy;
    } else if (copied >= 0) {
        return false;
    }
    if (reg == sum && sum != start && loop->compare < writer)
        return false; /* compares what the turn before left */
    loop->step = writer;
    loop->start = start;
    loop->before = loop->compare < (reg == start && sum != start ? copied : writer);
    return true;
}

static bool is_whole_number(enum ptx_type type)
{
    return type == PTX_U32 || type == PTX_S32 || type == PTX_U64 || type == PTX_S64;
}

static bool finds_counter(const struct ptx_body *body, const struct effects *effects,
                          struct unroll_loop *loop)
{
    const struct ptx_instruction *compare = &body->instruction[loop->compare];
    if (!slice_is(compare->opcode, "setp") || compare->words != 2 || compare->operands != 3 ||
        compare->second || !is_whole_number(ptx_type_named(compare->word[1])))
        return false;
    for (int side = 1; side <= 2; side++) {
        const struct ptx_operand *own = &compare->operand[side],
                                 *other = &compare->operand[3 - side];
        int where;
        if (own->kind != PTX_REG ||
            (other->kind == PTX_REG &&
             writes_of(effects, loop->first, loop->last, other->reg, &where)) ||
            (other->kind != PTX_REG && other->kind != PTX_CONSTANT))
            continue;
        loop->side = side;
        if (counts(body, effects, own->reg, loop))
            return true;
    }
    return false;
}

/* Whether it may be in a loop that is one basic block, and is taken several times. */
static bool is_plain(const struct ptx_body *body, const struct effects *effects, int index)
{
    const enum effect_kind kind = effects->of[index].kind;
    return kind != EFFECT_BRANCH && kind != EFFECT_TABLE && kind != EFFECT_END &&
           kind != EFFECT_CALL && kind != EFFECT_MARK &&
           !slice_is(body->instruction[index].opcode, "wmma");
}

/* Whether `.pragma "nounroll";` stands before an instruction. */
static bool is_left(const struct ptx_body *body, int first)
{
    static const char word[] = "nounroll";
    const struct slice before = first ? body->instruction[first - 1].text : (struct slice){NULL, 0};
    const char *stop = body->instruction[first].text.at;
    for (const char *at = first ? before.at + before.length : stop; at + sizeof word <= stop; at++)
        if (!memcmp(at, word, sizeof word - 1))
            return true;
    return false;
}

bool unroll_is_loop(const struct ptx_body *body, const struct effects *effects, int branch,
                    struct unroll_loop *loop)
{
    enum { MOST = 2000 }; /* instructions of a turn */
    const struct ptx_instruction *back = &body->instruction[branch];
    if (!slice_is(back->opcode, "bra") || back->guard < 0 || back->operands != 1)
        return false;
    const struct ptx_label *label = ptx_label(body, back->operand);
    if (!label || label->index >= branch || branch - label->index > MOST)
        return false;
    *loop = (struct unroll_loop){.first = label->index, .last = branch};
    if (is_left(body, loop->first))
        return false;
    for (int i = loop->first; i < branch; i++)
        if (!is_plain(body, effects, i) || (i > loop->first && body->instruction[i].labelled))
            return false;
    loop->compare = writer_of(body, effects, loop->first, branch, back->guard);
    return loop->compare >= 0 && finds_counter(body, effects, loop);
}

/* ---- loops that always have as many turns ---------------------------------------------------------- */

enum { MOST_WHOLE = 32 }; /* turns of a loop of which all are taken at once */

/* Whether the loop is entered from the instruction before it only. */
static bool is_fallen_into(const struct ptx_body *body, const struct effects *effects,
                           const struct unroll_loop *loop)
{
    for (int i = 0; i < body->instructions; i++) {
        const struct ptx_instruction *now = &body->instruction[i];
        const struct ptx_label *label =
            i != loop->last && slice_is(now->opcode, "bra") ? ptx_label(body, now->operand) : NULL;
        if ((label && label->index == loop->first) ||
            (i < effects->count && effects->of[i].kind == EFFECT_TABLE))
            return false;
    }
    return true;
}

/* The number that a register has where the loop begins: moved there in the same block or one that leads on to it alone,
 * and nowhere else. */
static bool begins_with(const struct ptx_body *body, const struct effects *effects,
                        const struct unroll_loop *loop, int64_t *value)
{
    int where = -1, inside = -1;
    if (writes_of(effects, 0, effects->count, loop->start, &inside) != 2 ||
        writes_of(effects, loop->first, loop->last, loop->start, &inside) != 1 ||
        writes_of(effects, 0, loop->first, loop->start, &where) != 1)
        return false;
    for (int i = where + 1; i < loop->first; i++)
        if (body->instruction[i].labelled)
            return false;
    const struct ptx_instruction *move = &body->instruction[where];
    return is_fallen_into(body, effects, loop) && slice_is(move->opcode, "mov") &&
           move->guard < 0 && move->operands == 2 && ptx_constant(&move->operand[1], value);
}

static int64_t as_type(enum ptx_type type, int64_t value)
{
    return type == PTX_S32 ? (int32_t)value : type == PTX_U32 ? (int64_t)(uint32_t)value : value;
}

/* setp's comparison; false in *known: it is none of these. */
static bool holds(struct slice word, enum ptx_type type, int64_t a, int64_t b, bool *known)
{
    const bool less = type == PTX_U64 ? (uint64_t)a < (uint64_t)b : a < b;
    *known = true;
    if (slice_is(word, "eq"))
        return a == b;
    if (slice_is(word, "ne"))
        return a != b;
    if (slice_is(word, "lt"))
        return less;
    if (slice_is(word, "ge"))
        return !less;
    if (slice_is(word, "le"))
        return less || a == b;
    *known = slice_is(word, "gt");
    return !less && a != b;
}

/* How many turns the loop always has; 0: that is not known, or more than are taken at once. */
static int turns_of(const struct ptx_body *body, const struct effects *effects,
                    const struct unroll_loop *loop)
{
    const struct ptx_instruction *compare = &body->instruction[loop->compare];
    const struct ptx_instruction *step = &body->instruction[loop->step];
    const enum ptx_type type = ptx_type_named(compare->word[1]);
    int64_t each = 0, start, limit;
    bool known = true;
    ptx_constant(&step->operand[2], &each);
    if (!begins_with(body, effects, loop, &start) ||
        !ptx_constant(&compare->operand[3 - loop->side], &limit))
        return 0;
    const uint64_t by = slice_is(step->opcode, "sub") ? 0 - (uint64_t)each : (uint64_t)each;
    limit = as_type(type, limit);
    for (int turns = 1; turns <= MOST_WHOLE && known; turns++) {
        const uint64_t sum = (uint64_t)start + by * (uint64_t)(turns - loop->before);
        const int64_t value = as_type(type, (int64_t)sum);
        const bool more = holds(compare->word[0], type, loop->side == 1 ? value : limit,
                                loop->side == 1 ? limit : value, &known);
        if (known && more == body->instruction[loop->last].guard_negated)
            return turns;
    }
    return 0;
}

/* ---- writing turns ------------------------------------------------------------------------------- */

struct writer {
    struct ptx_module *module;
    struct ptx_body *body;
    const struct unroll_loop *loop;
    struct ptx_instruction *out;
    int count, room;
    int whole; /* turns that the loop always has; 0: unknown */
    bool first_apart;
    int counter, together, one; /* registers: a counter of turns to come, and predicates */
    bool good;
};

static void *keep(struct writer *writer, const void *what, size_t size)
{
    void *copy = arena_new(&writer->module->arena, size);
    writer->good = writer->good && copy;
    if (copy)
        memcpy(copy, what, size);
    return copy;
}

static void put_instruction(struct writer *writer, struct ptx_instruction instruction)
{
    if (!writer->good || !arena_grow(&writer->module->arena, &writer->out, &writer->room,
                                     writer->count + 1, sizeof *writer->out)) {
        writer->good = false;
        return;
    }
    writer->out[writer->count++] = instruction;
}

/* An instruction like that one, with three other operands. */
static void put_like(struct writer *writer, int like, const struct ptx_operand *operand)
{
    struct ptx_instruction instruction = writer->body->instruction[like];
    instruction.operand = keep(writer, operand, 3 * sizeof *operand);
    instruction.operands = 3;
    instruction.labelled = false;
    put_instruction(writer, instruction);
}

static struct ptx_operand register_operand(int reg)
{
    struct ptx_operand operand = no_operand;
    operand.kind = PTX_REG;
    operand.reg = reg;
    return operand;
}

static struct ptx_operand number_operand(struct writer *writer, int64_t value)
{
    char text[32];
    struct ptx_operand operand = no_operand;
    operand.kind = PTX_CONSTANT;
    operand.minus = value < 0;
    operand.text.length =
        snprintf(text, sizeof text, "%llu",
                 (unsigned long long)(value < 0 ? 0 - (uint64_t)value : (uint64_t)value));
    operand.text.at = keep(writer, text, sizeof text);
    return operand;
}

/* PREDICATE = whether there is a turn after `turns` more. */
static void put_compare(struct writer *writer, int turns, int predicate)
{
    const struct unroll_loop *loop = writer->loop;
    const struct ptx_instruction *compare = &writer->body->instruction[loop->compare];
    const struct ptx_instruction *step = &writer->body->instruction[loop->step];
    int64_t each = 0;
    int counter = loop->start;
    ptx_constant(&step->operand[2], &each);
    if (turns != loop->before) {
        const struct ptx_operand sum[] = {
            register_operand(writer->counter), register_operand(loop->start),
            number_operand(writer, (int64_t)((uint64_t)each * (uint64_t)(turns - loop->before)))};
        put_like(writer, loop->step, sum);
        counter = writer->counter;
    }
    struct ptx_operand operand[] = {register_operand(predicate), compare->operand[1],
                                    compare->operand[2]};
    operand[loop->side] = register_operand(counter);
    put_like(writer, loop->compare, operand);
}

/* Whether there are `turns` turns: the branch would be taken after each but the last. */
static void put_test(struct writer *writer, int turns)
{
    const bool negated = writer->body->instruction[writer->loop->last].guard_negated;
    put_compare(writer, 1, writer->together);
    for (int i = 2; i < turns; i++) {
        const struct ptx_operand operand[] = {register_operand(writer->together),
                                              register_operand(writer->together),
                                              register_operand(writer->one)};
        put_compare(writer, i, writer->one);
        put_like(writer, writer->loop->compare, operand);
        if (!writer->good)
            return;
        struct ptx_instruction *both = &writer->out[writer->count - 1];
        both->opcode = negated ? (struct slice){"or", 2} : (struct slice){"and", 3};
        both->word[0] = (struct slice){"pred", 4};
        both->words = 1;
    }
}

/* A label that stands before what is put next. */
static void put_label(struct writer *writer, struct slice name)
{
    const struct ptx_operand *back = writer->body->instruction[writer->loop->last].operand;
    const struct ptx_label label = {writer->loop->first + writer->count};
    struct ptx_label *copy = keep(writer, &label, sizeof label);
    writer->good = writer->good && names_set(&writer->body->scope[back->scope].label,
                                             &writer->module->arena, name, copy);
}

static struct slice new_name(struct writer *writer, const char *what)
{
    char text[40];
    const int length = snprintf(text, sizeof text, "$unrolled_%d_%s", writer->loop->first, what);
    return (struct slice){keep(writer, text, sizeof text), length};
}

/* Branches if the predicate, in place of the loop's own, says that there is a turn more; `otherwise`: if not. */
static void put_branch(struct writer *writer, int predicate, bool otherwise, struct slice name)
{
    struct ptx_instruction branch = writer->body->instruction[writer->loop->last];
    struct ptx_operand operand = branch.operand[0];
    operand.text = name;
    branch.operand = keep(writer, &operand, sizeof operand);
    branch.guard = predicate;
    branch.guard_negated = branch.guard_negated != otherwise;
    branch.labelled = false;
    put_instruction(writer, branch);
}

static void put_turns(struct writer *writer, int turns, bool labelled)
{
    const struct unroll_loop *loop = writer->loop;
    for (int i = 0; i < turns * (loop->last - loop->first); i++) {
        struct ptx_instruction instruction =
            writer->body->instruction[loop->first + i % (loop->last - loop->first)];
        instruction.labelled = labelled && !i;
        put_instruction(writer, instruction);
    }
}

static void mark_label(struct writer *writer, int at)
{
    if (writer->good && at < writer->count)
        writer->out[at].labelled = true;
}

/* All turns, or four at a time, then two, then one. */
static void put_loop(struct writer *writer)
{
    if (writer->whole && !writer->first_apart) {
        put_turns(writer, writer->whole, true);
        return;
    }
    const int guard = writer->body->instruction[writer->loop->last].guard;
    const struct slice four = new_name(writer, "4"), two = new_name(writer, "2"),
                       one = new_name(writer, "1"), end = new_name(writer, "end");
    int first = 0;
    if (!writer->good)
        return;
    if (writer->first_apart) {
        const struct slice test = new_name(writer, "test");
        put_compare(writer, 0, writer->together);
        put_branch(writer, writer->together, false, test);
        put_turns(writer, 1, false);
        put_branch(writer, guard, true, end);
        put_label(writer, test);
        first = writer->count;
    }
    put_test(writer, 4);
    mark_label(writer, 0); /* where the loop is entered */
    mark_label(writer, first);
    put_branch(writer, writer->together, true, two);
    put_label(writer, four);
    put_turns(writer, 4, true);
    put_branch(writer, guard, true, end);
    put_test(writer, 4);
    put_branch(writer, writer->together, false, four);
    put_label(writer, two);
    const int at = writer->count;
    put_test(writer, 2);
    mark_label(writer, at);
    put_branch(writer, writer->together, true, one);
    put_turns(writer, 2, false);
    put_branch(writer, guard, true, end);
    put_label(writer, one);
    put_turns(writer, 1, true);
    put_label(writer, end);
}

static int new_register(struct writer *writer, enum ptx_type type)
{
    static const char name[] = "%unrolled";
    struct ptx_body *body = writer->body;
    if (!arena_grow(&writer->module->arena, &body->reg, &body->reg_room, body->regs + 1,
                    sizeof *body->reg)) {
        writer->good = false;
        return 0;
    }
    body->reg[body->regs] = (struct ptx_register){{name, sizeof name - 1}, body->regs, type};
    return body->regs++;
}

/* Labels behind the loop move; those of the new code are right already. */
static void move_labels(struct ptx_body *body, int from, int to, int by)
{
    for (int i = 0; i < body->scopes; i++)
        for (int k = 0; k < body->scope[i].label.room; k++) {
            struct ptx_label *label = body->scope[i].label.slot[k].value;
            if (label && label->index > from)
                label->index = label->index <= to ? from : label->index + by;
        }
}

static bool unroll(struct ptx_module *module, struct ptx_body *body, const struct effects *effects,
                   const struct unroll_loop *loop, bool first_apart)
{
    struct writer writer = {
        .module = module, .body = body, .loop = loop, .first_apart = first_apart, .good = true};
    writer.whole = turns_of(body, effects, loop);
    const int turn = loop->last + 1 - loop->first, behind = body->instructions - loop->last - 1;
    const enum ptx_type type = body->reg[loop->start].type;
    writer.counter = new_register(&writer, type);
    writer.together = new_register(&writer, PTX_PRED);
    writer.one = new_register(&writer, PTX_PRED);
    /* How long the new code is does not depend on labels: it is written once more when they have moved. */
    struct writer first = writer;
    put_loop(&first);
    if (!first.good)
        return false;
    move_labels(body, loop->first, loop->last, first.count - turn);
    put_loop(&writer);
    const int all = body->instructions + writer.count - turn;
    if (!writer.good || !arena_grow(&module->arena, &body->instruction, &body->instruction_room,
                                    all, sizeof *body->instruction))
        return false;
    struct ptx_instruction *at = &body->instruction[loop->first];
    memmove(at + writer.count, at + turn, (size_t)behind * sizeof *at);
    memcpy(at, writer.out, (size_t)writer.count * sizeof *at);
    body->instructions = all;
    if (behind)
        at[writer.count].labelled = true;
    return true;
}

/* ---- all --------------------------------------------------------------------------------------------- */

static const struct ptx_unrolled *find_wanted(const struct ptx_module *module,
                                              const struct ptx_function *function, int line)
{
    const struct ptx_unrolled *wanted = module->unrolled;
    while (wanted && !(wanted->line == line && slice_equal(wanted->function, function->name)))
        wanted = wanted->next;
    return wanted;
}

bool unroll_body(struct ptx_module *module, struct ptx_function *function, struct error *error)
{
    enum { MOST = 1 << 20 }; /* instructions, so that a hostile text does not grow without end */
    struct ptx_body *body = function->parsed;
    struct arena scratch = {.allocator = module->arena.allocator};
    struct effects effects = {.count = 0};
    bool good = true;
    if (!module->unrolled || body->unrolled)
        return true;
    body->unrolled = true;
    while (good && effects.count < body->instructions)
        good = effects_add(&effects, &scratch, body);
    for (int i = body->instructions - 1; good && i >= 0; i--) {
        struct unroll_loop loop;
        const struct ptx_unrolled *wanted =
            find_wanted(module, function, body->instruction[i].line);
        if (wanted && body->instructions < MOST && unroll_is_loop(body, &effects, i, &loop)) {
            good = unroll(module, body, &effects, &loop, wanted->first_apart);
            i = loop.first;
        }
    }
    arena_free(&scratch);
    return good || error_set(error, "out of memory for the program's code");
}
