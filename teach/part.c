/* part.c - the student's part of an exercise.
 *
 * Of a file that a student hands in, only what stands between the two marks counts. It is read as
 * tokens and held to a small language: arithmetic, control flow and the kernel's words. The source
 * that is compiled is made of these tokens and of the exercise as the teacher wrote it, so that
 * nothing else can come in with them:
 *
 *     - no # and no quotes, no backslashes, no other spellings of characters (<: and the like);
 *     - a `*` multiplies and an `&` is an "and": there are no pointers and no addresses, and arrays
 *       are not handed to functions, so that the compiler's checks of indices see every access;
 *     - of names, only those of the exercise's own part for the kernel mean what they mean there.
 *       Every other gets a prefix: a student's `total` is your_total, and so is what he did not
 *       declare himself, such as `system`. No function of a library can be called or replaced;
 *     - brackets match, so that the part cannot end a function that it did not begin.
 *
 * Line numbers stay those of the student's file.
 */
#include "teach/teach.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 256 << 10, MOST_DEPTH = 64, MOST_NAME = 48 };

/* ---- tokens ---------------------------------------------------------------------------------- */

enum kind { END, SPACE, COMMENT, NAME, NUMBER, SIGN, OTHER };

struct token {
    enum kind kind;
    const char *text;
    size_t length;
};

static bool begins_name(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The token at `at`, before `end`. A comment without an end is OTHER. */
static struct token token_at(const char *at, const char *end)
{
    static const char *const signs[] = {
        "<<=", ">>=", "...", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "+=", "-=",
        "*=",  "/=",  "%=",  "&=", "|=", "^=", "->", "<:", ":>", "<%", "%>", "%:", "??", NULL};
    struct token token = {OTHER, at, 1};
    const char *to = at;
    if (at >= end)
        return (struct token){END, end, 0};
    if (strchr(" \t\n\f\v", *at)) {
        while (to < end && strchr(" \t\n\f\v", *to))
            to++;
        token.kind = SPACE;
    } else if (end - at > 1 && at[0] == '/' && at[1] == '/') {
        while (to < end && *to != '\n')
            to++;
        token.kind = COMMENT;
    } else if (end - at > 1 && at[0] == '/' && at[1] == '*') {
        for (to = at + 2; to + 1 < end && (to[0] != '*' || to[1] != '/');)
            to++;
        if (to + 1 >= end)
            return token;
        to += 2;
        token.kind = COMMENT;
    } else if (begins_name(*at)) {
        while (to < end && in_name(*to))
            to++;
        token.kind = NAME;
    } else if (isdigit((unsigned char)*at) ||
               (*at == '.' && end - at > 1 && isdigit((unsigned char)at[1]))) {
        bool hex = *at == '0' && end - at > 1 && (at[1] == 'x' || at[1] == 'X');
        while (to < end && (in_name(*to) || *to == '.' ||
                            (strchr("+-", *to) && strchr(hex ? "pP" : "eE", to[-1]))))
            to++;
        token.kind = NUMBER;
    } else if (strchr("+-*/%<>=!&|^~?:;,.(){}[]", *at)) {
        token.kind = SIGN;
        to = at + 1;
        for (int i = 0; signs[i]; i++) {
            size_t length = strlen(signs[i]);
            if ((size_t)(end - at) >= length && !memcmp(at, signs[i], length)) {
                to = at + length;
                break;
            }
        }
    } else {
        return token;
    }
    token.length = (size_t)(to - at);
    return token;
}

static bool is(const struct token *token, const char *word)
{
    return strlen(word) == token->length && !memcmp(token->text, word, token->length);
}

static bool is_one_of(const struct token *token, const char *const *words)
{
    for (; *words; words++)
        if (is(token, *words))
            return true;
    return false;
}

/* ---- the language ---------------------------------------------------------------------------- */

static const char *const types[] = {
    "int",     "unsigned", "signed",   "short",    "long",    "char",      "float",
    "double",  "bool",     "void",     "int8_t",   "int16_t", "int32_t",   "int64_t",
    "uint8_t", "uint16_t", "uint32_t", "uint64_t", "size_t",  "int2",      "int4",
    "uint2",   "uint4",    "float2",   "float4",   "double2", "longlong2", NULL};
static const char *const words[] = {
    "if",    "else",     "for",    "while", "do",        "switch",   "case",          "default",
    "break", "continue", "return", "const", "inline",    "sizeof",   "true",          "false",
    "x",     "y",        "z",      "w",     "threadIdx", "blockIdx", "__syncthreads", NULL};
/* Of a kernel in the dialect only, and of an ordinary CUDA kernel only. */
static const char *const dialect_words[] = {
    "static", "struct", "DEVICE",    "LOAD",      "STORE",  "STAGE",     "ROUND",
    "SLOT",   "SHARED", "SHARED_AT", "REGISTERS", "UNROLL", "SYNC_WARP", NULL};
static const char *const cuda_words[] = {"__shared__", "__device__", "__syncwarp", "blockDim",
                                         "gridDim",    "min",        "max",        NULL};
/* What would only be hard to understand under another name. */
static const char *const refused[] = {"auto",    "register", "volatile", "restrict", "union",
                                      "typedef", "enum",     "goto",     "extern",   "asm",
                                      "typeof",  "define",   "include",  NULL};
/* Of an exercise's own words: those that make kernels, and accesses that are not measured. */
static const char *const reserved[] = {"KERNEL", "BARE", "STAGES", "FILL", "GUARD", "UNUSED", NULL};

static bool is_word(const struct token *token, const struct part_names *names)
{
    return is_one_of(token, words) || is_one_of(token, names->program ? cuda_words : dialect_words);
}

enum { MOST_ARRAYS = 64 };

struct checker {
    const char *file;
    int line;
    const struct part_names *names;
    struct token before, last; /* the last two that are neither space nor comment */
    struct token start;        /* of what stands outside of brackets */
    char open[MOST_DEPTH];     /* brackets */
    int depth;
    const char *end; /* of the part */
    struct array {   /* of a program's part */
        struct token name;
        int indices;
    } array[MOST_ARRAYS];
    int arrays;
    char *text; /* what comes out */
    size_t length, room;
    struct error *error;
};

static void put(struct checker *checker, const char *text, size_t length)
{
    if (!memory_grow(&checker->text, &checker->room, checker->length + length + 1, 1, "bytes",
                     checker->error))
        return;
    memcpy(checker->text + checker->length, text, length);
    checker->length += length;
    checker->text[checker->length] = '\0';
}

/* Blanks for a comment, of as many lines. */
static void put_blanks(struct checker *checker, const struct token *token)
{
    put(checker, " ", 1);
    for (size_t i = 0; i < token->length; i++)
        if (token->text[i] == '\n')
            put(checker, "\n", 1);
}

static bool refuse(struct checker *checker, const struct token *token, const char *why)
{
    int length = token->length < 24 ? (int)token->length : 24;
    return error_set(checker->error, "%s:%d: '%.*s': %s", checker->file, checker->line, length,
                     token->text, why);
}

static bool is_name_of(const struct part_names *names, const struct token *token)
{
    for (int i = 0; i < names->count; i++)
        if (is(token, names->name[i]))
            return true;
    return false;
}

static bool is_type(const struct token *token)
{
    return token->kind == NAME && (is_one_of(token, types) || is(token, "const"));
}

/* Whether a value can end with the token, so that what follows combines it with another. */
static bool ends_value(const struct token *token, const struct part_names *names)
{
    return token->kind == NUMBER || is(token, ")") || is(token, "]") ||
           (token->kind == NAME && !is_one_of(token, types) && !is_word(token, names)) ||
           (token->kind == NAME && (strchr("xyzw", *token->text) && token->length == 1)) ||
           is(token, "true") || is(token, "false");
}

/* The first token from `at` on that is neither space nor comment. */
static struct token next_token(const char *at, const char *end)
{
    struct token token = token_at(at, end);
    while (token.kind == SPACE || token.kind == COMMENT)
        token = token_at(token.text + token.length, end);
    return token;
}

/* How many [...] follow a name. */
static int count_indices(const struct token *name, const char *end)
{
    const char *at = name->text + name->length;
    for (int count = 0, depth = 0;;) {
        struct token token = next_token(at, end);
        depth += is(&token, "[") - is(&token, "]");
        if (token.kind == END || token.kind == OTHER || depth < 0 || (!depth && !is(&token, "]")))
            return count;
        count += !depth;
        at = token.text + token.length;
    }
}

/* In C++ an array without its indices is a pointer. The first place where its name stands declares it. */
static bool take_array(struct checker *checker, const struct token *token)
{
    int indices = count_indices(token, checker->end);
    for (int i = 0; i < checker->arrays; i++) {
        const struct array *array = &checker->array[i];
        if (array->name.length == token->length &&
            !memcmp(array->name.text, token->text, token->length))
            return indices == array->indices ||
                   refuse(checker, token, "an array is used with all its indices here");
    }
    if (!indices)
        return true;
    if (checker->arrays == MOST_ARRAYS)
        return refuse(checker, token, "too many arrays");
    checker->array[checker->arrays++] = (struct array){*token, indices};
    return true;
}

/* Outside of functions, a program's part has functions, constants and shared memory. */
static bool take_outside(struct checker *checker, const struct token *token)
{
    bool ends = is(token, ";");
    if (checker->depth || checker->names->inside || !checker->names->program)
        return true;
    if (!ends &&
        (checker->last.kind == SPACE || is(&checker->last, ";") || is(&checker->last, "}")))
        checker->start = *token;
    return !ends || is(&checker->start, "const") || is(&checker->start, "__shared__") ||
           refuse(checker, &checker->start,
                  "declare variables in functions: outside, all blocks would share them");
}

static bool take_name(struct checker *checker, const struct token *token)
{
    bool stage = is(&checker->last, "(") && is(&checker->before, "STAGE");
    if (token->length > MOST_NAME)
        return refuse(checker, token, "a name is at most 48 letters long");
    if (is_one_of(token, refused))
        return refuse(checker, token, "is not in the language of exercises");
    if (is(token, "STAGE") && !checker->names->stages)
        return refuse(checker, token,
                      "the exercise says which stage it is, because the goals are "
                      "counted by stages");
    if (is(&checker->last, ")") && is_type(token))
        return refuse(checker, token, "a type cannot follow a parenthesis here");
    if (is(&checker->last, "struct") && !is_name_of(checker->names, token))
        return refuse(checker, token, "only the exercise's own structs, please");
    if (checker->names->program && (is(token, "static") || is(token, "struct")))
        return refuse(checker, token, "is not in the language of exercises");
    if (checker->names->program && !take_array(checker, token))
        return false;
    if (*token->text == '_' && !is_word(token, checker->names))
        return refuse(checker, token, "a name begins with a letter");
    if (!stage && !is_one_of(token, types) && !is_word(token, checker->names) &&
        !is_name_of(checker->names, token))
        put(checker, PART_PREFIX, strlen(PART_PREFIX));
    put(checker, token->text, token->length);
    return true;
}

static bool take_bracket(struct checker *checker, const struct token *token)
{
    static const char opening[] = "({[", closing[] = ")}]";
    const char *close = strchr(closing, *token->text);
    if (!close) {
        if (checker->depth == MOST_DEPTH)
            return refuse(checker, token, "brackets are nested too deep");
        checker->open[checker->depth++] = *token->text;
        return true;
    }
    if (!checker->depth || checker->open[checker->depth - 1] != opening[close - closing])
        return refuse(checker, token, "closes nothing in your part");
    checker->depth--;
    return true;
}

static bool take_sign(struct checker *checker, const struct token *token)
{
    static const char *const spellings[] = {"<:", ":>", "<%", "%>", "%:", "??", NULL};
    const struct token *last = &checker->last, *before = &checker->before;
    if (is_one_of(token, spellings))
        return refuse(checker, token, "no other spellings of brackets and #");
    if (is(token, "->") || is(token, "..."))
        return refuse(checker, token, "is not in the language of exercises");
    if ((is(token, "*") || is(token, "&")) &&
        (!ends_value(last, checker->names) || is(before, "struct")))
        return refuse(checker, token, "there are no pointers here, only numbers and arrays");
    if (is(last, "*") &&
        (is(token, ")") || is(token, ",") || is(token, ";") || is(token, "=") || is(token, "]")))
        return refuse(checker, last, "there are no pointers here, only numbers and arrays");
    if (is(last, "struct"))
        return refuse(checker, token, "only the exercise's own structs, please");
    if (is(token, "[") && checker->names->program && last->kind != NAME && !is(last, "]"))
        return refuse(checker, token, "an index follows the name of an array");
    if (is(token, "[")) {
        bool parameter = checker->depth && checker->open[checker->depth - 1] == '(' &&
                         last->kind == NAME && before->kind == NAME;
        if (parameter)
            return refuse(checker, token, "arrays cannot be handed to functions here");
    }
    if (is(token, "]") && is(last, "["))
        return refuse(checker, token, "an array needs a length");
    if (strchr("(){}[]", *token->text) && !take_bracket(checker, token))
        return false;
    put(checker, token->text, token->length);
    return true;
}

static const char *why_not(const struct token *token)
{
    unsigned char c = (unsigned char)*token->text;
    return c == '/'                ? "the comment does not end in your part"
           : c == '#'              ? "no # in your part, please"
           : c == '"' || c == '\'' ? "no quotes in your part, please"
           : c >= 0x80             ? "only letters without accents, except in comments"
                                   : "is not in the language of exercises";
}

char *part_source(const char *file, const struct part *part, const struct part_names *names,
                  struct error *error)
{
    struct checker checker = {.file = file,
                              .line = part->line,
                              .names = names,
                              .before = {SPACE, "", 0},
                              .last = {SPACE, "", 0},
                              .start = {SPACE, "", 0},
                              .end = part->text + part->length,
                              .error = error};
    const char *at = part->text, *end = checker.end;
    bool good = true;
    put(&checker, "", 0);
    for (struct token token; good && (token = token_at(at, end)).kind != END;) {
        if (token.kind != SPACE && token.kind != COMMENT && !take_outside(&checker, &token))
            break;
        switch (token.kind) {
        case SPACE:
            put(&checker, token.text, token.length);
            break;
        case COMMENT:
            put_blanks(&checker, &token);
            break;
        case NAME:
            good = take_name(&checker, &token);
            break;
        case NUMBER:
            put(&checker, token.text, token.length);
            break;
        case SIGN:
            good = take_sign(&checker, &token);
            break;
        default:
            good = refuse(&checker, &token, why_not(&token));
        }
        if (token.kind != SPACE && token.kind != COMMENT) {
            checker.before = checker.last;
            checker.last = token;
        }
        for (size_t i = 0; i < token.length; i++)
            checker.line += token.text[i] == '\n';
        at = token.text + token.length;
    }
    if (good && checker.depth)
        good = error_set(error, "%s:%d: a '%c' of your part is not closed", file, checker.line,
                         checker.open[checker.depth - 1]);
    if (good && !error->text[0])
        return checker.text;
    free(checker.text);
    return NULL;
}

/* ---- likeness -------------------------------------------------------------------------------- */

enum { GRAM = 6 }; /* tokens */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void part_prints_of(const struct part *part, const struct part_names *names,
                    struct part_prints *prints)
{
    const char *at = part->text, *end = at + part->length;
    uint64_t last[GRAM] = {0};
    size_t room = 0, seen = 0, kept = 0;
    struct error error = {{0}};
    *prints = (struct part_prints){.count = 0};
    for (struct token token; (token = token_at(at, end)).kind != END;) {
        at = token.text + token.length;
        if (token.kind == SPACE || token.kind == COMMENT)
            continue;
        bool own = token.kind == NAME && !is_one_of(&token, types) && !is_word(&token, names) &&
                   !is_name_of(names, &token);
        uint64_t hash = 14695981039346656037u, gram = 0;
        for (size_t i = 0; !own && i < token.length; i++)
            hash = (hash ^ (unsigned char)token.text[i]) * 1099511628211u;
        memmove(last, last + 1, sizeof last - sizeof *last);
        last[GRAM - 1] = hash;
        if (++seen < GRAM)
            continue;
        for (int i = 0; i < GRAM; i++)
            gram = (gram ^ last[i]) * 1099511628211u + 1;
        if (!memory_grow(&prints->print, &room, prints->count + 1, sizeof gram, "tokens", &error))
            memory_exhausted();
        prints->print[prints->count++] = gram;
    }
    if (prints->count)
        qsort(prints->print, prints->count, sizeof *prints->print, by_number);
    for (size_t i = 0; i < prints->count; i++)
        if (!kept || prints->print[i] != prints->print[kept - 1])
            prints->print[kept++] = prints->print[i];
    prints->count = kept;
}

/* Drops from the prints those that are among others; returns how many were. */
static size_t without(struct part_prints *prints, const struct part_prints *others, bool drop)
{
    size_t kept = 0, common = 0, k = 0;
    for (size_t i = 0; i < prints->count; i++) {
        while (k < others->count && others->print[k] < prints->print[i])
            k++;
        bool both = k < others->count && others->print[k] == prints->print[i];
        common += both;
        if (drop && !both)
            prints->print[kept++] = prints->print[i];
    }
    if (drop)
        prints->count = kept;
    return common;
}

void part_prints_drop(struct part_prints *prints, const struct part_prints *given)
{
    without(prints, given, true);
}

int part_likeness(struct part_prints *a, const struct part_prints *b)
{
    enum { TOO_FEW = 30 };
    if (a->count < TOO_FEW || b->count < TOO_FEW)
        return -1;
    size_t common = without(a, b, false);
    return (int)(100 * common / (a->count + b->count - common));
}

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
    for (struct token token = token_at(part.text, to); token.kind != END;
         token = token_at(token.text + token.length, to)) {
        if (token.kind == SPACE || token.kind == COMMENT) {
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
    bool directive = false, list = false; /* within # ..., within STAGES(...) */
    size_t room = (size_t)names->count;
    int depth = 0;
    struct error error = {{0}};
    for (struct token token; (token = token_at(at, end)).kind != END;) {
        at = token.text + token.length;
        if (token.kind == SPACE && memchr(token.text, '\n', token.length))
            directive = false;
        directive |= *token.text == '#';
        list = (list && !is(&token, ")")) || is(&token, "STAGES");
        if (token.kind == SIGN && strchr("([{", *token.text))
            depth++;
        if (token.kind == SIGN && strchr(")]}", *token.text))
            depth--;
        if (token.kind != NAME || directive || list || is_one_of(&token, reserved) ||
            is_name_of(names, &token) || *token.text == '_' || (outside && depth))
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
    for (struct token token; (token = token_at(at, end)).kind != END && !says;) {
        says = is(&token, "STAGE");
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
