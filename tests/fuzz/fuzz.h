/* fuzz.h - what fuzz targets share: included once, by the target's only source.
 *
 * `make fuzz` runs each target under libFuzzer. Built without (FUZZ=1 not given), its own main
 * replays the files it is given: the seed corpus is also a regression test.
 */
#ifndef BANKSCOPE_FUZZ_H
#define BANKSCOPE_FUZZ_H

#include "instrument/instrument.h"

#include <stdlib.h>
#include <string.h>

/* Not assert: a build with NDEBUG would check nothing. */
#define MUST(truth)                                                                                \
    do {                                                                                           \
        if (!(truth)) {                                                                            \
            fprintf(stderr, "%s:%d: this must hold: %s\n", __FILE__, __LINE__, #truth);            \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Reads a trace out of memory; false is always told in one line. */
static inline bool fuzz_read(const void *bytes, size_t size, const struct trace_sink *sink,
                             struct error *error)
{
    FILE *file = size ? fmemopen((void *)(uintptr_t)bytes, size, "rb") : fopen("/dev/null", "rb");
    MUST(file);
    bool good = trace_read(file, "fuzz", sink, error);
    fclose(file);
    MUST(good == !error->text[0]);
    MUST(!strchr(error->text, '\n'));
    return good;
}

#ifndef LIBFUZZER
int main(int argc, char **argv)
{
    enum { ROOM = 4 << 20 };
    uint8_t *bytes = malloc(ROOM);
    MUST(bytes);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 1;
        }
        size_t size = fread(bytes, 1, ROOM, file);
        fclose(file);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    free(bytes);
    printf("%d files replayed\n", argc - 1);
    return 0;
}
#endif
#endif
