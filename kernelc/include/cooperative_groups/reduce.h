/* reduce.h - in cooperative_groups.h. */
#include <cooperative_groups.h>
