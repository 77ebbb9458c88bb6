// launch: grid 1 1 1; block 64 1 1; out 512 unwritten; in 512 random
// Transforms 256 complex points by four passes of radix 4 (Stockham). A pass writes points 1, 4, 16, 64
// apart: which of them is free of conflicts, and what do 8 bytes a lane cost?
__global__ void fft(float2 *out, const float2 *in)
{
    __shared__ float2 points[256];
    int t = threadIdx.x;
    float2 v[4];
    for (int r = 0; r < 4; r++)
        v[r] = in[t + 64 * r];
    for (int apart = 1; apart < 256; apart *= 4) {
        int k = t % apart;
        for (int r = 1; r < 4; r++) { // turn by the r-th multiple of an angle
            float angle = -6.2831853f * r * k / (4 * apart), c = cosf(angle), s = sinf(angle);
            v[r] = make_float2(v[r].x * c - v[r].y * s, v[r].x * s + v[r].y * c);
        }
        float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
               b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
        float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
               d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
        int at = t / apart * apart * 4 + k;
        points[at] = make_float2(a.x + c.x, a.y + c.y);
        points[at + apart] = make_float2(b.x + d.x, b.y + d.y);
        points[at + 2 * apart] = make_float2(a.x - c.x, a.y - c.y);
        points[at + 3 * apart] = make_float2(b.x - d.x, b.y - d.y);
        __syncthreads();
        for (int r = 0; r < 4; r++)
            v[r] = points[t + 64 * r];
        __syncthreads();
    }
    for (int r = 0; r < 4; r++)
        out[t + 64 * r] = v[r];
}
