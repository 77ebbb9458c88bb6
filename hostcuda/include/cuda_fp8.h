/* cuda_fp8.h - is not here, and says so. */
#error "bankscope: fp8 numbers are not available on this machine: use cuda_fp16.h"
