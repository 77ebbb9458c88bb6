/* cublas_v2.h - cuBLAS's functions: those that are here (cublas_api.h), and others, which end the program when they are
 * called (bankscope/missing.h). */
#ifndef BANKSCOPE_CUBLAS_V2_H
#define BANKSCOPE_CUBLAS_V2_H

#include "cublas_api.h"
#include "bankscope/missing.h"

#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasGetVersion cublasGetVersion_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSaxpy cublasSaxpy_v2
#define cublasDaxpy cublasDaxpy_v2
#define cublasScopy cublasScopy_v2
#define cublasDcopy cublasDcopy_v2
#define cublasSswap cublasSswap_v2
#define cublasDswap cublasDswap_v2
#define cublasSscal cublasSscal_v2
#define cublasDscal cublasDscal_v2
#define cublasSdot cublasSdot_v2
#define cublasDdot cublasDdot_v2
#define cublasSasum cublasSasum_v2
#define cublasDasum cublasDasum_v2
#define cublasSnrm2 cublasSnrm2_v2
#define cublasDnrm2 cublasDnrm2_v2
#define cublasSgemv cublasSgemv_v2
#define cublasDgemv cublasDgemv_v2
#define cublasSger cublasSger_v2
#define cublasDger cublasDger_v2
#define cublasSgemm cublasSgemm_v2
#define cublasDgemm cublasDgemm_v2
#define cublasIsamax cublasIsamax_v2
#define cublasIsamin cublasIsamin_v2
#define cublasIdamax cublasIdamax_v2
#define cublasIdamin cublasIdamin_v2
#define cublasStrsm cublasStrsm_v2
#define cublasDtrsm cublasDtrsm_v2

#define BANKSCOPE_BLAS(name) BANKSCOPE_MISSING(cublasStatus_t, cublas##name)
/* Of real numbers; of complex ones; of both. */
#define BANKSCOPE_BLAS_REAL(name)                                                                  \
    BANKSCOPE_BLAS(S##name)                                                                        \
    BANKSCOPE_BLAS(D##name)
#define BANKSCOPE_BLAS_COMPLEX(name)                                                               \
    BANKSCOPE_BLAS(C##name)                                                                        \
    BANKSCOPE_BLAS(Z##name)
#define BANKSCOPE_BLAS_ALL(name)                                                                   \
    BANKSCOPE_BLAS_REAL(name)                                                                      \
    BANKSCOPE_BLAS_COMPLEX(name)
BANKSCOPE_BLAS_COMPLEX(axpy)
BANKSCOPE_BLAS_COMPLEX(copy)
BANKSCOPE_BLAS_COMPLEX(scal)
BANKSCOPE_BLAS_COMPLEX(swap)
BANKSCOPE_BLAS(Cdotu)
BANKSCOPE_BLAS(Cdotc)
BANKSCOPE_BLAS(Zdotu)
BANKSCOPE_BLAS(Zdotc)
BANKSCOPE_BLAS(Scasum)
BANKSCOPE_BLAS(Dzasum)
BANKSCOPE_BLAS(Scnrm2)
BANKSCOPE_BLAS(Dznrm2)
BANKSCOPE_BLAS_REAL(rot)
BANKSCOPE_BLAS_COMPLEX(gemv)
BANKSCOPE_BLAS_ALL(gbmv)
BANKSCOPE_BLAS_REAL(symv)
BANKSCOPE_BLAS_REAL(syr)
BANKSCOPE_BLAS_ALL(trmv)
BANKSCOPE_BLAS_ALL(trsv)
BANKSCOPE_BLAS_COMPLEX(gemm)
BANKSCOPE_BLAS_COMPLEX(gemmBatched)
BANKSCOPE_BLAS_COMPLEX(gemmStridedBatched)
BANKSCOPE_BLAS_ALL(symm)
BANKSCOPE_BLAS_ALL(syrk)
BANKSCOPE_BLAS_ALL(trmm)
BANKSCOPE_BLAS_COMPLEX(trsm)
BANKSCOPE_BLAS_COMPLEX(geam)
BANKSCOPE_BLAS_ALL(dgmm)
BANKSCOPE_BLAS_ALL(getrfBatched)
BANKSCOPE_BLAS_ALL(getriBatched)
BANKSCOPE_BLAS(AxpyEx)
BANKSCOPE_BLAS(DotEx)
#undef BANKSCOPE_BLAS
#undef BANKSCOPE_BLAS_REAL
#undef BANKSCOPE_BLAS_COMPLEX
#undef BANKSCOPE_BLAS_ALL

#endif
