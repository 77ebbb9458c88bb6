/* operations_64.c - the instructions, for registers of 64 lanes. */
#define LANES 64
#define OPERATIONS operations_64
#include "machine/operations/operations.inc"
