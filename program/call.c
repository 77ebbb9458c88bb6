/* call.c - launches of kernels in a source: what is missing is proposed, and the source's compiler is shown them,
 * so that it makes the code that they want (templates) and says what only it knows (N / TILE). What it makes of
 * the launches themselves never runs. */
#include "base/text.h"
#include "program/program.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* What a proposal has: as many threads as elements, and rows and columns that make as many. */
enum { THREADS = 256, BLOCKS = 64, ELEMENTS = THREADS * BLOCKS, SIDE = 128 };

/* A piece of a text. */
struct piece {
    const char *at;
    int length;
};

static struct piece trimmed(const char *from, const char *to)
{
    while (from < to && isspace((unsigned char)*from))
        from++;
    while (from < to && isspace((unsigned char)to[-1]))
        to--;
    return (struct piece){from, (int)(to - from)};
}

static bool same(struct piece a, struct piece b)
{
    return a.length == b.length && !memcmp(a.at, b.at, (size_t)a.length);
}

/* The identifier that the piece ends with; empty: none. */
static struct piece last_word(struct piece piece)
{
    const char *end = piece.at + piece.length, *from = end;
    while (from > piece.at && text_is_identifier(from[-1]))
        from--;
    while (from < end && isdigit((unsigned char)*from))
        from++;
    return (struct piece){from, (int)(end - from)};
}

static bool is_identifier(struct piece piece)
{
    return piece.length && last_word(piece).length == piece.length;
}

static bool has_word(struct piece piece, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = piece.at; at + n <= piece.at + piece.length; at++)
        if (!strncmp(at, word, n) && (at == piece.at || !text_is_identifier(at[-1])) &&
            (at + n == piece.at + piece.length || !text_is_identifier(at[n])))
            return true;
    return false;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

bool call_check_array(const char *text, struct error *error)
{
    struct given_array array;
    return given_array_split(text, &array, error);
}

/* As an array of the type that the source gives it: the compiler checks the call with it. */
static void put_array(FILE *to, const struct given_array *array)
{
    struct given_text rest = array->dims, count;
    given_dimension(&rest, &count);
    fprintf(to, "    auto *%s = ::bankscope_call::array<%.*s %.*s>();\n", array->name,
            array->type_text.length, array->type_text.at, rest.length, rest.at);
}

/* ---- kernels --------------------------------------------------------------------------------- */

struct kernel_line {
    struct piece name, arguments, parameter[32]; /* arguments: of a template */
    int parameters;
};

/* Reads a line of a kernel_list; returns the next one. */
static const char *read_kernel(const char *line, struct kernel_line *kernel)
{
    const char *end = strchr(line, '\n');
    const char *from = line;
    *kernel = (struct kernel_line){.parameters = -1};
    while (from <= end) {
        const char *tab = memchr(from, '\t', (size_t)(end - from));
        struct piece piece = trimmed(from, tab ? tab : end);
        if (kernel->parameters < 0) {
            int length = 0;
            while (length < piece.length && piece.at[length] != '<')
                length++;
            kernel->name = (struct piece){piece.at, length};
            kernel->arguments = (struct piece){piece.at + length, piece.length - length};
        } else if (kernel->parameters < 32)
            kernel->parameter[kernel->parameters] = piece;
        kernel->parameters += kernel->parameters < 32;
        if (!tab)
            break;
        from = tab + 1;
    }
    return end + 1;
}

/* A parameter's name, without a default value or dimensions; `type` is what stands before it. */
static struct piece parameter_name(struct piece parameter, struct piece *type)
{
    const char *stop = parameter.at;
    while (stop < parameter.at + parameter.length && *stop != '=' && *stop != '[')
        stop++;
    struct piece declared = trimmed(parameter.at, stop), name = last_word(declared);
    *type = trimmed(parameter.at, name.at);
    return name;
}

static bool is_array(struct piece parameter)
{
    return memchr(parameter.at, '*', (size_t)parameter.length) ||
           memchr(parameter.at, '[', (size_t)parameter.length);
}

/* The elements' type: "const float *__restrict__" is of float, a template's of float, too. */
static void element_type(struct piece type, char *text, size_t room)
{
    static const char *const known[] = {
        "unsigned", "long",   "short",   "char",  "int",     "double",   "half",     "__half",
        "float2",   "float4", "double2", "int2",  "int4",    "uchar4",   "int8_t",   "uint8_t",
        "int32_t",  "size_t", "int64_t", "uint2", "int16_t", "uint16_t", "uint32_t", "uint64_t"};
    size_t used = 0;
    *text = '\0';
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (has_word(type, known[i]) && used + 24 < room)
            used += (size_t)snprintf(text + used, room - used, "%s%s", used ? " " : "", known[i]);
    if (!used)
        snprintf(text, room, "float");
}

/* "--array 'float in[16384] = random'" */
static void propose_array(struct piece name, struct piece type, char *text, size_t room)
{
    char element[80];
    element_type(type, element, sizeof element);
    snprintf(text, room, "--array '%s %.*s[%d]%s'", element, name.length, name.at, ELEMENTS,
             has_word(type, "const") ? " = random" : "");
}

/* A number for a parameter that is none of an array. */
static const char *propose_number(const struct kernel_line *kernel, struct piece type)
{
    int whole = 0;
    for (int i = 0; i < kernel->parameters; i++)
        whole += !is_array(kernel->parameter[i]);
    return has_word(type, "float")    ? "1.0f"
           : has_word(type, "double") ? "1.0"
           : whole > 1                ? "128"
                                      : "16384";
}

void call_propose(const struct source_seen *seen, char *text, size_t room)
{
    const char *kernels = seen->kernel_list;
    struct kernel_line kernel;
    struct piece type;
    *text = '\0';
    if (!kernels || !*kernels)
        return;
    read_kernel(kernels, &kernel);
    size_t used =
        (size_t)snprintf(text, room, "--call '%.*s%.*s<<<%d, %d%s>>>(", kernel.name.length,
                         kernel.name.at, kernel.arguments.length, kernel.arguments.at, BLOCKS,
                         seen->threads ? seen->threads : THREADS, seen->dynamic ? ", 4096" : "");
    for (int i = 0; i < kernel.parameters && used < room; i++) {
        struct piece name = parameter_name(kernel.parameter[i], &type);
        bool array = is_array(kernel.parameter[i]);
        used += (size_t)(array ? snprintf(text + used, room - used, "%s%.*s", i ? ", " : "",
                                          name.length, name.at)
                               : snprintf(text + used, room - used, "%s%s", i ? ", " : "",
                                          propose_number(&kernel, type)));
    }
    if (used < room)
        used += (size_t)snprintf(text + used, room - used, ")'");
    for (int i = 0; i < kernel.parameters && used + 1 < room; i++)
        if (is_array(kernel.parameter[i])) {
            struct piece name = parameter_name(kernel.parameter[i], &type);
            text[used++] = ' ';
            propose_array(name, type, text + used, room - used);
            used += strlen(text + used);
        }
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* The next argument behind `from`, whose end is *stop; false: there is none. */
static bool next_argument(const char *from, const char *end, struct piece *argument,
                          const char **stop)
{
    int depth = 0;
    const char *at = from;
    for (; at < end && !(depth == 0 && *at == ','); at++)
        depth += (strchr("([{", *at) != NULL) - (strchr(")]}", *at) != NULL);
    *argument = trimmed(from, at);
    *stop = at < end ? at + 1 : end;
    return argument->length > 0;
}

static bool is_declared(const struct program_calls *calls, struct piece name)
{
    struct error none = {{0}};
    for (int i = 0; i < calls->arrays; i++) {
        struct given_array array;
        if (given_array_split(calls->array[i], &array, &none) &&
            same((struct piece){array.name, (int)strlen(array.name)}, name))
            return true;
    }
    return false;
}

/* Looks for arrays that the call names and that nobody describes. */
static bool check_call(const struct program_calls *calls, const char *call, const char *kernels,
                       struct error *error)
{
    const char *open = strstr(call, "<<<"), *close = open ? strstr(open, ">>>") : NULL;
    const char *from = close ? strchr(close, '(') : NULL, *end = from ? strrchr(from, ')') : NULL;
    if (!end || open == call)
        return error_set(
            error, "--call is '%s'; it must be KERNEL<<<BLOCKS, THREADS>>>(ARGUMENT, ...)", call);
    const char *angle = memchr(call, '<', (size_t)(open - call));
    struct piece name = last_word(trimmed(call, angle ? angle : open));
    struct kernel_line kernel = {.parameters = -1};
    char known[300] = "", missing[600] = "";
    bool found = false;
    for (const char *line = kernels; line && *line && !found;) {
        line = read_kernel(line, &kernel);
        found = same(kernel.name, name);
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%.*s", used ? ", " : "", kernel.name.length,
                 kernel.name.at);
    }
    if (!found)
        return !*known || error_set(error, "--call: there is no kernel %.*s; there is %s",
                                    name.length, name.at, known);
    from++;
    struct piece argument, type;
    int count = 0;
    for (; next_argument(from, end, &argument, &from); count++) {
        if (count >= kernel.parameters || !is_identifier(argument) ||
            !is_array(kernel.parameter[count]) || is_declared(calls, argument))
            continue;
        parameter_name(kernel.parameter[count], &type);
        if (has_word(argument, "nullptr") || has_word(argument, "NULL"))
            continue;
        size_t used = strlen(missing);
        if (used + 2 < sizeof missing) {
            missing[used++] = ' ';
            propose_array(argument, type, missing + used, sizeof missing - used);
        }
    }
    return !*missing ||
           error_set(error, "--call: nothing says what is in its arrays; add%s", missing);
}

bool call_check(const struct program_calls *calls, const char *kernels, struct error *error)
{
    bool good = true;
    for (int i = 0; i < calls->calls && good; i++)
        good = check_call(calls, calls->call[i], kernels, error);
    return good;
}

/* What the calls name and only the source knows, as variables that the compiler gives their values. */
static void put_unknown(FILE *to, const struct given_names *names)
{
    for (int i = 0; i < names->rows; i++) {
        const struct given_known *known = &names->row[i];
        const int length = known->text.length;
        const char *at = known->text.at;
        fputs("#line 1 \"--call\"\n", to);
        if (known->is_type)
            fprintf(to,
                    "__device__ int " CALL_KIND "%d = ::bankscope_call::format<%.*s>::value;\n"
                    "__device__ long long " CALL_WHOLE "%d = sizeof(%.*s);\n",
                    i, length, at, i, length, at);
        else
            fprintf(to,
                    "__device__ int " CALL_KIND "%d = (sizeof(%.*s) == 8 ? 1 : 0) + "
                    "(decltype((%.*s) + 0)(1) / 2 != 0 ? 2 : 0);\n"
                    "__device__ long long " CALL_WHOLE "%d = (long long)(%.*s);\n"
                    "__device__ double " CALL_REAL "%d = (double)(%.*s);\n",
                    i, length, at, length, at, i, length, at, i, length, at);
    }
}

/* An argument as what has its type: an array's name as a null pointer of its type. */
static void put_typed(FILE *to, const struct program_calls *calls, struct piece argument)
{
    struct error none = {{0}};
    for (int i = 0; i < calls->arrays; i++) {
        struct given_array array;
        struct given_text rest, count;
        if (!given_array_split(calls->array[i], &array, &none) ||
            !same((struct piece){array.name, (int)strlen(array.name)}, argument))
            continue;
        rest = array.dims;
        given_dimension(&rest, &count);
        fprintf(to, rest.length ? "(%.*s (*)%.*s)0" : "(%.*s *%.*s)0", array.type_text.length,
                array.type_text.at, rest.length, rest.at);
        return;
    }
    fprintf(to, "%.*s", argument.length, argument.at);
}

void call_put_typed(const struct program_calls *calls, FILE *to)
{
    struct error none = {{0}};
    struct given_call call;
    fputs("void bankscope_typed()\n{\n", to);
    for (int i = 0; i < calls->calls; i++) {
        struct piece argument;
        if (!given_call_split(calls->call[i], &call, &none))
            continue;
        fprintf(to, "%.*s<<<1, 1>>>(", call.kernel.length, call.kernel.at);
        const char *from = call.arguments.at, *end = from + call.arguments.length;
        for (int k = 0; next_argument(from, end, &argument, &from); k++) {
            fputs(k ? ", " : "", to);
            put_typed(to, calls, argument);
        }
        fputs(");\n", to);
    }
    fputs("}\n", to);
}

void call_compose(const struct program_calls *calls, const struct given_names *names, FILE *to,
                  struct error *error)
{
    put_unknown(to, names);
    fputs("void bankscope_launches()\n{\n", to);
    for (int i = 0; i < calls->arrays; i++) {
        struct given_array array;
        if (!given_array_split(calls->array[i], &array, error))
            return;
        fputs("#line 1 \"--array\"\n", to);
        put_array(to, &array);
    }
    for (int i = 0; i < calls->calls; i++)
        fprintf(to, "#line 1 \"--call\"\n%s;\n", calls->call[i]);
    fputs("}\n", to);
}
