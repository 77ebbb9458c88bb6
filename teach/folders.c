/* folders.c - the folders of lessons: those that come with the program, or the user's own. */
#include "teach/publish.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

const char *lesson_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *lesson_short_name(const struct lesson_folders *folders, int i)
{
    return lesson_base_name(folders->path[i]) + 3;
}

bool lesson_folders_own(struct lesson_folders *folders, struct error *error)
{
    char root[4096], path[4096 + 256];
    struct dirent **entry = NULL;
    int count = lessons_find(root, sizeof root, &entry, error);
    if (!count)
        return false;
    folders->path = memory_new((size_t)count, sizeof *folders->path);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", root, entry[i]->d_name);
        folders->path[folders->count++] = memory_copy(path);
        free(entry[i]);
    }
    free(entry);
    return true;
}

bool lesson_folders_of(struct lesson_folders *folders, const char *name, struct error *error)
{
    char path[PATH_MAX];
    if (!realpath(name, path))
        return error_set(error, "cannot read %s: %s", name, strerror(errno));
    folders->asked = name;
    folders->path = memory_new(1, sizeof *folders->path);
    folders->path[folders->count++] = memory_copy(path);
    return true;
}

void lesson_folders_free(struct lesson_folders *folders)
{
    for (int i = 0; i < folders->count; i++)
        free(folders->path[i]);
    free(folders->path);
}

int lesson_folders_find(const struct lesson_folders *folders, const char *name, struct error *error)
{
    enum { ROOM = 100 };
    const char *names[ROOM + 1] = {NULL};
    for (int i = 0; i < folders->count; i++) {
        if (lesson_is_called(lesson_base_name(folders->path[i]), name))
            return i;
        if (i < ROOM)
            names[i] = lesson_short_name(folders, i);
    }
    error_unknown(error, "there is no lesson", name, names, "'bankscope lesson' lists them");
    return -1;
}
