/* origin.h - where measured results come from. */
#ifndef BANKSCOPE_ORIGIN_H
#define BANKSCOPE_ORIGIN_H

#include <stdio.h>

/* Begins a file of measured results: comment lines with the device, the date (UTC) and the command line. */
void origin_write(FILE *file, int argc, char **argv);

#endif
