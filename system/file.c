/* file.c - files that are read as a whole. */
#include "system/file.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *file_open(const char *path, struct error *error)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status)) {
        error_set(error, "cannot read %s: %s", path, strerror(errno));
    } else if (S_ISDIR(status.st_mode)) {
        error_set(error, "cannot read %s: %s", path, strerror(EISDIR));
    } else if (!S_ISREG(status.st_mode)) {
        error_set(error, "cannot read %s: it is not a file", path);
    } else {
        return fdopen(fd, "rb");
    }
    if (fd >= 0)
        close(fd);
    return NULL;
}

char *file_read(const char *path, size_t most, size_t *length, struct error *error)
{
    const size_t piece = 1 << 16;
    FILE *file = file_open(path, error);
    char *bytes = NULL;
    size_t room = 0, got = 1;
    bool good = file;
    *length = 0;
    while (good && got && *length <= most) {
        good = memory_grow(&bytes, &room, *length + piece + 1, 1, "bytes of a file", error);
        got = good ? fread(bytes + *length, 1, piece, file) : 0;
        *length += got;
    }
    if (!file || ferror(file))
        good = error_set(error, "cannot read %s: %s", path, strerror(errno));
    else if (good && *length > most)
        good = error_set(error, "%s is larger than %zu %s", path, most >> (most >> 20 ? 20 : 10),
                         most >> 20 ? "MB" : "kB");
    if (file)
        fclose(file);
    if (good) {
        bytes[*length] = '\0';
        return bytes;
    }
    free(bytes);
    return NULL;
}

bool file_is_regular(const char *path)
{
    struct stat status;
    return !stat(path, &status) && S_ISREG(status.st_mode);
}

bool folder_make(const char *path, struct error *error)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           error_set(error, "cannot make %s: %s", path, strerror(errno));
}
