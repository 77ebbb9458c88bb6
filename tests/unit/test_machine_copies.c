/* test_machine_copies.c - cp.async: how much is read, and what is put where nothing is. */
#include "tests/support/run_numbers.h"

#include <stdio.h>

/* Each thread copies 16 bytes of its own to shared memory, and from there on. what: what stands behind the size. */
static void copy(const char *words, const char *what, struct numbers *numbers)
{
    char text[2000];
    snprintf(text, sizeof text,
             HEAD
             ".visible .entry k(.param .u64 p)\n{ .reg .b32 %%t, %%s, %%size; .reg .pred %%odd;\n"
             ".reg .b64 %%at, %%policy, %%x<3>; .shared .align 16 .b8 tile[2048];\n"
             "ld.param.u64 %%at, [p]; mov.u32 %%t, %%tid.x; setp.ge.u32 %%odd, %%t, 128;\n"
             "@%%odd ret; mad.wide.u32 %%at, %%t, 16, %%at; mov.u32 %%s, tile;\n"
             "mad.lo.u32 %%s, %%t, 16, %%s; st.shared.v2.b64 [%%s], {-1, -1};\n"
             "and.b32 %%size, %%t, 1; setp.ne.u32 %%odd, %%size, 0; rem.u32 %%size, %%t, 17;\n"
             "createpolicy.fractional.L2::evict_first.b64 %%policy, 1.0;\n"
             "cp.async.cg.shared.global%s [%%s], [%%at], 16%s; cp.async.wait_all;\n"
             "ld.shared.v2.b64 {%%x1, %%x2}, [%%s]; st.global.v2.b64 [%%at+%d], {%%x1, %%x2}; "
             "ret; }\n",
             words, what, 8 * CASES);
    memset(numbers, 0, sizeof *numbers);
    for (int i = 0; i < CASES; i++)
        numbers->a[i] = UINT64_C(0x0123456789abcdef) * (uint64_t)(i + 1);
    run_numbers(text, numbers);
}

static void so_much_is_read_and_the_rest_is_zero(void **state)
{
    static const struct {
        const char *words, *what;
        enum { ALL, SIZE, UNLESS_ODD, IF_ODD, NOTHING } reads;
    } rows[] = {
        {"", "", ALL},
        {"", ", %size", SIZE},
        {"", ", %odd", UNLESS_ODD},
        {"", ", !%odd", IF_ODD},
        {"", ", 0", NOTHING},
        {".L2::128B", ", %size", SIZE},
        {".L2::cache_hint", ", %policy", ALL},
        {".L2::cache_hint", ", %size, %policy", SIZE},
        {".L2::cache_hint.L2::128B", ", %odd, %policy", UNLESS_ODD},
        {".L2::cache_hint", ", 0, %policy", NOTHING},
    };
    static struct numbers numbers;
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        copy(rows[row].words, rows[row].what, &numbers);
        for (size_t t = 0; t < CASES / 2; t++) {
            const size_t of_kind[] = {16, t % 17, t % 2 ? 0 : 16, t % 2 ? 16 : 0, 0};
            uint8_t want[16] = {0};
            memcpy(want, &numbers.a[2 * t], of_kind[rows[row].reads]);
            if (memcmp(want, &numbers.b[2 * t], sizeof want))
                fail_msg("cp.async%s%s of thread %zu", rows[row].words, rows[row].what, t);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(so_much_is_read_and_the_rest_is_zero)};
    return cmocka_run_group_tests_name("machine_copies", tests, NULL, NULL);
}
