/* sweep_file.c - a sweep that is under way, as a file: see sweep.h.
 *
 *     {"format":"bankscope-sweep","version":1,"program":"Bankscope 1.0.0","kernels":["stride"],
 *      "axes":[{"name":"s","values":["1","2"]}],"words":"w=8","stage":null,"per":null}
 *     {"point":0,"warp_accesses":8,"accesses":64,"passes":8,"conflicts":0,"max_ways":1,"per":1}
 *     {"point":1,"refused":"s is 99; it must be 0 to 64"}
 *
 * The first line, here in two, is one. Points are in the order in which they came.
 */
#include "measure/sweep.h"
#include "system/file.h"

#include <cjson/cJSON.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct sweep_file {
    FILE *file;
    char *path;
};

bool sweep_file_is_asked(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".sweep");
}

/* ---- writing ----------------------------------------------------------------------------------- */

static void add_text(cJSON *object, const char *name, const char *text)
{
    cJSON_AddItemToObject(object, name, text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

/* What is swept, as a line without its end. To be freed with cJSON_free. */
static char *header_line(const struct sweep *sweep)
{
    cJSON *header = cJSON_CreateObject();
    cJSON_AddStringToObject(header, "format", "bankscope-sweep");
    cJSON_AddNumberToObject(header, "version", 1);
    add_text(header, "program", sweep->program);
    cJSON_AddItemToObject(
        header, "kernels",
        cJSON_CreateStringArray((const char *const *)sweep->name, sweep->kernels));
    cJSON *axes = cJSON_AddArrayToObject(header, "axes");
    for (int i = 0; i < sweep->axes; i++) {
        const struct sweep_axis *axis = &sweep->axis[i];
        cJSON *object = cJSON_CreateObject();
        cJSON_AddStringToObject(object, "name", axis->name);
        cJSON_AddItemToObject(
            object, "values",
            cJSON_CreateStringArray((const char *const *)axis->value, axis->count));
        cJSON_AddItemToArray(axes, object);
    }
    add_text(header, "words", sweep->fixed);
    add_text(header, "stage", sweep->stage);
    add_text(header, "per", sweep->per);
    char *line = cJSON_PrintUnformatted(header);
    cJSON_Delete(header);
    return line;
}

bool sweep_file_add(struct sweep_file *file, const struct sweep *sweep, size_t at)
{
    const struct sweep_point *point = &sweep->point[at];
    if (point->state == SWEEP_DONE) {
        fprintf(file->file,
                "{\"point\":%zu,\"warp_accesses\":%" PRIu64 ",\"accesses\":%" PRIu64
                ",\"passes\":%" PRIu64 ",\"conflicts\":%" PRIu64 ",\"max_ways\":%d,\"per\":%" PRIu64
                "}\n",
                at, point->warp_accesses, point->accesses, point->passes, point->conflicts,
                point->max_ways, point->per);
    } else {
        cJSON *why = cJSON_CreateString(point->why);
        char *text = cJSON_PrintUnformatted(why);
        cJSON_Delete(why);
        fprintf(file->file, "{\"point\":%zu,\"refused\":%s}\n", at, text ? text : "\"\"");
        cJSON_free(text);
    }
    return fflush(file->file) == 0;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static bool strings_of(const cJSON *list, int most, const char *what, struct error *error)
{
    const cJSON *item;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) > most)
        return error_set(error, "its \"%s\" is no list", what);
    cJSON_ArrayForEach(
        item, list) if (!cJSON_IsString(item) ||
                        strpbrk(item->valuestring,
                                ",\n")) return error_set(error, "its \"%s\" has what is no name",
                                                         what);
    return true;
}

/* Adds values one by one: what they look like does not matter any more. */
static bool read_axis(struct sweep *sweep, const cJSON *object, struct error *error)
{
    const cJSON *name = cJSON_GetObjectItem(object, "name"), *item;
    const cJSON *values = cJSON_GetObjectItem(object, "values");
    if (!cJSON_IsString(name) || !strings_of(values, SWEEP_MAX_VALUES, "values", error))
        return error_set(error, "one of its axes has no name or values");
    if (!cJSON_GetArraySize(values))
        return error_set(error, "one of its axes has no values");
    size_t length = 1, at = 0;
    cJSON_ArrayForEach(item, values) length += strlen(item->valuestring) + 1;
    char *list = memory_new(length, 1);
    cJSON_ArrayForEach(item, values) at +=
        (size_t)sprintf(list + at, "%s%s", at ? "," : "", text_clean(item->valuestring));
    bool good = sweep_add_axis(sweep, text_clean(name->valuestring), list, error);
    free(list);
    return good;
}

static char *text_of(const cJSON *header, const char *name)
{
    const cJSON *item = cJSON_GetObjectItem(header, name);
    return cJSON_IsString(item) ? text_clean(memory_copy(item->valuestring)) : NULL;
}

/* What is swept, of a file that is joined. */
static bool read_header(struct sweep *sweep, const char *line, struct error *error)
{
    cJSON *header = cJSON_Parse(line);
    const cJSON *format = cJSON_GetObjectItem(header, "format"), *item;
    const cJSON *version = cJSON_GetObjectItem(header, "version");
    const cJSON *kernels = cJSON_GetObjectItem(header, "kernels");
    const cJSON *axes = cJSON_GetObjectItem(header, "axes");
    bool good = cJSON_IsString(format) && !strcmp(format->valuestring, "bankscope-sweep");
    if (!good)
        error_set(error, "it is no file of a sweep");
    else if (!cJSON_IsNumber(version) || version->valueint != 1)
        good = error_set(error, "its version is not 1");
    good = good && strings_of(kernels, SWEEP_KERNELS, "kernels", error);
    cJSON_ArrayForEach(item, kernels) if (good) sweep->name[sweep->kernels++] =
        text_clean(memory_copy(item->valuestring));
    if (good && (!sweep->kernels || !cJSON_IsArray(axes)))
        good = error_set(error, "it has no kernels or axes");
    cJSON_ArrayForEach(item, axes) good = good && read_axis(sweep, item, error);
    sweep->fixed = text_of(header, "words");
    sweep->stage = text_of(header, "stage");
    sweep->per = text_of(header, "per");
    cJSON_Delete(header);
    return good && (sweep->axes || error_set(error, "it has no axes"));
}

/* A whole number of a point, up to MAX_WHOLE. */
static bool read_count(const cJSON *object, const char *name, uint64_t *count)
{
    const cJSON *item = cJSON_GetObjectItem(object, name);
    if (!cJSON_IsNumber(item) || item->valuedouble < 0 || item->valuedouble > (double)MAX_WHOLE)
        return false;
    *count = (uint64_t)item->valuedouble;
    return (double)*count >= item->valuedouble;
}

static bool same_point(const struct sweep_point *a, const struct sweep_point *b)
{
    return a->state != b->state || a->state == SWEEP_REFUSED ||
           (a->warp_accesses == b->warp_accesses && a->accesses == b->accesses &&
            a->passes == b->passes && a->conflicts == b->conflicts && a->max_ways == b->max_ways &&
            a->per == b->per);
}

/* A point that is done replaces one that was refused. */
static bool read_point(struct sweep *sweep, const char *line, struct error *error)
{
    cJSON *object = cJSON_Parse(line);
    struct sweep_point point = {.state = SWEEP_DONE};
    const cJSON *refused = cJSON_GetObjectItem(object, "refused");
    uint64_t at = 0, ways = 0;
    bool good = object && read_count(object, "point", &at) && at < sweep->points;
    if (good && cJSON_IsString(refused)) {
        point.state = SWEEP_REFUSED;
        snprintf(point.why, sizeof point.why, "%s", text_clean(refused->valuestring));
    } else {
        good = good && read_count(object, "warp_accesses", &point.warp_accesses) &&
               read_count(object, "accesses", &point.accesses) &&
               read_count(object, "passes", &point.passes) &&
               read_count(object, "conflicts", &point.conflicts) &&
               read_count(object, "max_ways", &ways) && ways <= INT32_MAX &&
               read_count(object, "per", &point.per) && point.per > 0;
        point.max_ways = (int)ways;
    }
    cJSON_Delete(object);
    if (!good)
        return error_set(error, "it is no point of this sweep");
    if (!same_point(&sweep->point[at], &point))
        return error_set(error, "point %" PRIu64 " is there with other counts", at);
    if (sweep->point[at].state != SWEEP_DONE)
        sweep->point[at] = point;
    return true;
}

/* Reads the lines; `end` is behind the last whole one. With a header of its own (NULL: the file's becomes
 * the sweep's) the first must be the same. */
static bool read_lines(struct sweep *sweep, FILE *file, const char *header, const char *path,
                       long *end, struct error *error)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    bool good = true;
    *end = 0;
    for (int number = 1; good && (length = getline(&line, &room, file)) > 0; number++) {
        if (line[length - 1] != '\n')
            break;
        line[length - 1] = '\0';
        struct error why = {{0}};
        if (number > 1)
            good = read_point(sweep, line, &why);
        else if (header)
            good = !strcmp(header, line) ||
                   error_set(&why, "it is of another sweep, or of another version of Bankscope");
        else
            good = read_header(sweep, line, &why);
        if (number == 1 && good && !sweep->point)
            good = (sweep->point =
                        memory_array(sweep->points, sizeof *sweep->point, "points", &why)) != NULL;
        if (!good)
            error_set(error, "%s line %d: %s", path, number, why.text);
        *end += length;
    }
    free(line);
    return good && (*end > 0 || header || error_set(error, "%s is empty", path));
}

bool sweep_join(struct sweep *sweep, const char *path, struct error *error)
{
    FILE *file = file_open(path, error);
    long end;
    bool good = file && read_lines(sweep, file, sweep->joined, path, &end, error);
    if (good && !sweep->joined) {
        char *line = NULL;
        size_t room = 0;
        rewind(file);
        good = getline(&line, &room, file) > 0 || error_set(error, "%s cannot be read", path);
        if (good)
            line[strcspn(line, "\n")] = '\0';
        sweep->joined = line;
    }
    if (file)
        fclose(file);
    return good;
}

bool sweep_file_open(struct sweep *sweep, const char *path, struct error *error)
{
    char *header = header_line(sweep);
    long end = 0;
    bool good = header != NULL || error_set(error, "out of memory");
    FILE *file = good ? fopen(path, "a+") : NULL;
    if (good && !file)
        good = error_set(error, "cannot write %s: %s; choose another place", path, strerror(errno));
    sweep->point = memory_array(sweep->points, sizeof *sweep->point, "points", error);
    good = good && sweep->point;
    if (good) {
        rewind(file);
        good = read_lines(sweep, file, header, path, &end, error);
    }
    if (good && (fflush(file) || ftruncate(fileno(file), end) || fseek(file, 0, SEEK_END)))
        good = error_set(error, "cannot write %s: %s", path, strerror(errno));
    if (good && !end)
        good = (fprintf(file, "%s\n", header) > 0 && !fflush(file)) ||
               error_set(error, "cannot write %s: %s", path, strerror(errno));
    cJSON_free(header);
    if (!good) {
        if (file)
            fclose(file);
        return false;
    }
    sweep->file = memory_new(1, sizeof *sweep->file);
    *sweep->file = (struct sweep_file){.file = file, .path = memory_copy(path)};
    return true;
}

bool sweep_file_close(struct sweep *sweep, struct error *error)
{
    struct sweep_file *file = sweep->file;
    if (!file)
        return true;
    bool good = !ferror(file->file);
    good = fclose(file->file) == 0 && good;
    if (!good)
        error_set(error, "cannot write %s: %s", file->path, strerror(errno));
    free(file->path);
    free(file);
    sweep->file = NULL;
    return good;
}
