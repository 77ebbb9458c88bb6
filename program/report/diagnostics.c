/* diagnostics.c - conflicts and faults as messages that editors read: gcc's lines, and SARIF. */
#include "program/report/report.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* One message. Its text has no place. */
struct message {
    const char *file;
    int line, column;
    bool error;
    const char *rule; /* "bank-conflict", or a fault's kind */
    char *text;       /* owned */
    uint64_t passes, conflicts;
    const char *kernel; /* NULL: of a fault */
};
struct messages {
    struct message *message;
    size_t count, room;
};

static void add_message(struct messages *messages, const struct message *message)
{
    struct error ignored = {{0}};
    if (!memory_grow(&messages->message, &messages->room, messages->count + 1,
                     sizeof *messages->message, "messages", &ignored))
        memory_exhausted();
    messages->message[messages->count++] = *message;
}

/* "16-way bank conflict in 'tile', 1024 passes (128 without conflicts): 128 loads of transpose<0>" */
static void add_conflict(struct messages *messages, const struct report_kernel *kernel,
                         const struct report_line *line, const struct report_array *array)
{
    char text[1000], in[200] = "";
    const struct tally *tally = array ? &array->tally : &line->tally;
    if (!tally->conflicts)
        return;
    if (array && *array->name)
        snprintf(in, sizeof in, " in '%s'", array->name);
    snprintf(text, sizeof text,
             "%d-way bank conflict%s, %" PRIu64 " passes (%" PRIu64 " without conflicts): %" PRIu64
             " %s%s of %.500s",
             tally->max_ways, in, tally->passes, tally->passes - tally->conflicts,
             tally->instructions, op_name(line->op), tally->instructions == 1 ? "" : "s",
             kernel->name);
    const struct message message = {.file = line->file,
                                    .line = line->line,
                                    .column = array ? array->column : 0,
                                    .rule = "bank-conflict",
                                    .text = text_clean(memory_copy(text)),
                                    .passes = tally->passes,
                                    .conflicts = tally->conflicts,
                                    .kernel = kernel->name};
    add_message(messages, &message);
}

/* The text behind "t.cu:12: race: ". */
static void add_fault(struct messages *messages, const struct report_fault *fault)
{
    char begin[600];
    const char *text = fault->text;
    snprintf(begin, sizeof begin, "%s:%d: ", fault->file, fault->line);
    if (fault->line && !strncmp(text, begin, strlen(begin)))
        text += strlen(begin);
    snprintf(begin, sizeof begin, "%s: ", fault->kind);
    if (!strncmp(text, begin, strlen(begin)))
        text += strlen(begin);
    const struct message message = {.file = fault->file,
                                    .line = fault->line,
                                    .column = fault->column,
                                    .error = fault->error,
                                    .rule = fault->kind,
                                    .text = text_clean(memory_copy(text))};
    add_message(messages, &message);
}

static int by_place(const void *a, const void *b)
{
    const struct message *x = a, *y = b;
    const int order = strcmp(x->file, y->file);
    return order                    ? order
           : x->line != y->line     ? (x->line > y->line) - (x->line < y->line)
           : x->column != y->column ? (x->column > y->column) - (x->column < y->column)
                                    : strcmp(x->text, y->text);
}

static void gather(struct messages *messages, const struct report *report)
{
    for (size_t i = 0; i < report->kernels; i++)
        for (size_t k = 0; k < report->kernel[i].lines; k++) {
            const struct report_line *line = &report->kernel[i].line[k];
            for (size_t a = 0; a < line->arrays; a++)
                add_conflict(messages, &report->kernel[i], line, &line->array[a]);
            if (!line->arrays)
                add_conflict(messages, &report->kernel[i], line, NULL);
        }
    for (size_t i = 0; i < report->faults; i++)
        add_fault(messages, &report->fault[i]);
    if (messages->count)
        qsort(messages->message, messages->count, sizeof *messages->message, by_place);
}

static void free_all(struct messages *messages)
{
    for (size_t i = 0; i < messages->count; i++)
        free(messages->message[i].text);
    free(messages->message);
}

/* ---- gcc ------------------------------------------------------------------------------------------- */

void report_print_gcc(FILE *file, const struct report *report)
{
    struct messages messages = {.count = 0};
    gather(&messages, report);
    for (size_t i = 0; i < messages.count; i++) {
        const struct message *message = &messages.message[i];
        if (message->line) {
            text_put(file, TEXT_PLAIN, message->file);
            fprintf(file, ":%d:", message->line);
            if (message->column)
                fprintf(file, "%d:", message->column);
        } else {
            fputs("bankscope:", file);
        }
        fprintf(file, " %s: %s [%s]\n", message->error ? "error" : "warning", message->text,
                message->rule);
    }
    free_all(&messages);
}

/* ---- SARIF ------------------------------------------------------------------------------------------- */

/* A path as a URI: relative as it is, else of the scheme file. For the caller to free. */
static char *uri_of(const char *path)
{
    char *text = NULL;
    size_t length;
    FILE *file = open_memstream(&text, &length);
    if (!file)
        memory_exhausted();
    if (*path == '/')
        fputs("file://", file);
    for (const unsigned char *c = (const unsigned char *)path; *c; c++)
        if (isalnum(*c) || strchr("-._~/", *c))
            fputc(*c, file);
        else
            fprintf(file, "%%%02X", *c);
    if (fclose(file))
        memory_exhausted();
    return text;
}

static cJSON *sarif_text(const char *text)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddStringToObject(object, "text", text);
    return object;
}

/* The index of the rule of that name, which is added where there is none. */
static int rule_of(cJSON *rules, const char *name)
{
    int index = 0;
    const cJSON *rule;
    cJSON_ArrayForEach(rule, rules)
    {
        if (!strcmp(cJSON_GetObjectItem(rule, "id")->valuestring, name))
            return index;
        index++;
    }
    const bool conflict = !strcmp(name, "bank-conflict");
    cJSON *added = cJSON_CreateObject();
    cJSON_AddStringToObject(added, "id", name);
    cJSON_AddItemToObject(added, "shortDescription",
                          sarif_text(conflict ? "Lanes of a warp want different words of one bank "
                                                "of shared memory"
                                              : "What the checker found"));
    cJSON_AddItemToArray(rules, added);
    return index;
}

static cJSON *sarif_location(const struct message *message)
{
    cJSON *location = cJSON_CreateObject(),
          *physical = cJSON_AddObjectToObject(location, "physicalLocation"),
          *artifact = cJSON_AddObjectToObject(physical, "artifactLocation"),
          *region = cJSON_AddObjectToObject(physical, "region");
    char *uri = uri_of(message->file);
    cJSON_AddStringToObject(artifact, "uri", uri);
    free(uri);
    cJSON_AddNumberToObject(region, "startLine", message->line);
    if (message->column)
        cJSON_AddNumberToObject(region, "startColumn", message->column);
    return location;
}

static cJSON *sarif_result(const struct message *message, cJSON *rules)
{
    cJSON *result = cJSON_CreateObject();
    cJSON_AddStringToObject(result, "ruleId", message->rule);
    cJSON_AddNumberToObject(result, "ruleIndex", rule_of(rules, message->rule));
    cJSON_AddStringToObject(result, "level", message->error ? "error" : "warning");
    cJSON_AddItemToObject(result, "message", sarif_text(message->text));
    cJSON *locations = cJSON_AddArrayToObject(result, "locations");
    if (message->line)
        cJSON_AddItemToArray(locations, sarif_location(message));
    if (message->kernel) {
        cJSON *properties = cJSON_AddObjectToObject(result, "properties");
        cJSON_AddStringToObject(properties, "kernel", message->kernel);
        cJSON_AddNumberToObject(properties, "passes", (double)message->passes);
        cJSON_AddNumberToObject(properties, "conflicts", (double)message->conflicts);
    }
    return result;
}

bool report_print_sarif(FILE *file, const struct report *report, struct error *error)
{
    struct messages messages = {.count = 0};
    cJSON *log = cJSON_CreateObject();
    gather(&messages, report);
    cJSON_AddStringToObject(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    cJSON_AddStringToObject(log, "version", "2.1.0");
    cJSON *runs = cJSON_AddArrayToObject(log, "runs"), *run = cJSON_CreateObject();
    cJSON_AddItemToArray(runs, run);
    cJSON *tool = cJSON_AddObjectToObject(run, "tool"),
          *driver = cJSON_AddObjectToObject(tool, "driver");
    cJSON_AddStringToObject(driver, "name", "bankscope");
    if (*report->bankscope)
        cJSON_AddStringToObject(driver, "version", report->bankscope);
    cJSON *rules = cJSON_AddArrayToObject(driver, "rules"),
          *results = cJSON_AddArrayToObject(run, "results");
    cJSON_AddStringToObject(run, "columnKind", "utf16CodeUnits");
    for (size_t i = 0; i < messages.count; i++)
        cJSON_AddItemToArray(results, sarif_result(&messages.message[i], rules));
    free_all(&messages);
    char *text = cJSON_PrintUnformatted(log);
    cJSON_Delete(log);
    if (!text)
        return error_set(error, "out of memory for SARIF");
    const bool good = fprintf(file, "%s\n", text) > 0;
    cJSON_free(text);
    return good || error_set(error, "cannot write SARIF");
}
