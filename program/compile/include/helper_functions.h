/* helper_functions.h - arguments, the stop watch, and comparisons, as NVIDIA's samples take them. */
#ifndef BANKSCOPE_HELPER_FUNCTIONS_H
#define BANKSCOPE_HELPER_FUNCTIONS_H

#include "helper_string.h"
#include "helper_timer.h"
#include <math.h>
#include <stdio.h>

#ifndef EXIT_WAIVED
#define EXIT_WAIVED 2
#endif
#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif

/* Whether the distance of two vectors is at most epsilon times the length of the first. */
inline bool compareL2fe(const float *reference, const float *data, unsigned count, float epsilon)
{
    double error = 0, length = 0;
    for (unsigned i = 0; i < count; i++) {
        error += (double)(reference[i] - data[i]) * (reference[i] - data[i]);
        length += (double)reference[i] * reference[i];
    }
    return length > 0 && sqrt(error / length) < epsilon;
}
template <typename T, typename S>
inline bool compareData(const T *reference, const T *data, unsigned count, S epsilon, float share)
{
    unsigned wrong = 0;
    for (unsigned i = 0; i < count; i++)
        wrong += !(fabs((double)reference[i] - (double)data[i]) <= (double)epsilon);
    return wrong <= share * (float)count;
}

#endif
