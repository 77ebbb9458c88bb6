/* distribution.h - inputs for the tests of the sort by distribution, on the host and on a GPU. */
#ifndef BANKSCOPE_TESTS_DISTRIBUTION_H
#define BANKSCOPE_TESTS_DISTRIBUTION_H

#include "sort/distributor.cuh"

enum distribution_input {
    RANDOM,
    TWO,
    SIXTEEN,
    THOUSAND,
    ZIPF,
    SORTED,
    REVERSE,
    PIPE,  /* up and down again */
    EQUAL, /* one key */
    HEAVY, /* every other key is the same */
    GAUSS, /* near the middle */
    ENDS,  /* the least and the greatest key */
    NARROW,
    CLUMPS,    /* of equal keys, a few more than fit in a group */
    LUMPS,     /* of a few keys, far apart */
    ADVERSARY, /* what the first level samples is spread out, the rest close together */
    DISTRIBUTION_INPUTS
};
static const char *const distribution_inputs[] = {
    "random", "2 keys", "16 keys", "1000 keys", "zipf",   "sorted", "reverse", "organ pipe",
    "equal",  "heavy",  "gauss",   "ends",      "narrow", "clumps", "lumps",   "adversary"};

/* Key number i of n; r is random. */
template <class Key>
__host__ __device__ inline Key distribution_key(int input, uint64_t i, uint64_t n, uint64_t r)
{
    const Key least = (Key)((uint64_t)1 << (8 * sizeof(Key) - 1));
    switch (input) {
    case TWO:
        return (Key)(r & 1);
    case SIXTEEN:
        return (Key)((r & 15) * 0x10000001);
    case THOUSAND:
        return (Key)(r % 1000 * 4000037);
    case ZIPF:
        return (Key)(1000000 / (1 + r % 1000003));
    case SORTED:
        return (Key)i;
    case REVERSE:
        return (Key)(n - i);
    case PIPE:
        return (Key)(i < n / 2 ? i : n - i);
    case EQUAL:
        return 42;
    case HEAVY:
        return r & 1 ? (Key)12345678 : (Key)(r >> 3);
    case GAUSS:
        return (Key)((r & 0xffffff) + (r >> 20 & 0xffffff) + (r >> 40));
    case ENDS:
        return r % 3 ? (Key)~least : least;
    case NARROW:
        return (Key)(r % 1000003);
    case CLUMPS:
        return (Key)(r % (n / 4500 + 1) * 997 + ((r >> 32) % 97 ? 0 : (r >> 40) % 997));
    case LUMPS:
        return (Key)(r % (n / 2000 + 1) * 60001 + (r >> 40) % 50);
    case ADVERSARY:
        return (Key)(1000 + r % (n / 2 + 1));
    default:
        return (Key)r;
    }
}

enum { ADVERSARY_SEED = 7, ADVERSARY_SAMPLE = 16384 };

/* The place of sample number x of `sample` keys, for ADVERSARY_SEED, as sample_input() takes it. */
inline uint64_t adversary_place(uint64_t n, unsigned x, unsigned sample)
{
    unsigned h = x ^ ADVERSARY_SEED;
    h ^= h >> 16;
    h *= 0x7feb352du;
    h ^= h >> 15;
    h *= 0x846ca68bu;
    h ^= h >> 16;
    return (x * n + (h * n >> 32)) / sample;
}

/* Spreads out the keys that a sample of any of the sizes there are would take. */
template <class Key> void make_adversary(Key *keys, uint64_t n)
{
    for (unsigned sample = ADVERSARY_SAMPLE; sample >= 1024; sample /= 2)
        for (unsigned x = 0; x < sample; x++)
            keys[adversary_place(n, x, sample)] = (Key)(x * 100000 - 800000000);
}

#endif
