/* marks_pages.c - a page for each hand-in. */
#include "teach/class/marks.h"
#include "system/file.h"
#include "system/output.h"

#include <stdlib.h>
#include <string.h>

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* NAME of NAME.cu, NAME-2 and so on where another hand-in has or gets that. To be freed. */
static char *page_name(const struct hand_in *hand_in, int count, char *const *names, int k)
{
    const char *base = base_name(hand_in[k].file);
    int length = (int)strcspn(base, ".");
    for (int number = 1;; number++) {
        char name[4096];
        bool taken = false;
        snprintf(name, sizeof name, number > 1 ? "%.*s-%d" : "%.*s", length, base, number);
        for (int i = 0; i < k && !taken; i++)
            taken = !strcmp(names[i], name);
        for (int i = 0; i < count && !taken && number > 1; i++) {
            const char *other = base_name(hand_in[i].file);
            taken = strcspn(other, ".") == strlen(name) && !strncmp(other, name, strlen(name));
        }
        if (!taken)
            return memory_copy(name);
    }
}

bool marks_write_pages(const char *folder, const struct hand_in *hand_in, int count,
                       struct error *error)
{
    bool good = folder_make(folder, error);
    char **names = memory_new((size_t)count, sizeof *names);
    for (int k = 0; good && k < count; k++) {
        char path[4096];
        struct output output;
        names[k] = page_name(hand_in, count, names, k);
        snprintf(path, sizeof path, "%s/%s.html", folder, names[k]);
        good = output_may_replace_work(path, error) && output_open(&output, path, error) &&
               output_close(&output, hand_in_page(&hand_in[k], output.file), error);
    }
    for (int k = 0; k < count; k++)
        free(names[k]);
    free(names);
    return good;
}
