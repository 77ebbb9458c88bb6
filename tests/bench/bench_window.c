/* bench_window.c - how long after a key the window shows the next step, or a parameter turned.
 *
 * Two panels of 32 banks with 240 columns, 500 steps; then 40 turns of a parameter of kernels with 512
 * threads. On the display if there is one; else in SDL's dummy window, where the copy to the screen
 * costs nothing.
 */
#include "commands/command.h"

#include <stdlib.h>

#ifdef HAVE_SDL
/* The words of a command line, with the parameter to turn or NULL. */
static const struct {
    const char *turn, *times;
    char *words[12];
} runs[] = {
    {NULL,
     "500",
     {"view", "thrust-merge", "cf-merge", "u=512", "E=15", "w=32", "--input", "worst"}},
    {"s", "40", {"view", "stride", "u=512"}},
    {"variant", "40", {"view", "transpose", "u=512"}},
    {"E", "40", {"view", "cf-merge", "u=512"}},
};
#endif

int main(void)
{
    int status = 0;
#ifdef HAVE_SDL
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        setenv("SDL_VIDEODRIVER", "dummy", 1);
    for (size_t i = 0; i < sizeof runs / sizeof runs[0] && !status; i++) {
        char *words[12];
        int count = 0;
        for (; runs[i].words[count]; count++)
            words[count] = runs[i].words[count];
        words[count] = NULL;
        setenv("BANKSCOPE_REPLAY", runs[i].times, 1);
        if (runs[i].turn)
            setenv("BANKSCOPE_TURN", runs[i].turn, 1);
        optind = 0; /* begin anew */
        status = command_view(count, words);
    }
#else
    printf("window: left out of this build\n");
#endif
    return status;
}
