/* glossary.c - the words of the course: lessons/glossary.md, an item "- word: meaning" for each. */
#include "system/file.h"
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *lesson_glossary(const struct translation *translation, struct error *error)
{
    enum { MOST = 64 * 1024 };
    char folder[PATH_MAX], path[PATH_MAX + 16];
    size_t length = 0;
    if (!data_path("lessons", folder, sizeof folder, error))
        return NULL;
    snprintf(path, sizeof path, "%s/glossary.md", folder);
    if (access(path, R_OK) != 0)
        return memory_copy(""); /* lessons of one's own have none */
    char *text = file_read(path, MOST, &length, error), *words = NULL;
    FILE *out = text ? open_memstream(&words, &length) : NULL;
    if (text && !out)
        memory_exhausted();
    for (char *line = text, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        next += *next ? (*next = '\0', 1) : 0;
        if (!strncmp(line, "- ", 2))
            fprintf(out, "%s\n", translation_says(translation, line + 2));
    }
    free(text);
    if (out && fclose(out))
        memory_exhausted();
    return words ? text_clean_lines(words) : NULL;
}
