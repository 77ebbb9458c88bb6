/* hostcuda_program.h - what the driver includes before every source. make precompiles it; bits/specfun.h keeps
 * out of it what few programs need. */
#include "cuda_runtime.h"
