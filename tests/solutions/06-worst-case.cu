/* Exercise of lesson 06: be the attacker.
 *
 * Each warp merges two lists, A and B, as in the lesson: its threads take E numbers each, and in round
 * j a thread reads the j-th of its numbers. Both lists begin in bank 0. A thread takes its numbers
 * from A first, and then those from B. You decide how many it takes from A, so you choose the input.
 *
 * At first, all threads take all their numbers from A. That is a stride of E, and there is no conflict
 * if w and E have no common divisor other than 1. Choose shares that make every round of the merge as
 * slow as E passes, for any w and any E up to w / 2.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs; try -p w=12 -p u=12 -p E=5
 *     bankscope view exercise.cu         the picture
 */
#include "kernels/kernel.h"

struct attack {
    int w, u, blocks, E;
};

STAGES(load, merge)

/* ---- [your part begins] ---- */

/* How many numbers, from 0 to E, a thread takes from A. The next number of A is in bank a, and the
 * next number of B in bank b; both are numbers from 0 to w - 1. */
DEVICE int share(int w, int E, int a, int b)
{
    int beach = w - E, da = (beach - a + w) % w, db = (beach - b + w) % w;
    if (da == 0)
        return E;
    if (db == 0)
        return 0;
    return da <= db ? (da < E ? da : E) : E - (db < E ? db : E);
}

/* ---- [your part ends] ---- */

BARE(attack, {32, 32, 1, 15})

KERNEL(attack)
{
    int t = threadIdx.x, lane = t % p.w, words = p.w * p.E; /* of each list, at most */
    int first =
        ((int)blockIdx.x * p.u + t - lane) * p.E; /* of this warp's numbers, A and B alike */
    int a = 0, b = 0, take = share(p.w, p.E, 0, 0), all = (int)blockIdx.x * p.u + t;
    unsigned sum = 0;
    SHARED(int, tile, 2 * p.u * p.E);
    SHARED_PTR(int) list_a = SHARED_AT(tile, t / p.w * 2 * words);
    SHARED_PTR(int) list_b = SHARED_AT(list_a, words);

    STAGE(load);
    for (int j = 0; j < p.E; j++) {
        ROUND(j);
        STORE_TAG(list_a, j * p.w + lane, in[2 * first + j * p.w + lane], 'A');
        STORE_TAG(list_b, j * p.w + lane, in[2 * first + words + j * p.w + lane], 'B');
    }
    __syncthreads();

    for (int i = 0; i < lane; i++) {
        a += take;
        b += p.E - take;
        take = share(p.w, p.E, a % p.w, b % p.w);
    }
    STAGE(merge);
    for (int j = 0; j < p.E; j++) {
        bool in_a = j < take;
        int next = in_a ? a + j : b + j - take;
        ROUND(j);
        sum = 31u * sum + (unsigned)LOAD_TAG(in_a ? list_a : list_b, next, in_a ? 'A' : 'B');
    }
    out[2 * all] = take;
    out[2 * all + 1] = (int)sum;
}

#ifdef SIMT_HOST

PARAMS(attack) = {
    PARAM_W(32), PARAM_U(32), PARAM_BLOCKS, PARAM(E, 15, 1, 32, "numbers per thread"), {0},
};

static const struct kernel_goal goals[] = {
    {.stage = "merge", .accesses = 1, .times = "E", .ways = "E"},
    {0},
};

static const char *const tries[] = {
    "w=12 u=12 E=5", "w=32 u=64 E=15",         "w=32 u=32 E=16", "w=9 u=18 E=4",
    "w=16 u=16 E=7", "w=20 u=20 E=6 blocks=2", "w=30 u=30 E=8",  NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"outside", "A share is a number from 0 to E."},
    {"takes", "A share is a number from 0 to E."},
    {"serves 1 word,", "No two threads meet. Choose a bank where the beach begins: a thread whose "
                       "next number of A is there takes all its numbers from A."},
    {"serves 4 words", "Almost: one thread more must begin at the beach. On the way there, do the "
                       "threads waste numbers of the other list?"},
    {"serves", "Whoever begins at the beach should stay on that list for all E rounds. Do you use "
               "both lists, A's beaches and B's?"},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct attack *p = params;
    if (2 * p->E > p->w)
        return error_set(error, "E is %d, but at most w / 2 = %d in this exercise", p->E, p->w / 2);
    shape->shared_bytes = 2 * (size_t)p->u * (size_t)p->E * sizeof(int);
    shape->out_words = 2 * (size_t)p->u * (size_t)p->blocks;
    shape->in_words = shape->out_words * (size_t)p->E;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    const struct attack *p = params;
    int a = 0, b = 0, words = p->w * p->E;
    for (int i = 0; i < (int)shape->out_words / 2; i++) {
        const int *list = in + 2 * (i - i % p->w) * p->E;
        int take = out[2 * i], thread = i % p->u, block = i / p->u;
        unsigned expected = 0;
        if (i % p->w == 0)
            a = b = 0;
        if (take < 0 || take > p->E)
            return error_set(error, "thread %d of block %d takes %d of its E = %d numbers from A",
                             thread, block, take, p->E);
        for (int j = 0; j < p->E; j++)
            expected =
                31u * expected + (unsigned)(j < take ? list[a + j] : list[words + b + j - take]);
        if (out[2 * i + 1] != (int)expected)
            return error_set(error, "thread %d of block %d got %d, not %d", thread, block,
                             out[2 * i + 1], (int)expected);
        a += take;
        b += p->E - take;
    }
    return true;
}

ENTRY(
    attack, .name = "06-worst-case", .summary = "an input that makes a merge as slow as E E passes",
    .look = "In stage merge, A is yellow and B is blue. Every round should have a bank that serves "
            "E words.",
    .source = "lesson 06, after worstcase section III", .inputs = INPUT_ANY, .shape = shape,
    .prepare = prepare_numbers, .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "Choose a bank where the beach begins. A thread whose next number of A is there should "
        "take all its numbers from A; and what if its next number of B is there?",
        "Other threads should bring one of the lists to the beach again, and waste as few numbers "
        "of the other list as they can.",
        "Let da and db be how many numbers of A and of B come before the beach: (beach - a + w) "
        "mod w, and the same with b. If da <= db, take the smaller one of da and E from A; "
        "otherwise take the smaller one of db and E from B."})

#endif
