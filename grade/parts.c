/* parts.c - the parts of shared memory that a kernel names, in words of its code. */
#include "grade/recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "float tile 17179869184": machine.h. What is no array is passed over. */
void kernel_recording_array(void *context, const char *text, size_t length)
{
    struct kernel_recording *r = context;
    struct kernel_part part = {.bytes = 0};
    char copy[100];
    snprintf(copy, sizeof copy, "%.*s", (int)(length < sizeof copy ? length : sizeof copy - 1),
             text);
    char *number = strrchr(copy, ' ');
    if (!number)
        return;
    *number++ = '\0';
    char *name = strrchr(copy, ' ');
    if (!name || strlen(name + 1) >= sizeof part.name || name - copy >= (int)sizeof part.type)
        return;
    *name++ = '\0';
    const uint64_t place = strtoull(number, NULL, 10);
    memcpy(part.name, name, strlen(name));
    memcpy(part.type, copy, strlen(copy));
    part.from = (uint32_t)place;
    part.bytes = (uint32_t)(place >> 32);
    const int element = type_bytes(part.type);
    if (!element || !text_is_clean(part.name) || part.bytes < (uint32_t)element ||
        part.from > MACHINE_SHARED || part.bytes > MACHINE_SHARED - part.from)
        return;
    for (int i = 0; i < r->parts; i++)
        if (part.from < r->part[i].from + r->part[i].bytes &&
            r->part[i].from < part.from + part.bytes)
            return;
    if (r->parts < MAX_PARTS)
        r->part[r->parts++] = part;
}
