/* bundle.c - the files of a compiled program as one, for the cache: a line of sizes, -1 for a file that there
 * is not, and then the files, one behind the other. */
#include "program/compile/compile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Copies `length` bytes. */
static bool copy(FILE *from, FILE *to, long long length)
{
    char some[1 << 16];
    while (length > 0) {
        size_t most = length < (long long)sizeof some ? (size_t)length : sizeof some;
        size_t got = fread(some, 1, most, from);
        if (!got || fwrite(some, 1, got, to) != got)
            return false;
        length -= (long long)got;
    }
    return true;
}

bool bundle_write(const char *path, const char *const *file, int files)
{
    FILE *to = fopen(path, "wb");
    struct stat is;
    bool good = to && fprintf(to, "bankscope bundle %d", files) > 0;
    for (int i = 0; good && i < files; i++)
        good = fprintf(to, " %lld", stat(file[i], &is) ? -1 : (long long)is.st_size) > 0;
    good = good && fputc('\n', to) != EOF;
    for (int i = 0; good && i < files; i++) {
        FILE *from = fopen(file[i], "rb");
        good = !from || (!fstat(fileno(from), &is) && copy(from, to, is.st_size));
        if (from)
            fclose(from);
    }
    return to && fclose(to) == 0 && good;
}

bool bundle_read(const char *path, const char *const *file, int files)
{
    FILE *from = fopen(path, "rb");
    long long size[BUNDLE_MOST];
    int there = 0;
    bool good = from && files <= (int)(sizeof size / sizeof *size) &&
                fscanf(from, "bankscope bundle %d", &there) == 1 && there == files;
    for (int i = 0; good && i < files; i++)
        good = fscanf(from, " %lld", &size[i]) == 1;
    good = good && fgetc(from) == '\n';
    for (int i = 0; good && i < files; i++) {
        FILE *to = size[i] < 0 ? NULL : fopen(file[i], "wb");
        good = size[i] < 0 || (to && copy(from, to, size[i]));
        if (to && fclose(to))
            good = false;
    }
    if (from)
        fclose(from);
    return good;
}
