/* mma.h - is not here, and says so. */
#error                                                                                             \
    "bankscope: tensor cores (mma.h) are not available on this machine: multiply with ordinary arithmetic"
