/* string_search - finds words in a text, as courses have it: each block stages its piece of the text in
 * dynamic shared memory, byte by byte, and a function compares through a pointer of which only a run
 * tells whether it points to shared or to global memory; blocks behind the end return early. The last
 * kernel is named as a type's letter in mangled names.
 *
 * `string_search timer` is interrupted every millisecond, which may not disturb its recording.
 *
 * A program for `run -- ./app` (tests/gpu/recorded.sh), which checks its results.
 */
#include "../programs/program.h"

#include <csignal>
#include <cstring>
#include <string>
#include <sys/time.h>

const int THREADS = 128, MOST = 32;

/* `text` may point to shared memory, to global memory, or differ from lane to lane. */
__device__ __noinline__ bool matches(const unsigned char *text, const unsigned char *word,
                                     int length)
{
    for (int i = 0; i < length; i++)
        if (text[i] != word[i])
            return false;
    return true;
}

/* The piece of a block and what a word that begins in it may reach into. */
__device__ int stage(unsigned char *piece, const unsigned char *text, int n, int begin, int length)
{
    int have = min(THREADS + length - 1, n - begin);
    for (int i = threadIdx.x; i < have; i += THREADS)
        piece[i] = text[begin + i];
    __syncthreads();
    return have;
}

__global__ void search(const unsigned char *text, int n, const unsigned char *word, int length,
                       int *found)
{
    extern __shared__ unsigned char piece[];
    int begin = blockIdx.x * THREADS, i = threadIdx.x;
    if (begin + length > n)
        return;
    int have = stage(piece, text, n, begin, length);
    if (i + length > have)
        return;
    if (matches(piece + i, word, length))
        atomicAdd(found, 1);
}

/* Lanes whose word begins in the last quarter of a piece read global memory in the same instruction. */
__global__ void search_mixed(const unsigned char *text, int n, const unsigned char *word,
                             int length, int *found)
{
    extern __shared__ unsigned char piece[];
    int begin = blockIdx.x * THREADS, i = threadIdx.x;
    if (begin + length > n)
        return;
    int have = stage(piece, text, n, begin, length);
    if (i + length > have)
        return;
    const unsigned char *from = i % 4 == 3 ? text + begin + i : piece + i;
    if (matches(from, word, length))
        atomicAdd(found, 1);
}

/* Horspool: how far to go on by the byte under the word's end; a thread searches a stretch. */
__global__ void horspool(const unsigned char *text, int n, const unsigned char *word, int length,
                         int stretch, int *found)
{
    extern __shared__ unsigned char shift[];
    unsigned char *copy = shift + 256;
    int thread = blockIdx.x * THREADS + threadIdx.x;
    if (blockIdx.x * THREADS * stretch >= n)
        return;
    for (int c = threadIdx.x; c < 256; c += THREADS)
        shift[c] = length;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int i = 0; i + 1 < length; i++)
            shift[word[i]] = length - 1 - i;
    if (threadIdx.x < length)
        copy[threadIdx.x] = word[threadIdx.x];
    __syncthreads();
    int end = min(n - length, (thread + 1) * stretch - 1);
    for (int at = thread * stretch; at <= end; at += shift[text[at + length - 1]])
        if (matches(copy, text + at, length))
            atomicAdd(found, 1);
}

/* Counts of bytes, as the search would need them next. */
__global__ void t(const unsigned char *text, int n, int *count)
{
    extern __shared__ unsigned char shared[];
    unsigned short *of = reinterpret_cast<unsigned short *>(shared);
    int i = blockIdx.x * THREADS + threadIdx.x;
    if (blockIdx.x * THREADS >= n)
        return;
    of[threadIdx.x] = i < n ? text[i] == ' ' : 0;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (threadIdx.x < half)
            of[threadIdx.x] += of[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        atomicAdd(count, of[0]);
}

static volatile std::sig_atomic_t rings;

static void ring(int)
{
    rings = rings + 1;
}

static void ring_every_millisecond()
{
    struct sigaction action = {};
    action.sa_handler = ring;
    sigaction(SIGALRM, &action, nullptr);
    struct itimerval every = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_REAL, &every, nullptr);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !std::strcmp(argv[1], "timer"))
        ring_every_millisecond();
    const char *const words[] = {"a", "the", "bank", "in the banks", "no such word here at all"};
    const char *const pieces[] = {"the ", "bank ", "in ", "banks ", "a ", "of "};
    std::string text;
    for (int piece : random_ints(4000, 6))
        text += pieces[piece];
    const int n = static_cast<int>(text.size()), stretch = 16;
    std::vector<unsigned char> bytes(text.begin(), text.end());
    unsigned char *device_text = to_device(bytes);
    /* More blocks than the text has, as those who round up generously launch. */
    const int blocks = n / THREADS + 8;
    std::vector<int> want, got;
    int wrong = 0;
    for (const char *word : words) {
        const int length = static_cast<int>(std::strlen(word));
        int times = 0;
        for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
            times++;
        want.insert(want.end(), 3, times);
        unsigned char *device_word = to_device(std::vector<unsigned char>(word, word + length));
        int *found = to_device(std::vector<int>(3, 0));
        search<<<blocks, THREADS, THREADS + MOST>>>(device_text, n, device_word, length, found);
        CUDA(launched());
        search_mixed<<<blocks, THREADS, THREADS + MOST>>>(device_text, n, device_word, length,
                                                          found + 1);
        CUDA(launched());
        horspool<<<blocks / stretch + 2, THREADS, 256 + MOST>>>(device_text, n, device_word, length,
                                                                stretch, found + 2);
        CUDA(launched());
        for (int times_found : to_host(found, 3))
            got.push_back(times_found);
        CUDA(cudaFree(device_word));
        CUDA(cudaFree(found));
    }
    wrong += compare("found", got, want);
    int *count = to_device(std::vector<int>(1, 0));
    t<<<blocks, THREADS, THREADS * sizeof(short)>>>(device_text, n, count);
    CUDA(launched());
    wrong +=
        compare("blanks", to_host(count, 1),
                std::vector<int>(1, static_cast<int>(std::count(text.begin(), text.end(), ' '))));
    CUDA(cudaFree(device_text));
    CUDA(cudaFree(count));
    return report("string_search", wrong);
}
