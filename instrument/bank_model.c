/* bank_model.c - what one warp access costs on a memory of banks. */
#include "instrument/instrument.h"

#include <string.h>

void bank_model_cost(int banks, int bank_bytes, int warp, const struct warp_access *access,
                     struct bank_cost *cost)
{
    uint32_t served[MAX_WARP][MAX_WARP * 4]; /* per bank: the distinct words of one group */
    int words = (access->bytes + bank_bytes - 1) / bank_bytes; /* of one lane */
    int groups = words;
    int per_group = (warp + groups - 1) / groups;

    memset(cost, 0, sizeof *cost);
    for (int group = 0, i = 0; group < groups; group++) {
        uint16_t degree[MAX_WARP] = {0};
        int ways = 0;
        for (; i < access->lanes && access->lane[i] < (group + 1) * per_group; i++) {
            for (int k = 0; k < words; k++) {
                uint32_t word = access->addr[i] / (uint32_t)bank_bytes + (uint32_t)k;
                uint32_t bank = word % (uint32_t)banks;
                int seen = 0;
                while (seen < degree[bank] && served[bank][seen] != word)
                    seen++;
                if (seen < degree[bank])
                    continue;
                served[bank][degree[bank]++] = word;
                if (degree[bank] > ways)
                    ways = degree[bank];
            }
        }
        for (int bank = 0; bank < banks; bank++)
            cost->degree[bank] = (uint16_t)(cost->degree[bank] + degree[bank]);
        cost->passes += ways;
        cost->least += ways > 0;
        if (ways > cost->ways)
            cost->ways = ways;
    }
    cost->conflicts = cost->passes - cost->least;
}
