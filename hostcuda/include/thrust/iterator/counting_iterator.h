/* thrust/iterator/counting_iterator.h - is not here, and says so. */
#error "bankscope: Thrust is not available on this machine: only kernels that the program brings itself run here"
