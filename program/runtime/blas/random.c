/* random.c - cuRAND's functions of the host: numbers of all its pseudo-random generators are Philox's here (4 words of 32
 * bits, 10 rounds), so they have the same distributions and not the same bits. The n-th word of a generator depends on its
 * seed and n alone: word n is n % 4 of the block of counter n / 4. A double takes two words, a pair of normal numbers
 * two numbers that are uniform.
 */
#include "machine/math/math_functions.h"
#include "program/runtime/blas/blas.h"

#include "curand_api.h"

struct curandGenerator_st {
    cudaStream_t stream;
    uint64_t seed, next; /* word */
    bool host;           /* it writes memory of the host's */
};

/* What kind of numbers they are. */
enum kind { WORDS, UNIFORM, UNIFORM_DOUBLE, NORMAL, NORMAL_DOUBLE };

struct random_work {
    const char *what;
    char *host; /* where they go */
    size_t count;
    enum kind kind;
    bool logarithmic; /* of a number its logarithm is normal */
    double mean, deviation;
    uint64_t seed, next;
};

static void philox(uint64_t seed, uint64_t counter, uint32_t word[4])
{
    uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    word[0] = (uint32_t)counter;
    word[1] = (uint32_t)(counter >> 32);
    word[2] = word[3] = 0;
    for (int round = 0; round < 10; round++) {
        const uint64_t a = UINT64_C(0xd2511f53) * word[0], b = UINT64_C(0xcd9e8d57) * word[2];
        word[0] = (uint32_t)(b >> 32) ^ word[1] ^ key[0];
        word[1] = (uint32_t)b;
        word[2] = (uint32_t)(a >> 32) ^ word[3] ^ key[1];
        word[3] = (uint32_t)a;
        key[0] += 0x9e3779b9;
        key[1] += 0xbb67ae85;
    }
}

/* Words one after another. */
struct stream_of_words {
    uint64_t seed, next;
    uint32_t block[4];
};

static uint32_t next_word(struct stream_of_words *words)
{
    if (words->next % 4 == 0)
        philox(words->seed, words->next / 4, words->block);
    return words->block[words->next++ % 4];
}

/* Above 0, 1 at most. */
static double next_uniform(struct stream_of_words *words, bool is_double)
{
    if (!is_double)
        return (double)((float)next_word(words) * 0x1p-32f + 0x1p-33f);
    const uint64_t low = next_word(words), high = next_word(words);
    return (double)((high << 32 | low) >> 11) * 0x1p-53 + 0x1p-54;
}

static void put(const struct random_work *work, size_t at, double value)
{
    if (work->kind == NORMAL || work->kind == UNIFORM)
        ((float *)work->host)[at] = (float)value;
    else
        ((double *)work->host)[at] = value;
}

static void fill(void *context)
{
    const struct random_work *work = context;
    struct stream_of_words words = {.seed = work->seed, .next = work->next};
    const bool is_double = work->kind == UNIFORM_DOUBLE || work->kind == NORMAL_DOUBLE;
    if (words.next % 4)
        philox(words.seed, words.next / 4, words.block);
    for (size_t i = 0; i < work->count; i++) {
        if (work->kind == WORDS) {
            ((uint32_t *)work->host)[i] = next_word(&words);
        } else if (work->kind == UNIFORM || work->kind == UNIFORM_DOUBLE) {
            put(work, i, next_uniform(&words, is_double));
        } else { /* two of Box and Muller */
            const double radius = __builtin_sqrt(-2 * math_log(next_uniform(&words, is_double))),
                         angle = 6.283185307179586 * next_uniform(&words, is_double);
            const double both[] = {radius * math_sin(angle), radius * math_cos(angle)};
            for (int j = 0; j < 2; j++) {
                const double value = work->mean + work->deviation * both[j];
                put(work, i + (size_t)j, work->logarithmic ? math_exp(value) : value);
            }
            i++;
        }
    }
}

/* The generator makes so many numbers at that address. */
static curandStatus_t make(curandGenerator_t generator, void *at, struct random_work work)
{
    static const size_t bytes[] = {4, 4, 8, 4, 8}, taken[] = {1, 1, 2, 1, 2};
    if (!generator)
        return CURAND_STATUS_NOT_INITIALIZED;
    if (runtime_enter() != cudaSuccess)
        return CURAND_STATUS_PREEXISTING_FAILURE;
    if (work.kind >= NORMAL && work.count % 2)
        return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (!generator->host && !library_may_access(work.what, at, work.count * bytes[work.kind], true))
        return CURAND_STATUS_LAUNCH_FAILURE;
    work.host = generator->host ? at : runtime_host(at);
    work.seed = generator->seed;
    work.next = generator->next;
    generator->next += work.count * taken[work.kind];
    if (generator->host)
        fill(&work);
    else if (!library_call(generator->stream, work.what, fill, &work, sizeof work))
        return CURAND_STATUS_LAUNCH_FAILURE;
    return CURAND_STATUS_SUCCESS;
}

#define MAKE(name, ...)                                                                            \
    make(generator, at,                                                                            \
         (struct random_work){.what = "curandGenerate" #name, .count = count, __VA_ARGS__})

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned *at, size_t count)
{
    return MAKE(, .kind = WORDS);
}

#define UNIFORM_NUMBERS(name, real, of)                                                            \
    curandStatus_t curandGenerate##name(curandGenerator_t generator, real *at, size_t count)       \
    {                                                                                              \
        return MAKE(name, .kind = of);                                                             \
    }
#define NORMAL_NUMBERS(name, real, of, is_logarithmic)                                             \
    curandStatus_t curandGenerate##name(curandGenerator_t generator, real *at, size_t count,       \
                                        real mean, real deviation)                                 \
    {                                                                                              \
        return MAKE(name, .kind = of, .logarithmic = is_logarithmic, .mean = (double)mean,         \
                    .deviation = (double)deviation);                                               \
    }
UNIFORM_NUMBERS(Uniform, float, UNIFORM)
UNIFORM_NUMBERS(UniformDouble, double, UNIFORM_DOUBLE)
NORMAL_NUMBERS(Normal, float, NORMAL, false)
NORMAL_NUMBERS(NormalDouble, double, NORMAL_DOUBLE, false)
NORMAL_NUMBERS(LogNormal, float, NORMAL, true)
NORMAL_NUMBERS(LogNormalDouble, double, NORMAL_DOUBLE, true)

/* ---- generators -------------------------------------------------------------------------------- */

static curandStatus_t create(const char *what, curandGenerator_t *generator, curandRngType_t type,
                             bool host)
{
    if (runtime_enter() != cudaSuccess || !generator)
        return CURAND_STATUS_INITIALIZATION_FAILED;
    if (type >= CURAND_RNG_QUASI_DEFAULT) {
        runtime_missing(what, "its sequences are pseudo-random here, not Sobol's");
        return CURAND_STATUS_TYPE_ERROR;
    }
    if (type != CURAND_RNG_TEST && type < CURAND_RNG_PSEUDO_DEFAULT)
        return CURAND_STATUS_TYPE_ERROR;
    *generator = runtime_new(sizeof **generator);
    if (!*generator)
        return CURAND_STATUS_ALLOCATION_FAILED;
    (*generator)->host = host;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
    return create("curandCreateGenerator", generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
    return create("curandCreateGeneratorHost", generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
    runtime_delete(generator);
    return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}

curandStatus_t curandGetVersion(int *version)
{
    if (!version)
        return CURAND_STATUS_OUT_OF_RANGE;
    *version = 10400;
    return CURAND_STATUS_SUCCESS;
}

#define SETS(name, type, ...)                                                                      \
    curandStatus_t curand##name(curandGenerator_t generator, type value)                           \
    {                                                                                              \
        if (!generator)                                                                            \
            return CURAND_STATUS_NOT_INITIALIZED;                                                  \
        __VA_ARGS__;                                                                               \
        return CURAND_STATUS_SUCCESS;                                                              \
    }
SETS(SetStream, cudaStream_t, generator->stream = value)
SETS(SetPseudoRandomGeneratorSeed, unsigned long long, generator->seed = value; generator->next = 0)
SETS(SetGeneratorOffset, unsigned long long, generator->next = value)
SETS(SetGeneratorOrdering, curandOrdering_t, (void)value)

curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
    return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
