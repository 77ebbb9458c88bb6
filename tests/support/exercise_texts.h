/* exercise_texts.h - an exercise of a lesson, read from its folder: what tests of grading share. */
#ifndef BANKSCOPE_TESTS_EXERCISE_TEXTS_H
#define BANKSCOPE_TESTS_EXERCISE_TEXTS_H

#include "grade/grade.h"
#include "system/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* Reads table, source and grading code of lessons/NAME; owned: the three texts, to be freed by the caller. A file
 * that is not there fails the test. */
static inline struct grade_texts exercise_texts(const char *lesson, char *owned[3])
{
    static const char *const names[] = {"exercise.txt", "exercise.cu", "grading.cu"};
    struct grade_text text[3];
    struct error error = {""};
    for (int i = 0; i < 3; i++) {
        char path[300];
        snprintf(path, sizeof path, "lessons/%s/%s", lesson, names[i]);
        text[i].text = owned[i] = file_read(path, 1 << 20, &text[i].length, &error);
        if (!owned[i])
            fail_msg("%s", error.text);
    }
    return (struct grade_texts){text[0], text[1], text[2]};
}

#endif
