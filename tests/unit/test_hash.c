/* test_hash.c - what is added to an index is found again by its hash, and nothing else. */
#include "base/hash.h"
#include "base/memory.h"
#include "tests/support/recording.h"

/* The row of a key, or HASH_INDEX_NONE. */
static uint32_t find(const struct hash_index *index, const int *key, uint32_t hash, int wanted)
{
    size_t at = 0;
    for (uint32_t i; (i = hash_index_next(index, hash, &at)) != HASH_INDEX_NONE;)
        if (key[i] == wanted)
            return i;
    return HASH_INDEX_NONE;
}

static void finds_what_was_added(void **state)
{
    (void)state;
    enum { COUNT = 10000 };
    int *key = memory_new(COUNT, sizeof *key);
    struct hash_index index = {0};
    struct error error = {{0}};
    assert_int_equal(find(&index, key, 0, 0), HASH_INDEX_NONE);
    for (int i = 0; i < COUNT; i++) {
        key[i] = i * 7;
        assert_true(hash_index_add(&index, (uint32_t)hash_mix(0, (uint64_t)key[i]), (uint32_t)i,
                                   "keys", &error));
    }
    for (int i = 0; i < COUNT * 7; i++) {
        uint32_t number = find(&index, key, (uint32_t)hash_mix(0, (uint64_t)i), i);
        assert_int_equal(number, i % 7 ? HASH_INDEX_NONE : (uint32_t)i / 7);
    }
    hash_index_free(&index);
    assert_int_equal(index.room, 0);
    free(key);
}

/* Keys of one hash, of the next one, and of one that has the same place in a table of 64 slots. */
static void tells_equal_hashes_apart(void **state)
{
    (void)state;
    static const uint32_t hashes[] = {63, 0, 127, 64};
    int key[40];
    struct hash_index index = {0};
    struct error error = {{0}};
    for (int i = 0; i < 40; i++) {
        key[i] = i;
        assert_true(hash_index_add(&index, hashes[i % 4], (uint32_t)i, "keys", &error));
    }
    for (int i = 0; i < 40; i++)
        for (int h = 0; h < 4; h++)
            assert_int_equal(find(&index, key, hashes[h], i),
                             i % 4 == h ? (uint32_t)i : HASH_INDEX_NONE);
    size_t at = 0;
    int seen = 0;
    while (hash_index_next(&index, 63, &at) != HASH_INDEX_NONE)
        seen++;
    assert_int_equal(seen, 10);
    hash_index_free(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_what_was_added),
        cmocka_unit_test(tells_equal_hashes_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
