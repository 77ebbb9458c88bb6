/* Exercise of lesson 10: from records to fields.
 *
 * This is an ordinary CUDA program: nvcc compiles it as it stands. A block has 32 records of 8 numbers,
 * which lie in global memory one record after another. Thread t gets number t of these 256. Then field f
 * of all 32 records is to lie side by side, so thread t needs field t / 32 of record t % 32. The threads
 * exchange their numbers in shared memory, as a warp should neither read nor write global memory with
 * gaps.
 *
 * At first, the loads from shared memory have conflicts. Change your part so that neither its load nor
 * its store has any. Each thread makes one of each. You may use another array, of any size, and other
 * indices.
 *
 *     bankscope check exercise.cu        what is still missing
 *     bankscope run exercise.cu          what it costs, by line
 *     bankscope advise exercise.cu       an idea
 *     bankscope view exercise.cu         the picture
 */
#include <cstdio>

enum { RECORDS = 32, FIELDS = 8, THREADS = RECORDS * FIELDS };

/* ---- [your part begins] ---- */

/* Called by all threads of a block, each with its number; returns the number that it needs. */
__device__ int exchange(int number)
{
    __shared__ int tile[THREADS + THREADS / 32];
    int t = threadIdx.x;
    tile[t + t / 32] = number;
    __syncthreads();
    int field = t / RECORDS, record = t % RECORDS;
    int i = record * FIELDS + field;
    return tile[i + i / 32];
}

/* ---- [your part ends] ---- */

__global__ void fields(const int *in, int *out)
{
    int i = blockIdx.x * THREADS + threadIdx.x;
    out[i] = exchange(in[i]);
}

/* How `bankscope check` launches it, and main(): param[0] blocks. */
void exercise(const int *param, const int *in, int *out)
{
    fields<<<param[0], THREADS>>>(in, out);
}

int main()
{
    int blocks = 4, words = blocks * THREADS, wrong = 0, *in, *out;
    cudaMallocManaged(&in, words * sizeof *in);
    cudaMallocManaged(&out, words * sizeof *out);
    for (int i = 0; i < words; i++)
        in[i] = i;
    exercise(&blocks, in, out);
    cudaDeviceSynchronize();
    for (int i = 0; i < words; i++) {
        int field = i % THREADS / RECORDS, record = i % RECORDS;
        wrong += out[i] != i / THREADS * THREADS + record * FIELDS + field;
    }
    printf("%d of %d numbers are wrong\n", wrong, words);
    cudaFree(in);
    cudaFree(out);
}

#ifdef SIMT_HOST

enum { RECORDS = 32, FIELDS = 8, THREADS = RECORDS * FIELDS };

struct fields {
    int blocks;
};

PARAMS(fields) = {PARAM(blocks, 4, 1, 64, "thread blocks"), {0}};

static const struct kernel_goal goals[] = {
    {.of = GOAL_STORES, .accesses = 1, .conflicts = 0},
    {.of = GOAL_LOADS, .accesses = 1, .conflicts = 0},
    {0},
};

static const char *const tries[] = {"blocks=1", "blocks=4", NULL};

/* What `check` says to typical mistakes, by a word of the reason. */
static const struct kernel_slip slips[] = {
    {"before it was written", "What this thread loads has not been stored yet. Is there a barrier "
                              "between store and load? Do "
                              "both use the same place for an element?"},
    {"race", "Between a store and the load of what another thread has stored stands a barrier."},
    {"outside", "Is the array large enough for the unused words?"},
    {"serves 8 words", "The load has a stride of 8. How can the words move apart?"},
    {"stores: no",
     "A warp stores the numbers of 4 records, so these must lie in different banks. An unused word "
     "after every record moves them too far."},
    {"loads: no", "A warp loads the same field of 32 records. In which banks are those of records "
                  "0, 4, 8, ...?"},
    {"got",
     "The load must find what the store put there: both need the same place for an element."},
    {NULL, NULL},
};

static bool shape(const void *params, struct kernel_shape *shape, struct error *error)
{
    const struct fields *p = params;
    (void)error;
    shape->threads = THREADS;
    shape->blocks = p->blocks;
    shape->in_words = shape->out_words = (size_t)p->blocks * THREADS;
    return true;
}

static bool check(const void *params, const struct kernel_shape *shape, const int *in,
                  const int *out, struct error *error)
{
    (void)params;
    for (int i = 0; i < (int)shape->out_words; i++) {
        int block = i / THREADS, field = i % THREADS / RECORDS, record = i % RECORDS;
        int expected = in[block * THREADS + record * FIELDS + field];
        if (out[i] != expected)
            return error_set(error, "thread %d of block %d got %d, not %d", i % THREADS, block,
                             out[i], expected);
    }
    return true;
}

PROGRAM(
    fields, .name = "10-own-kernel", .summary = "from records to fields without conflicts",
    .look = "Load and store should find every lane of a warp in a different bank.",
    .source = "lesson 10", .inputs = INPUT_ANY, .shape = shape, .prepare = prepare_numbers,
    .check = check, .goals = goals, .tries = tries, .slips = slips,
    .hints = {
        "A warp stores 32 consecutive words and loads words 0, 8, 16, ... of the block. With one "
        "unused word after every 8, which of both has conflicts?",
        "The store has none as long as no unused word comes within 32 words. What does the load "
        "have with one after every 32?",
        "Put number i into word i + i / 32, and load from the same place."})

#endif
