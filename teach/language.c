/* language.c - the language of exercises: what a student's part may say.
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
#include "teach/tokens.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 64, MOST_NAME = 48 };

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

bool token_is_type(const struct token *token)
{
    return token->kind == TOKEN_NAME && (token_is_one_of(token, types) || token_is(token, "const"));
}

bool token_is_word(const struct token *token, const struct part_names *names)
{
    return token_is_one_of(token, words) ||
           token_is_one_of(token, names->program ? cuda_words : dialect_words);
}

enum { MOST_ARRAYS = 64 };

struct checker {
    const char *file;
    int line;
    const struct part_names *names;
    struct token earlier, before, last; /* the last three that are neither space nor comment */
    struct token start;                 /* of what stands outside of brackets */
    char open[MOST_DEPTH];              /* brackets */
    bool cast[MOST_DEPTH]; /* of each: it holds a type, so that no value ends with it, */
    bool after_cast;       /* and the last token closed one */
    int depth;
    bool initial;    /* behind the = of what stands outside of functions */
    int tokens;      /* of the statement so far, but for const */
    int questions;   /* ? of the statement whose : has not come */
    int element;     /* depth in a SHARED(...) or SHARED_PTR(...) of which the type is read, or 0 */
    int registers;   /* the same of REGISTERS(...), */
    bool comma;      /* behind its first comma comes the array's name */
    const char *end; /* of the part */
    struct array {
        struct token name;
        int indices;
    } array[MOST_ARRAYS];
    int arrays, outside; /* all, and those that are declared outside of functions */
    char *text;          /* what comes out */
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

static const char no_pointers[] = "there are no pointers here, only numbers and arrays";
static const char no_arrays[] = "arrays cannot be handed to functions here";

/* ---- where the checker is ---------------------------------------------------------------------- */

/* Outside of functions, where what they are called and what they get is declared. */
static bool declares(const struct checker *checker)
{
    return !checker->names->inside && !checker->initial && !checker->depth;
}

/* Among the parameters of a function. */
static bool in_parameters(const struct checker *checker)
{
    return !checker->names->inside && !checker->initial && checker->depth &&
           checker->open[0] == '(';
}

/* Whether a value can end with the token, so that what follows combines it with another. */
static bool ends_value(const struct token *token, const struct part_names *names)
{
    return token->kind == TOKEN_NUMBER || token_is(token, ")") || token_is(token, "]") ||
           (token->kind == TOKEN_NAME && !token_is_type(token) && !token_is_word(token, names)) ||
           (token->kind == TOKEN_NAME && strchr("xyzw", *token->text) && token->length == 1) ||
           token_is(token, "true") || token_is(token, "false");
}

/* ---- arrays ---------------------------------------------------------------------------------- */

/* How many [...] follow a name. */
static int count_indices(const struct token *name, const char *end)
{
    const char *at = name->text + name->length;
    for (int count = 0, depth = 0;;) {
        struct token token = token_next(at, end);
        depth += token_is(&token, "[") - token_is(&token, "]");
        if (token.kind == TOKEN_END || token.kind == TOKEN_OTHER || depth < 0 ||
            (!depth && !token_is(&token, "]")))
            return count;
        count += !depth;
        at = token.text + token.length;
    }
}

static bool add_array(struct checker *checker, const struct token *token, int indices)
{
    if (checker->arrays == MOST_ARRAYS)
        return refuse(checker, token, "too many arrays");
    checker->array[checker->arrays++] = (struct array){*token, indices};
    if (declares(checker))
        checker->outside = checker->arrays;
    return true;
}

/* An array without its indices is a pointer. The first place where its name stands declares it. */
static bool take_array(struct checker *checker, const struct token *token)
{
    int indices = count_indices(token, checker->end);
    bool measured = token_is(&checker->last, "sizeof") ||
                    (token_is(&checker->last, "(") && token_is(&checker->before, "sizeof"));
    for (int i = 0; i < checker->arrays; i++) {
        const struct array *array = &checker->array[i];
        if (array->name.length == token->length &&
            !memcmp(array->name.text, token->text, token->length))
            return indices == array->indices || measured ||
                   refuse(checker, token, "an array is used with all its indices here");
    }
    return !indices || add_array(checker, token, indices);
}

/* REGISTERS(type, name, count), where the name is that of an array, too. */
static bool take_registers(struct checker *checker, const struct token *token)
{
    if (token_is(token, "REGISTERS")) {
        if (in_parameters(checker))
            return refuse(checker, token, no_arrays);
        checker->registers = checker->depth + 1;
        checker->comma = false;
    } else if (checker->registers && checker->depth == checker->registers) {
        if (checker->comma && token->kind == TOKEN_NAME) {
            checker->registers = 0;
            return add_array(checker, token, 1);
        }
        checker->comma |= token_is(token, ",");
    }
    return true;
}

/* The elements of shared arrays: what a pointer could not reach but by LOAD and STORE. */
static bool take_element(struct checker *checker, const struct token *token)
{
    if (token_is(token, "SHARED") || token_is(token, "SHARED_PTR")) {
        checker->element = checker->depth + 1;
        return true;
    }
    if (!checker->element || (checker->depth < checker->element && token_is(token, "(")))
        return true;
    if (token_is(token, ",") || token_is(token, ")")) {
        checker->element = 0;
        return true;
    }
    return (token_is_type(token) && !token_is(token, "bool") && !token_is(token, "void")) ||
           refuse(checker, token, "the elements of shared arrays are numbers");
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Outside of functions, a program's part has functions, constants and shared memory. */
static bool take_outside(struct checker *checker, const struct token *token)
{
    bool ends = token_is(token, ";");
    if (checker->depth || checker->names->inside || !checker->names->program)
        return true;
    if (!ends && (checker->last.kind == TOKEN_SPACE || token_is(&checker->last, ";") ||
                  token_is(&checker->last, "}")))
        checker->start = *token;
    return !ends || token_is(&checker->start, "const") || token_is(&checker->start, "__shared__") ||
           refuse(checker, &checker->start,
                  "declare variables in functions: outside, all blocks would share them");
}

static bool take_name(struct checker *checker, const struct token *token)
{
    bool stage = token_is(&checker->last, "(") && token_is(&checker->before, "STAGE");
    bool own = !token_is_type(token) && !token_is_word(token, checker->names);
    if (token->length > MOST_NAME)
        return refuse(checker, token, "a name is at most 48 letters long");
    if (token_is_one_of(token, refused))
        return refuse(checker, token, "is not in the language of exercises");
    if (token_is(token, "STAGE") && !checker->names->stages)
        return refuse(checker, token,
                      "the exercise says which stage it is, because the goals are "
                      "counted by stages");
    if (token_is(&checker->last, ")") && token_is_type(token))
        return refuse(checker, token, "a type cannot follow a parenthesis here");
    if (token_is(&checker->last, "*") && token_is_type(token))
        return refuse(checker, &checker->last, no_pointers);
    if (token_is(&checker->last, "struct") && !part_is_name(checker->names, token))
        return refuse(checker, token, "only the exercise's own structs, please");
    if (checker->names->program && (token_is(token, "static") || token_is(token, "struct")))
        return refuse(checker, token, "is not in the language of exercises");
    /* x, y, z and w are words behind a dot only. */
    bool variable = token->length == 1 && strchr("xyzw", *token->text);
    if ((own || (variable && !token_is(&checker->last, "."))) && !take_array(checker, token))
        return false;
    if (*token->text == '_' && own)
        return refuse(checker, token, "a name begins with a letter");
    if (!stage && own && !part_is_name(checker->names, token))
        put(checker, PART_PREFIX, strlen(PART_PREFIX));
    put(checker, token->text, token->length);
    return true;
}

/* ---- signs ----------------------------------------------------------------------------------- */

static bool take_bracket(struct checker *checker, const struct token *token)
{
    static const char opening[] = "({[", closing[] = ")}]";
    const char *close = strchr(closing, *token->text);
    if (!close) {
        if (checker->depth == MOST_DEPTH)
            return refuse(checker, token, "brackets are nested too deep");
        checker->cast[checker->depth] = false;
        checker->open[checker->depth++] = *token->text;
        return true;
    }
    if (!checker->depth || checker->open[checker->depth - 1] != opening[close - closing])
        return refuse(checker, token, "closes nothing in your part");
    checker->depth--;
    if (declares(checker) && *token->text == '}')
        checker->arrays = checker->outside; /* the others were of that function */
    return true;
}

/* A `*` or `&` must stand between two values, not in a declaration: a name before it could be a type. */
static bool take_star(struct checker *checker, const struct token *token)
{
    bool good = ends_value(&checker->last, checker->names) && !checker->after_cast &&
                !token_is(&checker->before, "struct") && !declares(checker) &&
                !in_parameters(checker) &&
                (checker->tokens != 1 || checker->last.kind != TOKEN_NAME);
    return good ||
           refuse(checker, token,
                  token_is(token, "&&") && checker->depth ? "an operand is missing before it"
                                                          : no_pointers);
}

/* What follows a name and a `*` or `&` where a pointer would be declared. */
static bool after_star(struct checker *checker, const struct token *token)
{
    static const char *const stars[] = {"*", "&", "&&", NULL};
    const struct token *last = &checker->last, *before = &checker->before;
    bool declared = last->kind == TOKEN_NAME && token_is_one_of(before, stars) &&
                    checker->earlier.kind == TOKEN_NAME &&
                    (token_is(token, "=") || token_is(token, "{"));
    bool cut = token_is_one_of(last, stars) &&
               (token_is(token, ")") || token_is(token, ",") || token_is(token, ";") ||
                token_is(token, "=") || token_is(token, "]"));
    return (!declared || refuse(checker, before, no_pointers)) &&
           (!cut || refuse(checker, last, no_pointers));
}

/* A `(`: of what is declared, and what would be a value. */
static bool take_parenthesis(struct checker *checker, const struct token *token)
{
    const struct token *last = &checker->last;
    bool shared = token_is(last, "SHARED_PTR");
    if (declares(checker) && (last->kind != TOKEN_NAME || token_is_type(last)))
        return refuse(checker, token, "a parenthesis follows a function's name here");
    if (in_parameters(checker) && !shared)
        return refuse(checker, token, "functions and arrays cannot be handed to functions here");
    if (last->kind == TOKEN_NAME && token_is_type(&checker->before) && !token_is_type(last) &&
        !token_is_word(last, checker->names) && !declares(checker))
        return refuse(checker, last, "declare functions outside of functions");
    return true;
}

static bool take_index(struct checker *checker, const struct token *token)
{
    const struct token *last = &checker->last;
    bool coordinate = last->length == 1 && strchr("xyzw", *last->text);
    bool name = last->kind == TOKEN_NAME && !token_is_type(last) &&
                (coordinate || !token_is_word(last, checker->names));
    if (in_parameters(checker))
        return refuse(checker, token, no_arrays);
    return name || token_is(last, "]") ||
           refuse(checker, token, "an index follows the name of an array");
}

static bool take_sign(struct checker *checker, const struct token *token)
{
    static const char *const spellings[] = {"<:", ":>", "<%", "%>", "%:", "??", NULL};
    const struct token *last = &checker->last;
    if (token_is_one_of(token, spellings))
        return refuse(checker, token, "no other spellings of brackets and #");
    if (token_is(token, "->") || token_is(token, "..."))
        return refuse(checker, token, "is not in the language of exercises");
    if ((token_is(token, "*") || token_is(token, "&") || token_is(token, "&&")) &&
        !take_star(checker, token))
        return false;
    if (!after_star(checker, token))
        return false;
    if (token_is(last, "struct"))
        return refuse(checker, token, "only the exercise's own structs, please");
    if ((token_is(token, "(") && !take_parenthesis(checker, token)) ||
        (token_is(token, "[") && !take_index(checker, token)))
        return false;
    if (token_is(token, "{") && token_is(last, "("))
        return refuse(checker, token, "a value is not a block here");
    if (token_is(token, "]") && token_is(last, "["))
        return refuse(checker, token, "an array needs a length");
    if (token_is(token, ")") && token_is(last, "(") && in_parameters(checker) &&
        !checker->names->program)
        put(checker, "void", 4); /* in C, a function would take anything */
    if (strchr("(){}[]", *token->text) && !take_bracket(checker, token))
        return false;
    put(checker, token->text, token->length);
    return true;
}

/* A parenthesis that begins with a type and does not belong to the name before it. */
static bool begins_cast(const struct checker *checker, const struct token *token)
{
    const struct token *before = &checker->before;
    bool call = before->kind == TOKEN_NAME && !token_is(before, "return") &&
                !token_is(before, "case") && !token_is(before, "else");
    return token_is(&checker->last, "(") && !call &&
           (token_is_type(token) || token_is(token, "struct") || token_is(token, "SHARED_PTR"));
}

/* Keeps track of statements: where one begins, a name may be a type. */
static void follow(struct checker *checker, const struct token *token)
{
    if (checker->depth && begins_cast(checker, token))
        checker->cast[checker->depth - 1] = true;
    checker->after_cast = token_is(token, ")") && checker->cast[checker->depth];
    bool label = token_is(token, ":") && !checker->questions;
    bool head = token_is(token, "(") && token_is(&checker->last, "for");
    checker->questions += token_is(token, "?") - (token_is(token, ":") && !label);
    checker->tokens += !token_is(token, "const");
    if (token_is(token, ";") || token_is(token, "{") || token_is(token, "}"))
        checker->questions = 0, label = true;
    if (label || head)
        checker->tokens = 0;
    if (!checker->depth && !checker->names->inside)
        checker->initial = (checker->initial || token_is(token, "=")) && !token_is(token, ";");
    checker->earlier = checker->before;
    checker->before = checker->last;
    checker->last = *token;
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
                              .earlier = {TOKEN_SPACE, "", 0},
                              .before = {TOKEN_SPACE, "", 0},
                              .last = {TOKEN_SPACE, "", 0},
                              .start = {TOKEN_SPACE, "", 0},
                              .end = part->text + part->length,
                              .error = error};
    const char *at = part->text, *end = checker.end;
    bool good = true;
    put(&checker, "", 0);
    for (struct token token; good && (token = token_at(at, end)).kind != TOKEN_END;) {
        bool counts = token.kind != TOKEN_SPACE && token.kind != TOKEN_COMMENT;
        if (counts && (!take_outside(&checker, &token) || !take_element(&checker, &token) ||
                       !take_registers(&checker, &token)))
            break;
        switch (token.kind) {
        case TOKEN_SPACE:
            put(&checker, token.text, token.length);
            break;
        case TOKEN_COMMENT:
            put_blanks(&checker, &token);
            break;
        case TOKEN_NAME:
            good = take_name(&checker, &token);
            break;
        case TOKEN_NUMBER:
            put(&checker, token.text, token.length);
            break;
        case TOKEN_SIGN:
            good = take_sign(&checker, &token);
            break;
        default:
            good = refuse(&checker, &token, why_not(&token));
        }
        if (counts)
            follow(&checker, &token);
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
