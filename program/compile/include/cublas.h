/* cublas.h - the functions that cuBLAS had before CUDA 4, without handles, of which none can be called here
 * (bankscope/missing.h). */
#ifndef BANKSCOPE_CUBLAS_H
#define BANKSCOPE_CUBLAS_H

#include "cublas_api.h"
#include "bankscope/missing.h"

#ifndef BANKSCOPE_CUBLAS_V2_H
#define BANKSCOPE_BLAS(name) BANKSCOPE_MISSING(cublasStatus_t, cublas##name)
#define BANKSCOPE_BLAS_REAL(name)                                                                  \
    BANKSCOPE_BLAS(S##name)                                                                        \
    BANKSCOPE_BLAS(D##name)
BANKSCOPE_BLAS(Init)
BANKSCOPE_BLAS(Shutdown)
BANKSCOPE_BLAS(Alloc)
BANKSCOPE_BLAS(Free)
BANKSCOPE_BLAS(GetError)
BANKSCOPE_BLAS_REAL(axpy)
BANKSCOPE_BLAS_REAL(copy)
BANKSCOPE_BLAS_REAL(scal)
BANKSCOPE_BLAS_REAL(swap)
BANKSCOPE_BLAS_REAL(gemv)
BANKSCOPE_BLAS_REAL(ger)
BANKSCOPE_BLAS_REAL(symv)
BANKSCOPE_BLAS_REAL(trsv)
BANKSCOPE_BLAS_REAL(gemm)
BANKSCOPE_BLAS_REAL(symm)
BANKSCOPE_BLAS_REAL(syrk)
BANKSCOPE_BLAS_REAL(trmm)
BANKSCOPE_BLAS_REAL(trsm)
#undef BANKSCOPE_BLAS
#undef BANKSCOPE_BLAS_REAL
#define BANKSCOPE_BLAS(name)                                                                       \
    BANKSCOPE_MISSING(float, cublasS##name) BANKSCOPE_MISSING(double, cublasD##name)
BANKSCOPE_BLAS(dot)
BANKSCOPE_BLAS(asum)
BANKSCOPE_BLAS(nrm2)
#undef BANKSCOPE_BLAS
BANKSCOPE_MISSING(int, cublasIsamax)
BANKSCOPE_MISSING(int, cublasIdamax)
#endif

#endif
