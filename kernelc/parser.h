/* parser.h - from tokens to typed trees: what the files of the parser share, each with the functions that others call. */
#ifndef BANKSCOPE_KERNELC_PARSER_H
#define BANKSCOPE_KERNELC_PARSER_H

#include "kernelc/tree.h"

struct parser {
    int at;
    struct scope *scope, *global;
    struct function *function;
    struct type *basic[TYPE_BASIC], *null, *automatic, *decltype_auto, *list, *overload, *dependent;
    struct word *word_this;
    bool in_pattern; /* parameters of templates stand for themselves */
    bool no_greater; /* `>` ends an expression: within template arguments */
    bool panic;      /* a syntax error was told: be quiet until the statement ends */
    bool unevaluated;
    int instance_depth;
    struct place instance_place[KC_INSTANCE_DEPTH + 1];
    struct function *functions, *last_function; /* whose bodies were read or are to be read */
    struct variable *variables, *last_variable; /* of the module, and static ones */
    struct type *parameter_type[64];
    int lambdas, temporaries;
    struct node *loop;
    struct node *switch_node;
    struct node *jumps; /* labels and gotos of the function, by third */
    struct word *operator_word[512];
    struct word *call_word, *index_word;
    struct argument *autos; /* what `auto` means in the parameters of a lambda, in order */
    int auto_at;            /* -1: nothing */
    bool auto_pattern;
    int similar;               /* names that were looked for: no more than messages that are told */
    struct place syntax;       /* of the last mistake that was told by kc_syntax or kc_expect */
    bool may_point;            /* while the value that a variable begins with is evaluated: */
    struct pointing *pointing; /* the addresses in it */
    struct frame *frame;       /* of constexpr functions that are evaluated */
};

/* keywords.c */
enum keyword {
    KEY_NONE,
#define KEYWORD(name, text) KEY_##name,
#include "kernelc/keywords.def"
};
void kc_keywords(struct kc *c);

/* types.c */
void kc_types_begin(struct kc *c);
struct type *kc_pointer(struct kc *c, struct type *base);
struct type *kc_reference(struct kc *c, struct type *base);
struct type *kc_rvalue(struct kc *c, struct type *base);
struct type *kc_array(struct kc *c, struct type *base, int64_t count);
struct type *kc_function_type(struct kc *c, struct type *result, struct type **parameter,
                              int parameters, bool variadic);
struct type *kc_qualified(struct kc *c, struct type *type, bool is_const, bool is_volatile);
struct type *kc_new_type(struct kc *c, enum type_kind kind);
/* How deep the arguments of a class template's instance are nested: stops where that is too deep. */
void kc_set_instance_levels(struct kc *c, const struct record *record, struct place place);
const char *kc_type_text(struct kc *c, const struct type *type);
/* The text of a type that depends on the parameters of a template, with their names. */
const char *kc_pattern_text(struct kc *c, const struct type *type, const struct template *template);
const char *kc_arguments_text(struct kc *c, const struct argument *argument, int arguments);
const char *kc_function_text(struct kc *c, const struct function *function);
bool kc_is_integer(const struct type *type); /* bool and enumerations, too */
bool kc_is_float(const struct type *type);
bool kc_is_arithmetic(const struct type *type);
bool kc_is_scalar(const struct type *type);
bool kc_is_unsigned(const struct type *type);
bool kc_is_dependent(const struct type *type);
bool kc_argument_depends(const struct argument *argument);
bool kc_is_reference(const struct type *type);
struct type *kc_unreferenced(struct type *type);
/* Leaves of what can lie in registers: -1 if it cannot. A scalar is one leaf. */
int kc_leaves(struct kc *c, struct type *type, struct leaf **leaf);
enum { KC_LEAVES = 64 };

/* returns.c: tells of a function, whose body has been read, that should return a value and does not. */
void kc_check_returns(struct kc *c, const struct function *function);

/* part.c: a function that is called by its address, if it may be. */
void kc_take_address(struct kc *c, struct function *function, struct place place);
/* Tells of a specialisation of what stands before the job's part. */
void kc_check_specialisation(struct kc *c, const struct symbol *template, struct place place);

/* symbols.c */
struct scope *kc_scope(struct kc *c, struct scope *outer, int buckets);
struct symbol *kc_find_in(struct kc *c, struct scope *scope, struct word *name);
struct symbol *kc_find(struct kc *c, struct word *name);
/* The type that a symbol of another kind hides, in its scope or around it. NULL: none. */
struct symbol *kc_find_type(const struct symbol *hiding);
/* Whether what is declared at that token is none for what is read now: the job's part adds no names to what
 * stands before it. */
bool kc_is_hidden(const struct kc *c, int declared);
struct symbol *kc_define(struct kc *c, struct scope *scope, enum symbol_kind kind,
                         struct word *name, struct place place);

/* parser.c: moving through the tokens */
const struct token *kc_token(struct kc *c);
const struct token *kc_ahead(struct kc *c, int count);
void kc_next(struct kc *c);
bool kc_at(struct kc *c, int sign);
bool kc_at_key(struct kc *c, enum keyword keyword);
bool kc_accept(struct kc *c, int sign);
bool kc_accept_key(struct kc *c, enum keyword keyword);
bool kc_expect(struct kc *c, int sign, const char *where);
void kc_syntax(struct kc *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Behind the bracket that closes the one at `at`; at itself: none. */
int kc_past(struct kc *c, int at);
/* Past `< ... >`, which stands here. */
void kc_skip_angles(struct kc *c);
void kc_skip_statement(struct kc *c);
struct place kc_parser_place(struct kc *c, struct place place);
void kc_parse(struct kc *c);
/* What is to be put back after reading something elsewhere. */
struct moment {
    int at;
    struct scope *scope;
    struct function *function;
    bool in_pattern, no_greater, panic, unevaluated;
    struct node *loop, *switch_node, *jumps;
};
struct moment kc_moment(struct kc *c);
void kc_back(struct kc *c, struct moment moment);

/* declare.c */
struct specifiers {
    struct type *type;
    struct place place;
    int begin;
    bool is_typedef, is_static, is_extern, is_constexpr, is_device, is_host, is_global, is_shared,
        is_constant, is_managed, is_friend, is_explicit, is_virtual, is_mutable, is_extern_c,
        is_thread_local;
    uint32_t align;
    int max_threads;
    bool defines; /* a class or enumeration stands in it */
};
struct declarator {
    struct type *type;
    struct word *name;
    struct place place;
    int name_at;
    struct scope *qualifier;   /* X:: before the name */
    struct template *outside;  /* X<T>:: before the name */
    struct function *function; /* with its parameters */
    bool is_pack;
    struct word *operator_name;
    bool is_destructor, is_constructor;
    struct type *conversion;
    struct argument *argument; /* f<int>: of a specialisation */
    int arguments;
};
/* Whether a declaration begins here rather than an expression. */
bool kc_at_type(struct kc *c);
bool kc_at_declaration(struct kc *c); /* of a statement */
/* The name of the class that a scope belongs to, or NULL. */
struct word *kc_class_name(const struct scope *scope);
bool kc_specifiers(struct kc *c, struct specifiers *specifiers, bool in_class);
bool kc_declarator(struct kc *c, struct type *base, struct declarator *declarator, bool abstract);
struct type *kc_type_name(struct kc *c);
void kc_declaration(struct kc *c, struct scope *scope, struct record *record,
                    struct template *template, struct node *block);
/* Puts a variable of the module, or a static one, behind those that there are. */
void kc_list_variable(struct kc *c, struct variable *variable);
void kc_attributes(struct kc *c, struct specifiers *specifiers);
/* decltype(node): of a name its type as declared, of another place a reference. */
bool kc_is_type_key(int keyword);        /* may begin a declaration */
bool kc_at_decltype_scope(struct kc *c); /* decltype(...):: */
struct type *kc_decltype_type(struct kc *c);
struct type *kc_decltype(struct kc *c, const struct node *node);
/* Name with its scopes: A::B<int>::c. NULL: told. */
struct naming {
    struct symbol *symbol;
    struct word *word;
    struct place place;
    struct argument *argument;
    int arguments;
    bool has_arguments, qualified, dependent;
    struct record *record; /* A:: is a class */
    struct type *type;     /* it is a type, instantiated */
};
bool kc_name(struct kc *c, struct naming *name, bool only_type);
/* What the name's symbol means within its class or template, with the arguments that stand here. */
void kc_resolve(struct kc *c, struct naming *name);
/* The scope that a name before `::` stands for; NULL: told, or it depends on a template's parameter. */
struct scope *kc_scope_named(struct kc *c, struct naming *name);
/* Whether `<` here, behind the name of that symbol, begins arguments of a template. */
bool kc_takes_arguments(struct kc *c, const struct symbol *symbol);
struct word *kc_operator_name(struct kc *c, struct type **conversion);

/* pack.c: what stands before `...` is read once for each element */
struct packs {
    struct symbol *symbol[8];
    int count, elements;
};
/* Where an argument that begins at `at` ends: at its `,`, or the closing bracket. *ellipsis: token of `...` that
 * ends it, 0: none. */
int kc_argument_end(struct kc *c, int at, int *ellipsis);
/* The packs that are named from..to. false: none, or of different lengths (told). */
bool kc_packs(struct kc *c, int from, int to, struct packs *packs);
void kc_pack_element(struct packs *packs, int element);
void kc_pack_end(struct packs *packs);

/* record.c */
struct type *kc_class(struct kc *c, struct template *template);
struct record *kc_new_record(struct kc *c, struct word *name, struct place place,
                             struct scope *outer);
void kc_lay_out(struct kc *c, struct record *record);
void kc_add_field(struct kc *c, struct record *record, struct word *name, struct type *type,
                  struct place place, int bits, int initial);
bool kc_complete(struct kc *c, struct type *type, struct place place);
bool kc_derives(const struct record *record, const struct record *base, uint64_t *offset);
struct type *kc_enumeration(struct kc *c);
/* Reads a field's own initialiser, in which `this` is the maker's: a constructor's, or that of a list. */
struct node *kc_field_initial(struct kc *c, struct record *record, struct field *field,
                              struct function *maker);
/* Reads a class whose key stands here, as this record: an instance of a template. */
void kc_read_class(struct kc *c, struct record *record);
/* A field of that name, in bases too. */
struct field *kc_find_field(struct record *record, struct word *name, uint64_t *offset);

/* function.c */
/* What follows the parameters, with the body, which is passed over. */
void kc_function_tail(struct kc *c, struct function *function);
/* A copy that is read anew: what was read and lowered of the function is not its own. */
struct function *kc_copy_unread(struct kc *c, const struct function *of);
void kc_use_functions(struct kc *c, struct scope *scope, const struct symbol *of,
                      struct symbol *own);
bool kc_same_parameters(const struct function *a, const struct function *b);
void kc_declare_function(struct kc *c, struct scope *scope, struct record *record,
                         struct template *template, struct specifiers *specifiers,
                         struct declarator *declarator);
void kc_parameters(struct kc *c, struct function *function);
void kc_need_body(struct kc *c, struct function *function);
/* Takes the body of an instance's member from where it stands outside of the class, if it does. */
void kc_find_outside(struct kc *c, struct function *function);
void kc_read_body(struct kc *c, struct function *function);
struct type *kc_type_of_function(struct kc *c, struct function *function);
/* Reads the result type of a function whose result is `auto`. */
struct type *kc_result(struct kc *c, struct function *function, struct place place);

/* template.c */
struct template *kc_template_head(struct kc *c);
bool kc_template_arguments(struct kc *c, struct argument **argument, int *arguments);
struct type *kc_instantiate_class(struct kc *c, struct template *template,
                                  struct argument *argument, int arguments, struct place place);
struct type *kc_instantiate_alias(struct kc *c, struct template *template,
                                  struct argument *argument, int arguments, struct place place);
struct variable *kc_instantiate_variable(struct kc *c, struct template *template,
                                         struct argument *argument, int arguments,
                                         struct place place);
struct function *kc_instantiate_function(struct kc *c, struct function *generic,
                                         struct argument *argument, int arguments,
                                         struct place place);
bool kc_same_arguments(const struct argument *a, const struct argument *b, int count);
/* deduce.c */
/* T... or N... */
bool kc_is_pack_pattern(const struct argument *pattern);
/* Notes `count` arguments for such a pattern. false: there is no room. */
bool kc_note_pack(struct kc *c, struct argument *found, int room, const struct argument *pattern,
                  const struct argument *given, int count);
bool kc_deduce_argument(struct kc *c, const struct argument *pattern, const struct argument *given,
                        struct argument *found, int room);
bool kc_deduce(struct kc *c, struct type *pattern, struct type *type, struct argument *found,
               int room);
/* Arguments of a function template from those of a call; found has the explicit ones first. NULL: they do not fit,
 * and *why (unless why is NULL) says what does not, where that is known. */
struct function *kc_deduce_call(struct kc *c, struct function *generic,
                                struct argument *explicit_ones, int explicit_count,
                                struct node **list, int count, struct place place,
                                const char **why);
bool kc_default_arguments(struct kc *c, struct template *template, struct argument *argument,
                          int *arguments, struct place place, bool told);
bool kc_more_special(struct kc *c, struct function *a, struct function *b);
struct scope *kc_bind(struct kc *c, struct template *template, const struct argument *argument,
                      int arguments, struct scope *outer);
struct type *kc_parameter_type(struct kc *c, int index, bool pack);
struct scope *kc_bind_dependent(struct kc *c, struct template *template,
                                const struct argument *argument, int arguments);
struct scope *kc_bind_pattern(struct kc *c, struct template *template, struct scope *outer);

/* expression.c */
struct node *kc_expression(struct kc *c); /* with commas */
struct node *kc_assignment(struct kc *c); /* without */
struct node *kc_constant_expression(struct kc *c);
int kc_binary_sign(struct kc *c, int *tokens);
struct node *kc_new_node(struct kc *c, enum node_kind kind, struct place place, struct type *type);
struct node *kc_error_node(struct kc *c);
bool kc_arguments(struct kc *c, int close, struct node ***list, int *count);
void kc_list_add(struct kc *c, struct node ***list, int *count, int *room, struct node *node);
/* primary.c */
struct node *kc_primary(struct kc *c);
struct node *kc_symbol_node(struct kc *c, struct naming *name);
/* call.c */
/* Says that a function's name stands where its call would. */
void kc_missing_arguments(struct kc *c, const struct node *node);
/* A function's name where only one function can be meant: its address. Other nodes stay. */
struct node *kc_one_function(struct kc *c, struct node *node);
struct node *kc_call(struct kc *c, struct node *callee, struct node **list, int count,
                     struct place place);
struct node *kc_call_function(struct kc *c, struct function *function, struct node *object,
                              struct node **list, int count, struct place place);
struct node *kc_construct(struct kc *c, struct type *type, struct node **list, int count,
                          bool braces, struct place place);
/* NULL: there is no operator function for it. */
struct node *kc_call_operator(struct kc *c, int sign, struct node *left, struct node *right,
                              struct place place);
struct node *kc_call_member(struct kc *c, struct node *object, struct word *name,
                            struct node **list, int count, struct place place);
struct function *kc_find_overload(struct kc *c, struct function *first, struct node *object,
                                  struct node **list, int count, struct argument *argument,
                                  int arguments, struct place place, bool told);
/* operator.c */
struct node *kc_unary(struct kc *c, int sign, struct node *operand, struct place place);
struct node *kc_binary(struct kc *c, int sign, struct node *left, struct node *right,
                       struct place place);
struct node *kc_assign(struct kc *c, int sign, struct node *left, struct node *right,
                       struct place place);
struct node *kc_step(struct kc *c, int sign, struct node *operand, bool post, struct place place);
struct node *kc_index(struct kc *c, struct node *left, struct node *right, struct place place);
struct node *kc_select(struct kc *c, struct node *condition, struct node *yes, struct node *no,
                       struct place place);
struct node *kc_deref(struct kc *c, struct node *pointer, struct place place);
struct node *kc_address(struct kc *c, struct node *operand, struct place place);
struct node *kc_field(struct kc *c, struct node *object, struct field *field, uint64_t offset,
                      struct place place);
struct node *kc_integer_node(struct kc *c, int64_t value, struct type *type, struct place place);
/* convert.c */
enum rank {
    RANK_NONE,
    RANK_ELLIPSIS,
    RANK_USER,
    RANK_BOOL, /* of a pointer to bool, which any other conversion of it is better than */
    RANK_VOID, /* of a pointer to void */
    RANK_CONVERSION,
    RANK_PROMOTION,
    RANK_QUALIFIED,
    RANK_EXACT
};
enum rank kc_rank(struct kc *c, struct node *node, struct type *to);
/* The implicit conversion; told with `what`: "cannot initialise a variable of type". */
struct node *kc_convert(struct kc *c, struct node *node, struct type *to, const char *what);
struct node *kc_cast(struct kc *c, struct node *node, struct type *to, struct place place);
/* A class that converts to a number, as that number; else the node itself. */
struct node *kc_as_number(struct kc *c, struct node *node);
struct node *kc_condition_value(struct kc *c, struct node *node);
struct node *kc_decay(struct kc *c, struct node *node);
struct node *kc_promote(struct kc *c, struct node *node);
struct type *kc_common_type(struct kc *c, struct type *a, struct type *b);
struct node *kc_cast_node(struct kc *c, struct node *node, struct type *to);
struct type *kc_value_type(struct kc *c, struct node *node);
/* initial.c */
struct node *kc_initialiser(struct kc *c, struct type **type, struct place place);
struct node *kc_from_braces(struct kc *c, struct type *type, struct node *braces);
struct node *kc_default(struct kc *c, struct type *type, struct place place, bool zero);
struct node *kc_braces(struct kc *c);
void kc_end_instance(struct kc *c);
struct instance *kc_new_instance(struct kc *c, struct template *template,
                                 struct argument *argument);
/* lambda.c */
struct node *kc_member(struct kc *c, struct node *object, bool arrow, struct place place);
struct node *kc_to_base(struct kc *c, struct node *node, struct type *to, uint64_t offset);
struct node *kc_member_of(struct kc *c, struct node *object, struct symbol *symbol,
                          struct place place);
struct node *kc_lambda(struct kc *c);
struct node *kc_lambda_pointer(struct kc *c, struct node *lambda, struct type *to);
/* An instance of a lambda whose parameters are `auto`. */
struct function *kc_lambda_instance(struct kc *c, struct function *generic,
                                    struct argument *argument, int arguments, struct moment moment);
/* lifetime.c */
bool kc_copies_plainly(struct kc *c, const struct record *record, bool assignment,
                       struct place place);
void kc_ends(struct kc *c, struct type *type, struct place place);
/* A variable in shared memory is made without a constructor: told where one would do something. */
void kc_is_made_by_nothing(struct kc *c, struct type *type, struct place place);
/* statement.c */
void kc_check_jumps(struct kc *c);
/* With the labels before it. */
struct node *kc_statement(struct kc *c);
struct node *kc_new_statement(struct kc *c, enum node_kind kind);
/* After an error: to where the next statement begins. */
void kc_recover(struct kc *c);
/* `(x)`, `(int i = f())`, `(init; x)`: in *declaration what comes before, and the scope stays. */
struct node *kc_controlling(struct kc *c, struct node *declaration, bool constant);
/* loop.c */
struct node *kc_while_statement(struct kc *c);
struct node *kc_do_statement(struct kc *c);
struct node *kc_for_statement(struct kc *c);
/* inline_asm.c */
struct node *kc_asm_statement(struct kc *c);
/* statement.c */
struct node *kc_block(struct kc *c);
struct node *kc_local_variable(struct kc *c, struct specifiers *specifiers,
                               struct declarator *declarator);
/* constant.c */
bool kc_evaluate(struct kc *c, struct node *node, struct constant *constant);
/* The bytes of a value of the node's type. */
/* Notes the address that an expression is, if that is known (may_point). */
bool kc_point(struct kc *c, struct node *node, const uint8_t *at);
bool kc_evaluate_bytes(struct kc *c, struct node *node, struct type *type, uint8_t *bytes);
bool kc_integer(struct kc *c, struct node *node, int64_t *value, const char *what);
/* builtin.c: names that are neither functions nor variables of any header */
bool kc_is_special(struct slice name); /* threadIdx and its like */
void kc_know_specials(struct kc *c);   /* they have words */
const char *kc_similar(struct kc *c, const struct word *word);
struct node *kc_builtin(struct kc *c, const struct token *name);
/* mangle.c */
const char *kc_mangle(struct kc *c, const struct function *function);

/* using.c */
void kc_namespace_declaration(struct kc *c, struct scope *scope);
void kc_using_declaration(struct kc *c, struct scope *scope, struct record *record,
                          struct template *template);
void kc_static_assertion(struct kc *c);
void kc_declarations_in_braces(struct kc *c, struct scope *scope);

#endif
