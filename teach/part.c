/* part.c - finds the student's part in a file, and what an exercise says of it.
 *
 * Of a file that a student hands in, only what stands between the two marks counts (language.c says what may
 * stand there).
 */
#include "system/file.h"
#include "teach/tokens.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 10 };

/* ---- files ----------------------------------------------------------------------------------- */

char *part_read(const char *file, struct error *error)
{
    size_t got, length = 0, from = 0;
    char *text = file_read(file, MOST_BYTES, &got, error);
    if (!text && got > MOST_BYTES)
        error_add(error, ": hand in the exercise's own file");
    if (!text)
        return NULL;
    bool good = !memchr(text, '\0', got) ||
                error_set(error, "%s holds zero bytes: hand in a text file", file);
    if (got >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
        from = 3; /* an editor's mark of UTF-8 */
    for (; good && from < got; from++) {
        bool ends = text[from] == '\r';
        if (ends && from + 1 < got && text[from + 1] == '\n')
            continue;
        text[length++] = ends ? '\n' : text[from];
    }
    text[length] = '\0';
    if (good)
        return text;
    free(text);
    return NULL;
}

static const char part_begins[] = "[your part begins]", part_ends[] = "[your part ends]";

bool part_find(const char *file, const char *text, struct part *part, struct error *error)
{
    const char *begins = part_begins, *ends = part_ends;
    const char *begin = strstr(text, begins), *end = strstr(text, ends);
    if (!begin || !end)
        return error_set(error, "%s: the line with %s is missing; put it back", file,
                         begin ? ends : begins);
    if (end < begin || strstr(begin + 1, begins) || strstr(end + 1, ends))
        return error_set(error, "%s: the lines with %s and %s must be there once, in this order",
                         file, begins, ends);
    const char *line = strchr(begin, '\n'), *to = end;
    if (!line || line > end)
        return error_set(error, "%s: %s and %s must be on lines of their own", file, begins, ends);
    const char *from = line + 1;
    while (to[-1] != '\n')
        to--;
    *part = (struct part){from, (size_t)(to - from), 1};
    for (const char *c = text; c < from; c++)
        part->line += *c == '\n';
    return true;
}

/* ---- the exercise's names -------------------------------------------------------------------- */

/* Of an exercise's own words: those that make kernels, and accesses that are not measured. */
static const char *const reserved[] = {"KERNEL", "BARE", "STAGES", "FILL", "GUARD", "UNUSED", NULL};

bool part_is_name(const struct part_names *names, const struct token *token)
{
    for (int i = 0; i < names->count; i++)
        if (token_is(token, names->name[i]))
            return true;
    return false;
}

/* The exercise's code for the kernel alone: what follows is the host's. */
static const char *end_of_kernel(const char *text)
{
    const char *host = part_description(text);
    return host ? host : text + strlen(text);
}

const char *part_description(const char *exercise)
{
    return strstr(exercise, "\n#ifdef SIMT_HOST");
}

char *part_handed_out(const char *exercise)
{
    const char *from = part_description(exercise), *at = from;
    bool code = false; /* beside #include and its like */
    for (; at && *at; at += strcspn(at, "\n")) {
        at += strspn(at, " \t\n");
        code |= *at && *at != '#';
    }
    return code ? memory_copy_of(exercise, (size_t)(from + 1 - exercise)) : memory_copy(exercise);
}

bool part_program(const char *exercise)
{
    const char *kernel = strstr(exercise, "__global__");
    return kernel && kernel < end_of_kernel(exercise);
}

int part_effort(const char *exercise, int *lines)
{
    const char *end = end_of_kernel(exercise);
    int words = 0;
    struct part part;
    struct error none = {{0}};
    for (const char *at = exercise; at < end; at += strcspn(at, " \n")) {
        at += strspn(at, " \n");
        words += at < end;
    }
    *lines = 0;
    if (!part_find("", exercise, &part, &none))
        return words;
    const char *to = part.text + part.length;
    bool begun = false; /* the line has code */
    for (struct token token = token_at(part.text, to); token.kind != TOKEN_END;
         token = token_at(token.text + token.length, to)) {
        if (token.kind == TOKEN_SPACE || token.kind == TOKEN_COMMENT) {
            begun = begun && !memchr(token.text, '\n', token.length);
        } else if (!strchr("{}", *token.text)) {
            *lines += !begun;
            begun = true;
        }
    }
    return words;
}

/* Adds names from one place of the exercise to another: all, or only those outside of brackets. Returns
 * how many brackets are open at the end. */
static int add_names(struct part_names *names, const char *at, const char *end, bool outside)
{
    bool directive = false, list = false; /* within # ..., within STAGES(...) or STAGE(...) */
    size_t room = (size_t)names->count;
    int depth = 0;
    struct error error = {{0}};
    for (struct token token; (token = token_at(at, end)).kind != TOKEN_END;) {
        at = token.text + token.length;
        if (token.kind == TOKEN_SPACE && memchr(token.text, '\n', token.length))
            directive = false;
        directive |= *token.text == '#';
        list = (list && !token_is(&token, ")")) || token_is(&token, "STAGES");
        /* A stage's name is no variable's: it may be that of a library's function. */
        list |= token_is(&token, "STAGE");
        if (token.kind == TOKEN_SIGN && strchr("([{", *token.text))
            depth++;
        if (token.kind == TOKEN_SIGN && strchr(")]}", *token.text))
            depth--;
        if (token.kind != TOKEN_NAME || directive || list || token_is_one_of(&token, reserved) ||
            part_is_name(names, &token) || *token.text == '_' || (outside && depth))
            continue;
        if (!memory_grow(&names->name, &room, (size_t)names->count + 1, sizeof *names->name,
                         "names", &error))
            memory_exhausted();
        names->name[names->count++] = memory_copy_of(token.text, token.length);
    }
    return depth;
}

/* Whether the part of an exercise, as handed out, says in which stage it is. */
static bool says_stages(const char *exercise)
{
    struct error none = {{0}}; /* without a part it says no stages */
    struct part given;
    bool says = false;
    if (!part_find("", exercise, &given, &none))
        return false;
    const char *at = given.text, *end = given.text + given.length;
    for (struct token token; (token = token_at(at, end)).kind != TOKEN_END && !says;) {
        says = token_is(&token, "STAGE");
        at = token.text + token.length;
    }
    return says;
}

void part_names_of(const char *exercise, struct part_names *names)
{
    const char *begin = strstr(exercise, part_begins), *end = strstr(exercise, part_ends);
    *names =
        (struct part_names){.program = part_program(exercise), .stages = says_stages(exercise)};
    if (!names->program) {
        add_names(names, exercise, end_of_kernel(exercise), false);
        return;
    }
    /* A program also has a main(), whose words are not for students: what stands before the part, and the
     * functions that the part has as it was handed out. */
    names->inside = begin && add_names(names, exercise, begin, false) > 0;
    if (begin && end && !names->inside)
        add_names(names, begin, end, true);
}

void part_names_free(struct part_names *names)
{
    for (int i = 0; i < names->count; i++)
        free(names->name[i]);
    free(names->name);
    *names = (struct part_names){.count = 0};
}

void part_clean(char *text)
{
    for (char *own; (own = strstr(text, PART_PREFIX)) != NULL;)
        memmove(own, own + strlen(PART_PREFIX), strlen(own + strlen(PART_PREFIX)) + 1);
}
