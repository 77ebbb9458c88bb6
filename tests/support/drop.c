/* drop.c - drops files on a window, as a file manager does: XDND, version 5.
 *
 *     drop WINDOW FILE...
 *
 * Ends with status 0 when the window has taken them. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 5, SECONDS = 30 };

static Display *display;
static Window from, to;
static char list[65536]; /* text/uri-list */

static Atom atom(const char *name)
{
    return XInternAtom(display, name, False);
}

static void add_uri(const char *path)
{
    char *end = list + strlen(list);
    const char *const limit = list + sizeof list - 8;
    end += sprintf(end, "file://");
    for (; *path && end < limit; path++)
        end += isalnum((unsigned char)*path) || strchr("/._-", *path)
                   ? sprintf(end, "%c", *path)
                   : sprintf(end, "%%%02X", (unsigned char)*path);
    sprintf(end, "\r\n");
}

static void tell(const char *what, long second, long third, long fourth, long fifth)
{
    XEvent event = {.xclient = {.type = ClientMessage, .window = to, .format = 32}};
    event.xclient.message_type = atom(what);
    const long words[] = {(long)from, second, third, fourth, fifth};
    memcpy(event.xclient.data.l, words, sizeof words);
    XSendEvent(display, to, False, NoEventMask, &event);
}

static void give(const XSelectionRequestEvent *request)
{
    XEvent event = {.xselection = {.type = SelectionNotify,
                                   .requestor = request->requestor,
                                   .selection = request->selection,
                                   .target = request->target,
                                   .property = request->property,
                                   .time = request->time}};
    XChangeProperty(display, request->requestor, request->property, request->target, 8,
                    PropModeReplace, (unsigned char *)list, (int)strlen(list));
    XSendEvent(display, request->requestor, False, NoEventMask, &event);
}

/* Waits for a message of the window, and gives the list meanwhile if it asks. Returns its second word. */
static long hear(const char *what)
{
    XEvent event;
    do {
        XNextEvent(display, &event);
        if (event.type == SelectionRequest)
            give(&event.xselectionrequest);
    } while (event.type != ClientMessage || event.xclient.message_type != atom(what));
    return event.xclient.data.l[1];
}

int main(int argc, char **argv)
{
    display = XOpenDisplay(NULL);
    if (!display || argc < 3)
        return fprintf(stderr, "usage: drop WINDOW FILE...\n"), 2;
    alarm(SECONDS);
    to = strtoul(argv[1], NULL, 0);
    from = XCreateSimpleWindow(display, DefaultRootWindow(display), 0, 0, 1, 1, 0, 0, 0);
    for (int i = 2; i < argc; i++)
        add_uri(argv[i]);
    XSetSelectionOwner(display, atom("XdndSelection"), from, CurrentTime);
    tell("XdndEnter", (long)VERSION << 24, (long)atom("text/uri-list"), 0, 0);
    tell("XdndPosition", 0, 100L << 16 | 100, CurrentTime, (long)atom("XdndActionCopy"));
    if (!(hear("XdndStatus") & 1))
        return fprintf(stderr, "drop: the window does not want files\n"), 1;
    tell("XdndDrop", 0, CurrentTime, 0, 0);
    hear("XdndFinished");
    XCloseDisplay(display);
    return 0;
}
