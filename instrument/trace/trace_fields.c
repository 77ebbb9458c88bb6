/* trace_fields.c - the members of a line's JSON object. */
#include "instrument/trace/trace_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

bool reader_bad_line(const struct trace_reader *reader, const char *format, ...)
{
    char what[sizeof reader->error->text];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    return error_set(reader->error, "%s, line %" PRIu64 ": %s", reader->name, reader->line, what);
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Whether all members of the object have different names. Takes n log n steps, since the input
 * may be hostile. */
static bool keys_differ(const struct trace_reader *reader, const cJSON *object)
{
    size_t count = (size_t)cJSON_GetArraySize(object), i = 0;
    const char **key = memory_new(count, sizeof *key);
    const cJSON *item;
    bool good = true;
    cJSON_ArrayForEach(item, object) key[i++] = item->string;
    qsort(key, count, sizeof *key, compare_keys);
    for (i = 1; good && i < count; i++)
        if (!strcmp(key[i - 1], key[i]))
            good = reader_bad_line(reader, "\"%.64s\" is there twice", key[i]);
    free(key);
    return good;
}

bool reader_fields(const struct trace_reader *reader, const cJSON *object, const char *const *names,
                   int count, const cJSON **field)
{
    int expected = 0, unknown = 0;
    const cJSON *item;
    memset(field, 0, (size_t)count * sizeof *field);
    cJSON_ArrayForEach(item, object)
    {
        int left = count, i = expected;
        for (; left && strcmp(names[i], item->string); left--)
            i = i + 1 < count ? i + 1 : 0;
        if (!left) {
            unknown++;
            continue;
        }
        if (field[i])
            return reader_bad_line(reader, "\"%s\" is there twice", names[i]);
        field[i] = item;
        expected = i + 1 < count ? i + 1 : 0;
    }
    return unknown < 2 || keys_differ(reader, object);
}

bool reader_is_whole(const cJSON *item)
{
    return cJSON_IsNumber(item) && fabs(item->valuedouble) <= (double)MAX_WHOLE &&
           item->valuedouble == trunc(item->valuedouble);
}

bool reader_whole(const struct trace_reader *reader, const cJSON *item, const char *name,
                  int64_t *number)
{
    if (!item)
        return reader_bad_line(reader, "\"%s\" is missing", name);
    if (!reader_is_whole(item))
        return reader_bad_line(reader, "\"%s\" must be a whole number within 2^53", name);
    *number = (int64_t)item->valuedouble;
    return true;
}

bool reader_int(const struct trace_reader *reader, const cJSON *item, const char *name, int *number)
{
    int64_t whole = 0;
    if (!reader_whole(reader, item, name, &whole))
        return false;
    *number = whole > INT32_MAX || whole < INT32_MIN ? INT32_MIN : (int)whole;
    return true;
}

bool reader_text(const struct trace_reader *reader, const cJSON *item, const char *name,
                 char **text)
{
    if (!cJSON_IsString(item))
        return reader_bad_line(reader, "\"%s\" must be a string of at most %d bytes", name,
                               MAX_TEXT);
    *text = memory_copy(item->valuestring);
    return true;
}

int reader_numbers(const struct trace_reader *reader, const cJSON *array, const char *name,
                   int most, int64_t *out)
{
    int count = 0;
    const cJSON *item;
    bool good = cJSON_IsArray(array);
    if (good)
        cJSON_ArrayForEach(item, array)
        {
            if (count == most || !reader_is_whole(item)) {
                good = false;
                break;
            }
            out[count++] = (int64_t)item->valuedouble;
        }
    if (good)
        return count;
    reader_bad_line(reader, "\"%s\" must be an array of at most %d whole numbers within 2^53", name,
                    most);
    return -1;
}
