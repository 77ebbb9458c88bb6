/* bench_window.c - how long after a key the window shows the next step.
 *
 * Two panels of 32 banks with 240 columns, 500 steps. On the display if there is one; else in SDL's
 * dummy window, where the copy to the screen costs nothing.
 */
#include "commands/command.h"

#include <stdlib.h>

int main(void)
{
#ifdef HAVE_SDL
    char *arguments[] = {"view", "thrust-merge", "cf-merge", "-p",      "u=512", "-p",
                         "E=15", "-p",           "w=32",     "--input", "worst", NULL};
    if (!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY"))
        setenv("SDL_VIDEODRIVER", "dummy", 1);
    setenv("BANKSCOPE_REPLAY", "500", 1);
    return command_view(11, arguments);
#else
    printf("window: left out of this build\n");
    return 0;
#endif
}
