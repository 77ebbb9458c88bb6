// 01-banks | refused | must be there once, in this order
DEVICE int point_word(const struct points p, int t, int k) { return 4 * t + k; }
/* ---- [your part ends] ---- */
#define conflicts accesses
static const struct kernel_goal goals[] = {{0}};
/* ---- [your part begins] ---- */
