/* constant.h - what constant.c and execute.c share: calls of constexpr functions while the source is read.
 *
 * All return false where a value is not known when compiling. Memory is the arena's.
 */
#ifndef BANKSCOPE_KERNELC_CONSTANT_H
#define BANKSCOPE_KERNELC_CONSTANT_H

#include "kernelc/parser.h"

/* An object, or a part of one; size 0: none. */
struct spot {
    uint8_t *bytes;
    uint64_t size;
};
/* A variable of a call. */
struct local {
    struct variable *variable;
    struct spot spot;
    struct local *next;
};
/* A call. */
struct frame {
    struct frame *outer;
    struct local *local;
    struct spot self, result;
    bool returned, broken, continued;
    int depth;
};

/* The value of an expression of scalar type. */
bool kc_constant_value(struct kc *c, struct node *node, struct constant *value);
/* Where the object is that an expression names; for others, a temporary with its value. */
bool kc_constant_place(struct kc *c, struct node *node, struct spot *spot);
/* Puts an expression's value there. */
bool kc_constant_put(struct kc *c, struct node *node, struct spot to);
/* Memory for an object of that type. */
struct spot kc_constant_room(struct kc *c, const struct type *type);
/* The variable in that call or NULL. */
struct local *kc_constant_local(struct frame *frame, const struct variable *variable);
/* Executes a statement of the function that is called. */
bool kc_execute(struct kc *c, struct node *node);

#endif
