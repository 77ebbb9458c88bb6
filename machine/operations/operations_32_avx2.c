/* operations_32_avx2.c - the instructions, for registers of 32 lanes, where the processor has AVX2. */
#define LANES 32
#define OPERATIONS operations_32_avx2
#include "machine/operations/operations.inc"
