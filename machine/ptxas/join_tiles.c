/* join_tiles.c - tiles of matrices that are not loaded in machine code: ldmatrix and wmma.load, which nobody reads, or
 * which the basic block has done before.
 *
 *     wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {...}, [%rd1], 64;      LDSM
 *     wmma.mma ...
 *     wmma.load.b.sync.aligned.row.m16n16k16.shared.f16 {...}, [%rd1], 64;      (nothing)
 *
 * Whatever may write to that memory ends it, even beside it. Of other blocks nothing is known, not even where one is always
 * reached through the other: there, ptxas loads again.
 */
#include "machine/ptxas/join_pass.h"

enum { MOST_TILES = 64 };

struct tiles {
    struct join_pass *pass;
    int load[MOST_TILES]; /* instructions */
    int count;
};

static enum ptx_space space_of(const struct join_pass *pass, int instruction)
{
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    return slice_is(now->opcode, "ldmatrix") || ptx_has(now, "shared") ||
                   ptx_has(now, "shared::cta")
               ? PTX_SHARED
           : ptx_has(now, "global") ? PTX_GLOBAL
                                    : PTX_GENERIC;
}

static bool is_tile(const struct join_pass *pass, int instruction)
{
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    return slice_is(now->opcode, "ldmatrix") ||
           (slice_is(now->opcode, "wmma") && ptx_has(now, "load"));
}

static bool is_read(const struct join_pass *pass, int instruction)
{
    EFFECT_EACH_USE (pass->effects, instruction, use)
        if (use->writes && pass->reads[use->reg])
            return true;
    return false;
}

/* The number that an operand is, or the register that is always the same. */
static bool same_number(const struct join_pass *pass, const struct ptx_operand *a,
                        const struct ptx_operand *b)
{
    const struct ptx_operand *of[] = {a, b};
    int64_t value[2];
    if (a->kind == PTX_REG && b->kind == PTX_REG && a->reg == b->reg)
        return pass->writer[a->reg] >= 0;
    for (int i = 0; i < 2; i++) {
        const int writer = of[i]->kind == PTX_REG ? pass->writer[of[i]->reg] : -1;
        if (writer >= 0 && slice_is(pass->body->instruction[writer].opcode, "mov") &&
            !join_is_guarded(pass, writer))
            of[i] = &pass->body->instruction[writer].operand[1];
        if (!ptx_constant(of[i], &value[i]))
            return false;
    }
    return value[0] == value[1];
}

static bool same_words(const struct ptx_instruction *a, const struct ptx_instruction *b)
{
    if (a->words != b->words || a->operands != b->operands)
        return false;
    for (int i = 0; i < a->words; i++)
        if (!slice_equal(a->word[i], b->word[i]))
            return false;
    return true;
}

static bool is_repeated(const struct tiles *tiles, int instruction)
{
    const struct join_pass *pass = tiles->pass;
    const struct ptx_instruction *now = &pass->body->instruction[instruction];
    const struct join_place place = pass->place[instruction];
    for (int i = 0; i < tiles->count; i++) {
        const struct ptx_instruction *then = &pass->body->instruction[tiles->load[i]];
        if (pass->place[tiles->load[i]].key == place.key &&
            pass->place[tiles->load[i]].offset == place.offset && same_words(now, then) &&
            slice_is(now->opcode, "wmma") == slice_is(then->opcode, "wmma") &&
            (now->operands < 3 || same_number(pass, &now->operand[2], &then->operand[2])))
            return true;
    }
    return false;
}

static void load_tile(struct tiles *tiles, int instruction)
{
    struct join_pass *pass = tiles->pass;
    if (!is_read(pass, instruction))
        join_vanish(pass, instruction, JOIN_UNUSED);
    else if (pass->place[instruction].key < 0)
        return;
    else if (is_repeated(tiles, instruction))
        join_vanish(pass, instruction, JOIN_REPEATED);
    else if (tiles->count < MOST_TILES && !join_is_guarded(pass, instruction))
        tiles->load[tiles->count++] = instruction;
}

/* Forgets the tiles that an instruction may change. */
static void forget(struct tiles *tiles, int instruction)
{
    const struct join_pass *pass = tiles->pass;
    const bool shared = join_changes(pass, instruction, PTX_SHARED) > 0,
               global = join_changes(pass, instruction, PTX_GLOBAL) > 0;
    int kept = 0;
    for (int i = 0; i < tiles->count; i++) {
        const enum ptx_space space = space_of(pass, tiles->load[i]);
        const bool changed = space == PTX_SHARED   ? shared
                             : space == PTX_GLOBAL ? global
                                                   : shared || global;
        if (!changed)
            tiles->load[kept++] = tiles->load[i];
    }
    tiles->count = kept;
}

void join_tiles(struct join_pass *pass)
{
    struct tiles tiles = {.pass = pass};
    for (int i = 0; i < pass->steps; i++) {
        const int instruction = pass->step[i].instruction;
        if (pass->step[i].begins)
            tiles.count = 0;
        forget(&tiles, instruction);
        if (is_tile(pass, instruction))
            load_tile(&tiles, instruction);
    }
}
