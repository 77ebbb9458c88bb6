/* host_math.h - functions that CUDA has on the host, too, and <math.h> has not. */
#ifndef BANKSCOPE_HOST_MATH_H
#define BANKSCOPE_HOST_MATH_H
#define BANKSCOPE_HOST(type, name, parameters, value)                                              \
    __attribute__((host)) inline type name parameters                                              \
    {                                                                                              \
        return value;                                                                              \
    }
#define BANKSCOPE_HOST1(name, value)                                                               \
    BANKSCOPE_HOST(double, name, (double x), value)                                                \
    BANKSCOPE_HOST(float, name##f, (float x), (float)name((double)x))
BANKSCOPE_HOST1(rsqrt, 1 / std::sqrt(x))
BANKSCOPE_HOST1(rcbrt, 1 / std::cbrt(x))
BANKSCOPE_HOST1(sinpi, std::sin(M_PI *std::remainder(x, 2)))
BANKSCOPE_HOST1(cospi, std::cos(M_PI *std::remainder(x, 2)))
BANKSCOPE_HOST1(normcdf, std::erfc(-x *M_SQRT1_2) / 2)
BANKSCOPE_HOST(double, rhypot, (double x, double y), 1 / std::hypot(x, y))
BANKSCOPE_HOST(float, rhypotf, (float x, float y), 1 / std::hypot(x, y))
BANKSCOPE_HOST(double, norm3d, (double x, double y, double z), std::hypot(std::hypot(x, y), z))
BANKSCOPE_HOST(float, norm3df, (float x, float y, float z), (float)norm3d(x, y, z))
BANKSCOPE_HOST(float, fdividef, (float x, float y), x / y)
BANKSCOPE_HOST(double, rnorm3d, (double x, double y, double z), 1 / norm3d(x, y, z))
BANKSCOPE_HOST(float, rnorm3df, (float x, float y, float z), (float)rnorm3d(x, y, z))
BANKSCOPE_HOST(double, norm4d, (double x, double y, double z, double w),
               std::hypot(norm3d(x, y, z), w))
BANKSCOPE_HOST(float, norm4df, (float x, float y, float z, float w), (float)norm4d(x, y, z, w))
BANKSCOPE_HOST1(erfcx, x < 25 ? std::exp(x * x) * std::erfc(x) : M_2_SQRTPI / 2 / (x + 0.5 / x))
#undef BANKSCOPE_HOST
#undef BANKSCOPE_HOST1
#endif
