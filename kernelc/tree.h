/* tree.h - types, symbols, and the typed trees that functions become.
 *
 * Names are resolved and types computed while tokens are read: a function's tree is complete and typed. Of a
 * template only the place of its tokens is kept; each instance reads them anew, with the parameters standing
 * for what they are in that instance.
 */
#ifndef BANKSCOPE_KERNELC_TREE_H
#define BANKSCOPE_KERNELC_TREE_H

#include "kernelc/compiler.h"

/* ---- types ------------------------------------------------------------------------------------- */

enum type_kind {
    TYPE_ERROR,
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_CHAR,
    TYPE_SCHAR,
    TYPE_UCHAR,
    TYPE_SHORT,
    TYPE_USHORT,
    TYPE_INT,
    TYPE_UINT,
    TYPE_LONG,
    TYPE_ULONG,
    TYPE_LLONG,
    TYPE_ULLONG,
    TYPE_HALF,
    TYPE_BF16,
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_BASIC, /* number of those before */
    TYPE_NULL = TYPE_BASIC,
    TYPE_ENUM,
    TYPE_POINTER,
    TYPE_REFERENCE,
    TYPE_RVALUE, /* T && */
    TYPE_ARRAY,
    TYPE_RECORD,
    TYPE_FUNCTION,
    TYPE_AUTO,
    TYPE_LIST,     /* of a list in braces, before it is known what it makes */
    TYPE_OVERLOAD, /* of the name of several functions */
    /* In patterns of templates, which arguments are deduced from: */
    TYPE_PARAMETER, /* the index-th parameter */
    TYPE_INSTANCE,  /* instance of a class template, with arguments that depend on parameters */
    TYPE_DEPENDENT, /* anything else that does */
};

struct type {
    enum type_kind kind;
    bool is_const, is_volatile;
    uint32_t align;
    uint64_t size;
    struct type *plain; /* without const and volatile */
    struct type *base;  /* of a pointer, reference, array, enumeration; result of a function */
    int levels;         /* of pointers, arrays and instances of templates within each other */
    int64_t count;      /* of an array; -1: not told; -2: the index-th template parameter */
    struct record *record;
    struct word *name;   /* of an enumeration */
    bool scoped;         /* enum class */
    struct scope *scope; /* of an enumeration: its constants */
    struct type **parameter;
    int parameters;
    bool variadic;
    int index; /* of a template parameter */
    bool pack;
    struct template *template; /* of TYPE_INSTANCE */
    struct argument *argument;
    int arguments;
    struct type *pointer_to, *reference_to, *rvalue_to, *qualified[4]; /* made of it */
    struct type *arrays, *functions, *next;
};

struct field {
    struct field *next;
    struct word *name;
    struct type *type;
    struct place place;
    uint64_t offset;
    /* What it is loaded and stored as: its type, but for a bool that is a bit field. */
    struct type *unit;
    int bit, bits;          /* of a bit field: its place within the unit's bits; bits -1: none */
    int initial;            /* token behind the name: of `= x` or `{x}`; 0: none */
    bool is_base, inherits; /* the base's constructors are the class's, too */
};

/* A scalar part of a record that may lie in registers. */
struct leaf {
    uint64_t offset;
    struct type *type;
};

struct record {
    struct word *name;
    struct type *type;
    struct scope *scope;
    struct field *field, *last_field;
    struct function *constructor, *destructor; /* overloads, by next */
    struct place place;
    bool is_union, is_complete, is_lambda, in_progress, is_failed;
    bool end_is_told;          /* that its destructor is not called */
    bool has_initial;          /* a field has an initialiser */
    struct template *template; /* it is an instance of, with: */
    struct argument *argument;
    int arguments;
    struct leaf *leaf;
    int leaves;    /* -1: it cannot lie in registers; 0: not computed */
    uint64_t bits; /* used so far */
    int number;    /* of a lambda */
};

/* What is known when compiling. */
struct constant {
    bool is_float;
    int64_t integer;
    double real;
};

/* An argument of a template. */
struct argument {
    struct type *type; /* or of the value */
    bool is_value, is_pack;
    struct constant value;
    struct function *function; /* whose address the value is */
    struct symbol *template;   /* of a template template parameter */
    struct argument *element;  /* of a pack */
    int elements;
    bool depends; /* a value that depends on parameters: the index-th, or -1 */
    int index;
};

/* ---- symbols ----------------------------------------------------------------------------------- */

enum symbol_kind {
    SYMBOL_TYPE,
    SYMBOL_VARIABLE,
    SYMBOL_FUNCTION, /* overloads, templates among them */
    SYMBOL_CONSTANT, /* enumerators, numbers that are template parameters */
    SYMBOL_NAMESPACE,
    SYMBOL_FIELD,
    SYMBOL_TEMPLATE, /* of classes, aliases, variables */
    SYMBOL_PACK,     /* of types, values or function parameters */
    SYMBOL_DEPENDENT_VALUE,
    SYMBOL_BOUND, /* a name of a structured binding: a tree */
    SYMBOL_LOST,  /* its declaration was host code that is not understood */
};
struct symbol {
    struct symbol *next; /* of the scope's bucket */
    struct word *name;
    enum symbol_kind kind;
    struct place place;
    struct scope *scope; /* that it stands in; of a namespace: its own */
    int token;           /* where it is declared first */
    struct type *type;
    struct constant constant;
    struct variable *variable;
    struct function *function; /* first of the overloads */
    struct field *field;
    struct template *template;
    struct argument *pack;       /* of types or values */
    struct variable **variables; /* of function parameters */
    int elements;
    struct node *node;
    int index;
    const char *why; /* SYMBOL_LOST */
};
struct scope {
    struct scope *outer;
    struct symbol **bucket;
    int buckets;
    struct record *record;
    struct function *function; /* the outermost scope of its parameters */
    struct scope *used[8];     /* using namespace; bases of a class */
    int uses;
    struct word *name; /* of a namespace */
    bool is_namespace;
};

enum space {
    SPACE_NONE,
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_PARAM,
    SPACE_GENERIC
};

struct variable {
    struct word *name;
    struct type *type;
    struct place place;
    struct function *function; /* NULL: of the module */
    enum space space;          /* SHARED, GLOBAL, CONST; else NONE: it is a thread's */
    bool is_dynamic;           /* extern __shared__ */
    bool is_static, is_constexpr, is_extern, is_host;
    struct node *initial;
    uint8_t *bytes; /* its value, where that is known */
    int evaluating;
    /* of lowering: */
    struct location *location;
    bool in_memory;
    struct variable *next;
};

/* An address in the value that a variable begins with, which lies at `at`. */
struct pointing {
    struct pointing *next;
    const uint8_t *at;
    struct function *function; /* of this, of a variable, or of a string */
    struct variable *variable;
    struct slice text;
    int64_t offset;
};

struct parameter {
    struct word *name;
    struct type *type;
    struct place place;
    int initial;  /* token of its default argument, 0: none */
    bool is_pack; /* T... x */
};

struct template_parameter {
    struct word *name;
    bool is_value, is_pack, is_template;
    int type_at; /* tokens of a value's type */
    int initial; /* tokens of the default, 0: none */
};
/* A template of a class, function, alias or variable. */
struct template
{
    struct word *name;
    struct place place;
    struct scope *scope; /* where it stands */
    struct template_parameter *parameter;
    int parameters;
    int at; /* token behind the parameter list */
    enum { TEMPLATE_CLASS, TEMPLATE_ALIAS, TEMPLATE_VARIABLE, TEMPLATE_FUNCTION } kind;
    struct specialisation *specialisation; /* of a class */
    struct instance {
        struct instance *next;
        struct argument *argument;
        struct type *type;
        struct variable *variable;
        struct function *function;
    } * instance;
    int body; /* of a class: token of `{`, 0: only declared */
    struct outside {
        struct outside *next;
        struct template *head;
        struct word *name;
        int at;
    } * outside;                      /* members defined outside of the class */
    struct symbol *template_argument; /* it stands for a template of a pattern */
};
struct specialisation {
    struct specialisation *next;
    struct template *head; /* its own parameters */
    struct argument *argument;
    int arguments;
    struct scope *scope;
    int list, body; /* where its arguments begin */
};

struct function {
    struct function *next; /* overload */
    struct word *name;
    struct place place;
    struct scope *scope; /* where its names are looked up */
    struct record *record;
    struct function *invoked; /* of a lambda's: what a pointer to it means */
    struct record *inherited; /* the base whose constructor it is */
    bool is_device, is_host, is_global, is_static, is_const, is_constexpr, is_constructor,
        is_destructor, is_conversion, is_template, is_defaulted, is_deleted, is_explicit, is_ours,
        is_extern_c, is_used; /* of a base, by `using Base::f` */
    int first;                /* token where its first declaration begins */
    int declaration;          /* token where the declaration that counts begins */
    int open, body;           /* tokens of `(`, and of `{`; 0: only declared */
    int initialisers;         /* token of the `:` of a constructor */
    int trailing;             /* token behind `->` */
    struct type *result;
    struct parameter *parameter;
    int parameters;
    bool variadic;
    struct template *template; /* its head, or that of which it is an instance */
    struct argument *argument; /* of an instance */
    int arguments;
    struct function *generic; /* the template that it is an instance of */
    /* read when it is needed: */
    enum { BODY_UNREAD, BODY_READING, BODY_READ } state;
    struct variable **variable; /* of parameters, packs expanded */
    int variables;
    struct variable *self; /* this */
    struct node *tree;
    struct node **initial; /* of a constructor: initialisers, in order of the fields */
    int initials;
    int max_threads;
    const char *symbol;   /* in PTX */
    struct function *all; /* next of all that were read */
    /* of lowering: */
    bool is_active, is_recursive, is_called;
    struct function *below;
    int static_number;
    int returns;         /* how many of its statements do */
    struct place wanted; /* where an instance was needed first */
};

/* ---- trees ------------------------------------------------------------------------------------- */

enum node_kind {
    /* expressions */
    NODE_ERROR,
    NODE_NUMBER,
    NODE_STRING,
    NODE_VARIABLE,
    NODE_FUNCTION, /* its address, or an overload set */
    NODE_THIS,     /* the object itself: *this */
    NODE_FIELD,    /* of left */
    NODE_DEREF,
    NODE_ADDRESS,
    NODE_UNARY,  /* sign: - ~ ! */
    NODE_BINARY, /* sign; operands of one type, but for shifts and pointers */
    NODE_ASSIGN, /* sign: 0, or that of the operation, done in type `as` */
    NODE_STEP,   /* ++ --; `post` */
    NODE_CONDITION,
    NODE_COMMA,
    NODE_CALL,    /* function, or by pointer in left; object in `object` */
    NODE_CAST,    /* left, to type */
    NODE_LIST,    /* elements at offsets; the rest is zero */
    NODE_MAKE,    /* a temporary: constructor called with arguments */
    NODE_ZERO,    /* all zero, or nothing at all (`post`) */
    NODE_BRACES,  /* list before its type is known */
    NODE_TYPE,    /* a type where an expression was looked for */
    NODE_SPECIAL, /* a special register */
    NODE_BASE,    /* left, seen as its base class at `offset` */
    /* statements */
    NODE_BLOCK,
    NODE_DECLARE,
    NODE_EXPRESSION,
    NODE_IF,
    NODE_WHILE,
    NODE_DO,
    NODE_FOR,
    NODE_SWITCH,
    NODE_CASE,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_RETURN,
    NODE_ASM,
    NODE_GOTO,
    NODE_LABEL,
    NODE_NOTHING,
};

struct element {
    uint64_t offset;
    struct field *field; /* of a bit field */
    struct node *node;
};
struct asm_operand {
    char letter; /* r, l, f, d, h, c, n */
    bool is_read;
    struct node *node;
    struct slice name;
};
struct node {
    enum node_kind kind;
    struct place place;
    struct type *type;
    bool is_place; /* a thing in memory or a variable, not a value */
    bool is_moved; /* std::move: an rvalue although it is a place */
    bool post, parenthesised, in_memory;
    int sign;
    struct node *left, *right, *third, *object;
    struct node **list; /* arguments, statements, cases */
    int count;
    struct constant constant;
    struct slice text;
    struct variable *variable;
    struct function *function;
    struct field *field;
    struct type *as;
    uint64_t offset;
    struct element *element;
    int elements;
    struct argument *argument; /* given to a function's name */
    int arguments;
    struct asm_operand *output, *input;
    int outputs, inputs;
    bool is_volatile, has_memory;
    struct word *word;
    void *label; /* of lowering: a block */
};

#endif
