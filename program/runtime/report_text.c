/* report_text.c - texts in the file of records, each of which is there once. Under report.c's lock. */
#include "program/runtime/report.h"

#include <string.h>

static struct {
    struct interned_text { /* texts that are in the file already, by what is in them */
        uint64_t hash;
        struct records_text text;
    } * slot;
    size_t count, room;
} interned;

uint64_t report_hash(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return hash | 1;
}

/* The slot for a text: its own, or a free one. */
static struct interned_text *slot_for(uint64_t hash, const char *text, size_t length)
{
    size_t i = hash & (interned.room - 1);
    while (interned.slot[i].hash &&
           !(interned.slot[i].hash == hash && interned.slot[i].text.length == length &&
             !memcmp(report_text_at(interned.slot[i].text), text, length)))
        i = (i + 1) & (interned.room - 1);
    return &interned.slot[i];
}

static bool more_texts(void)
{
    if (2 * interned.count < interned.room)
        return true;
    struct interned_text *before = interned.slot;
    size_t count = interned.room, room = count ? 2 * count : 256;
    struct interned_text *after = runtime_new(room * sizeof *after);
    if (!after)
        return false;
    interned.slot = after;
    interned.room = room;
    for (size_t i = 0; i < count; i++)
        if (before[i].hash)
            *slot_for(before[i].hash, report_text_at(before[i].text), before[i].text.length) =
                before[i];
    runtime_delete(before);
    return true;
}

struct records_text report_text(const char *text, size_t length)
{
    struct records_text none = {0, 0};
    if (!text || !length || !more_texts())
        return none;
    uint64_t hash = report_hash(text, length);
    struct interned_text *slot = slot_for(hash, text, length);
    if (slot->hash)
        return slot->text;
    uint64_t first;
    char *at = runtime_claim(RECORDS_TABLE_TEXT, length, &first);
    if (!at)
        return none;
    memcpy(at, text, length);
    *slot = (struct interned_text){hash, {first, length}};
    interned.count++;
    return slot->text;
}

struct records_text report_string(const char *text)
{
    return report_text(text, text ? strlen(text) : 0);
}
