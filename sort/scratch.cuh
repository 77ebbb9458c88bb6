/* scratch.cuh - the scratch memory of a sort, shared out. */
#ifndef BANKSCOPE_SORT_SCRATCH_CUH
#define BANKSCOPE_SORT_SCRATCH_CUH

#include <stddef.h>

namespace bankscope
{

/* Takes pieces of the scratch memory one after another, or only counts them. */
class scratch_memory
{
    char *memory;
    size_t used = 0;

  public:
    explicit scratch_memory(void *memory) : memory((char *)memory)
    {
    }
    template <class T> T *take(size_t count)
    {
        T *piece = memory ? (T *)(memory + used) : NULL;
        used += (count * sizeof(T) + 255) / 256 * 256;
        return piece;
    }
    bool counts_only() const
    {
        return !memory;
    }
    size_t bytes() const
    {
        return used;
    }
};

} // namespace bankscope
#endif
