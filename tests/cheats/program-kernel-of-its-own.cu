// 10-own-kernel | refused | '__global__': a name begins with a letter
__global__ void fields(int number) { }
