/* watch.c - whether a lesson's folder has changed, and where its text has. */
#include "system/file.h"
#include "teach/teach.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

uint64_t lesson_stamp(const char *folder)
{
    uint64_t stamp = 1;
    DIR *directory = opendir(folder);
    for (struct dirent *entry; directory && (entry = readdir(directory));) {
        char path[4352];
        struct stat status;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (stat(path, &status) || !S_ISREG(status.st_mode))
            continue;
        uint64_t file = (uint64_t)status.st_ino;
        const uint64_t parts[] = {(uint64_t)status.st_size, (uint64_t)status.st_mtim.tv_sec,
                                  (uint64_t)status.st_mtim.tv_nsec};
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            file = (file ^ parts[i]) * UINT64_C(1099511628211);
        stamp += file; /* in whatever order they come */
    }
    if (directory)
        closedir(directory);
    return stamp;
}

char *lesson_source(const char *folder)
{
    char path[4352];
    struct error none = {{0}};
    size_t length;
    snprintf(path, sizeof path, "%s/lesson.md", folder);
    char *text = file_read(path, 1 << 20, &length, &none);
    return text ? text : memory_copy("");
}

int lesson_changed_page(const struct lesson *lesson, const char *before, const char *now)
{
    int line = 1, page = -1;
    while (*before && *before == *now) {
        line += *now == '\n';
        before++;
        now++;
    }
    if (*before == *now)
        return -1;
    for (int i = 0; i < lesson->blocks; i++)
        if (lesson->block[i].line <= line || page < 0)
            page = lesson->block[i].page;
    return page;
}
