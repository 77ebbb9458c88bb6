/* patterns.h - lanes and addresses to try on a GPU's shared memory. They are the same everywhere: their
 * generator has a constant seed.
 */
#ifndef PATTERNS_H
#define PATTERNS_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

enum { LANES = 32, SHARED_BYTES = 32768, WINDOW_BYTES = 4096 };

/* Element i of a lane is bytes i*bytes .. i*bytes+bytes-1 of shared memory. */
struct pattern {
    bool store;
    int bytes;
    uint32_t mask;
    uint32_t index[LANES];
};

/* ---- the patterns -------------------------------------------------------------------------- */

static uint64_t random_state = 0x9E3779B97F4A7C15u;

static uint32_t random_below(uint32_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 33) % n;
}

static uint32_t random_mask(void)
{
    uint32_t mask = 0, eighths = 1 + random_below(8);
    for (int i = 0; i < LANES; i++) {
        mask |= (uint32_t)(random_below(8) < eighths) << i;
    }
    return mask;
}

/* The bits of lane selected by m, moved together: (10110, 11010) -> 101. */
static uint32_t compress(uint32_t lane, uint32_t m)
{
    uint32_t out = 0, at = 0;
    for (int b = 0; b < 5; b++) {
        if (m >> b & 1) {
            out |= (lane >> b & 1) << at++;
        }
    }
    return out;
}

static const uint32_t masks[] = {0x0000ffff, 0xffff0000, 0x55555555, 0xaaaaaaaa, 0x33333333,
                                 0xcccccccc, 0x0f0f0f0f, 0xf0f0f0f0, 0x00ff00ff, 0xff00ff00,
                                 0x000000ff, 0x0000000f, 0x00000001, 0x80000000, 0x00010001,
                                 0x01010101, 0x11111111};
static const uint32_t strides[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33};
static const uint32_t partners[] = {1, 2, 3, 4, 5, 7, 8, 12, 15, 16, 17, 24, 31};
#define COUNT_OF(a) ((int)(sizeof(a) / sizeof((a)[0])))

enum { STRUCTURED = 1 + 17 + 2 * 17 + 3 * 13 + 2 * 32 + 6 };

/* Pattern k < STRUCTURED of the hand-made families: the same lanes and indexes for every width. */
static void structured(int k, struct pattern *p)
{
    p->mask = 0xffffffff;
    for (int i = 0; i < LANES; i++) {
        p->index[i] = (uint32_t)i;
    }
    if (k == 0) { /* the instruction is issued, and no lane takes part */
        p->mask = 0;
        return;
    }
    k -= 1;
    if (k < COUNT_OF(strides)) {
        for (int i = 0; i < LANES; i++) {
            p->index[i] = (uint32_t)i * strides[k];
        }
        return;
    }
    k -= COUNT_OF(strides);
    if (k < 2 * COUNT_OF(masks)) { /* some lanes: element = lane, then element = rank of the lane */
        uint32_t rank = 0;
        p->mask = masks[k / 2];
        for (int i = 0; i < LANES; i++) {
            if (k % 2 == 1) {
                p->index[i] = rank;
            }
            rank += p->mask >> i & 1;
        }
        return;
    }
    k -= 2 * COUNT_OF(masks);
    if (k < 3 * COUNT_OF(partners)) { /* two lanes: other banks, same word, other word of a bank */
        uint32_t j = partners[k / 3];
        p->mask = 1u | 1u << j;
        p->index[0] = 0;
        p->index[j] = k % 3 == 0 ? 4 : k % 3 == 1 ? 0 : 128u * 3 / (uint32_t)p->bytes;
        if (k % 3 == 0 && p->bytes < 4) {
            p->index[j] = 4u * 4 / (uint32_t)p->bytes;
        }
        return;
    }
    k -= 3 * COUNT_OF(partners);
    if (k <
        2 * 32) { /* lanes that share: every subset of the lane number's bits, spread and tight */
        for (uint32_t i = 0; i < LANES; i++) {
            p->index[i] = k % 2 == 0 ? (i & (uint32_t)k / 2) : compress(i, (uint32_t)k / 2);
        }
        return;
    }
    k -= 2 * 32;
    static const uint32_t flips[] = {1, 2, 4, 8, 16, 31};
    for (uint32_t i = 0; i < LANES; i++) {
        p->index[i] = i ^ flips[k];
    }
}

/* A window of elements to draw from: 2, 4, 8, ... elements, at most WINDOW_BYTES. */
static uint32_t random_window(int bytes)
{
    uint32_t most = 0;
    while ((2u << most) * (uint32_t)bytes <= WINDOW_BYTES) {
        most++;
    }
    return 2u << random_below(most);
}

static void shuffled(uint32_t n, uint32_t *out)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = random_below(i + 1);
        out[i] = out[j];
        out[j] = i;
    }
}

/* Gives lanes first .. first+count-1 elements so that lane i and lane i^d want the same one, or one
 * of the two is inactive (idle). */
static void paired(struct pattern *p, int first, int count, uint32_t d, bool idle, bool distinct)
{
    uint32_t window = random_window(p->bytes), order[LANES];
    shuffled(LANES, order);
    for (int i = first; i < first + count; i++) {
        int j = (int)((uint32_t)i ^ d);
        p->index[i] = distinct ? order[i] : random_below(window);
        if (j < i && j >= first) {
            if (idle) {
                p->mask &= ~(1u << (random_below(2) ? i : j));
            } else {
                p->index[i] = p->index[j];
            }
        }
    }
}

static void drawn(struct pattern *p)
{
    static const uint32_t distances[] = {1, 2, 3, 4, 8, 16};
    uint32_t kind = random_below(8), window = random_window(p->bytes), order[LANES];
    p->mask = random_below(2) ? 0xffffffff : random_mask();
    if (kind < 2) { /* anything out of a window */
        for (int i = 0; i < LANES; i++) {
            p->index[i] = random_below(window);
        }
    } else if (kind == 2) { /* stride */
        uint32_t stride = random_below(41), start = random_below(64);
        for (uint32_t i = 0; i < LANES; i++) {
            p->index[i] = start + i * stride;
        }
    } else if (kind == 3) { /* 32 neighbours in any order */
        shuffled(LANES, order);
        memcpy(p->index, order, sizeof(order));
    } else if (kind < 6) { /* pairs over the whole warp */
        paired(p, 0, LANES, distances[random_below(6)], random_below(2), random_below(2));
    } else { /* pairs, each half-warp by a distance of its own */
        paired(p, 0, 16, distances[random_below(5)], random_below(2), random_below(2));
        paired(p, 16, 16, distances[random_below(5)], random_below(2), random_below(2));
    }
    for (uint32_t spoilt = kind >= 4 ? random_below(4) : 0; spoilt > 1; spoilt--) {
        uint32_t lane = random_below(LANES);
        p->mask |= 1u << lane;
        p->index[lane] = random_below(window);
    }
}

/* ---- a GPU and its profiler ---------------------------------------------------------------- */

static void must(cudaError_t code, const char *what)
{
    if (code != cudaSuccess) {
        fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
        exit(1);
    }
}

/* Cuts a line of quoted, comma-separated fields in place; returns how many. */
static int cut_fields(char *line, char **field, int most)
{
    int n = 0;
    for (char *at = strchr(line, '"'); at != NULL && n < most; n++) {
        field[n] = at + 1;
        at = strchr(at + 1, '"');
        if (at != NULL) {
            *at = '\0';
            at = strchr(at + 1, '"');
        }
    }
    return n;
}

/* 12,345 -> 12345 */
static long number(const char *text)
{
    long n = 0;
    for (; *text != '\0' && *text != '.'; text++) {
        if (*text >= '0' && *text <= '9') {
            n = 10 * n + (*text - '0');
        }
    }
    return n;
}

#endif
