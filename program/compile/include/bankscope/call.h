/* call.h - what the launches of --call are compiled with (program/call.c). By nvcc and kernelc, too. */
#ifndef BANKSCOPE_CALL_H
#define BANKSCOPE_CALL_H

namespace bankscope_call
{

template <class T> T *array();

/* enum given_format (machine/given.h); 0: a struct. */
template <class T> struct format {
    enum { value = 0 };
};
#define BANKSCOPE_FORMAT(type, number)                                                             \
    template <> struct format<type> {                                                              \
        enum { value = number };                                                                   \
    };
BANKSCOPE_FORMAT(char, 1)
BANKSCOPE_FORMAT(signed char, 1)
BANKSCOPE_FORMAT(short, 1)
BANKSCOPE_FORMAT(int, 1)
BANKSCOPE_FORMAT(long, 1)
BANKSCOPE_FORMAT(long long, 1)
BANKSCOPE_FORMAT(bool, 2)
BANKSCOPE_FORMAT(unsigned char, 2)
BANKSCOPE_FORMAT(unsigned short, 2)
BANKSCOPE_FORMAT(unsigned, 2)
BANKSCOPE_FORMAT(unsigned long, 2)
BANKSCOPE_FORMAT(unsigned long long, 2)
BANKSCOPE_FORMAT(double, 3)
BANKSCOPE_FORMAT(float, 4)
#undef BANKSCOPE_FORMAT

} // namespace bankscope_call

#endif
