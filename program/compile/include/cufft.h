/* cufft.h - cuFFT's types and functions, of which none can be called here (bankscope/missing.h). */
#ifndef BANKSCOPE_CUFFT_H
#define BANKSCOPE_CUFFT_H

#include "bankscope/missing.h"

typedef enum {
    CUFFT_SUCCESS = 0,
    CUFFT_INVALID_PLAN = 1,
    CUFFT_ALLOC_FAILED = 2,
    CUFFT_INVALID_TYPE = 3,
    CUFFT_INVALID_VALUE = 4,
    CUFFT_INTERNAL_ERROR = 5,
    CUFFT_EXEC_FAILED = 6,
    CUFFT_SETUP_FAILED = 7,
    CUFFT_INVALID_SIZE = 8,
    CUFFT_UNALIGNED_DATA = 9,
    CUFFT_INVALID_DEVICE = 11,
    CUFFT_NO_WORKSPACE = 13,
    CUFFT_NOT_IMPLEMENTED = 14,
    CUFFT_NOT_SUPPORTED = 16
} cufftResult;
typedef enum {
    CUFFT_R2C = 0x2a,
    CUFFT_C2R = 0x2c,
    CUFFT_C2C = 0x29,
    CUFFT_D2Z = 0x6a,
    CUFFT_Z2D = 0x6c,
    CUFFT_Z2Z = 0x69
} cufftType;
#define CUFFT_FORWARD -1
#define CUFFT_INVERSE 1
typedef int cufftHandle;
typedef float cufftReal;
typedef double cufftDoubleReal;
typedef cuFloatComplex cufftComplex;
typedef cuDoubleComplex cufftDoubleComplex;

#define BANKSCOPE_FFT(name) BANKSCOPE_MISSING(cufftResult, cufft##name)
BANKSCOPE_FFT(Plan1d)
BANKSCOPE_FFT(Plan2d)
BANKSCOPE_FFT(Plan3d)
BANKSCOPE_FFT(PlanMany)
BANKSCOPE_FFT(Create)
BANKSCOPE_FFT(Destroy)
BANKSCOPE_FFT(MakePlan1d)
BANKSCOPE_FFT(MakePlan2d)
BANKSCOPE_FFT(MakePlan3d)
BANKSCOPE_FFT(MakePlanMany)
BANKSCOPE_FFT(Estimate1d)
BANKSCOPE_FFT(Estimate2d)
BANKSCOPE_FFT(Estimate3d)
BANKSCOPE_FFT(GetSize)
BANKSCOPE_FFT(GetVersion)
BANKSCOPE_FFT(SetStream)
BANKSCOPE_FFT(SetWorkArea)
BANKSCOPE_FFT(SetAutoAllocation)
BANKSCOPE_FFT(ExecC2C)
BANKSCOPE_FFT(ExecR2C)
BANKSCOPE_FFT(ExecC2R)
BANKSCOPE_FFT(ExecZ2Z)
BANKSCOPE_FFT(ExecD2Z)
BANKSCOPE_FFT(ExecZ2D)
#undef BANKSCOPE_FFT

#endif
