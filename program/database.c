/* database.c - a program from a compilation database. */
#define _GNU_SOURCE /* realpath */
#include "base/text.h"
#include "program/database.h"
#include "system/file.h"

#include <cjson/cJSON.h>
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DATABASE = 256 << 20 /* bytes */, TARGET = 128, NESTED = 8 };

/* ---- words ------------------------------------------------------------------------------------ */

/* Splits a command as a shell does, without its expansions. */
static void database_split(const char *text, struct words *words)
{
    char *word = memory_new(strlen(text) + 1, 1);
    for (const char *at = text; *(at += strspn(at, " \t\r\n"));) {
        char quote = '\0';
        size_t length = 0;
        for (; *at && (quote || !isspace((unsigned char)*at)); at++) {
            if (*at == '\\' && at[1] && quote != '\'' && (!quote || strchr("\"\\$`", at[1])))
                word[length++] = *++at;
            else if (quote ? *at == quote : *at == '\'' || *at == '"')
                quote = quote ? '\0' : *at;
            else
                word[length++] = *at;
        }
        word[length] = '\0';
        words_add(words, "%s", word);
    }
    free(word);
}

static bool begins(const char *word, const char *with)
{
    return !strncmp(word, with, strlen(with));
}

static bool is_one_of(const char *word, const char *const *names)
{
    while (*names && strcmp(word, *names) != 0)
        names++;
    return *names;
}

/* A path as seen from a folder. */
static void join(const char *folder, const char *path, char *to, size_t room)
{
    *to = '\0';
    text_add(to, room, "%s%s%s", *path == '/' ? "" : folder, *path == '/' || !*folder ? "" : "/",
             path);
}

/* ---- entries ------------------------------------------------------------------------------------ */

/* A source of the database. */
struct entry {
    char target[TARGET];   /* "": not told */
    char folder[PATH_MAX]; /* of the target's own files: .../CMakeFiles/app.dir */
    const char *directory; /* in which it is compiled */
    char path[PATH_MAX];   /* of the source */
    struct words words;    /* the command */
    bool main;
};
struct database {
    struct entry *entry;
    size_t entries, room;
    cJSON *json;
    char folder[PATH_MAX]; /* that it is in */
};

/* "app" of "sub/CMakeFiles/app.dir/main.cpp.o". */
static void take_target(struct entry *entry, const char *output)
{
    static const char folder[] = "CMakeFiles/";
    const char *at = NULL, *end;
    for (const char *next = output; (next = strstr(next, folder)) != NULL; next++)
        if (next == output || next[-1] == '/')
            at = next;
    if (!at || !(end = strstr(at, ".dir/")))
        return;
    at += sizeof folder - 1;
    snprintf(entry->target, sizeof entry->target, "%.*s", (int)(end - at), at);
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%.*s", (int)(end + 4 - output), output);
    join(entry->directory, whole, entry->folder, sizeof entry->folder);
}

static const char *text_of(const cJSON *object, const char *name)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(object, name));
    return text ? text : "";
}

/* Without "." and "..", and relative where it is below the present folder. */
static void shorten(char *path, size_t room)
{
    char real[PATH_MAX], here[PATH_MAX];
    if (!realpath(path, real) || !getcwd(here, sizeof here))
        return;
    const size_t length = strlen(here);
    const bool below = begins(real, here) && real[length] == '/';
    snprintf(path, room, "%s", below ? real + length + 1 : real);
}

static bool take_entry(struct database *database, const cJSON *json, struct error *error)
{
    const cJSON *arguments = cJSON_GetObjectItemCaseSensitive(json, "arguments"), *word;
    const char *output = text_of(json, "output");
    if (!memory_grow(&database->entry, &database->room, database->entries + 1,
                     sizeof *database->entry, "sources", error))
        return false;
    struct entry *entry = &database->entry[database->entries++];
    *entry = (struct entry){.directory = text_of(json, "directory")};
    join(entry->directory, text_of(json, "file"), entry->path, sizeof entry->path);
    shorten(entry->path, sizeof entry->path);
    cJSON_ArrayForEach(word, arguments)
        words_add(&entry->words, "%s", cJSON_IsString(word) ? word->valuestring : "");
    if (!arguments)
        database_split(text_of(json, "command"), &entry->words);
    for (int i = 0; i + 1 < entry->words.count && !*output; i++)
        if (!strcmp(entry->words.word[i], "-o"))
            output = entry->words.word[i + 1];
    take_target(entry, output);
    return *text_of(json, "file") != '\0' ||
           error_set(error, "entry %zu has no file", database->entries);
}

static void close_database(struct database *database)
{
    for (size_t i = 0; i < database->entries; i++)
        words_free(&database->entry[i].words);
    free(database->entry);
    cJSON_Delete(database->json);
}

static bool open_database(struct database *database, const char *path, struct error *error)
{
    char file[PATH_MAX];
    struct stat is;
    size_t length;
    struct error cause = {{0}};
    const cJSON *item;
    *database = (struct database){.entries = 0};
    snprintf(file, sizeof file, "%s%s", path,
             !stat(path, &is) && S_ISDIR(is.st_mode) ? "/compile_commands.json" : "");
    const char *slash = strrchr(file, '/');
    snprintf(database->folder, sizeof database->folder, "%.*s", slash ? (int)(slash - file) : 1,
             slash ? file : ".");
    char *text = file_read(file, MOST_DATABASE, &length, &cause);
    if (!text)
        return error_set(error,
                         "%s; CMake writes it where it is told "
                         "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON",
                         *cause.text ? cause.text : "the database is too large");
    database->json = cJSON_Parse(text);
    free(text);
    bool good = cJSON_IsArray(database->json);
    cJSON_ArrayForEach(item, database->json) good = good && take_entry(database, item, &cause);
    return good || error_set(error, "%s is no compilation database%s%s", file,
                             *cause.text ? ": " : "", cause.text);
}

/* ---- which target --------------------------------------------------------------------------------- */

static void find_mains(struct database *database)
{
    for (size_t i = 0; i < database->entries; i++) {
        struct source_seen seen = {0};
        struct error ignored = {{0}};
        struct entry *entry = &database->entry[i];
        entry->main =
            source_is_named(entry->path) && source_scan(entry->path, &seen, &ignored) && seen.main;
        seen_free(&seen);
    }
}

/* The names of targets, of those with a main() if any has one; ends with NULL. */
enum { TARGETS_TOLD = 32 };
static int list_targets(const struct database *database, bool with_main,
                        const char *names[TARGETS_TOLD + 1])
{
    int count = 0;
    for (size_t i = 0; i < database->entries; i++) {
        const struct entry *entry = &database->entry[i];
        bool known = count == TARGETS_TOLD || (with_main && !entry->main);
        for (int k = 0; k < count; k++)
            known |= !strcmp(names[k], entry->target);
        if (!known)
            names[count++] = entry->target;
    }
    names[count] = NULL;
    return count;
}

static const struct entry *entry_at(const struct database *database, const char *path)
{
    char real[PATH_MAX], other[PATH_MAX];
    if (!realpath(path, real))
        return NULL;
    for (size_t i = 0; i < database->entries; i++)
        if (realpath(database->entry[i].path, other) && !strcmp(real, other))
            return &database->entry[i];
    return NULL;
}

/* The target's name; NULL: *error. */
static const char *choose_target(const struct database *database, const char *path,
                                 const char *target, const char *const *named, int count,
                                 struct error *error)
{
    const char *names[TARGETS_TOLD + 1];
    if (target) {
        list_targets(database, false, names);
        for (size_t i = 0; i < database->entries; i++)
            if (!strcmp(database->entry[i].target, target))
                return database->entry[i].target;
        if (!*names || !**names)
            return error_set(error, "%s names no targets: give the source with main() instead",
                             path),
                   NULL;
        return error_unknown(error, "there is no target", target, names, NULL), NULL;
    }
    if (count) {
        const struct entry *entry = entry_at(database, named[0]);
        if (!entry)
            error_set(error, "%s is not a source of %s", named[0], path);
        return entry ? entry->target : NULL;
    }
    const int targets = list_targets(database, true, names);
    if (targets == 1)
        return names[0];
    if (!targets)
        return error_set(error, "no source of %s has a main()", path), NULL;
    return error_set(error, "%s has several programs: --target NAME chooses one of %s, %s%s", path,
                     names[0], names[1], targets > 2 ? ", ..." : ""),
           NULL;
}

/* ---- options ---------------------------------------------------------------------------------------- */

/* Adds a command's options as nvcc has them, paths as seen from the folder in which it ran. *cuda: it says that
 * the source is CUDA. */
static bool add_options(struct words *to, char *const *word, int count, const char *folder,
                        bool *cuda, int nested, struct error *error);

/* The options in a file that a command names. */
static bool add_file(struct words *to, const char *name, const char *folder, bool *cuda, int nested,
                     struct error *error)
{
    char path[PATH_MAX];
    size_t length;
    struct words words = {.count = 0};
    join(folder, name, path, sizeof path);
    char *text = nested < NESTED ? file_read(path, MOST_DATABASE, &length, error) : NULL;
    if (!text)
        return error_set(error, "cannot read options from %s", path);
    database_split(text, &words);
    free(text);
    const bool good = add_options(to, words.word, words.count, folder, cuda, nested + 1, error);
    words_free(&words);
    return good;
}

/* What does not change what is counted, or is fixed here: where output goes, warnings, levels of optimisation. */
static bool is_dropped(const char *word)
{
    static const char *const names[] = {
        "-c",    "-MD",   "-MMD",      "-MP",         "-M",         "-dc",     "--compile",
        "-g",    "-G",    "-pedantic", "-save-temps", "--device-c", "-w",      "-flto",
        "-pipe", "-fPIC", "-fPIE",     "-fpic",       "-fpie",      "-static", NULL};
    static const char *const prefixes[] = {
        "-O",           "-ggdb",       "-g1",     "-g3",           "-fdiagnostics", "-flto=",
        "-fno-fat-lto", "--cuda-path", "-fcolor", "-ferror-limit", "-gline",        "-fuse-ld"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (begins(word, prefixes[i]))
            return true;
    const bool warning = begins(word, "-W") && !begins(word, "-Wl,") && !begins(word, "-Wp,");
    return warning || is_one_of(word, names);
}

/* Options with a path in them or behind them. */
static const char *path_option(const char *word)
{
    static const char *const names[] = {"-isystem",       "-iquote", "-idirafter", "-include",
                                        "--include-path", "-I",      NULL};
    for (int i = 0; names[i]; i++)
        if (begins(word, names[i]))
            return names[i];
    return NULL;
}

static bool add_options(struct words *to, char *const *word, int count, const char *folder,
                        bool *cuda, int nested, struct error *error)
{
    static const char *const skipped[] = {
        "-o", "-MF", "-MT", "-MQ", "-ccbin", "--output-file", "--compiler-bindir", NULL};
    static const char *const files[] = {"--options-file", "-optf", NULL};
    static const char *const separate[] = {"-dc", "--device-c", "-fgpu-rdc", NULL};
    char path[PATH_MAX];
    for (int i = 0; i < count; i++) {
        const char *is = word[i], *next = i + 1 < count ? word[i + 1] : "";
        const char *option = path_option(is);
        if (is_one_of(is, files) || *is == '@') {
            if (!add_file(to, *is == '@' ? is + 1 : next, folder, cuda, nested, error))
                return false;
            i += *is != '@';
        } else if (is_one_of(is, skipped)) {
            i++;
        } else if (!strcmp(is, "-x")) {
            *cuda |= !strcmp(next, "cu") || !strcmp(next, "cuda");
            i++;
        } else if (is_one_of(is, separate)) {
            words_add(to, "-rdc=true");
        } else if (begins(is, "--cuda-gpu-arch=") || begins(is, "--offload-arch=")) {
            words_add(to, "-arch=%s", strchr(is, '=') + 1);
        } else if (begins(is, "-std=")) { /* nvcc has no gnu++17, and none of C's */
            if (strstr(is, "++"))
                words_add(to, "-std=c%s", strstr(is, "++"));
        } else if (option) {
            const char *value = is + strlen(option);
            value += *value == '=';
            i += !*value;
            join(folder, *value ? value : next, path, sizeof path);
            words_add(to, "%s", strcmp(option, "--include-path") ? option : "-I");
            words_add(to, "%s", path);
        } else if (!is_dropped(is) && *is == '-') {
            words_add(to, "%s", is);
            if (option_words((const char *const *)&word[i], count - i) > 1)
                words_add(to, "%s", word[++i]);
            else if ((!strcmp(is, "-D") || !strcmp(is, "-U")) && *next)
                words_add(to, "%s", word[++i]);
        }
    }
    return true;
}

/* ---- sources ------------------------------------------------------------------------------------------ */

static bool add_source(struct database_program *program, const struct entry *entry,
                       struct error *error)
{
    bool cuda = text_ends_with(entry->path, ".cu");
    const int number = program->sources;
    for (int i = 0; i < number; i++)
        if (!strcmp(program->source[i], entry->path))
            return true;
    if (!source_is_named(entry->path))
        return error_set(error, "%s of the target %s is neither CUDA, C++ nor C", entry->path,
                         program->target);
    if (number == PROGRAM_MOST)
        return error_set(error, "the target %s has more than %d sources", program->target,
                         PROGRAM_MOST);
    struct words *words = program->words[number] = memory_new(1, sizeof *words);
    program->source[program->sources++] = memory_copy(entry->path);
    int first = 0;
    while (first < entry->words.count && *entry->words.word[first] != '-')
        first++;                                           /* the compiler, and who calls it */
    words_add(words, "-forward-unknown-to-host-compiler"); /* nvcc knows few of these options */
    if (!add_options(words, entry->words.word + first, entry->words.count - first, entry->directory,
                     &cuda, 0, error))
        return false;
    if (cuda && !text_ends_with(entry->path, ".cu")) {
        words_add(words, "-x");
        words_add(words, "cu");
    }
    if (words->count > COMPILE_MOST)
        return error_set(error, "%s has more than %d options", entry->path, COMPILE_MOST);
    program->own[number] =
        (struct source_words){(const char *const *)words->word, words->count, cuda};
    return true;
}

static bool add_target(struct database_program *program, const struct database *database,
                       const char *target, struct error *error)
{
    for (size_t i = 0; i < database->entries; i++)
        if (!strcmp(database->entry[i].target, target) &&
            !add_source(program, &database->entry[i], error))
            return false;
    return true;
}

/* ---- what CMake links ----------------------------------------------------------------------------------- */

/* The statement of build.ninja that links or archives a target, as words: outputs, rule, inputs, and the values of
 * LINK_LIBRARIES and LINK_PATH. */
static void read_ninja(const struct database *database, const char *target, struct words *words)
{
    char path[PATH_MAX], rule[TARGET + 20];
    size_t length;
    struct error ignored = {{0}};
    join(database->folder, "build.ninja", path, sizeof path);
    char *text = file_read(path, MOST_DATABASE, &length, &ignored), *rest = text;
    snprintf(rule, sizeof rule, "_LINKER__%s_", target);
    bool within = false;
    for (char *line; text && (line = strsep(&rest, "\n"));) {
        if (begins(line, "build "))
            within = strstr(line, rule) != NULL && !strstr(line, "_DEVICE_LINKER__");
        if (!within || !*line)
            continue;
        char *value = strchr(line, '=');
        if (begins(line, "build "))
            database_split(line + strlen("build "), words);
        else if (value && (strstr(line, " LINK_LIBRARIES =") || strstr(line, " LINK_PATH =")))
            database_split(value + 1, words);
    }
    free(text);
}

/* Words of a command, and those of the files that it names by @, as CMake writes them where they may be many. */
static bool split_command(const char *text, const char *folder, struct words *to,
                          struct error *error)
{
    struct words words = {.count = 0};
    bool good = true;
    database_split(text, &words);
    for (int i = 0; i < words.count; i++) {
        char path[PATH_MAX];
        size_t length;
        if (*words.word[i] != '@') {
            words_add(to, "%s", words.word[i]);
            continue;
        }
        join(folder, words.word[i] + 1, path, sizeof path);
        char *more = file_read(path, MOST_DATABASE, &length, error);
        good = good && more;
        if (more)
            database_split(more, to);
        free(more);
    }
    words_free(&words);
    return good;
}

/* The command that links or archives a target; none where nobody knows. *folder: in which it runs. false: a file of its
 * words cannot be read. */
static bool read_link(const struct database *database, const char *target, struct words *words,
                      const char **folder, struct error *error)
{
    char path[PATH_MAX];
    size_t length;
    bool good = true;
    struct error ignored = {{0}};
    for (size_t i = 0; i < database->entries; i++) {
        const struct entry *entry = &database->entry[i];
        if (strcmp(entry->target, target) != 0)
            continue;
        *folder = entry->directory;
        join(entry->folder, "link.txt", path, sizeof path);
        char *text = file_read(path, MOST_DATABASE, &length, &ignored);
        if (text)
            good = split_command(text, entry->directory, words, error);
        else
            read_ninja(database, target, words);
        free(text);
        break;
    }
    return good;
}

static const char *last_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The target that makes a library, or NULL: "libkernels.a" is of `kernels`, or of the one whose command names it.
 * *unread: a command that cannot be read, which may be that one. */
static const char *maker_of(const struct database *database, const char *library,
                            struct error *unread)
{
    const char *names[TARGETS_TOLD + 1], *name = last_name(library), *folder, *maker = NULL;
    list_targets(database, false, names);
    for (int i = 0; names[i] && !maker; i++) {
        const size_t length = strlen(names[i]);
        if (begins(name, "lib") && !strncmp(name + 3, names[i], length) && name[3 + length] == '.')
            maker = names[i];
    }
    for (int i = 0; names[i] && !maker; i++) {
        struct words words = {.count = 0};
        read_link(database, names[i], &words, &folder, unread);
        for (int k = 0; k < words.count && !maker; k++) {
            const char *word = words.word[k];
            char *colon = strchr(word, ':'); /* of ninja's outputs */
            if (colon && !colon[1])
                *colon = '\0';
            const char *last = k ? words.word[k - 1] : "-o";
            if ((!strcmp(last, "-o") || begins(last, "qc")) && !strcmp(last_name(word), name))
                maker = names[i];
        }
        words_free(&words);
    }
    return maker;
}

/* Adds the targets whose libraries and objects the program links, and other libraries. */
static bool add_linked(struct database_program *program, const struct database *database,
                       struct error *error)
{
    struct words words = {.count = 0};
    const char *folder = "";
    bool good = read_link(database, program->target, &words, &folder, error);
    for (int i = 0; i < words.count && good; i++) {
        const char *word = words.word[i], *name = last_name(word);
        char path[PATH_MAX];
        struct entry of = {.directory = folder};
        const bool library = text_ends_with(word, ".a") || strstr(name, ".so"),
                   object = text_ends_with(word, ".o");
        join(folder, word, path, sizeof path);
        if (begins(word, "-l") || (begins(word, "-L") && word[2] == '/')) {
            words_add(&program->link, "%s", word);
        } else if (object && !text_ends_with(word, "cmake_device_link.o")) {
            take_target(&of, word);
            good = !*of.target || add_target(program, database, of.target, error);
        } else if (library && begins(name, "lib") && strcmp(word, "||") != 0) {
            struct error unread = {{0}};
            const char *maker = maker_of(database, word, &unread);
            if (maker)
                good = add_target(program, database, maker, error);
            else if (!begins(name, "libcuda") && !access(path, F_OK))
                words_add(&program->link, "%s", path);
            else if (*unread.text)
                good = error_set(error, "%s: %s", name, unread.text);
        }
    }
    words_free(&words);
    return good;
}

/* ---- all -------------------------------------------------------------------------------------------------- */

/* A database without targets: all sources, but of those with a main() only the one that is named. */
static bool add_all(struct database_program *program, const struct database *database,
                    const char *const *named, int count, struct error *error)
{
    const struct entry *chosen = count ? entry_at(database, named[0]) : NULL;
    int mains = 0;
    for (size_t i = 0; i < database->entries; i++) {
        const struct entry *entry = &database->entry[i];
        const bool main = entry->main && (!chosen || strcmp(entry->path, chosen->path) != 0);
        mains += main;
        if (main && (chosen || mains > 1)) {
            if (!chosen)
                return error_set(error, "several sources have a main(), and the database names "
                                        "no targets: give the one that is meant, too");
            continue;
        }
        if (!add_source(program, entry, error))
            return false;
    }
    return true;
}

bool database_read(struct database_program *program, const char *path, const char *target,
                   const char *const *named, int count, struct error *error)
{
    struct database database;
    *program = (struct database_program){.sources = 0};
    bool good = open_database(&database, path, error);
    if (good)
        find_mains(&database);
    const char *chosen = good ? choose_target(&database, path, target, named, count, error) : NULL;
    program->target = memory_copy(chosen);
    good = chosen && (*chosen ? add_target(program, &database, chosen, error) &&
                                    add_linked(program, &database, error)
                              : add_all(program, &database, named, count, error));
    close_database(&database);
    return good;
}

void database_free(struct database_program *program)
{
    for (int i = 0; i < program->sources; i++) {
        free(program->source[i]);
        words_free(program->words[i]);
        free(program->words[i]);
    }
    words_free(&program->link);
    free(program->target);
    *program = (struct database_program){.sources = 0};
}
