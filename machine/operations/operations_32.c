/* operations_32.c - the instructions, for registers of 32 lanes. */
#define LANES 32
#define OPERATIONS operations_32
#include "machine/operations/operations.inc"
