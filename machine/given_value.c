/* given_value.c - types and numbers of launches that come as text. */
#include "base/text.h"
#include "machine/given.h"
#include "machine/math/narrow.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 64 /* parentheses in parentheses */ };

struct given_text given_trim(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (from < to && isspace((unsigned char)to[-1]))
        to--;
    return (struct given_text){from, (int)(to - from)};
}

bool given_is(struct given_text text, const char *word)
{
    return strlen(word) == (size_t)text.length && !memcmp(text.at, word, (size_t)text.length);
}

bool given_is_name(struct given_text text)
{
    for (int i = 0; i < text.length; i++)
        if (!text_is_identifier(text.at[i]))
            return false;
    return text.length && !isdigit((unsigned char)*text.at);
}

struct given_text given_last_name(struct given_text text)
{
    const char *end = text.at + text.length, *from = end;
    while (from > text.at && text_is_identifier(from[-1]))
        from--;
    while (from < end && isdigit((unsigned char)*from))
        from++;
    return (struct given_text){from, (int)(end - from)};
}

bool given_next(const char **from, const char *end, struct given_text *piece)
{
    int depth = 0;
    const char *at = *from;
    if (at >= end)
        return false;
    for (; at < end && !(depth <= 0 && *at == ','); at++)
        depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
    *piece = given_trim(*from, at);
    *from = at < end ? at + 1 : end;
    return true;
}

/* ---- types ------------------------------------------------------------------------------------------ */

struct named_type {
    const char *name;
    enum given_format format;
    uint8_t bytes;
    bool vectors; /* with 1 to 4 behind it, it is a vector */
};
static const struct named_type named_types[] = {
    {"char", GIVEN_SIGNED, 1, true},
    {"signed char", GIVEN_SIGNED, 1, false},
    {"unsigned char", GIVEN_UNSIGNED, 1, false},
    {"uchar", GIVEN_UNSIGNED, 1, true},
    {"short", GIVEN_SIGNED, 2, true},
    {"unsigned short", GIVEN_UNSIGNED, 2, false},
    {"ushort", GIVEN_UNSIGNED, 2, true},
    {"int", GIVEN_SIGNED, 4, true},
    {"unsigned int", GIVEN_UNSIGNED, 4, false},
    {"unsigned", GIVEN_UNSIGNED, 4, false},
    {"uint", GIVEN_UNSIGNED, 4, true},
    {"long", GIVEN_SIGNED, 8, true},
    {"long int", GIVEN_SIGNED, 8, false},
    {"long long", GIVEN_SIGNED, 8, false},
    {"long long int", GIVEN_SIGNED, 8, false},
    {"longlong", GIVEN_SIGNED, 8, true},
    {"unsigned long", GIVEN_UNSIGNED, 8, false},
    {"unsigned long long", GIVEN_UNSIGNED, 8, false},
    {"unsigned long long int", GIVEN_UNSIGNED, 8, false},
    {"ulong", GIVEN_UNSIGNED, 8, true},
    {"ulonglong", GIVEN_UNSIGNED, 8, true},
    {"size_t", GIVEN_UNSIGNED, 8, false},
    {"ptrdiff_t", GIVEN_SIGNED, 8, false},
    {"bool", GIVEN_UNSIGNED, 1, false},
    {"int8_t", GIVEN_SIGNED, 1, false},
    {"int16_t", GIVEN_SIGNED, 2, false},
    {"int32_t", GIVEN_SIGNED, 4, false},
    {"int64_t", GIVEN_SIGNED, 8, false},
    {"uint8_t", GIVEN_UNSIGNED, 1, false},
    {"uint16_t", GIVEN_UNSIGNED, 2, false},
    {"uint32_t", GIVEN_UNSIGNED, 4, false},
    {"uint64_t", GIVEN_UNSIGNED, 8, false},
    {"float", GIVEN_F32, 4, true},
    {"double", GIVEN_F64, 8, true},
    {"half", GIVEN_F16, 2, true},
    {"__half", GIVEN_F16, 2, true},
    {"nv_bfloat16", GIVEN_BF16, 2, false},
    {"__nv_bfloat16", GIVEN_BF16, 2, false},
    {"nv_bfloat162", GIVEN_BF16, 2, false}, /* two parts: below */
    {"__nv_bfloat162", GIVEN_BF16, 2, false},
    {"bfloat16", GIVEN_BF16, 2, false},
    {"__nv_fp8_e4m3", GIVEN_E4M3, 1, false},
    {"__nv_fp8_e5m2", GIVEN_E5M2, 1, false},
    {"e4m3", GIVEN_E4M3, 1, false},
    {"e5m2", GIVEN_E5M2, 1, false},
    /* PTX's */
    {"s8", GIVEN_SIGNED, 1, false},
    {"s16", GIVEN_SIGNED, 2, false},
    {"s32", GIVEN_SIGNED, 4, false},
    {"s64", GIVEN_SIGNED, 8, false},
    {"u8", GIVEN_UNSIGNED, 1, false},
    {"u16", GIVEN_UNSIGNED, 2, false},
    {"u32", GIVEN_UNSIGNED, 4, false},
    {"u64", GIVEN_UNSIGNED, 8, false},
    {"b8", GIVEN_UNSIGNED, 1, false},
    {"b16", GIVEN_UNSIGNED, 2, false},
    {"b32", GIVEN_UNSIGNED, 4, false},
    {"b64", GIVEN_UNSIGNED, 8, false},
    {"f16", GIVEN_F16, 2, false},
    {"bf16", GIVEN_BF16, 2, false},
    {"f32", GIVEN_F32, 4, false},
    {"f64", GIVEN_F64, 8, false},
};

/* Its words with one blank between them, without const and volatile. */
static bool plain_name(struct given_text text, char *name, size_t room)
{
    size_t used = 0;
    for (int i = 0; i < text.length;) {
        int end = i;
        while (end < text.length && !isspace((unsigned char)text.at[end]))
            end++;
        const struct given_text word = {text.at + i, end - i};
        if (word.length && !given_is(word, "const") && !given_is(word, "volatile")) {
            if (used + (size_t)word.length + 2 > room)
                return false;
            if (used)
                name[used++] = ' ';
            memcpy(name + used, word.at, (size_t)word.length);
            used += (size_t)word.length;
        }
        i = end + 1;
    }
    name[used] = '\0';
    return used > 0;
}

static void set_type(struct given_type *type, const struct named_type *named, int parts)
{
    *type = (struct given_type){named->format, named->bytes, parts, named->bytes * (uint32_t)parts};
}

static bool known_type(const char *name, struct given_type *type)
{
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof named_types / sizeof *named_types; i++) {
        const struct named_type *named = &named_types[i];
        const size_t base = strlen(named->name);
        if (!strcmp(name, named->name)) {
            set_type(type, named, named->format == GIVEN_BF16 && name[length - 1] == '2' ? 2 : 1);
            return true;
        }
        if (named->vectors && length == base + 1 && !memcmp(name, named->name, base) &&
            name[base] >= '1' && name[base] <= '4') {
            set_type(type, named, name[base] - '0');
            return true;
        }
    }
    return false;
}

/* The row that says what number or type the text is, or NULL. */
static const struct given_known *find_known(struct given_names *names, struct given_text text,
                                            bool is_type)
{
    for (int i = 0; names && i < names->rows; i++) {
        const struct given_known *known = &names->row[i];
        if (known->is_type == is_type && known->text.length == text.length &&
            !memcmp(known->text.at, text.at, (size_t)text.length))
            return known;
    }
    if (!names || !names->collect || names->rows == names->room || !text.length)
        return NULL;
    names->row[names->rows] = (struct given_known){.text = text,
                                                   .is_type = is_type,
                                                   .number = {.whole = 1, .bytes = 4},
                                                   .type = {GIVEN_UNSIGNED, 1, 1, 1}};
    return &names->row[names->rows++];
}

void given_known_print(const struct given_known *known, char *text, size_t room)
{
    if (known->is_type)
        snprintf(text, room, "type %d %u %.*s", (int)known->type.format, known->type.part,
                 known->text.length, known->text.at);
    else if (known->number.real)
        snprintf(text, room, "real %d %a %.*s", known->number.bytes, known->number.value,
                 known->text.length, known->text.at);
    else
        snprintf(text, room, "whole %d %lld %.*s", known->number.bytes,
                 (long long)known->number.whole, known->text.length, known->text.at);
}

bool given_known_read(const char *text, struct given_known *known)
{
    char word[8], value[64];
    int bytes, at = -1;
    if (sscanf(text, "%7s %d %63s %n", word, &bytes, value, &at) != 3 || at < 0)
        return false;
    const uint32_t part = (uint32_t)strtoul(value, NULL, 10);
    *known = (struct given_known){
        .text = {text + at, (int)strlen(text + at)},
        .is_type = !strcmp(word, "type"),
        .number = {!strcmp(word, "real"), strtod(value, NULL), strtoll(value, NULL, 10), bytes},
        .type = {(enum given_format)bytes, part, 1, part}};
    return true;
}

bool given_type(struct given_names *names, struct given_text text, struct given_type *type)
{
    char name[GIVEN_NAME];
    if (!plain_name(text, name, sizeof name))
        return false;
    if (known_type(name, type))
        return true;
    if (strchr(name, '*')) {
        *type = (struct given_type){GIVEN_UNSIGNED, 8, 1, 8};
        return true;
    }
    if (!strncmp(name, "struct(", 7)) {
        char *end;
        const unsigned long long bytes = strtoull(name + 7, &end, 10);
        *type = (struct given_type){GIVEN_BYTES, (uint32_t)bytes, 1, (uint32_t)bytes};
        return bytes > 0 && bytes < UINT64_C(1) << 24 && !strcmp(end, ")");
    }
    const struct given_known *known = find_known(names, text, true);
    if (known)
        *type = known->type;
    return known;
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

struct reader {
    const char *at, *end;
    struct given_names *names;
    int depth;
    bool good;
};

static struct given_number whole(int64_t value)
{
    const int bytes = value == (int32_t)value ? 4 : 8;
    return (struct given_number){.whole = value, .bytes = bytes};
}

/* A float of 4 bytes is rounded to one. */
static struct given_number real(double value, int bytes)
{
    return (struct given_number){
        .real = true, .value = bytes == 4 ? (double)(float)value : value, .bytes = bytes};
}

static double real_of(struct given_number number)
{
    return number.real ? number.value : (double)number.whole;
}

static void skip(struct reader *r)
{
    while (r->at < r->end && isspace((unsigned char)*r->at))
        r->at++;
}

static bool accept(struct reader *r, const char *mark)
{
    const size_t length = strlen(mark);
    skip(r);
    if ((size_t)(r->end - r->at) < length || memcmp(r->at, mark, length) != 0)
        return false;
    r->at += length;
    return true;
}

static struct given_number wrong(struct reader *r)
{
    r->good = false;
    return whole(0);
}

/* 12, 0x1fu, 1.5f, 1e-3. */
static struct given_number literal(struct reader *r)
{
    char text[64];
    size_t length = 0;
    const char *at = r->at;
    for (; at < r->end && length + 1 < sizeof text; at++) {
        const bool hex = length > 1 && (text[1] | 32) == 'x';
        const bool sign =
            (*at == '+' || *at == '-') && length && !hex && (text[length - 1] | 32) == 'e';
        if (!text_is_identifier(*at) && *at != '.' && !sign)
            break;
        text[length++] = *at;
    }
    text[length] = '\0';
    char *end;
    const bool is_hex = length > 1 && (text[1] | 32) == 'x';
    const bool is_real = !is_hex && strpbrk(text, ".eE");
    const unsigned long long value = strtoull(text, &end, 0);
    struct given_number number = {.whole = (int64_t)value, .bytes = value > INT32_MAX ? 8 : 4};
    if (is_real)
        number = real(strtod(text, &end), 8);
    else if ((*end == 'f' || *end == 'F') && !end[1])
        number = real((double)value, 8);
    for (; *end; end++)
        if (number.real && (*end | 32) == 'f')
            number = real(number.value, 4);
        else if (!number.real && (*end | 32) == 'l')
            number.bytes = 8;
        else if (number.real || (*end | 32) != 'u')
            r->good = false;
    if (value <= UINT32_MAX && value > INT32_MAX && is_hex)
        number.bytes = 4;
    r->at = at;
    return number;
}

static struct given_number expression(struct reader *r, int least);

/* true, NAN, sizeof(float), N. */
static struct given_number named(struct reader *r)
{
    static const struct {
        const char *name;
        double value;
        bool real;
    } known[] = {{"true", 1, false},
                 {"false", 0, false},
                 {"nullptr", 0, false},
                 {"NULL", 0, false},
                 {"INFINITY", (double)__builtin_inff(), true},
                 {"inf", (double)__builtin_inff(), true},
                 {"NAN", (double)__builtin_nanf(""), true},
                 {"nan", (double)__builtin_nanf(""), true}};
    const char *from = r->at;
    while (r->at < r->end && text_is_identifier(*r->at))
        r->at++;
    const struct given_text name = {from, (int)(r->at - from)};
    struct given_number number;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (given_is(name, known[i].name))
            return known[i].real ? real(known[i].value, 4) : whole((int64_t)known[i].value);
    if (given_is(name, "sizeof") && accept(r, "(")) {
        const char *close = memchr(r->at, ')', (size_t)(r->end - r->at));
        struct given_type type;
        if (!close || !given_type(r->names, given_trim(r->at, close), &type))
            return wrong(r);
        r->at = close + 1;
        number = whole(type.bytes);
        number.bytes = 8;
        return number;
    }
    return wrong(r);
}

static struct given_number operand(struct reader *r)
{
    struct given_number number;
    if (!r->good || r->depth >= DEEP)
        return wrong(r);
    r->depth++;
    if (accept(r, "-")) {
        number = operand(r);
        number.value = -number.value;
        number.whole = (int64_t)(0 - (uint64_t)number.whole);
    } else if (accept(r, "+")) {
        number = operand(r);
    } else if (accept(r, "~")) {
        number = operand(r);
        number = number.real ? wrong(r) : whole(~number.whole);
    } else if (accept(r, "(")) {
        number = expression(r, 0);
        r->good = accept(r, ")") && r->good;
    } else if (r->at < r->end && (isdigit((unsigned char)*r->at) || *r->at == '.')) {
        number = literal(r);
    } else if (r->at < r->end && text_is_identifier(*r->at)) {
        number = named(r);
    } else {
        number = wrong(r);
    }
    r->depth--;
    return number;
}

static struct given_number reals(struct reader *r, char mark, struct given_number a,
                                 struct given_number b)
{
    const int bytes = (a.real && a.bytes == 8) || (b.real && b.bytes == 8) ? 8 : 4;
    const double x = real(real_of(a), bytes).value, y = real(real_of(b), bytes).value;
    switch (mark) {
    case '+':
        return real(x + y, bytes);
    case '-':
        return real(x - y, bytes);
    case '*':
        return real(x * y, bytes);
    case '/':
        return real(x / y, bytes);
    default:
        return wrong(r);
    }
}

static struct given_number wholes(struct reader *r, char mark, struct given_number a,
                                  struct given_number b)
{
    const uint64_t x = (uint64_t)a.whole, y = (uint64_t)b.whole;
    struct given_number number;
    if (((mark == '/' || mark == '%') && (!y || b.whole == -1)) ||
        ((mark == '<' || mark == '>') && y > 63))
        return wrong(r);
    switch (mark) {
    case '+':
        number = whole((int64_t)(x + y));
        break;
    case '-':
        number = whole((int64_t)(x - y));
        break;
    case '*':
        number = whole((int64_t)(x * y));
        break;
    case '/':
        number = whole(a.whole / b.whole);
        break;
    case '%':
        number = whole(a.whole % b.whole);
        break;
    case '<':
        number = whole((int64_t)(x << y));
        break;
    case '>':
        number = whole(a.whole >> y);
        break;
    case '&':
        number = whole((int64_t)(x & y));
        break;
    case '^':
        number = whole((int64_t)(x ^ y));
        break;
    default:
        number = whole((int64_t)(x | y));
        break;
    }
    if (a.bytes == 8 || b.bytes == 8)
        number.bytes = 8;
    return number;
}

/* Operations that bind at least so strongly. */
static struct given_number expression(struct reader *r, int least)
{
    static const struct {
        const char *mark;
        int strength;
    } binary[] = {{"|", 1}, {"^", 2}, {"&", 3}, {"<<", 4}, {">>", 4},
                  {"+", 5}, {"-", 5}, {"*", 6}, {"/", 6},  {"%", 6}};
    struct given_number left = operand(r);
    for (size_t i = 0; i < sizeof binary / sizeof *binary && r->good;) {
        if (binary[i].strength < least || !accept(r, binary[i].mark)) {
            i++;
            continue;
        }
        const struct given_number right = expression(r, binary[i].strength + 1);
        const char mark = *binary[i].mark;
        left = left.real || right.real ? reals(r, mark, left, right) : wholes(r, mark, left, right);
        i = 0;
    }
    return left;
}

bool given_number(struct given_names *names, struct given_text text, struct given_number *number,
                  struct error *error)
{
    struct reader r = {text.at, text.at + text.length, names, 0, true};
    *number = expression(&r, 0);
    skip(&r);
    if (r.good && r.at == r.end)
        return true;
    const struct given_known *known = find_known(names, text, false);
    if (known)
        *number = known->number;
    return known || error_set(error, "'%.*s' is no number", GIVEN_TEXT(text));
}

void given_put(const struct given_type *type, const struct given_number *number, uint8_t *to)
{
    const double value = real_of(*number);
    const float single = (float)value;
    int64_t bits = number->whole;
    if (number->real) /* as C converts, but for what does not fit */
        bits = !(value > -0x1p63) ? INT64_MIN
               : value < 0x1p63   ? (int64_t)value
               : value < 0x1p64   ? (int64_t)(uint64_t)value
                                  : INT64_MAX;
    switch (type->format) {
    case GIVEN_F64:
        memcpy(&bits, &value, 8);
        break;
    case GIVEN_F32:
        memcpy(&bits, &single, 4);
        break;
    case GIVEN_F16:
        bits = real_narrow(value, REAL_F16, REAL_RN, 0);
        break;
    case GIVEN_BF16:
        bits = real_narrow(value, REAL_BF16, REAL_RN, 0);
        break;
    case GIVEN_E4M3:
        bits = real_narrow(value, REAL_E4M3, REAL_RN, REAL_SATFINITE);
        break;
    case GIVEN_E5M2:
        bits = real_narrow(value, REAL_E5M2, REAL_RN, REAL_SATFINITE);
        break;
    case GIVEN_BYTES:
    case GIVEN_SIGNED:
    case GIVEN_UNSIGNED:
        break;
    }
    memcpy(to, &bits, type->part < 8 ? type->part : 8);
}

void given_print(const struct given_type *type, const uint8_t *from, char *text, size_t room)
{
    uint64_t bits = 0;
    double value = 0;
    const int unused = type->part < 8 ? 64 - 8 * (int)type->part : 0;
    memcpy(&bits, from, type->part < 8 ? type->part : 8);
    switch (type->format) {
    case GIVEN_F64:
        memcpy(&value, &bits, 8);
        break;
    case GIVEN_F32:
        value = (double)real_f32((uint32_t)bits);
        break;
    case GIVEN_F16:
        value = (double)real_f32_f16((uint16_t)bits);
        break;
    case GIVEN_BF16:
        value = (double)real_f32_bf16((uint16_t)bits);
        break;
    case GIVEN_E4M3:
        value = (double)real_f32_e4m3((uint8_t)bits);
        break;
    case GIVEN_E5M2:
        value = (double)real_f32_e5m2((uint8_t)bits);
        break;
    case GIVEN_SIGNED:
        snprintf(text, room, "%" PRId64, (int64_t)(bits << unused) >> unused);
        return;
    case GIVEN_BYTES:
    case GIVEN_UNSIGNED:
        snprintf(text, room, "%" PRIu64, bits);
        return;
    }
    snprintf(text, room, "%.*g", type->format == GIVEN_F64 ? 17 : 9, value);
}
