// 10-own-kernel | refused | an index follows the name of an array
__device__ int exchange(int number) { return [](int a) { return a; }(number); }
