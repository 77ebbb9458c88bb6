/* given_bind.c - arguments that come as text, put where a kernel has its parameters. */
#include "machine/given.h"

#include "base/text.h"

#include <string.h>

/* One argument as it is bound. */
struct argument {
    const struct given_binding *with;
    int index;
    struct given_text text;
    const struct machine_parameter *parameter;
    struct error *error;
};

/* "argument 3 of k, 'int n'", "argument 3 of k, k_param_2 (u32)" */
static void describe(const struct argument *argument, char *text, size_t room)
{
    const struct given_binding *with = argument->with;
    const struct machine_parameter *p = argument->parameter;
    *text = '\0';
    text_add(text, room, "--call: argument %d of %.*s, ", argument->index + 1,
             GIVEN_TEXT(with->call->kernel));
    if (with->declared)
        text_add(text, room, "'%.80s'", with->declared[argument->index]);
    else if (!strcmp(p->type, "b8") && p->size > 1)
        text_add(text, room, "%.60s (%u bytes)", p->name, p->size);
    else
        text_add(text, room, "%.60s (%s)", p->name, p->type);
}

static bool refuse(const struct argument *argument, const char *what)
{
    char where[300];
    describe(argument, where, sizeof where);
    return error_set(argument->error, "%s, is '%.*s': it must be %s", where,
                     GIVEN_TEXT(argument->text), what);
}

/* The array that the text begins with, followed by nothing or + or -; *rest is what comes behind. */
static const struct given_array *array_in(const struct given_binding *with, struct given_text text,
                                          struct given_text *rest)
{
    int length = 0;
    while (length < text.length && given_is_name((struct given_text){text.at, length + 1}))
        length++;
    *rest = given_trim(text.at + length, text.at + text.length);
    for (int i = 0; i < with->arrays && length; i++)
        if (given_is((struct given_text){text.at, length}, with->array[i].name) &&
            (!rest->length || strchr("+-", *rest->at)))
            return &with->array[i];
    return NULL;
}

static bool address_of(const struct argument *argument, struct given_text text, uint64_t *address,
                       bool *found)
{
    struct given_text rest;
    struct given_number number = {.whole = 0};
    const struct given_array *array = array_in(argument->with, text, &rest);
    *found = array;
    if (!array)
        return true;
    if (rest.length && !given_number(argument->with->names, rest, &number, argument->error))
        return error_add(argument->error, " of elements behind %s in --call", array->name), false;
    if (number.real)
        return refuse(argument, "an array and a whole number of elements");
    *address = array->address + (uint64_t)number.whole * array->row * array->type.bytes;
    return true;
}

/* TYPE(numbers) or make_TYPE(numbers): bytes. *found: it is such. */
static bool typed_value(const struct argument *argument, struct given_text text, uint8_t *to,
                        uint32_t room, struct given_type *type, bool *found)
{
    struct given_names *names = argument->with->names;
    const char *open = text.at, *end = text.at + text.length, *at;
    while (open < end && *open != '(' && *open != '{')
        open++;
    struct given_text head = given_trim(text.at, open), piece;
    *found = false;
    if (open == end || !head.length)
        return true;
    if (head.length > 5 && !memcmp(head.at, "make_", 5))
        head = (struct given_text){head.at + 5, head.length - 5};
    if (given_is(head, "dim3"))
        *type = (struct given_type){GIVEN_UNSIGNED, 4, 3, 12};
    else if (given_is(head, "struct") || !given_type(names, head, type) ||
             type->format == GIVEN_BYTES)
        return true;
    if (end[-1] != (*open == '(' ? ')' : '}'))
        return true;
    *found = true;
    at = open + 1;
    if (type->bytes > room)
        return refuse(argument, "of as many bytes as the kernel takes");
    for (int i = 0; i < type->parts; i++) {
        struct given_number number;
        if (!given_next(&at, end - 1, &piece))
            return refuse(argument, "as many numbers as the type has");
        if (!given_number(names, piece, &number, argument->error))
            return error_add(argument->error, " in --call"), false;
        given_put(type, &number, to + (uint32_t)i * type->part);
    }
    return !given_next(&at, end - 1, &piece) || refuse(argument, "as many numbers as the type has");
}

/* A number without a type has that of C. */
static void put_plain(const struct given_number *number, uint8_t *to)
{
    const struct given_type type = {number->real ? number->bytes == 8 ? GIVEN_F64 : GIVEN_F32
                                                 : GIVEN_SIGNED,
                                    (uint32_t)number->bytes, 1, (uint32_t)number->bytes};
    given_put(&type, number, to);
}

/* {int(3), 2.5f, out}: members one behind another, each at a multiple of its size. */
static bool put_struct(const struct argument *argument, uint8_t *to)
{
    const uint32_t size = argument->parameter->size;
    const char *at = argument->text.at + 1, *end = argument->text.at + argument->text.length - 1;
    struct given_text member;
    uint32_t used = 0, largest = 1;
    while (given_next(&at, end, &member)) {
        uint8_t bytes[64] = {0};
        struct given_type type = {.bytes = 8};
        struct given_number number;
        uint64_t address;
        bool is_address, is_typed = false;
        uint32_t align = 8;
        if (!address_of(argument, member, &address, &is_address) ||
            (!is_address && !typed_value(argument, member, bytes, sizeof bytes, &type, &is_typed)))
            return false;
        if (is_address) {
            memcpy(bytes, &address, 8);
        } else if (is_typed) {
            align = type.parts == 2 || type.parts == 4 ? type.bytes : type.part;
        } else {
            if (!given_number(argument->with->names, member, &number, argument->error))
                return error_add(argument->error, " of a struct in --call"), false;
            put_plain(&number, bytes);
            type.bytes = align = given_is(member, "nullptr") ? 8 : (uint32_t)number.bytes;
        }
        largest = align > largest ? align : largest;
        used = (used + align - 1) / align * align;
        if (used + type.bytes > size)
            break;
        memcpy(to + used, bytes, type.bytes);
        used += type.bytes;
    }
    if (at < end || (used + largest - 1) / largest * largest != size)
        return refuse(argument, "a list whose members have as many bytes as the struct");
    return true;
}

/* The type of a parameter: as the source has it, else as PTX has. */
static struct given_type type_of(const struct argument *argument)
{
    const struct machine_parameter *p = argument->parameter;
    const char *declared =
        argument->with->declared ? argument->with->declared[argument->index] : NULL;
    struct given_type type = {GIVEN_UNSIGNED, p->size, 1, p->size};
    if (declared) {
        const struct given_text text = given_trim(declared, declared + strcspn(declared, "=["));
        const struct given_text name = given_last_name(text);
        struct given_type known;
        if (given_type(argument->with->names, given_trim(text.at, name.at), &known) &&
            known.bytes == p->size && known.parts == 1)
            return known;
    }
    if (*p->type == 'f')
        type.format = p->size == 8 ? GIVEN_F64 : p->size == 4 ? GIVEN_F32 : GIVEN_F16;
    else if (*p->type == 's')
        type.format = GIVEN_SIGNED;
    else if (!strcmp(p->type, "b8") && p->size == 2)
        type.format = GIVEN_F16; /* __half */
    else if (!strcmp(p->type, "b8") && p->size > 1)
        type.format = GIVEN_BYTES;
    return type;
}

static bool fits(const struct given_number *number, uint32_t bytes)
{
    const int bits = 8 * (int)bytes;
    return bits >= 64 ||
           (number->whole >= -(INT64_C(1) << (bits - 1)) && number->whole < INT64_C(1) << bits);
}

static bool put_number(const struct argument *argument, uint8_t *to)
{
    const struct machine_parameter *p = argument->parameter;
    struct given_type type = type_of(argument);
    struct given_number number;
    struct error why = {{0}};
    const bool bits = *p->type == 'b' && !argument->with->declared;
    if (type.format == GIVEN_BYTES)
        return refuse(argument, "its members in braces, each with its type: {int(3), 2.5f}");
    if (!given_number(argument->with->names, argument->text, &number, &why))
        return refuse(argument, type.format == GIVEN_UNSIGNED && p->size == 8
                                    ? "an array of --array, nullptr, or a whole number"
                                : type.format == GIVEN_SIGNED || type.format == GIVEN_UNSIGNED
                                    ? "a whole number"
                                    : "a number");
    const bool whole = type.format == GIVEN_SIGNED || type.format == GIVEN_UNSIGNED;
    if (whole && number.real && bits) /* its type is not told */
        type.format = p->size == 8 ? GIVEN_F64 : p->size == 4 ? GIVEN_F32 : GIVEN_F16;
    else if (whole && number.real)
        return refuse(argument, "a whole number");
    else if (whole && !fits(&number, p->size))
        return refuse(argument, "a number that its bits can hold");
    given_put(&type, &number, to);
    return true;
}

static bool bind_one(const struct argument *argument, uint8_t *parameters)
{
    const struct machine_parameter *p = argument->parameter;
    uint8_t *to = parameters + p->offset, bytes[64] = {0};
    const struct given_text text = argument->text;
    struct given_type type;
    uint64_t address;
    bool found;
    if (!text.length)
        return refuse(argument, "there");
    if (*text.at == '{' && text.at[text.length - 1] == '}')
        return put_struct(argument, to);
    if (!address_of(argument, text, &address, &found))
        return false;
    if (found && p->size != 8)
        return refuse(argument, "a number, which an array is not");
    if (found && *p->type == 'f')
        return refuse(argument, "a number, which an array is not");
    if (found) {
        memcpy(to, &address, 8);
        return true;
    }
    if (!typed_value(argument, text, bytes, sizeof bytes, &type, &found))
        return false;
    if (!found)
        return put_number(argument, to);
    if (type.bytes != p->size)
        return refuse(argument, "of as many bytes as the kernel takes");
    memcpy(to, bytes, p->size);
    return true;
}

/* "x (u64), y (u64), n (u32)" */
static void list_parameters(const struct given_binding *with, char *text, size_t room)
{
    const struct machine_kernel_facts *facts = with->facts;
    for (int i = 0; i < facts->parameters; i++) {
        const struct machine_parameter *p = &facts->parameter[i];
        if (with->declared)
            text_add(text, room, "%s%s", i ? ", " : "", with->declared[i]);
        else if (!strcmp(p->type, "b8") && p->size > 1)
            text_add(text, room, "%s%u bytes", i ? ", " : "", p->size);
        else
            text_add(text, room, "%s%s", i ? ", " : "", p->type);
    }
}

/* Pointers at the end that only Triton's own launches give: to memory that it lends its kernels. */
static bool may_lack(const struct given_binding *with, int from)
{
    const struct machine_kernel_facts *facts = with->facts;
    if (with->declared || !facts->required[0] || facts->parameters - from > 2 || !from)
        return false;
    for (int i = from; i < facts->parameters; i++)
        if (facts->parameter[i].size != 8 || *facts->parameter[i].type == 'f')
            return false;
    return true;
}

bool given_bind(const struct given_binding *with, uint8_t *parameters, struct error *error)
{
    const struct machine_kernel_facts *facts = with->facts;
    const char *at = with->call->arguments.at, *end = at + with->call->arguments.length;
    struct given_text piece;
    int count = 0;
    memset(parameters, 0, facts->parameter_bytes);
    for (const char *from = at; given_next(&from, end, &piece);)
        count++;
    if (count != facts->parameters && !(count < facts->parameters && may_lack(with, count))) {
        char list[300] = "";
        list_parameters(with, list, sizeof list);
        return error_set(error, "--call: %.*s takes %d argument%s%s%s%s, not %d",
                         GIVEN_TEXT(with->call->kernel), facts->parameters,
                         facts->parameters == 1 ? "" : "s", *list ? " (" : "", list,
                         *list ? ")" : "", count);
    }
    for (int i = 0; given_next(&at, end, &piece); i++) {
        const struct argument argument = {with, i, piece, &facts->parameter[i], error};
        if (!bind_one(&argument, parameters))
            return false;
    }
    return true;
}

static void collect_one(const struct given_binding *with, struct given_text text)
{
    const char *end = text.at + text.length, *open = text.at;
    struct given_text rest;
    struct given_number number;
    struct given_type type;
    struct error none = {{0}};
    if (array_in(with, text, &rest)) {
        if (rest.length)
            given_number(with->names, rest, &number, &none);
        return;
    }
    while (open < end && *open != '(' && *open != '{')
        open++;
    const struct given_text head = given_trim(text.at, open);
    const bool made = head.length > 5 && !memcmp(head.at, "make_", 5);
    const bool list = open < end && *open == '{' && !head.length;
    if (open < end && (list || made || given_type(NULL, head, &type)))
        given_collect(with->names, given_trim(open + 1, end - 1), with->array, with->arrays);
    else
        given_number(with->names, text, &number, &none);
}

void given_collect(struct given_names *names, struct given_text arguments,
                   const struct given_array *array, int arrays)
{
    const struct given_binding with = {.array = array, .arrays = arrays, .names = names};
    const char *at = arguments.at, *end = at + arguments.length;
    struct given_text piece;
    while (given_next(&at, end, &piece))
        collect_one(&with, piece);
}
