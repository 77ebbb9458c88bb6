/* axis.c - the range of an axis, and its ticks. */
#include "papers/plot.h"

#include <math.h>
#include <string.h>

double axis_place(const struct axis *axis, double value)
{
    return axis->log ? log(value / axis->from) / log(axis->to / axis->from)
                     : (value - axis->from) / (axis->to - axis->from);
}

/* "1,048,576", "0.25": as people write numbers. */
static void write_number(double value, char label[AXIS_LABEL])
{
    char plain[AXIS_LABEL];
    snprintf(plain, sizeof plain, "%.7g", value);
    size_t digits = strspn(plain, "-0123456789"), to = 0;
    if (strchr(plain, 'e'))
        digits = 0;
    for (size_t i = 0; plain[i] && to + 2 < AXIS_LABEL; i++) {
        if (i && i < digits && (digits - i) % 3 == 0 && plain[i - 1] != '-')
            label[to++] = ',';
        label[to++] = plain[i];
    }
    label[to] = '\0';
}

/* "2" with a raised number. */
static void write_power(int exponent, char label[AXIS_LABEL])
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    snprintf(digits, sizeof digits, "%d", exponent);
    strcpy(label, "2");
    for (const char *d = digits; *d; d++)
        strcat(label, raised[*d - '0']);
}

static void add_tick(struct axis *axis, double at)
{
    double unit = pow(1000, axis->unit), slack = 1e-9 * (axis->to - axis->from);
    if (axis->ticks == AXIS_TICKS || at < axis->from - slack || at > axis->to + slack)
        return;
    struct axis_tick *tick = &axis->tick[axis->ticks++];
    tick->at = at;
    write_number(at / unit, tick->label);
}

/* The smallest of 1, 2, 5, 10, 20, 50, ... that makes at most so many steps. */
static double nice_step(double range, int most)
{
    static const double steps[] = {1, 2, 5, 10};
    double power = pow(10, floor(log10(range / most)));
    for (int i = 0; i < 4; i++)
        if (range / (steps[i] * power) <= most * (1 + 1e-9))
            return steps[i] * power;
    return 10 * power;
}

/* Ticks at multiples of a nice step. */
static void add_multiples(struct axis *axis, int most, bool whole)
{
    double step = nice_step(axis->to - axis->from, most < 1 ? 1 : most);
    step = whole && step < 1 ? 1 : step;
    for (double k = ceil(axis->from / step - 1e-9); k * step <= axis->to * (1 + 1e-9); k++)
        add_tick(axis, k * step + 0.0); /* no negative 0 */
}

/* The next of 1, 2, 5, 10, 20, 50, ... at or above (up) or at or below a value. */
static double nice_bound(double value, bool up)
{
    static const double parts[] = {1, 2, 5, 10};
    const double power = pow(10, floor(log10(value) + 1e-9)), part = value / power;
    double below = 1;
    for (int i = 0; i < 4; i++) {
        if (up && parts[i] >= part * (1 - 1e-9))
            return parts[i] * power;
        if (parts[i] <= part * (1 + 1e-9))
            below = parts[i];
    }
    return below * power;
}

/* 1, 2 and 5 times powers of ten, or where there are many powers, these alone. */
static void add_decades(struct axis *axis, int most)
{
    static const double parts[] = {1, 2, 5};
    double decades = log10(axis->to / axis->from);
    int count = 3 * decades <= most ? 3 : 1;
    int every = (int)ceil(decades / most);
    for (int k = (int)floor(log10(axis->from)); k <= (int)ceil(log10(axis->to)); k++)
        for (int i = 0; i < count; i++)
            if (count > 1 || k % (every < 1 ? 1 : every) == 0)
                add_tick(axis, parts[i] * pow(10, k));
}

static double widest(const struct axis *axis, double font)
{
    double width = 0;
    for (int i = 0; i < axis->ticks; i++)
        width = fmax(width, text_width(axis->tick[i].label, font, FACE_PLAIN));
    return width;
}

/* Leaves out labels that would touch: of every so many one stays. */
static void thin(struct axis *axis, double length, double font)
{
    int every = 1;
    double apart =
        axis->ticks > 1
            ? length * (axis_place(axis, axis->tick[1].at) - axis_place(axis, axis->tick[0].at))
            : length;
    while (apart * every < widest(axis, font) + 0.5 * font && every < axis->ticks)
        every++;
    for (int i = 0; i < axis->ticks; i++)
        if (i % every)
            axis->tick[i].label[0] = '\0';
}

static void add_powers(struct axis *axis)
{
    enum { LARGE = 1000 };
    const bool raised = axis->to > LARGE && axis->from > 1.5;
    for (int k = (int)floor(log2(axis->from)); k <= (int)ceil(log2(axis->to)); k++) {
        int before = axis->ticks;
        add_tick(axis, pow(2, k));
        if (axis->ticks > before && raised)
            write_power(k, axis->tick[before].label);
    }
}

struct range range_x(const struct plot *plot)
{
    struct range range = {INFINITY, -INFINITY};
    for (int i = 0; i < plot->points; i++) {
        range.least = fmin(range.least, plot->x[i]);
        range.most = fmax(range.most, plot->x[i]);
    }
    return range;
}

void axis_x(struct axis *axis, const struct plot *plot, struct range range, double length,
            double font)
{
    bool whole = true;
    *axis = (struct axis){.log = plot->x_powers};
    for (int i = 0; i < plot->points; i++)
        whole &= plot->x[i] == floor(plot->x[i]);
    if (plot->bar) {
        axis->from = -0.6, axis->to = plot->points - 0.4;
        return;
    }
    double room = range.most > range.least ? 0.03 * (range.most - range.least) : 0.5;
    axis->from = axis->log ? range.least / 1.2 : range.least - room;
    axis->to = axis->log ? range.most * 1.2 : range.most + room;
    if (axis->log)
        add_powers(axis);
    else
        add_multiples(axis, (int)(length / (2.4 * font)), whole);
    thin(axis, length, font);
}

/* Adds a value to the range; what a logarithm does not have is left out. */
static void widen(const struct plot *plot, double value, struct range *range)
{
    if (isnan(value) || (plot->y_log && value <= 0))
        return;
    range->least = fmin(range->least, value);
    range->most = fmax(range->most, value);
}

/* The highest is the sum of a bar's parts. */
struct range range_y(const struct plot *plot)
{
    struct range range = {INFINITY, -INFINITY};
    for (int i = 0; i < plot->points; i++) {
        double sum = 0;
        for (int c = 0; c < plot->curves; c++) {
            const struct plot_curve *curve = &plot->curve[c];
            sum += isnan(curve->y[i]) ? 0 : curve->y[i];
            widen(plot, plot->bar ? sum : curve->y[i], &range);
            if (curve->least && !isnan(curve->y[i])) {
                widen(plot, curve->least[i], &range);
                widen(plot, curve->most[i], &range);
            }
        }
    }
    range.most = plot->y_most > 0 ? plot->y_most : range.most;
    return range.most < range.least ? (struct range){plot->y_log, 1} : range; /* no values */
}

void axis_y(struct axis *axis, const struct plot *plot, struct range range, double length,
            double font)
{
    const int most_ticks = (int)fmax(2, length / (2.2 * font));
    double least = range.least, most = range.most;
    *axis = (struct axis){.log = plot->y_log};
    while (fmax(most, -least) >= 1e7 * pow(1000, axis->unit))
        axis->unit += axis->unit ? 1 : 2;
    if (axis->log) {
        axis->from = nice_bound(least, false);
        axis->to = nice_bound(most, true);
        axis->to = axis->to < 5 * axis->from ? 10 * axis->from : axis->to;
        add_decades(axis, (int)fmax(2, length / (1.5 * font)));
        return;
    }
    axis->from = least < 0 ? least : 0;
    axis->to = most > axis->from ? most : axis->from + 1;
    double step = nice_step(axis->to - axis->from, most_ticks);
    axis->from = floor(axis->from / step + 1e-9) * step;
    axis->to = plot->y_most > 0 ? axis->to : ceil(axis->to / step - 1e-9) * step;
    add_multiples(axis, most_ticks, false);
}
