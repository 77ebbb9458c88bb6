/* paths.c - where the files that come with the program are. */
#include "commands/command.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One of the data's files: a folder that has it is the right one. */
static const char landmark[] = "instrument/simt.h";

/* The folder of the running program, without a slash at the end; "" when that is unknown. */
static void program_folder(char *folder, size_t room)
{
    ssize_t length = readlink("/proc/self/exe", folder, room - 1);
    folder[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(folder, '/');
    if (slash)
        *slash = '\0';
}

static bool is_data_folder(const char *folder)
{
    char path[2 * PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, landmark);
    return access(path, R_OK) == 0;
}

bool data_path(const char *name, char *path, size_t room, struct error *error)
{
    char folder[PATH_MAX + 64], program[PATH_MAX];
    const char *chosen = getenv("BANKSCOPE_DATA");
    if (chosen && *chosen) {
        snprintf(folder, sizeof folder, "%s", chosen);
        if (!is_data_folder(folder))
            return error_set(error,
                             "BANKSCOPE_DATA is '%s', which has no %s: set it to the source tree "
                             "or to PREFIX/share/bankscope, or unset it",
                             chosen, landmark);
    } else {
        /* From build/bankscope, build/FLAVOUR/bankscope, and bin/bankscope of a tree that was
         * moved after it was installed. */
        static const char *const near[] = {"/..", "/../..", "/../../..", "/../share/bankscope"};
        bool found = false;
        program_folder(program, sizeof program);
        for (size_t i = 0; !found && *program && i < sizeof near / sizeof near[0]; i++) {
            snprintf(folder, sizeof folder, "%s%s", program, near[i]);
            found = is_data_folder(folder);
        }
        if (!found)
            snprintf(folder, sizeof folder, "%s", BANKSCOPE_DATA);
        if (!found && !is_data_folder(folder))
            return error_set(error,
                             "%s is not in %s nor near the program: install Bankscope anew, or "
                             "set BANKSCOPE_DATA to its source tree",
                             landmark, folder);
    }
    int length = snprintf(path, room, "%s%s%s", folder, *name ? "/" : "", name);
    if (length < 0 || (size_t)length >= room)
        return error_set(error, "the path of '%s' in %s is too long", name, folder);
    if (access(path, R_OK) != 0)
        return error_set(error, "'%s' is not among Bankscope's files in %s", name, folder);
    return true;
}
