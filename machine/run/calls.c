/* calls.c - the functions that a kernel calls and no PTX defines: printf, malloc, free, assert; those of the device's
 * runtime are in system.c.
 *
 * nvcc and clang pass printf a format and a buffer with the arguments, each aligned as its type:
 *
 *     vprintf("%d %s\n", {7, padding, "seven"})
 */
#include "machine/math/math.h"
#include "machine/module.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXT = 4096, MOST_OUTPUT = 8192 };

static const struct {
    const char *name;
    enum builtin builtin;
} builtins[] = {
    {"vprintf", BUILTIN_PRINT},
    {"malloc", BUILTIN_MALLOC},
    {"free", BUILTIN_FREE},
    {"__assertfail", BUILTIN_ASSERT},
};

enum builtin builtin_named(struct slice name, const void **math)
{
    *math = NULL;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
        if (slice_is(name, builtins[i].name))
            return builtins[i].builtin;
    char copy[64] = "";
    if (name.length < (int)sizeof copy)
        memcpy(copy, name.at, (size_t)name.length);
    if (!memcmp(copy, "__cudaCDP2", 10))
        return BUILTIN_SYSTEM;
    *math = math_find(copy);
    return *math ? BUILTIN_MATH : BUILTIN_NONE;
}

uint64_t call_argument(const struct warp *warp, const struct call *call, int number, int lane)
{
    uint64_t value = 0;
    if (number >= call->arguments)
        return 0;
    const struct place *place = &call->argument[number];
    const uint32_t bytes = place->bytes < 8 ? place->bytes : 8;
    memcpy(&value, frame_piece(warp->frame, place, (uint64_t)lane), bytes);
    return value;
}

void call_result(const struct warp *warp, const struct call *call, int lane, uint64_t value)
{
    if (!call->results)
        return;
    const struct place *place = &call->result[0];
    const uint32_t bytes = place->bytes < 8 ? place->bytes : 8;
    memcpy(frame_piece(warp->frame, place, (uint64_t)lane), &value, bytes);
}

/* ---- printf ---------------------------------------------------------------------------------- */

struct printing {
    struct warp *warp;
    int lane;
    uint64_t at; /* of the next argument */
    char output[MOST_OUTPUT];
    size_t length;
    int conversions;
};

static bool next_value(struct printing *printing, uint32_t bytes, uint64_t *value)
{
    printing->at = (printing->at + bytes - 1) & ~(uint64_t)(bytes - 1);
    const uint8_t *from =
        memory_at(printing->warp, printing->lane, PTX_GENERIC, printing->at, bytes, false);
    if (!from)
        return false;
    *value = 0;
    memcpy(value, from, bytes);
    printing->at += bytes;
    return true;
}

static void print_text(struct printing *printing, const char *text, size_t length)
{
    const size_t room = sizeof printing->output - printing->length;
    length = length < room ? length : room;
    memcpy(printing->output + printing->length, text, length);
    printing->length += length;
}

static bool put_string(struct printing *printing, const char *format, uint64_t address)
{
    char text[MOST_TEXT], line[MOST_TEXT];
    if (!address)
        strcpy(text, "(null)");
    else if (!memory_text(printing->warp, printing->lane, address, text, sizeof text))
        return false;
    int length = snprintf(line, sizeof line, format, text);
    print_text(printing, line, (size_t)(length < (int)sizeof line ? length : (int)sizeof line - 1));
    return true;
}

/* A conversion: %-8.3f, %lld, %*d. It has been checked to have no more than its letters. */
static bool put_conversion(struct printing *printing, const char *spec, char letter, bool wide)
{
    char format[80], line[600];
    uint64_t value;
    double real;
    if (!next_value(printing, wide || strchr("eEfFgGaAsp", letter) ? 8 : 4, &value))
        return false;
    snprintf(format, sizeof format, "%s%s%c", spec, strchr("eEfFgGaAspc", letter) ? "" : "ll",
             letter);
    memcpy(&real, &value, sizeof real);
    if (letter == 's')
        return put_string(printing, format, value);
    int length = 0;
    if (strchr("eEfFgGaA", letter))
        length = snprintf(line, sizeof line, format, real);
    else if (letter == 'p')
        length = snprintf(line, sizeof line, format, (void *)(uintptr_t)value);
    else if (letter == 'c')
        length = snprintf(line, sizeof line, format, (int)value);
    else if (letter == 'd' || letter == 'i')
        length = snprintf(line, sizeof line, format,
                          wide ? (long long)value : (long long)(int32_t)value);
    else
        length = snprintf(line, sizeof line, format, (unsigned long long)value);
    print_text(printing, line, (size_t)(length < (int)sizeof line ? length : (int)sizeof line - 1));
    return true;
}

/* From '%' on: flags, width, precision, size, letter. Returns what is behind it; NULL after a fault. */
static const char *conversion(struct printing *printing, const char *at)
{
    char spec[64] = "%";
    size_t length = 1;
    bool wide = false;
    for (at++; *at && !strchr("diouxXeEfFgGaAcsp%", *at); at++) {
        uint64_t width;
        if (*at == 'l' || *at == 'j' || *at == 'z' || *at == 't')
            wide = true;
        else if (*at == '*' && next_value(printing, 4, &width))
            length += (size_t)snprintf(spec + length, 16, "%d", (int)width % 512);
        else if (strchr("-+ #0.123456789", *at) && length < 24)
            spec[length++] = *at;
        spec[length] = '\0';
        if (printing->warp->worker->failed)
            return NULL;
    }
    if (!*at)
        return at;
    if (*at == '%') {
        print_text(printing, "%", 1);
        return at + 1;
    }
    /* A width of thousands is a mistake: as many as fit are printed. */
    printing->conversions++;
    return put_conversion(printing, length > 12 ? "%" : spec, *at, wide) ? at + 1 : NULL;
}

/* A lane's printf costs as much as some instructions of warps, a long one more. */
static void charge_printing(struct printing *printing, size_t format)
{
    const uint64_t cost =
        8 + 8 * (uint64_t)printing->conversions + (format + printing->length) / 16;
    atomic_fetch_add(&printing->warp->run->charged, cost);
}

static bool print(struct warp *warp, const struct call *call, int lane)
{
    char format[MOST_TEXT];
    struct printing printing = {.warp = warp, .lane = lane};
    printing.at = call_argument(warp, call, 1, lane);
    if (!memory_text(warp, lane, call_argument(warp, call, 0, lane), format, sizeof format))
        return false;
    for (const char *at = format; *at;) {
        const size_t plain = strcspn(at, "%");
        print_text(&printing, at, plain);
        at += plain;
        if (*at && !(at = conversion(&printing, at)))
            return false;
    }
    call_result(warp, call, lane, (uint64_t)printing.conversions);
    charge_printing(&printing, strlen(format));
    if (warp->run->observer.print)
        warp->run->observer.print(warp->run->observer.context, printing.output, printing.length);
    return true;
}

/* ---- assert, malloc, free -------------------------------------------------------------------- */

/* __assertfail(message, file, line, function, size of a character) */
static void assertion(struct warp *warp, const struct call *call, int lane)
{
    char message[200], file[200], function[200];
    if (!memory_text(warp, lane, call_argument(warp, call, 0, lane), message, sizeof message) ||
        !memory_text(warp, lane, call_argument(warp, call, 1, lane), file, sizeof file) ||
        !memory_text(warp, lane, call_argument(warp, call, 3, lane), function, sizeof function))
        return;
    fault(warp, lane, MACHINE_FAULT_ASSERT, "%s:%d: %s: assertion `%s` failed", file,
          (int)call_argument(warp, call, 2, lane), function, message);
}

/* ---- functions of libdevice ------------------------------------------------------------------ */

enum { MOST_NORM = 1024 };

/* Bytes of what a letter of math_function.arguments stands for. */
static uint32_t bytes_of(char letter)
{
    return strchr("dlmDLMq", letter) ? 8 : strchr("hH", letter) ? 2 : 4;
}

/* The values behind a pointer, as many as the word before says. */
static bool read_values(struct warp *warp, int lane, char letter, uint64_t address, int count,
                        uint64_t *word)
{
    const uint32_t bytes = letter == 'q' ? 8 : 4;
    for (int i = 0; i < count; i++) {
        const uint8_t *from =
            memory_at(warp, lane, PTX_GENERIC, address + (uint64_t)i * bytes, bytes, false);
        if (!from)
            return false;
        word[i] = 0;
        memcpy(&word[i], from, bytes);
    }
    return true;
}

static bool compute(struct warp *warp, const struct call *call, int lane)
{
    const struct math_function *function = call->math;
    uint64_t in[MATH_ARGUMENTS + MOST_NORM] = {0}, out[MATH_RESULTS] = {0};
    int words = 0, stored = function->result != 'v';
    for (int i = 0; function->arguments[i]; i++) {
        const char letter = function->arguments[i];
        in[words] = call_argument(warp, call, i, lane);
        if (letter != 'p' && letter != 'q') {
            words++;
            continue;
        }
        const int count = (int)in[words - 1];
        if (count > MOST_NORM)
            return fault(warp, lane, MACHINE_FAULT_INSTRUCTION, "a norm of over %d numbers",
                         MOST_NORM),
                   false;
        if (!read_values(warp, lane, letter, in[words], count, &in[words]))
            return false;
    }
    math_call(function, in, out);
    if (function->result != 'v')
        call_result(warp, call, lane, out[0]);
    for (int i = 0; function->arguments[i]; i++) {
        if (!strchr("FDIL", function->arguments[i]))
            continue;
        const uint32_t bytes = bytes_of(function->arguments[i]);
        uint8_t *to = memory_at(warp, lane, PTX_GENERIC, in[i], bytes, true);
        if (!to)
            return false;
        memcpy(to, &out[stored++], bytes);
    }
    return true;
}

const struct step *call_builtin(struct warp *warp, const struct step *step)
{
    const struct call *call = step->extra;
    if (call->builtin == BUILTIN_SYSTEM)
        return ((struct children_calls *)(void *)warp->run->launch.children)->call(warp, step);
    if (call->builtin == BUILTIN_MATH)
        atomic_fetch_add(&warp->run->charged, 1 + (uint64_t)__builtin_popcountll(warp->mask) / 2);
    FOR_LANES(lane, warp->mask)
    {
        switch (call->builtin) {
        case BUILTIN_PRINT:
            if (!print(warp, call, (int)lane))
                return NULL;
            break;
        case BUILTIN_MALLOC:
            call_result(warp, call, (int)lane,
                        heap_allocate(warp, call_argument(warp, call, 0, (int)lane)));
            break;
        case BUILTIN_FREE:
            if (!heap_release(warp, (int)lane, call_argument(warp, call, 0, (int)lane)))
                return NULL;
            break;
        case BUILTIN_MATH:
            if (!compute(warp, call, (int)lane))
                return NULL;
            break;
        default:
            assertion(warp, call, (int)lane);
            return NULL;
        }
    }
    return step + 1;
}
