/* decode.c - makes steps of instructions: which handler does it, and where its operands are.
 *
 * The table of operations (operations.h) has a row for each spelling of an instruction. Its pattern is
 * compared with the words of the instruction, and its operands say what goes where:
 *
 *     "add{.sat}.s32"   "d:s32 a:s32 b:s32"     add.sat.s32 %r1, %r2, 5;
 *
 * An item is a field of struct step and a type: the operand is a register of that type in this field;
 * a constant becomes a register that is never written. ":p" is a predicate, which may be negated, ":i" a
 * whole number known now (step->immediate). "?" before an item: the operand may be missing. "|f:p": the
 * second result of d|p. The words that were there, of braces and angle brackets that offer several, are
 * numbered from 1 in step->sub, four bits each, the first lowest (0: none of them was there).
 *
 * A predicated instruction has a step before it that narrows the mask (#guard). If lanes meet in it, or it
 * does not go on behind itself, it has a branch around it instead.
 */
#include "machine/decode/decode.h"
#include "machine/math/math.h"

#include <string.h>

enum { CHOICES = 8 };

/* ---- errors and memory ----------------------------------------------------------------------- */

bool decode_wrong(struct decoder *decoder, const char *what)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    const struct ptx_unit *unit = decoder->code->function->unit;
    const int length = instruction->text.length < 160 ? instruction->text.length : 160;
    char text[161];
    for (int i = 0; i < length; i++)
        text[i] = instruction->text.at[i] < ' ' ? ' ' : instruction->text.at[i];
    text[length] = '\0';
    if (instruction->site < 0)
        return error_set(decoder->error, "%s:%d: %s: %s", unit->name, instruction->line, what,
                         text);
    const struct ptx_site *site = &decoder->module->ptx.site[instruction->site];
    return error_set(decoder->error, "%.*s:%d: %s: %s (in PTX, %s:%d)", SLICE(site->file),
                     site->line, what, text, unit->name, instruction->line);
}

void *decode_new(struct decoder *decoder, size_t size)
{
    void *memory = arena_new(&decoder->module->ptx.arena, size);
    if (!memory)
        error_set(decoder->error, "out of memory for the program's code");
    return memory;
}

bool decode_grow(struct decoder *decoder, void *array, int *room, int count, size_t size)
{
    return arena_grow(&decoder->module->ptx.arena, array, room, count, size) ||
           error_set(decoder->error, "out of memory for the program's code");
}

/* ---- steps ----------------------------------------------------------------------------------- */

bool decode_emit(struct decoder *decoder, const struct operation *operation, struct step step)
{
    struct code *code = decoder->code;
    if (!operation ||
        !decode_grow(decoder, &code->step, &code->step_room, code->steps + 1, sizeof *code->step))
        return false;
    if (decoder->main < 0 && operation->pattern[0] != '#')
        decoder->main = code->steps;
    step.run[0] = operation->run[0];
    step.run[1] = operation->run[1];
    step.instruction = decoder->index;
    code->step[code->steps++] = step;
    return true;
}

bool decode_internal(struct decoder *decoder, const char *name, struct step step)
{
    for (int i = 0; i < decoder->operations->rows; i++)
        if (decoder->operations->row[i].pattern[0] == '#' &&
            !strcmp(decoder->operations->row[i].pattern, name))
            return decode_emit(decoder, &decoder->operations->row[i], step);
    return false;
}

bool decode_block(struct decoder *decoder)
{
    const bool good = decode_internal(decoder, "#block", (struct step){0});
    decoder->head = decoder->code->steps - 1;
    decoder->loaded = false;
    return good;
}

static struct fixup *new_fixup(struct decoder *decoder)
{
    if (!decode_grow(decoder, &decoder->fixup, &decoder->fixup_room, decoder->fixups + 1,
                     sizeof *decoder->fixup))
        return NULL;
    return &decoder->fixup[decoder->fixups++];
}

/* The step just emitted goes to an item of the layout; or an entry of a table. */
static bool jump_to(struct decoder *decoder, int item, const struct step **entry)
{
    struct fixup *fixup = item < 0 ? NULL : new_fixup(decoder);
    if (item < 0)
        return decode_wrong(decoder, "there is no such label");
    if (fixup)
        *fixup = (struct fixup){entry ? -1 : decoder->code->steps - 1, entry, item, -1};
    return fixup != NULL;
}

bool decode_jump(struct decoder *decoder)
{
    return jump_to(decoder, decoder->flow->item[decoder->item].target, NULL);
}

bool decode_entry(struct decoder *decoder, const struct ptx_operand *operand,
                  const struct step **entry)
{
    const struct ptx_label *label = ptx_label(decoder->body, operand);
    return jump_to(
        decoder,
        label && label->index < decoder->flow->arrivals ? decoder->flow->arrival[label->index] : -1,
        entry);
}

/* ---- rows and instructions ------------------------------------------------------------------- */

static bool is_type(struct slice word)
{
    static const char *const more[] = {"e4m3", "e5m2", "e4m3x2", "e5m2x2",  "b4x16",
                                       "s4",   "u4",   "b1",     "ue8m0x2", "e2m1x2"};
    if (ptx_type_named(word))
        return true;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (slice_is(word, more[i]))
            return true;
    return false;
}

/* One part of a pattern: `.word`, `{.a,.b}` or `<.a,.b>`. */
struct part {
    const char *at, *end; /* of its words */
    bool optional, many, is_type;
};

static const char *next_part(const char *at, struct part *part)
{
    const char close = *at == '{' ? '}' : *at == '<' ? '>' : '\0';
    part->optional = *at == '{';
    part->many = close != '\0';
    part->at = at + (close != '\0');
    if (close) {
        at = strchr(at, close);
        part->end = at++;
    } else {
        for (at++; *at && *at != '.' && *at != '{' && *at != '<'; at++)
            ;
        part->end = at;
    }
    const char *stop = part->at + 1;
    while (stop < part->end && *stop != ',')
        stop++;
    part->is_type = is_type((struct slice){part->at + 1, (int)(stop - part->at - 1)});
    return at;
}

/* The number, from 1, of the word among those of the part; 0: it is not there. */
static int word_in(const struct part *part, struct slice word)
{
    int number = 1;
    for (const char *at = part->at; at < part->end; number++) {
        const char *stop = at + 1;
        while (stop < part->end && *stop != ',')
            stop++;
        if (slice_equal(word, (struct slice){at + 1, (int)(stop - at - 1)}))
            return number;
        at = stop + 1;
    }
    return 0;
}

/* Whether a pattern is of that opcode. Most are not, and differ in the first letters. */
static bool is_opcode(const char *pattern, struct slice opcode)
{
    for (int i = 0; i < opcode.length; i++)
        if (pattern[i] != opcode.at[i])
            return false;
    const char behind = pattern[opcode.length];
    return behind == '\0' || behind == '.' || behind == '{' || behind == '<';
}

/* Whether the words of an instruction are those of a pattern; choice: see above. */
static bool matches(const char *pattern, const struct ptx_instruction *instruction, int *choice)
{
    const size_t length = (size_t)instruction->opcode.length;
    uint32_t used = 0;
    int choices = 0, type = 0;
    if (!is_opcode(pattern, instruction->opcode))
        return false;
    for (const char *at = pattern + length; *at;) {
        struct part part;
        int found = 0;
        at = next_part(at, &part);
        for (int i = part.is_type ? type : 0; i < instruction->words && !found; i++) {
            if (used >> i & 1)
                continue;
            found = word_in(&part, instruction->word[i]);
            used |= (uint32_t)(found > 0) << i;
            if (part.is_type && found)
                type = i + 1;
            else if (part.is_type && is_type(instruction->word[i]))
                break;
        }
        if (!found && !part.optional)
            return false;
        if (part.many && choices < CHOICES)
            choice[choices++] = found;
    }
    return used == (1u << instruction->words) - 1;
}

static uint32_t *field_of(struct step *step, char letter)
{
    switch (letter) {
    case 'd':
        return &step->d;
    case 'a':
        return &step->a;
    case 'b':
        return &step->b;
    case 'c':
        return &step->c;
    case 'e':
        return &step->e;
    default:
        return &step->f;
    }
}

/* A destination that is larger than the result (cvt.u16.u32 %r1, %r2): it is extended behind. */
struct extension {
    uint32_t from, bytes, to, wanted;
    bool is_signed;
};

/* The register for a result of a type; of a larger one, a place of its own. */
static uint32_t bind_result(struct decoder *decoder, const struct ptx_operand *operand,
                            enum ptx_type type, struct extension *extension)
{
    const uint32_t bytes = decode_register_bytes(type);
    const enum ptx_type own =
        operand->kind == PTX_REG ? decoder->body->reg[operand->reg].type : PTX_NONE;
    if (own <= PTX_PRED || decode_register_bytes(own) <= bytes)
        return decode_destination(decoder, operand, bytes);
    *extension = (struct extension){decode_room(decoder, bytes), bytes, decoder->reg[operand->reg],
                                    decode_register_bytes(own), ptx_type_is_signed(type)};
    return extension->from;
}

static bool bind_item(struct decoder *decoder, const char *item, int length,
                      const struct ptx_operand *operand, struct step *step,
                      struct extension *extension)
{
    const struct slice type = {item + 2, length - 2};
    uint32_t *field = field_of(step, item[0]);
    const bool result = item[0] == 'd' || item[0] == 'f';
    if (slice_is(type, "i"))
        return decode_number(decoder, operand, &step->immediate);
    if (slice_is(type, "p"))
        *field = decode_predicate(decoder, operand,
                                  item[0] == 'd'   ? FIELD_D
                                  : item[0] == 'e' ? FIELD_E
                                  : item[0] == 'f' ? FIELD_F
                                                   : item[0] - 'a' + FIELD_A,
                                  &step->negated);
    else if (result)
        *field = bind_result(decoder, operand, ptx_type_named(type), extension);
    else
        *field = decode_source(decoder, operand, ptx_type_named(type));
    if (result && slice_is(type, "p") && operand->negated)
        return decode_wrong(decoder, "a result cannot be negated");
    return *field != 0;
}

/* The newest GPU and PTX all of whose instructions are known. */
enum { NEWEST_WHOLE = 90, NEWEST_PTX = 90 };

/* What is wrong with an instruction may be that it is newer than those: says so where the module is. */
static bool newer_wrong(struct decoder *decoder, const char *wrong)
{
    const struct ptx_unit *unit = decoder->code->function->unit;
    char what[200];
    snprintf(what, sizeof what, "%s", wrong);
    if (unit->target > NEWEST_WHOLE)
        snprintf(what, sizeof what,
                 "%s (PTX %d.%d for sm_%d: of what came behind sm_%da hardly anything is known; "
                 "compile it for sm_%da)",
                 wrong, unit->version / 10, unit->version % 10, unit->target, NEWEST_WHOLE,
                 NEWEST_WHOLE);
    else if (unit->version > NEWEST_PTX)
        snprintf(what, sizeof what,
                 "%s (PTX %d.%d: what came behind PTX %d.%d is not known; compile it with CUDA "
                 "13.0 or older)",
                 wrong, unit->version / 10, unit->version % 10, NEWEST_PTX / 10, NEWEST_PTX % 10);
    return decode_wrong(decoder, what);
}

/* Binds the operands of an instruction as the row says. */
static bool bind_operands(struct decoder *decoder, const struct operation *operation,
                          const int *choice)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    struct step bound = {0};
    struct extension extension = {0};
    int next = 0;
    for (const char *item = operation->operands; *item;) {
        const bool optional = *item == '?', second = *item == '|';
        item += optional || second;
        const int length = (int)strcspn(item, " ");
        if (second ? instruction->second : !optional || next < instruction->operands) {
            if (next >= instruction->operands)
                return decode_wrong(decoder, "an operand is missing");
            if (!bind_item(decoder, item, length, &instruction->operand[next++], &bound,
                           &extension))
                return decode_wrong(decoder, "an operand is not understood");
        }
        item += length;
        item += *item == ' ';
    }
    if (next != instruction->operands)
        return newer_wrong(decoder, "there are too many operands");
    for (int i = 0; i < CHOICES; i++)
        bound.sub |= (uint32_t)choice[i] << 4 * i;
    return decode_emit(decoder, operation, bound) &&
           (!extension.from ||
            decode_resize_into(decoder, extension.from, extension.bytes, extension.to,
                               extension.wanted, extension.is_signed));
}

/* Inserts a step before the one at `at`. No fixup is of that one or of those behind it. */
static struct step *insert(struct decoder *decoder, int at, const char *name)
{
    struct code *code = decoder->code;
    if (!decode_internal(decoder, name, (struct step){0}))
        return NULL;
    struct step step = code->step[code->steps - 1];
    memmove(&code->step[at + 1], &code->step[at],
            (size_t)(code->steps - 1 - at) * sizeof *code->step);
    code->step[at] = step;
    return &code->step[at];
}

/* @%p before the steps from first on. */
static bool guard(struct decoder *decoder, const struct operation *operation, int first)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    struct code *code = decoder->code;
    const bool simple =
        !operation->together && decoder->main >= 0 && code->steps == decoder->main + 1;
    struct step *step =
        insert(decoder, simple ? decoder->main : first, simple ? "#guard" : "#branch");
    if (!step)
        return false;
    step->a = decoder->reg[instruction->guard];
    step->negated = simple ? instruction->guard_negated : !instruction->guard_negated;
    if (simple)
        return true;
    const int branch = (int)(step - code->step);
    struct fixup *fixup = new_fixup(decoder);
    if (!fixup || !decode_block(decoder))
        return false;
    *fixup = (struct fixup){branch, NULL, -1, decoder->head};
    return true;
}

/* A step of its own, which is no instruction's. */
static bool decode_follow(struct decoder *decoder)
{
    decoder->follows = false;
    decoder->index = -1;
    return decode_internal(decoder, "#follow", (struct step){0});
}

static bool decode_instruction(struct decoder *decoder)
{
    const struct ptx_instruction *instruction = decoder->instruction;
    const int first = decoder->code->steps;
    const struct operations *operations = decoder->operations;
    decoder->main = -1;
    for (int i = 0; i < operations->rows; i++) {
        const struct operation *operation = &operations->row[i];
        int choice[CHOICES] = {0};
        if (!matches(operation->pattern, instruction, choice))
            continue;
        if (!(operation->bind ? operation->bind(decoder, instruction, operation, choice)
                              : bind_operands(decoder, operation, choice)))
            return decode_wrong(decoder, "this instruction is not understood");
        const bool branches = operation->bind == bind_branch; /* takes its predicate itself */
        if (instruction->guard >= 0 && !branches && !guard(decoder, operation, first))
            return false;
        if (decoder->follows && !decode_follow(decoder))
            return false;
        return !operation->together || decode_block(decoder);
    }
    return newer_wrong(decoder, "this instruction is not known");
}

/* ---- functions ------------------------------------------------------------------------------- */

static bool place_registers(struct decoder *decoder)
{
    const struct ptx_body *body = decoder->body;
    decoder->reg = decode_new(decoder, ((size_t)body->regs + 1) * sizeof *decoder->reg);
    decoder->code->reg = decoder->reg;
    for (int i = 0; i < body->regs && decoder->reg; i++) {
        const enum ptx_type type = body->reg[i].type;
        decoder->reg[i] = type == PTX_PRED ? decode_room(decoder, 8)
                                           : decode_room(decoder, decode_register_bytes(type));
        if (!decoder->reg[i])
            return false;
    }
    return decoder->reg != NULL;
}

/* How many instructions a basic block has stands in its head. */
static void count_instructions(struct code *code)
{
    struct step *head = NULL;
    int last = -1;
    for (int i = 0; i < code->steps; i++) {
        struct step *step = &code->step[i];
        if (step->run[0] == control_block) {
            head = step;
            continue;
        }
        if (head && step->instruction >= 0 && step->instruction != last)
            head->immediate++;
        last = step->instruction;
    }
}

static void resolve(struct decoder *decoder)
{
    struct code *code = decoder->code;
    for (int i = 0; i < decoder->fixups; i++) {
        const struct fixup *fixup = &decoder->fixup[i];
        const struct step *to =
            &code->step[fixup->item < 0 ? fixup->to : decoder->block_step[fixup->item]];
        if (fixup->step >= 0)
            code->step[fixup->step].target = to;
        else
            *fixup->entry = to;
    }
}

/* An item of the layout: an instruction, a jump that the text does not have, or the end. */
static bool decode_item(struct decoder *decoder, const struct flow_item *item)
{
    if (item->begins && !decode_block(decoder))
        return false;
    decoder->block_step[decoder->item] = decoder->head;
    switch (item->kind) {
    case FLOW_JUMP:
        decoder->index = -1;
        return decode_internal(decoder, "#jump", (struct step){0}) && decode_jump(decoder) &&
               decode_block(decoder);
    case FLOW_END:
        decoder->index = -1;
        return decode_internal(decoder, "#end", (struct step){0});
    default:
        decoder->index = item->instruction;
        decoder->instruction = &decoder->body->instruction[item->instruction];
        return sums_bind(decoder) && decode_instruction(decoder);
    }
}

/* For join.c: where a shared variable lies; whether a function that is called has no branches. */
static int64_t place_of_shared(void *context, const struct ptx_variable *variable)
{
    return decode_shared_offset(context, variable);
}

static bool is_plain(void *context, const struct ptx_function *function)
{
    const struct math_function *math = NULL;
    const void *found = NULL;
    (void)context;
    if (!function->body && builtin_named(function->name, &found) == BUILTIN_MATH)
        math = found;
    return math && !math->branches && !strpbrk(math->arguments, "FDIpq");
}

static bool decode_function(struct machine_module *module, struct kernel_code *kernel,
                            struct code *code, struct error *error)
{
    struct decoder decoder = {.kernel = kernel,
                              .code = code,
                              .module = module,
                              .body = code->function->parsed,
                              .operations = operations_for(kernel->slots),
                              .error = error,
                              .index = -1,
                              .main = -1};
    const struct ptx_instruction none = {.site = -1, .text = code->function->name};
    decoder.instruction = &none;
    decoder.flow = flow_arrange(&module->ptx, code->function, error);
    decoder.origin = origins_of(&decoder);
    decoder.global_origin = global_origins_of(&decoder);
    code->first_place = kernel->places;
    kernel->places += (uint32_t)decoder.body->instructions;
    const struct join_context context = {&decoder, place_of_shared, is_plain};
    decoder.join = decoder.flow && decoder.origin && decoder.global_origin
                       ? join_accesses(&module->ptx, code->function, decoder.flow, &context, error)
                       : NULL;
    if (!decoder.join)
        return false;
    code->join = decoder.join;
    code->frame_bytes = 64; /* so that 0 is no register */
    decoder.block_step =
        decode_new(&decoder, ((size_t)decoder.flow->items + 1) * sizeof *decoder.block_step);
    if (!decoder.block_step || !place_registers(&decoder) || !decode_places(&decoder) ||
        !sums_find(&decoder) || !decode_block(&decoder))
        return false;
    for (decoder.item = 0; decoder.item < decoder.flow->items; decoder.item++)
        if (!decode_item(&decoder, &decoder.flow->item[decoder.item]))
            return false;
    decoder.index = -1;
    if (!decode_block(&decoder) || !decode_internal(&decoder, "#end", (struct step){0}))
        return false;
    count_instructions(code);
    resolve(&decoder);
    return true;
}

/* Finds out whether a function of the kernel is among those that it calls. false: no memory. */
static bool note_recursion(struct kernel_code *kernel, struct error *error)
{
    struct visit { /* of a function, by its number */
        struct code *from;
        int looked; /* at so many of its steps */
        bool entered;
    } *visit = arena_new(&kernel->module->arena, (size_t)kernel->codes * sizeof *visit);
    if (!visit)
        return error_set(error, "out of memory for the program's code");
    for (struct code *now = kernel->code; now && !kernel->recursive;) {
        struct visit *own = &visit[now->number];
        struct code *next = NULL;
        own->entered = true;
        while (own->looked < now->steps && !next) {
            const struct step *step = &now->step[own->looked++];
            const struct call *call = step->run[0] == control_call ? step->extra : NULL;
            struct code *called = call && !call->builtin ? call->code : NULL;
            kernel->recursive |= called && visit[called->number].entered;
            next = called && !visit[called->number].looked ? called : NULL;
        }
        if (next)
            visit[next->number].from = now;
        else
            own->entered = false;
        now = next ? next : own->from;
    }
    return true;
}

struct kernel_code *kernel_decode(struct machine_module *module, struct ptx_function *entry,
                                  int slots, struct error *error)
{
    struct kernel_code *kernel = arena_new(&module->ptx.arena, sizeof *kernel);
    if (!kernel)
        return error_set(error, "out of memory for the program's code"), NULL;
    *kernel = (struct kernel_code){.module = &module->ptx, .entry = entry, .slots = slots};
    if (!kernel_collect(kernel, error))
        return NULL;
    for (struct code *code = kernel->code; code; code = code->next)
        if (!decode_function(module, kernel, code, error))
            return NULL;
    return note_recursion(kernel, error) ? kernel : NULL;
}
