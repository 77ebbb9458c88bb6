/* cuda_pipeline_primitives.h - in cuda_pipeline.h. */
#include <cuda_pipeline.h>
