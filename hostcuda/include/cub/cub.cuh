/* cub/cub.cuh - is not here, and says so. */
#error "bankscope: CUB is not available on this machine: only kernels that the program brings itself run here"
