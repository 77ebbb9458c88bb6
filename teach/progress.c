/* progress.c - how far a student has come, kept in the state folder: for each lesson a file of its
 * name with the page, from 1, and "done" once the end has been reached.
 *
 *     $ cat ~/.local/state/bankscope/lessons/02-strides
 *     3 done
 */
#include "system/file.h"
#include "system/output.h"
#include "teach/teach.h"

#include <string.h>
#include <unistd.h>

/* What was kept under the name that the lesson had is kept on; move: under its own. */
static void find_former(const struct lesson *lesson, const char *folder, const char *extension,
                        bool move, char *path, size_t room)
{
    const char *was = lesson_name_before(lesson->name);
    char former[PATH_MAX];
    if (!was || access(path, F_OK) == 0)
        return;
    const int length = snprintf(former, sizeof former, "%s/%s%s", folder, was, extension);
    if (length < 0 || (size_t)length >= sizeof former || (size_t)length >= room ||
        access(former, F_OK) != 0)
        return;
    if (!move || rename(former, path) != 0)
        memcpy(path, former, (size_t)length + 1);
}

bool lesson_kept(const struct lesson *lesson, const char *extension, bool make, char *path,
                 size_t room, struct error *error)
{
    char folder[4096];
    if (!state_folder("lessons", make, folder, sizeof folder, error))
        return false;
    int length = snprintf(path, room, "%s/%s%s", folder, lesson->name, extension);
    if (length < 0 || (size_t)length >= room)
        return error_set(error, "the path of the state folder is too long");
    find_former(lesson, folder, extension, make, path, room);
    return true;
}

void lesson_recall(struct lesson_play *play)
{
    char path[4352], line[32] = "";
    int page = 1, used = 0;
    play->page = 0;
    play->done = false;
    if (!lesson_kept(play->lesson, "", false, path, sizeof path, &play->trouble))
        return;
    struct error none = {{0}};
    FILE *file = file_open(path, &none);
    if (!file)
        return; /* the first time */
    bool read = fgets(line, sizeof line, file) && sscanf(line, "%4d%n", &page, &used) == 1;
    fclose(file);
    if (!read || page < 1)
        return;
    play->done = !strcmp(line + used, " done\n");
    bool at_end = page >= play->lesson->pages;
    play->page = play->done && at_end ? 0 : at_end ? play->lesson->pages - 1 : page - 1;
}

void lesson_go(struct lesson_play *play, int page, bool done)
{
    char path[4352];
    struct output output;
    if (play->page == page && play->done >= done)
        return;
    play->page = page;
    play->done |= done;
    if (!play->keep || play->trouble.text[0] ||
        !lesson_kept(play->lesson, "", true, path, sizeof path, &play->trouble) ||
        !output_open(&output, path, &play->trouble))
        return;
    fprintf(output.file, "%d%s\n", page + 1, play->done ? " done" : "");
    output_close(&output, true, &play->trouble);
}
