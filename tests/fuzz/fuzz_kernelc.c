/* fuzz_kernelc.c - any bytes as a kernel's source: they are compiled, or refused by lines with a place, and what is
 * compiled, the machine takes and runs or stops with a fault. libFuzzer mutates words and lines as well as bytes
 * (mistakes.h). The seeds are the programs of tests/programs. */
#include "kernelc/kernelc.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/hostile_ptx.h"
#include "tests/fuzz/mistakes.h"

#ifdef LIBFUZZER
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t size, size_t most, unsigned seed)
{
    static const char *const numbers[] = {
        "0",      "1",     "-1",         "32",   "2147483647",
        "1e400",  "'a'",   "1ull << 63", "1.5f", "sizeof(int)",
        "double", "const", "auto",       "&",    "template <class T>",
        NULL};
    static const struct files files = {.between = " \t\n,;.()[]{}<>+-*/%&|^=!?:",
                                       .numbers = numbers};
    static char text[ROOM];
    uint64_t state = seed;
    if (size < 20 || size >= ROOM / 2 || memchr(bytes, 0, size) || !draw(&state, 5))
        return LLVMFuzzerMutate(bytes, size, most);
    memcpy(text, bytes, size);
    text[size] = '\0';
    size = make_mistake(&files, text, size, &state);
    size = size < most ? size : most;
    memcpy(bytes, text, size);
    return size;
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char header[] = "#include <cstdio>\n";
    const struct kernelc_source include = {"program.h", header, sizeof header - 1};
    char *text = malloc(size + 1); /* ends where it says, so that a read behind it is found */
    MUST(text);
    memcpy(text, bytes, size);
    text[size] = '\0';
    const struct kernelc_job job = {.allocator = &heap_allocator,
                                    .source = {"k.cu", text, size},
                                    .include = &include,
                                    .includes = 1,
                                    .memory_limit = 64 << 20,
                                    .work_limit = 3000000};
    struct kernelc_result result;
    const bool compiled = kernelc_compile(&job, &result);
    MUST(compiled == (result.messages == 0));
    for (int i = 0; i < result.messages; i++)
        MUST(result.message[i].text[0] && !strchr(result.message[i].text, '\n'));
    if (compiled) {
        struct hostile_result ran;
        hostile_ptx(result.ptx, result.length, size % 5 ? 32 : 1 + (int)(size % 64), &ran);
        const int least = result.kernels < HOSTILE_KERNELS ? result.kernels : HOSTILE_KERNELS;
        if (ran.broken || ran.kernels < least)
            fprintf(stderr, "%s: %s\n", ran.broken ? ran.broken : "not loaded", ran.error.text);
        MUST(!ran.broken);
        MUST(ran.kernels >= least || strstr(text, "asm")); /* whose text is passed on */
    }
    kernelc_free(&result);
    free(text);
    return 0;
}
