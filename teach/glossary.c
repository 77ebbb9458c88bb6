/* glossary.c - the words of the course: lessons/glossary.md, an item "- word: meaning" for each. */
#include "system/file.h"
#include "teach/teach.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *lesson_glossary(struct error *error)
{
    enum { MOST = 64 * 1024 };
    char folder[PATH_MAX], path[PATH_MAX + 16];
    size_t length = 0;
    if (!data_path("lessons", folder, sizeof folder, error))
        return NULL;
    snprintf(path, sizeof path, "%s/glossary.md", folder);
    if (access(path, R_OK) != 0)
        return memory_copy(""); /* lessons of one's own have none */
    char *text = file_read(path, MOST, &length, error), *to = text;
    if (!text)
        return NULL;
    for (const char *line = text; *line;) {
        const size_t bytes = strcspn(line, "\n"), next = bytes + (line[bytes] == '\n');
        if (!strncmp(line, "- ", 2)) {
            memmove(to, line + 2, next - 2);
            to += next - 2;
        }
        line += next;
    }
    *to = '\0';
    return text_clean_lines(text);
}
