/* std.h - makes what std has known as cuda::std. */
#ifndef BANKSCOPE_STD_H
#define BANKSCOPE_STD_H

#include "../cuda_bf16.h" /* as NVIDIA's headers do */
#include "../cuda_fp16.h"

namespace std
{
}
namespace cuda
{
namespace std
{
using namespace ::std;
}
} // namespace cuda

#endif
