/* bankscope.h - names stages and rounds of a kernel for Bankscope.
 *
 *     #include <bankscope.h>
 *     ...
 *     BANKSCOPE_STAGE("reduce");
 *     for (int step = n / 2, j = 0; step > 0; step /= 2, j++) {
 *         BANKSCOPE_ROUND(j);
 *         if (threadIdx.x < step)
 *             sum[threadIdx.x] += sum[threadIdx.x + step];
 *         __syncthreads();
 *     }
 *
 * What a thread accesses from there on belongs to the stage, and to the round, in traces and tables. A
 * stage ends at the next BANKSCOPE_STAGE or with the kernel; barriers do not end it. Without
 * BANKSCOPE_ROUND, rounds are counted. The name is a string literal without % and line ends; a round is
 * a number from 0 to 1048575. The file may be copied into any project.
 *
 * In a kernel they are comments in the PTX, whatever compiler makes it, and no instruction:
 *
 *     // bankscope stage reduce
 *     // bankscope round %r7
 *
 * where %r7 is the register, or the constant, that has the round. On the host they are nothing.
 */
#ifndef BANKSCOPE_H
#define BANKSCOPE_H

#ifdef __CUDA_ARCH__
#define BANKSCOPE_STAGE(name) asm volatile("// bankscope stage " name)
#define BANKSCOPE_ROUND(round) asm volatile("// bankscope round %0" ::"r"((int)(round)))
#else
#define BANKSCOPE_STAGE(name) ((void)0)
#define BANKSCOPE_ROUND(round) ((void)0)
#endif

#endif
