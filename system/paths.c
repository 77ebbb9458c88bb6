/* paths.c - finds the files that come with the program. */
#include "system/paths.h"
#include "base/memory.h"
#include "system/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One of the data files: a folder that has it is the right one. */
static const char landmark[] = "instrument/simt.h";

static bool is_data_folder(const char *folder)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, landmark);
    return access(path, R_OK) == 0;
}

/* Finds the data folder that belongs to the running program, wherever both were moved. */
static bool near_program(char *folder, size_t room)
{
    /* From build/FLAVOUR/bankscope, build/bankscope, and bin/bankscope below a PREFIX. */
    static const char *const places[] = {"/../..", "/..", "/../share/bankscope"};
    char program[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof places[0]; i++) {
        *slash = '\0';
        snprintf(folder, room, "%s%s", program, places[i]);
        if (is_data_folder(folder) && realpath(folder, program))
            return snprintf(folder, room, "%s", program), true;
    }
    return false;
}

bool data_path(const char *name, char *path, size_t room, struct error *error)
{
    char folder[PATH_MAX + 64];
    const char *chosen = getenv("BANKSCOPE_DATA");
    if (chosen && *chosen) {
        snprintf(folder, sizeof folder, "%s", chosen);
        if (!is_data_folder(folder))
            return error_set(error,
                             "BANKSCOPE_DATA is '%s', which has no %s: set it to the source tree "
                             "or to PREFIX/share/bankscope, or unset it",
                             chosen, landmark);
    } else if (!near_program(folder, sizeof folder)) {
        return error_set(error,
                         "the files that come with the program (%s, ...) are not near it: "
                         "install it anew, or set BANKSCOPE_DATA to the source tree",
                         landmark);
    }
    int length = snprintf(path, room, "%s%s%s", folder, *name ? "/" : "", name);
    if (length < 0 || (size_t)length >= room)
        return error_set(error, "the path of '%s' in %s is too long", name, folder);
    if (access(path, R_OK) != 0)
        return error_set(error, "'%s' is not among Bankscope's files in %s", name, folder);
    return true;
}

bool library_path(const char *name, char *path, size_t room, struct error *error)
{
    static const char *const places[] = {"", "/../lib/bankscope"};
    char program[PATH_MAX];
    ssize_t got = readlink("/proc/self/exe", program, sizeof program - 1);
    program[got > 0 ? got : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (slash)
        *slash = '\0';
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        int length = snprintf(path, room, "%s%s/%s", program, places[i], name);
        if (length > 0 && (size_t)length < room && access(path, R_OK) == 0)
            return true;
    }
    return error_set(
        error,
        "%s is neither beside the program nor in ../lib/bankscope from there: build or "
        "install it anew",
        name);
}

/* Whether one of the name's parts is "..". */
static bool goes_up(const char *name)
{
    for (const char *part = name; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
        if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
            return true;
    return false;
}

bool path_below(const char *folder, const char *name, char *path, size_t room, struct error *error)
{
    char top[PATH_MAX], real[PATH_MAX];
    if (*name == '/' || goes_up(name))
        return error_set(error, "'%s' may lie anywhere; name a file below %s", name, folder);
    int length = snprintf(path, room, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= room)
        return error_set(error, "the path of '%s' in %s is too long", name, folder);
    if (!realpath(folder, top) || !realpath(path, real))
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    size_t depth = strlen(top);
    if (strncmp(real, top, depth) || (real[depth] != '/' && real[depth]))
        return error_set(error, "%s is a link to %s, outside %s", path, real, top);
    return true;
}

/* Creates a folder and its parents, for the user alone. */
static bool make_folders(char *path, struct error *error)
{
    for (char *slash = strchr(path + 1, '/');; slash = strchr(slash + 1, '/')) {
        if (slash)
            *slash = '\0';
        bool made = mkdir(path, 0700) == 0 || errno == EEXIST;
        if (!made)
            return error_set(error, "cannot make the folder %s: %s", path, strerror(errno));
        if (!slash)
            return true;
        *slash = '/';
    }
}

bool state_folder(const char *name, bool make, char *path, size_t room, struct error *error)
{
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    int length;
    if (state && *state == '/')
        length = snprintf(path, room, "%s/bankscope/%s", state, name);
    else if (home && *home == '/')
        length = snprintf(path, room, "%s/.local/state/bankscope/%s", home, name);
    else
        return error_set(error, "there is no place for it: set XDG_STATE_HOME or HOME to a folder");
    if (length < 0 || (size_t)length >= room)
        return error_set(error, "the path of the state folder is too long");
    return !make || make_folders(path, error);
}

bool cache_folder(char *path, size_t room)
{
    struct error none = {{0}};
    const char *chosen = getenv("BANKSCOPE_CACHE"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int length = -1;
    if (chosen && (!*chosen || !strcmp(chosen, "no")))
        return false;
    if (chosen)
        length = snprintf(path, room, "%s", chosen);
    else if (cache && *cache == '/')
        length = snprintf(path, room, "%s/bankscope", cache);
    else if (home && *home == '/')
        length = snprintf(path, room, "%s/.cache/bankscope", home);
    while (length > 1 && (size_t)length < room && path[length - 1] == '/')
        path[--length] = '\0'; /* behind a slash a link would be followed */
    return length > 0 && (size_t)length < room && make_folders(path, &none);
}

bool tool_path(const char *name, char *path, size_t room)
{
    const char *folders = strchr(name, '/') ? NULL : getenv("PATH");
    if (strchr(name, '/'))
        return snprintf(path, room, "%s", name) < (int)room && access(path, X_OK) == 0;
    while (folders && *folders) {
        size_t length = strcspn(folders, ":");
        int all = snprintf(path, room, "%.*s/%s", (int)length, folders, name);
        if (length && all < (int)room && access(path, X_OK) == 0)
            return true;
        folders += length + (folders[length] == ':');
    }
    return false;
}

const char *temporary_folder(void)
{
    const char *chosen = getenv("TMPDIR");
    return chosen && *chosen ? chosen : "/tmp";
}

/* Whether a folder has room for what a compiler writes; otherwise errno says why not. A compiler that
 * finds a full disk says so in many lines, and in the words of the file that it was compiling. */
static bool has_room(const char *folder)
{
    enum { COMPILING = 4 << 20 }; /* bytes: a small CUDA program takes 3 MB */
    char name[PATH_MAX];
    snprintf(name, sizeof name, "%s/room", folder);
    int file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    int why = file < 0 ? errno : posix_fallocate(file, 0, COMPILING);
    if (file >= 0)
        close(file);
    unlink(name);
    errno = why;
    return !why;
}

bool temporary_make(char *path, size_t room, struct error *error)
{
    int length = snprintf(path, room, "%s/bankscope-XXXXXX", temporary_folder());
    bool fits = length > 0 && (size_t)length < room;
    errno = ENAMETOOLONG;
    bool made = fits && passing_folder(path);
    if (made && has_room(path))
        return true;
    int why = errno;
    if (made)
        passing_remove(path);
    *path = '\0';
    return error_set(error,
                     "cannot make temporary files in %s: %s; set TMPDIR to a folder with room",
                     temporary_folder(), strerror(why));
}
