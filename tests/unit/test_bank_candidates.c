/* test_bank_candidates.c - rules that the GPU's counters refute: how many of the measured patterns
 * each gets wrong is what doc/bank-model.md says. Here is what its words mean, to the letter.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A warp access of 32 lanes on 32 banks of 4 bytes. */
struct pattern {
    bool load;
    int bytes;
    unsigned active;       /* mask of the lanes */
    unsigned element[32];  /* of the active lanes; address = element * bytes */
    int passes, conflicts; /* counted */
};

static bool parse(const char *line, struct pattern *pattern)
{
    char op[8];
    int used = -1;
    if (sscanf(line, "%7[a-z],%d,%x,%*d,%d,%d,%n", op, &pattern->bytes, &pattern->active,
               &pattern->passes, &pattern->conflicts, &used) != 5 ||
        used < 0)
        return false;
    pattern->load = op[0] == 'l';
    char *at = (char *)line + used;
    for (int lane = 0; lane < 32; lane++)
        if (pattern->active >> lane & 1)
            pattern->element[lane] = (unsigned)strtoul(at, &at, 10);
    return true;
}

/* The most words that a bank must serve for the lanes of the mask. */
static int ways(const struct pattern *pattern, unsigned lanes)
{
    unsigned word[32][128];
    int count[32] = {0}, most = 0, words = pattern->bytes > 4 ? pattern->bytes / 4 : 1;
    for (int i = 0; i < 32 * words; i++) {
        int lane = i / words, k = 0;
        if (!(lanes & pattern->active & 1u << lane))
            continue;
        unsigned at = pattern->element[lane] * (unsigned)pattern->bytes / 4 + (unsigned)(i % words);
        int bank = (int)(at % 32);
        while (k < count[bank] && word[bank][k] != at)
            k++;
        word[bank][k] = at;
        if (k == count[bank] && ++count[bank] > most)
            most = count[bank];
    }
    return most;
}

/* The lanes of group g of the rule: 32 lanes for up to 4 bytes, 16 for 8 bytes, 8 for 16 bytes. */
static int groups_of(const struct pattern *pattern)
{
    return pattern->bytes > 4 ? pattern->bytes / 4 : 1;
}
static unsigned group(const struct pattern *pattern, int g)
{
    int size = 32 / groups_of(pattern);
    return (size == 32 ? ~0u : (1u << size) - 1) << g * size;
}

/* Whether partners at that distance agree, of the lanes of the mask. */
static bool agree(const struct pattern *pattern, unsigned lanes, int distance)
{
    lanes &= pattern->active;
    for (int i = 0; i < 32; i++)
        if (lanes >> i & lanes >> (i ^ distance) & 1 &&
            pattern->element[i] != pattern->element[i ^ distance])
            return false;
    return true;
}

/* Whether groups 2 pair and 2 pair + 1 are served as one. */
typedef bool merges(const struct pattern *pattern, int pair);

static bool never(const struct pattern *pattern, int pair)
{
    (void)pattern, (void)pair;
    return false;
}

static bool where_conflict_free(const struct pattern *pattern, int pair)
{
    return ways(pattern, group(pattern, 2 * pair) | group(pattern, 2 * pair + 1)) <= 1;
}

static bool where_fewer_passes(const struct pattern *pattern, int pair)
{
    unsigned first = group(pattern, 2 * pair), second = group(pattern, 2 * pair + 1);
    return ways(pattern, first | second) < ways(pattern, first) + ways(pattern, second);
}

static bool half_agrees(const struct pattern *pattern, int half)
{
    unsigned lanes = half ? 0xFFFF0000u : 0xFFFFu;
    return agree(pattern, lanes, 1) || agree(pattern, lanes, 2);
}
static bool by_halves(const struct pattern *pattern, int pair)
{
    if (!pattern->load)
        return false;
    return pattern->bytes == 16 ? half_agrees(pattern, pair)
                                : half_agrees(pattern, 0) && half_agrees(pattern, 1);
}

/* The patterns on which the rule's passes or conflicts are not those counted. */
static int refuted_by(merges *rule)
{
    char line[1024];
    int refuted = 0, patterns = 0;
    FILE *file = fopen("tests/data/h200-wide-rule.csv", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        struct pattern pattern;
        if (!parse(line, &pattern))
            continue;
        int passes = 0, served = 0;
        for (int g = 0; g < groups_of(&pattern); g++) {
            unsigned lanes = group(&pattern, g);
            if (groups_of(&pattern) > 1 && g % 2 == 0 && rule(&pattern, g / 2))
                lanes |= group(&pattern, ++g);
            passes += ways(&pattern, lanes);
            served += (lanes & pattern.active) != 0;
        }
        refuted += passes != pattern.passes || passes - served != pattern.conflicts;
        patterns++;
    }
    fclose(file);
    assert_int_equal(patterns, 3970);
    return refuted;
}

/* The number in the second column of the page's row that begins with this. */
static int said_of(const char *candidate)
{
    char line[1024];
    int said = -1;
    FILE *file = fopen("doc/bank-model.md", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (!strncmp(line, "| ", 2) && !strncmp(line + 2, candidate, strlen(candidate)))
            sscanf(line + 2 + strlen(candidate), "%*[^|]| %d", &said);
    fclose(file);
    return said;
}

static void as_many_patterns_refute_a_rule_as_is_said(void **unused)
{
    static const struct {
        const char *candidate;
        merges *rule;
    } rules[] = {{"fixed groups, never merged", never},
                 {"groups 0 and 1, 2 and 3 are one where no bank", where_conflict_free},
                 {"groups 0 and 1, 2 and 3 are one where that needs", where_fewer_passes},
                 {"each half-warp agrees at a distance of its own", by_halves}};
    (void)unused;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (refuted_by(rules[i].rule) != said_of(rules[i].candidate))
            fail_msg("%s: refuted by %d, but doc/bank-model.md says %d", rules[i].candidate,
                     refuted_by(rules[i].rule), said_of(rules[i].candidate));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_many_patterns_refute_a_rule_as_is_said)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
