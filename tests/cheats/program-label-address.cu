// 10-own-kernel | refused | '&&': an operand is missing
__device__ int exchange(int number) { here: return (long)&&here ? number : 0; }
