/* gpus.c - what NVIDIA documents of its GPUs: whitepapers, and the table of "Technical Specifications per
 * Compute Capability" in the programming guide. Programs compute their grids from it. */
#include "program/runtime/runtime.h"

#include <string.h>

#define KB (1 << 10)
#define MB (1 << 20)
#define GB ((size_t)1 << 30)

const char runtime_gpu_standard[] = "H200";

/* name, capability, multiprocessors, clock and memory's clock (kHz), bus (bits), L2; threads and blocks of a
 * multiprocessor; shared memory of a multiprocessor and of a block; float over double; memory */
static const struct runtime_gpu gpus[] = {
    {"NVIDIA H200", 90, 132, 1980000, 3201000, 6144, 60 * MB, 2048, 32, 228 * KB, 227 * KB, 2,
     141 * GB},
    {"NVIDIA H100 80GB HBM3", 90, 132, 1980000, 2619000, 5120, 50 * MB, 2048, 32, 228 * KB,
     227 * KB, 2, 80 * GB},
    {"NVIDIA H100 PCIe", 90, 114, 1755000, 1593000, 5120, 50 * MB, 2048, 32, 228 * KB, 227 * KB, 2,
     80 * GB},
    {"NVIDIA GH200 480GB", 90, 132, 1980000, 2619000, 6144, 60 * MB, 2048, 32, 228 * KB, 227 * KB,
     2, 96 * GB},
    {"NVIDIA A100-SXM4-80GB", 80, 108, 1410000, 1593000, 5120, 40 * MB, 2048, 32, 164 * KB,
     163 * KB, 2, 80 * GB},
    {"NVIDIA A100-SXM4-40GB", 80, 108, 1410000, 1215000, 5120, 40 * MB, 2048, 32, 164 * KB,
     163 * KB, 2, 40 * GB},
    {"NVIDIA A30", 80, 56, 1440000, 1215000, 3072, 24 * MB, 2048, 32, 164 * KB, 163 * KB, 2,
     24 * GB},
    {"NVIDIA A40", 86, 84, 1740000, 7251000, 384, 6 * MB, 1536, 16, 100 * KB, 99 * KB, 32, 48 * GB},
    {"NVIDIA A10", 86, 72, 1695000, 6251000, 384, 6 * MB, 1536, 16, 100 * KB, 99 * KB, 32, 24 * GB},
    {"NVIDIA RTX A6000", 86, 84, 1800000, 8001000, 384, 6 * MB, 1536, 16, 100 * KB, 99 * KB, 32,
     48 * GB},
    {"NVIDIA GeForce RTX 3090", 86, 82, 1695000, 9751000, 384, 6 * MB, 1536, 16, 100 * KB, 99 * KB,
     32, 24 * GB},
    {"NVIDIA GeForce RTX 3080", 86, 68, 1710000, 9501000, 320, 5 * MB, 1536, 16, 100 * KB, 99 * KB,
     32, 10 * GB},
    {"NVIDIA GeForce RTX 3070", 86, 46, 1725000, 7001000, 256, 4 * MB, 1536, 16, 100 * KB, 99 * KB,
     32, 8 * GB},
    {"NVIDIA L40S", 89, 142, 2520000, 9001000, 384, 96 * MB, 1536, 24, 100 * KB, 99 * KB, 64,
     48 * GB},
    {"NVIDIA L4", 89, 58, 2040000, 6251000, 192, 48 * MB, 1536, 24, 100 * KB, 99 * KB, 64, 24 * GB},
    {"NVIDIA GeForce RTX 4090", 89, 128, 2520000, 10501000, 384, 72 * MB, 1536, 24, 100 * KB,
     99 * KB, 64, 24 * GB},
    {"NVIDIA GeForce RTX 4080", 89, 76, 2505000, 11201000, 256, 64 * MB, 1536, 24, 100 * KB,
     99 * KB, 64, 16 * GB},
    {"NVIDIA GeForce RTX 4070", 89, 46, 2475000, 10501000, 192, 36 * MB, 1536, 24, 100 * KB,
     99 * KB, 64, 12 * GB},
    {"Tesla V100-SXM2-16GB", 70, 80, 1530000, 877000, 4096, 6 * MB, 2048, 32, 96 * KB, 96 * KB, 2,
     16 * GB},
    {"Tesla T4", 75, 40, 1590000, 5001000, 256, 4 * MB, 1024, 16, 64 * KB, 64 * KB, 32, 16 * GB},
    {"NVIDIA GeForce RTX 2080 Ti", 75, 68, 1545000, 7000000, 352, 5632 * KB, 1024, 16, 64 * KB,
     64 * KB, 32, 11 * GB},
    {"NVIDIA B200", 100, 148, 1965000, 3996000, 8192, 126 * MB, 2048, 32, 228 * KB, 227 * KB, 2,
     180 * GB},
    {"NVIDIA GeForce RTX 5090", 120, 170, 2407000, 14001000, 512, 96 * MB, 1536, 24, 100 * KB,
     99 * KB, 64, 32 * GB},
};

/* Letters and digits count, in any case. */
static char letter(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c + 32);
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? c : '\0';
}

static const char *next_letter(const char *at)
{
    while (*at && !letter(*at))
        at++;
    return at;
}

/* Whether the name begins here with all that is asked for, and no number goes on. */
static bool begins(const char *name, const char *asked)
{
    char last = '\0';
    for (name = next_letter(name), asked = next_letter(asked); *asked;
         name = next_letter(name + 1), asked = next_letter(asked + 1)) {
        if (letter(*name) != letter(*asked))
            return false;
        last = *name;
    }
    bool digit = last >= '0' && last <= '9';
    return !(digit && *name >= '0' && *name <= '9');
}

static bool has(const char *name, const char *asked)
{
    for (bool word = true; *name; name++) {
        if (word && begins(name, asked))
            return true;
        word = !letter(*name);
    }
    return false;
}

const struct runtime_gpu *runtime_gpu_named(const char *name)
{
    if (!*next_letter(name))
        return NULL;
    for (size_t i = 0; i < sizeof gpus / sizeof *gpus; i++)
        if (has(gpus[i].name, name))
            return &gpus[i];
    return NULL;
}
