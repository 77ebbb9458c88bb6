/* figure_data.c - what a figure shows as numbers: a record for each cell that the stage uses. */
#include "viewer/export/figure.h"

#include <cjson/cJSON.h>
#include <inttypes.h>
#include <string.h>

static const char *const columns[] = {"recording", "kernel", "stage", "block",  "round",
                                      "slot",      "bank",   "word",  "list",   "warp",
                                      "thread",    "value",  "now",   "sharers"};
enum { COLUMNS = sizeof columns / sizeof *columns, WORD = 6, TEXT = 32 };

/* A cell's values in the order of the columns; "": there is none. */
struct record {
    const char *kernel, *stage;
    char text[COLUMNS][TEXT]; /* but of these two */
};

struct writer {
    enum figure_numbers form;
    FILE *file;
    size_t records;
};

static void write_csv(const struct record *record, FILE *file)
{
    for (int i = 0; i < COLUMNS; i++) {
        const char *text = i == 1 ? record->kernel : i == 2 ? record->stage : record->text[i];
        text_put(file, TEXT_CELL, text);
        fputc(i + 1 < COLUMNS ? ',' : '\n', file);
    }
}

/* What is not there is left out; whole numbers are numbers. */
static bool write_json(const struct record *record, bool first, FILE *file)
{
    cJSON *object = cJSON_CreateObject();
    for (int i = 0; i < COLUMNS; i++) {
        const char *text = i == 1 ? record->kernel : i == 2 ? record->stage : record->text[i];
        size_t digits = strspn(text + (*text == '-'), "0123456789");
        if (!*text)
            continue;
        if (i != 1 && i != 2 && digits && !text[digits + (*text == '-')])
            cJSON_AddRawToObject(object, columns[i], text);
        else
            cJSON_AddStringToObject(object, columns[i], text);
    }
    char *text = cJSON_PrintUnformatted(object);
    cJSON_Delete(object);
    if (text)
        fprintf(file, "%s\n%s", first ? "" : ",", text_clean(text));
    cJSON_free(text);
    return text != NULL;
}

static bool write_record(struct writer *writer, const struct record *record, struct error *error)
{
    bool good = true;
    if (writer->form == FIGURE_CSV)
        write_csv(record, writer->file);
    else
        good = write_json(record, writer->records == 0, writer->file);
    writer->records++;
    return good || error_set(error, "out of memory for the picture's cells");
}

static void put_number(char text[TEXT], int64_t number)
{
    snprintf(text, TEXT, "%" PRId64, number);
}

/* What the cell of a word says, if the stage uses it. */
static bool write_word(struct writer *writer, const struct matrix *matrix, struct record *record,
                       uint32_t word, struct error *error)
{
    const struct trace_header *header = &matrix->map->index->trace->header;
    const struct matrix_cell cell = matrix_cell(matrix, word);
    const struct accessed_word *now = accessed_find(matrix->accessed, word);
    if (!cell.used)
        return true;
    put_number(record->text[WORD], word % (uint32_t)header->banks);
    put_number(record->text[WORD + 1], word);
    snprintf(record->text[WORD + 2], TEXT, "%s", cell.tag == ' ' ? "" : (char[]){cell.tag, '\0'});
    put_number(record->text[WORD + 3], cell.thread / header->warp);
    put_number(record->text[WORD + 4], cell.thread);
    record->text[WORD + 5][0] = '\0';
    if (cell.has_value)
        name_value(header, cell.addr, cell.bytes, cell.value, record->text[WORD + 5], TEXT);
    snprintf(record->text[WORD + 6], TEXT, "%s", !cell.now ? "" : cell.bad ? "conflict" : "alone");
    record->text[WORD + 7][0] = '\0';
    if (now)
        put_number(record->text[WORD + 7], now->sharers);
    return write_record(writer, record, error);
}

static bool write_matrix(struct writer *writer, const struct measured_part *m,
                         const struct figure_matrix *shown, int recording, struct error *error)
{
    const struct figure_part *part = m->part;
    const struct trace_header *header = &part->index->trace->header;
    struct accessed accessed = {0};
    struct record record = {.kernel = header->kernel, .stage = header->stage[part->stage]};
    bool good = accessed_take(&accessed, &m->map, shown->first, shown->end, part->paint, error);
    const struct matrix matrix = {.map = &m->map,
                                  .accessed = part->rounds ? &accessed : NULL,
                                  .step = shown->end - 1,
                                  .paint = part->paint};
    put_number(record.text[0], recording);
    put_number(record.text[3], part->block);
    if (part->rounds)
        put_number(record.text[4], shown->round);
    if (shown->slot >= 0)
        put_number(record.text[5], shown->slot);
    for (int i = 0; good && i < m->runs; i++)
        for (int64_t k = 0; good && k < (int64_t)m->run[i].columns * header->banks; k++) {
            int64_t word = (int64_t)m->run[i].first * header->banks + k;
            if (word < part->index->words &&
                (!part->only_banks || numbers_have(part->only_banks, (int)(k % header->banks))))
                good = write_word(writer, &matrix, &record, (uint32_t)word, error);
        }
    accessed_free(&accessed);
    return good;
}

static void begin_csv(const char *about, FILE *file)
{
    fprintf(file, "# %s\n", about);
    for (int i = 0; i < COLUMNS; i++)
        fprintf(file, "%s%c", columns[i], i + 1 < COLUMNS ? ',' : '\n');
}

static bool begin_json(const char *about, FILE *file)
{
    cJSON *line = cJSON_CreateString(about);
    char *text = cJSON_PrintUnformatted(line);
    cJSON_Delete(line);
    if (text)
        fprintf(file, "{\"made_by\":%s,\"cells\":[", text_clean(text));
    cJSON_free(text);
    return text != NULL;
}

bool figure_write_numbers(const struct figure *figure, enum figure_numbers form, const char *about,
                          FILE *file, struct error *error)
{
    struct writer writer = {.form = form, .file = file};
    bool good = true;
    if (form == FIGURE_CSV)
        begin_csv(about, file);
    else
        good = begin_json(about, file) || error_set(error, "out of memory");
    for (int p = 0; good && p < figure->parts; p++) {
        struct measured_part m;
        good = figure_measure(&m, &figure->part[p], error);
        for (int i = 0; good && i < m.matrices; i++)
            good = write_matrix(&writer, &m, &m.matrix[i], p, error);
        figure_release(&m);
    }
    if (form == FIGURE_JSON)
        fputs("\n]}\n", file);
    return good;
}
