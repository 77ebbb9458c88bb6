/* origin.c - see origin.h. */
#include "measure/origin.h"
#include "base/text.h"
#include "instrument/instrument.h"

#include <time.h>

void origin_write(FILE *file, int argc, char **argv)
{
    char device[256] = "unknown device", date[32];
    time_t now = time(NULL);
    struct tm utc;
#ifdef HAVE_CUDA
    struct error ignored = {{0}};
    cuda_describe(device, sizeof device, &ignored);
#endif
    strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &utc));
    fprintf(file, "# device: %s\n# date: %s\n# command: bankscope", device, date);
    for (int i = 0; i < argc; i++) {
        fputc(' ', file);
        text_put(file, TEXT_PLAIN, argv[i]);
    }
    fputc('\n', file);
}
