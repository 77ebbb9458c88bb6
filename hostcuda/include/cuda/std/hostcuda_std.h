/* hostcuda_std.h - makes what std has known as cuda::std. */
#ifndef HOSTCUDA_CUDA_STD_H
#define HOSTCUDA_CUDA_STD_H

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
