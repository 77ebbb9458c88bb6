/* hostcuda_program.h - what the driver includes before every source. make precompiles it. */
#include "cuda_runtime.h"
