/* fuzz_ptx.c - any bytes as PTX: the machine takes them or says why not, within its limits. The seeds are the
 * programs of tests/data/ptx. */
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/hostile_ptx.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct hostile_result result;
    hostile_ptx((const char *)bytes, size, size % 5 ? 32 : 1 + (int)(size % 64), &result);
    if (result.broken)
        fprintf(stderr, "%s: %s\n", result.broken, result.error.text);
    MUST(!result.broken);
    return 0;
}
