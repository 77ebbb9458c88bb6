/* parse.c - the text of an asm statement as instructions.
 *
 *     { .reg .pred p;  setp.ne.b32 p, %1, 0;  @p cp.async.cg.shared.global [%0], [%2], 16; }
 */
#include "hostcuda/ptx/ptx.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { NAMES = 64, NAME = 48 };

struct parser {
    struct ptx_code *code;
    const char *at;
    char *free_name; /* in code->names */
    const struct hostcuda_operand *operand;
    int operands;
    struct {
        char name[NAME];
        int number;
    } reg[NAMES], label[NAMES];
    int regs, labels, registers;
};

static void wrong(struct parser *p, const char *why, const char *what, size_t length)
{
    if (!p->code->wrong[0])
        snprintf(p->code->wrong, sizeof p->code->wrong, "%s '%.*s'", why,
                 (int)(length < 60 ? length : 60), what);
}

static void not_here(struct parser *p, const char *what, size_t length)
{
    if (!p->code->wrong[0])
        snprintf(p->code->wrong, sizeof p->code->wrong, "%.*s does not run on this machine",
                 (int)(length < 80 ? length : 80), what);
}

static bool good(const struct parser *p)
{
    return !p->code->wrong[0];
}

static void skip_space(struct parser *p)
{
    for (;;) {
        while (isspace((unsigned char)*p->at))
            p->at++;
        const char *end = !strncmp(p->at, "//", 2)   ? strchr(p->at, '\n')
                          : !strncmp(p->at, "/*", 2) ? strstr(p->at + 2, "*/")
                                                     : p->at;
        if (end == p->at)
            return;
        p->at = !end ? p->at + strlen(p->at) : *p->at == '/' && *end == '*' ? end + 2 : end;
    }
}

static bool take(struct parser *p, char c)
{
    skip_space(p);
    if (*p->at != c)
        return false;
    p->at++;
    return true;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* A name into `name`: p, tmp_1, or %p where the text has %%p. Empty: there is none. */
static void take_name(struct parser *p, char name[NAME])
{
    size_t n = 0;
    skip_space(p);
    if (*p->at == '%')
        name[n++] = '%';
    while (*p->at == '%')
        p->at++;
    while ((in_name(*p->at) || !strncmp(p->at, "%=", 2)) && n < NAME - 1) {
        if (*p->at == '%')
            p->at++;
        name[n++] = *p->at++;
    }
    name[n] = '\0';
}

/* ---- types ----------------------------------------------------------------------------------------- */

bool ptx_type_of(const char *word, struct ptx_type *type)
{
    static const struct {
        const char *name;
        struct ptx_type type;
    } special[] = {
        {"pred", {PTX_PREDICATE, 1, 1, false}}, {"f16x2", {PTX_FLOAT, 16, 2, false}},
        {"bf16", {PTX_BRAIN, 16, 1, false}},    {"bf16x2", {PTX_BRAIN, 16, 2, false}},
        {"tf32", {PTX_FLOAT, 32, 1, true}},
    };
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (!strcmp(word, special[i].name)) {
            *type = special[i].type;
            return true;
        }
    const char *kinds = "busf", *kind = strchr(kinds, word[0]);
    char *end;
    long bits = *word && kind ? strtol(word + 1, &end, 10) : 0;
    bool known = bits == 1 || bits == 4 || bits == 8 || bits == 16 || bits == 32 || bits == 64 ||
                 bits == 128;
    if (!known || *end || !isdigit((unsigned char)word[1]))
        return false;
    *type = (struct ptx_type){(int)(kind - kinds), (int)bits, 1, false};
    return true;
}

/* ---- operands -------------------------------------------------------------------------------------- */

static int find_register(const struct parser *p, const char *name)
{
    for (int i = p->regs - 1; i >= 0; i--)
        if (!strcmp(p->reg[i].name, name))
            return p->reg[i].number;
    return -1;
}

static void take_number(struct parser *p, struct ptx_operand *to)
{
    char *end;
    bool minus = *p->at == '-';
    const char *from = p->at + minus;
    to->kind = PTX_IMMEDIATE;
    if (from[0] == '0' && (from[1] == 'f' || from[1] == 'F' || from[1] == 'd' || from[1] == 'D')) {
        uint64_t bits = strtoull(from + 2, &end, 16);
        uint32_t word = (uint32_t)bits;
        float narrow;
        double value;
        memcpy(&narrow, &word, sizeof narrow);
        memcpy(&value, &bits, sizeof value);
        if ((from[1] | 32) == 'f')
            value = narrow;
        value = minus ? -value : value;
        memcpy(&to->value, &value, sizeof value);
        to->is_float = true;
    } else {
        to->value = strtoull(from, &end, 0);
        if (*end == '.' || ((*end | 32) == 'e' && from[1] != 'x')) {
            double value = strtod(from, &end);
            value = minus ? -value : value;
            memcpy(&to->value, &value, sizeof value);
            to->is_float = true;
        } else if (minus) {
            to->value = -to->value;
        }
        if (*end == 'U' || *end == 'u')
            end++;
    }
    p->at = end;
}

/* %0, %[name]: of the statement. */
static bool take_statement_operand(struct parser *p, struct ptx_operand *to)
{
    if (*p->at != '%' || (!isdigit((unsigned char)p->at[1]) && p->at[1] != '['))
        return false;
    to->kind = PTX_OPERAND;
    to->number = -1;
    const char *from = p->at + 1;
    char *end;
    if (*from == '[') {
        size_t n = strcspn(from + 1, "]");
        for (int i = 0; i < p->operands; i++)
            if (p->operand[i].name && strlen(p->operand[i].name) == n &&
                !strncmp(p->operand[i].name, from + 1, n))
                to->number = i;
        p->at = from + 1 + n + (from[1 + n] == ']');
    } else {
        to->number = (int)strtol(from, &end, 10);
        p->at = end;
    }
    if (to->number < 0 || to->number >= p->operands)
        wrong(p, "there is no operand", from - 1, (size_t)(p->at - from + 1));
    return true;
}

static void take_plain(struct parser *p, struct ptx_operand *to)
{
    static const char *const specials[] = {PTX_SPECIALS};
    skip_space(p);
    if (take_statement_operand(p, to))
        return;
    if (isdigit((unsigned char)*p->at) || *p->at == '-') {
        take_number(p, to);
        return;
    }
    char name[NAME + 4];
    const char *from = p->at;
    take_name(p, name);
    if (!strcmp(name, "_")) {
        to->kind = PTX_SINK;
        return;
    }
    to->kind = PTX_REGISTER;
    to->number = find_register(p, name);
    if (to->number >= 0)
        return;
    if (*name == '%') {
        size_t n = strlen(name);
        if (*p->at == '.' && p->at[1] >= 'x' && p->at[1] <= 'z' && !in_name(p->at[2])) {
            name[n++] = '.';
            name[n++] = p->at[1];
            name[n] = '\0';
            p->at += 2;
        }
        for (int i = 0; i < (int)(sizeof specials / sizeof *specials); i++)
            if (!strcmp(specials[i], name + 1)) {
                *to = (struct ptx_operand){.kind = PTX_SPECIAL, .number = i};
                return;
            }
    } else if (*name) { /* of a jump; resolve() says when there is none */
        *to = (struct ptx_operand){.kind = PTX_LABEL, .value = (uint64_t)(from - p->code->text)};
        return;
    }
    wrong(p, "there is no register", from, (size_t)(p->at - from) + (p->at == from));
}

static void add_operand(struct parser *p, struct ptx_instruction *to);

static void take_address(struct parser *p, struct ptx_operand *to)
{
    take_plain(p, to);
    to->address = true;
    skip_space(p);
    bool minus = *p->at == '-';
    if (take(p, '+') || minus) {
        struct ptx_operand offset = {.kind = PTX_IMMEDIATE};
        skip_space(p);
        if (isdigit((unsigned char)*p->at) || *p->at == '-')
            take_number(p, &offset);
        else if (take_statement_operand(p, &offset))
            to->offset_from = 1 + offset.number;
        else
            wrong(p, "an address cannot be", p->at, strcspn(p->at, "];"));
        to->offset = (int64_t)offset.value;
    }
    if (!take(p, ']'))
        wrong(p, "an address cannot be", p->at, strcspn(p->at, "];"));
}

/* An operand, the elements of a vector one by one. */
static void add_operand(struct parser *p, struct ptx_instruction *to)
{
    if (take(p, '{')) {
        do
            add_operand(p, to);
        while (good(p) && take(p, ','));
        if (good(p) && !take(p, '}'))
            wrong(p, "a vector is not closed:", p->at, strcspn(p->at, ";"));
        return;
    }
    if (to->operands == PTX_OPERANDS) {
        wrong(p, "too many operands:", p->at, strcspn(p->at, ";"));
        return;
    }
    struct ptx_operand *operand = &to->operand[to->operands++];
    operand->not = take(p, '!');
    bool not = operand->not ;
    if (take(p, '['))
        take_address(p, operand);
    else
        take_plain(p, operand);
    operand->not = not ;
    if (good(p) && take(p, '|')) {
        to->second = to->operands;
        add_operand(p, to);
    }
}

/* ---- statements ------------------------------------------------------------------------------------ */

/* .reg .b32 a, b<4>; */
static void take_directive(struct parser *p)
{
    const char *from = p->at;
    if (strncmp(p->at, ".reg", 4)) {
        size_t n = strcspn(from, " \t\n;");
        if (strncmp(from, ".pragma", 7) && strncmp(from, ".loc", 4))
            not_here(p, from, n);
        p->at += strcspn(p->at, ";");
        return;
    }
    p->at += 4;
    skip_space(p);
    while (*p->at == '.') { /* .v2 .b32 */
        while (*p->at == '.' || in_name(*p->at))
            p->at++;
        skip_space(p);
    }
    do {
        char name[NAME];
        take_name(p, name);
        long count = -1;
        if (take(p, '<')) {
            char *end;
            count = strtol(p->at, &end, 10);
            p->at = end;
            take(p, '>');
        }
        for (long i = 0; i < (count < 0 ? 1 : count); i++) {
            if (!*name || p->regs == NAMES || p->registers == PTX_REGISTERS) {
                wrong(p, *name ? "too many registers:" : "a declaration cannot be", from,
                      strcspn(from, ";"));
                return;
            }
            int written = snprintf(p->reg[p->regs].name, NAME, count < 0 ? "%s" : "%s%ld", name, i);
            if (written >= NAME)
                wrong(p, "too long a name:", name, strlen(name));
            p->reg[p->regs++].number = p->registers++;
        }
    } while (take(p, ','));
}

/* The words of an opcode, their types, and the function. */
static void take_opcode(struct parser *p, struct ptx_instruction *to)
{
    const char *from = p->at;
    size_t n = 0;
    while (in_name(from[n]) || from[n] == '.' || from[n] == ':')
        n++;
    memcpy(p->free_name, from, n);
    p->free_name[n] = '\0';
    p->at += n;
    if (!n) {
        wrong(p, "it cannot be read from", from, strcspn(from, "\n;"));
        return;
    }
    for (char *word = p->free_name; word; to->words++) {
        if (to->words == PTX_WORDS) {
            not_here(p, from, n);
            return;
        }
        to->word[to->words] = word;
        word = strchr(word, '.');
        if (word)
            *word++ = '\0';
    }
    p->free_name += n + 1;
    to->vector = ptx_has(to, "v2") ? 2 : ptx_has(to, "v4") ? 4 : ptx_has(to, "v8") ? 8 : 1;
    for (int i = to->words - 1; i > 0; i--) {
        struct ptx_type type;
        if (!ptx_type_of(to->word[i], &type))
            continue;
        if (to->types++ == 0)
            to->type = to->to = type;
        else if (to->types == 2)
            to->to = type;
    }
    const struct ptx_entry *const tables[] = {ptx_arithmetic, ptx_memory, ptx_warp};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (const struct ptx_entry *entry = tables[i]; entry->name; entry++)
            if (!strcmp(entry->name, to->word[0])) {
                to->function = entry->function;
                to->detail = entry->detail;
                if (!strcmp(entry->name, "mma"))
                    ptx_read_shape(to);
                return;
            }
    not_here(p, from, n);
}

static struct ptx_instruction *new_instruction(struct parser *p)
{
    struct ptx_instruction *to = &p->code->instruction[p->code->instructions++];
    *to = (struct ptx_instruction){.second = -1, .vector = 1};
    return to;
}

/* NAME: of a label, which takes it. */
static bool take_label(struct parser *p)
{
    const char *from = p->at;
    char name[NAME];
    if (!in_name(*from) && *from != '$' && *from != '%')
        return false;
    take_name(p, name);
    skip_space(p);
    if (*p->at != ':' || p->at[1] == ':') {
        p->at = from;
        return false;
    }
    p->at++;
    if (p->labels == NAMES) {
        wrong(p, "too many labels:", name, strlen(name));
        return true;
    }
    strcpy(p->label[p->labels].name, name);
    p->label[p->labels++].number = p->code->instructions;
    return true;
}

static void take_statement(struct parser *p)
{
    if (*p->at == '.') {
        take_directive(p);
        return;
    }
    if (take_label(p))
        return;
    struct ptx_instruction *to = new_instruction(p);
    if (take(p, '@')) {
        to->guarded = true;
        bool not = take(p, '!');
        take_plain(p, &to->guard);
        to->guard.not = not ;
        skip_space(p);
    }
    take_opcode(p, to);
    skip_space(p);
    if (!good(p) || !*p->at || *p->at == ';')
        return;
    add_operand(p, to);
    to->lead = to->second < 0 ? to->operands : 1;
    while (good(p) && take(p, ','))
        add_operand(p, to);
    skip_space(p);
    if (good(p) && *p->at && *p->at != ';' && *p->at != '}')
        wrong(p, "it cannot be read from", p->at, strcspn(p->at, "\n;"));
}

/* Makes places in the text numbers of instructions. */
static void resolve(struct parser *p)
{
    struct ptx_code *code = p->code;
    for (int i = 0; i < code->instructions; i++)
        for (int k = 0; k < code->instruction[i].operands; k++) {
            struct ptx_operand *operand = &code->instruction[i].operand[k];
            if (operand->kind != PTX_LABEL)
                continue;
            char name[NAME];
            p->at = code->text + operand->value;
            take_name(p, name);
            operand->number = -1;
            for (int l = 0; l < p->labels; l++)
                if (!strcmp(p->label[l].name, name))
                    operand->number = p->label[l].number;
            if (operand->number < 0)
                wrong(p, "there is neither a register nor a label", name, strlen(name));
        }
}

bool ptx_has(const struct ptx_instruction *instruction, const char *word)
{
    for (int i = 1; i < instruction->words; i++)
        if (!strcmp(instruction->word[i], word))
            return true;
    return false;
}

/* Memory for a text's code, which stays; not malloc, which in a kernel is the kernel's. */
static struct ptx_code *new_code(const char *text)
{
    size_t most = 1, length = strlen(text);
    for (const char *at = text; *at; at++)
        most += *at == ';' || *at == '{' || *at == '}'; /* each ends a statement */
    struct ptx_code *code =
        mmap(NULL, sizeof *code + most * sizeof *code->instruction + 2 * length + 2,
             PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (code == MAP_FAILED)
        return NULL;
    code->text = text;
    code->instruction = (struct ptx_instruction *)(void *)(code + 1);
    code->names = (char *)(code->instruction + most);
    return code;
}

struct ptx_code *ptx_parse(const char *text, int operands, const struct hostcuda_operand *operand)
{
    struct parser parser = {.at = text, .operand = operand, .operands = operands};
    struct ptx_code *code = parser.code = new_code(text);
    if (!code)
        return NULL;
    parser.free_name = code->names;
    for (;;) {
        skip_space(&parser);
        if (!*parser.at || !good(&parser))
            break;
        if (strchr("{};", *parser.at))
            parser.at++;
        else
            take_statement(&parser);
    }
    if (good(&parser))
        resolve(&parser);
    return code;
}
