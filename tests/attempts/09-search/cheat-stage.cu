// does not compile: asm
__device__ int key_word(int rounds, int i)
{
    asm("// bankscope stage setup");
    return i;
}
