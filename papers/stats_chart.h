/* stats_chart.h - the statistics of recordings as bars. */
#ifndef BANKSCOPE_STATS_CHART_H
#define BANKSCOPE_STATS_CHART_H

#include "instrument/model.h"
#include "papers/plot.h"

enum { STATS_CHARTS = 2 };
/* Draws the passes of `count` statistics, at most STATS_CHARTS, side by side on one scale: those that the accesses
 * need and those that conflicts add. *flaws is set when the chart is written. */
bool stats_chart_write(const struct stats *stats, int count, enum stats_by by,
                       const struct plot_output *output, struct drawing_flaws *flaws,
                       struct error *error);

#endif
