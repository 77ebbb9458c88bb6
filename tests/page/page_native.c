/* page_native.c - what a page does, natively: does what its standard input says and prints what comes
 * of it. tests/page/page_wasm.js does the same with the page's program, and test_page.sh compares.
 *
 *     record RECIPE        prints the trace's bytes as a number, or the error
 *     show RECIPE [| RECIPE]
 *     size WIDTH HEIGHT RATIO
 *     key NAME | move X Y | down X Y | up X Y
 *     dump | says | place | catalogue    prints it
 */
#include "web/page.c"
#include "web/page_record.c"

/* FNV-1a of 32 bits. */
static uint32_t hash(const unsigned char *byte, size_t count)
{
    uint32_t sum = 2166136261u;
    for (size_t i = 0; i < count; i++)
        sum = (sum ^ byte[i]) * 16777619u;
    return sum;
}

static size_t record(struct page *page, const char *recipe)
{
    size_t count = page_record(page, recipe);
    if (count)
        printf("%s: %zu bytes, %08x\n", recipe, count, hash(page->recorded.byte, count));
    else
        printf("%s: %s\n", recipe, page_error(page));
    return count;
}

static void show(struct page *page, char *recipes)
{
    int panels = 0;
    for (char *recipe = strtok(recipes, "|"); recipe && panels < PANELS;
         recipe = strtok(NULL, "|")) {
        size_t count = record(page, recipe);
        memcpy(page_room(page, count), page->recorded.byte, count);
        page_load(page, panels++, count, true);
    }
}

int main(void)
{
    static struct page *page; /* kept until the end, as a browser keeps it */
    char line[1024];
    page = page_create();
    while (fgets(line, sizeof line, stdin)) {
        double x = 0, y = 0, ratio = 1;
        line[strcspn(line, "\n")] = '\0';
        char *rest = strchr(line, ' ');
        rest = rest ? rest + 1 : line + strlen(line);
        sscanf(rest, "%lf %lf %lf", &x, &y, &ratio);
        if (!strncmp(line, "record ", 7))
            record(page, rest);
        else if (!strncmp(line, "show ", 5))
            show(page, rest);
        else if (!strncmp(line, "size ", 5))
            page_resize(page, x, y, ratio);
        else if (!strncmp(line, "key ", 4))
            page_press(page, rest, 0);
        else if (!strncmp(line, "move ", 5))
            page_move(page, x, y);
        else if (!strncmp(line, "down ", 5) || !strncmp(line, "up ", 3))
            page_button(page, x, y, line[0] == 'd');
        else if (!strcmp(line, "dump"))
            page_draw(page), fputs(page_dump(page), stdout);
        else if (!strcmp(line, "says"))
            puts(page_says(page));
        else if (!strcmp(line, "place"))
            fputs(page_place(page), stdout);
        else if (!strcmp(line, "catalogue"))
            puts(page_catalogue(page));
        else
            printf("what is '%s'?\n", line);
    }
    return 0;
}
