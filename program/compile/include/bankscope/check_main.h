/* check_main.h - the main() with which `bankscope check` runs an exercise that is a CUDA program.
 *
 * Standard input has the numbers of parameters, of ints that the kernels read, and of ints that they
 * write; then the former two. Standard output gets the latter. Both are files.
 */
#undef main
#include <stdlib.h>
#include <unistd.h>

void exercise(const int *param, const int *in, int *out);

static bool check_move(bool in, int *at, size_t ints)
{
    for (size_t done = 0, bytes = ints * sizeof *at; done < bytes;) {
        ssize_t some = in ? read(0, (char *)at + done, bytes - done)
                          : write(1, (char *)at + done, bytes - done);
        if (some <= 0)
            return false;
        done += (size_t)some;
    }
    return true;
}

int main()
{
    int count[3];
    if (!check_move(true, count, 3))
        return 2;
    size_t most = 1;
    for (int i = 0; i < 3; i++)
        most = (size_t)count[i] > most ? (size_t)count[i] : most;
    int *param = (int *)malloc(((size_t)count[0] + 1) * sizeof(int)),
        *host = (int *)malloc(most * sizeof(int));
    int *in, *out;
    size_t in_bytes = (size_t)count[1] * sizeof(int), out_bytes = (size_t)count[2] * sizeof(int);
    if (!param || !host || !check_move(true, param, (size_t)count[0]) ||
        !check_move(true, host, (size_t)count[1]) || cudaMalloc(&in, in_bytes) ||
        cudaMalloc(&out, out_bytes) || cudaMemcpy(in, host, in_bytes, cudaMemcpyHostToDevice) ||
        cudaMemset(out, 0xba, out_bytes))
        return 2;
    exercise(param, in, out);
    if (cudaDeviceSynchronize() || cudaMemcpy(host, out, out_bytes, cudaMemcpyDeviceToHost) ||
        !check_move(false, host, (size_t)count[2]))
        return 1;
    cudaFree(in);
    cudaFree(out);
    free(host);
    free(param);
    return 0;
}
