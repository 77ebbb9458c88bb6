/* structs - particles as an array of structs (20 bytes: conflicts depend on the member only by its
   offset; 16 bytes: four ways) and as a struct of arrays (none). */
#include "program.h"

const int THREADS = 128;

struct Particle {
    float x, y, vx, vy;
};

struct Charged {
    Particle particle;
    int charge;
};

struct Columns {
    float x[THREADS], y[THREADS], vx[THREADS], vy[THREADS];
};

__global__ void array_of_structs(Particle *particles, float dt)
{
    __shared__ Particle block[THREADS];
    block[threadIdx.x] = particles[threadIdx.x];
    __syncthreads();
    Particle &p = block[THREADS - 1 - threadIdx.x];
    p.x += p.vx * dt;
    p.y += p.vy * dt;
    __syncthreads();
    particles[threadIdx.x] = block[threadIdx.x];
}

__global__ void with_charge(Particle *particles, float dt)
{
    __shared__ Charged block[THREADS];
    block[threadIdx.x].particle = particles[threadIdx.x];
    block[threadIdx.x].charge = threadIdx.x % 2 ? -1 : 1;
    __syncthreads();
    Charged &c = block[THREADS - 1 - threadIdx.x];
    c.particle.x += c.particle.vx * dt;
    c.particle.y += c.particle.vy * dt;
    c.charge = -c.charge;
    __syncthreads();
    Particle result = block[threadIdx.x].particle;
    result.vx *= block[threadIdx.x].charge * (threadIdx.x % 2 ? 1.0f : -1.0f);
    particles[threadIdx.x] = result;
}

__global__ void struct_of_arrays(Particle *particles, float dt)
{
    __shared__ Columns block;
    Particle own = particles[threadIdx.x];
    block.x[threadIdx.x] = own.x;
    block.y[threadIdx.x] = own.y;
    block.vx[threadIdx.x] = own.vx;
    block.vy[threadIdx.x] = own.vy;
    __syncthreads();
    int i = THREADS - 1 - threadIdx.x;
    block.x[i] += block.vx[i] * dt;
    block.y[i] += block.vy[i] * dt;
    __syncthreads();
    particles[threadIdx.x] = {block.x[threadIdx.x], block.y[threadIdx.x], block.vx[threadIdx.x],
                              block.vy[threadIdx.x]};
}

int main()
{
    std::vector<float> in = random_floats(4 * THREADS), want(in);
    for (int i = 0; i < THREADS; i++)
        for (int k = 0; k < 2; k++)
            want[4 * i + k] += want[4 * i + 2 + k] * 0.5f;

    int wrong = 0;
    for (auto kernel : {array_of_structs, with_charge, struct_of_arrays}) {
        float *memory = to_device(in);
        kernel<<<1, THREADS>>>(reinterpret_cast<Particle *>(memory), 0.5f);
        CUDA(launched());
        wrong += compare("particles", to_host(memory, 4 * THREADS), want);
        CUDA(cudaFree(memory));
    }
    return report("structs", wrong);
}
