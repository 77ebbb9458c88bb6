# random_kernel.awk - prints a kernel k(const unsigned *in, unsigned *out) that nobody wrote: for comparing compilers.
#
#     awk -v seed=7 -f random_kernel.awk </dev/null
#
# Its arithmetic is unsigned, so that C++ leaves nothing open; nothing races, and every thread reaches every barrier.
# Arrays named `v...` are volatile: each compiler has to access them as often as the source says. Each thread prints
# its result.

function draw(below) { return int(rand() * below) }
function pick(list,    word, count) { count = split(list, word, " "); return word[1 + draw(count)] }
function line(text) { printf "%*s%s\n", 4 * (depth + 1), "", text }
function local() { return pick("a b c d") }
function number() { return draw(3) ? draw(100) "u" : pick("0u 1u 31u 0x80000000u 0xffffffffu 65535u 0x12345678u") }

function value(deep) {
    if (deep <= 0)
        return draw(4) ? local() : draw(3) ? number() : pick("t threadIdx.x blockIdx.x blockDim.x")
    return pick_value(deep - 1)
}
function pick_value(deep,    which) {
    which = draw(15)
    if (which < 5)
        return "(" value(deep) " " pick("+ - * & | ^") " " value(deep) ")"
    if (which == 5)
        return "(" value(deep) " " pick("/ %") " " (1 + draw(50)) "u)"
    if (which == 6)
        return "(" value(deep) " " pick("<< >>") " (" value(deep) " & 31u))"
    if (which == 7)
        return "(" condition(deep) " ? " value(deep) " : " value(deep) ")"
    if (which == 8)
        return "(unsigned)((int)(" value(deep) ") >> " draw(32) ")"
    if (which == 9)
        return "(unsigned)(" pick("char short 'unsigned~char' 'unsigned~short' 'signed~char' 'long~long'") ")(" value(deep) ")"
    if (which == 10)
        return "mix(" value(deep) ", " value(deep) ")"
    if (which == 11)
        return "larger<" pick("unsigned int 'unsigned~long~long'") ">(" value(deep) ", " value(deep) ")"
    if (which == 12)
        return pick("__popc __clz __brev __ffs") "(" value(deep) ")"
    if (which == 13)
        return "__funnelshift_l(" value(deep) ", " value(deep) ", " value(deep) ")"
    return "twice(" value(deep) ")"
}
function condition(deep) {
    if (!draw(3))
        return "((int)" value(deep) " " pick("< >= == !=") " (int)" value(deep) ")"
    if (!draw(3))
        return "(" value(deep) " < " value(deep) " " pick("&& ||") " " value(deep) " != " value(deep) ")"
    return "(" value(deep) " " pick("< > <= >= == !=") " " value(deep) ")"
}
function words(text) { gsub(/'/, "", text); gsub(/~/, " ", text); return text }
function say(text) { line(words(text)) }

# Statements that some lanes may leave out: no barrier, nothing of other threads.
function statement(deep,    which, name) {
    which = draw(deep > 0 ? 11 : 4)
    if (which < 3)
        say(local() " " pick("= += -= ^= |= *=") " " value(2) ";")
    else if (which == 3)
        say("p" pick(".x .y") " = " value(2) ";")
    else if (which == 4 || which == 5) {
        say("if " condition(2) " {")
        block(deep)
        if (draw(2)) {
            line("} else {")
            block(deep)
        }
        line("}")
    } else if (which == 6) {
        name = "i" depth
        say("for (unsigned " name " = 0; " name " < " pick("3 5 8 t%4 b%7") "; " name "++) {")
        depth++; say(local() " += " name " * " value(1) ";")
        if (!draw(3)) say("if " condition(1) " " pick("break continue") ";")
        depth--
        block(deep)
        line("}")
    } else if (which == 7) {
        say("switch (" value(1) " % 4) {")
        depth++; say("case 0:"); block(deep); if (draw(2)) say("break;")
        say("case 2:"); block(deep); say("break;")
        say("default:"); block(deep); depth--
        line("}")
    } else if (which == 8)
        say("p.add(" value(2) ");")
    else if (which == 9)
        say(local() " ^= p.sum();")
    else
        say("{ unsigned own[4] = {a, b, c, d}; own[" value(1) " & 3] += " value(1) "; " local() " += own[" value(1) " & 3]; }")
}
function block(deep,    i) {
    depth++
    for (i = 1 + draw(3); i; i--)
        statement(deep - 1)
    depth--
}
# Statements of the whole block of threads.
function together(    which) {
    which = draw(7)
    if (which < 2) {
        say("v[t ^ " draw(64) "] = " value(2) ";")
        line("__syncthreads();")
        say(local() " += v[" value(2) " & 63];")
        line("__syncthreads();")
    } else if (which == 2) {
        say("if " condition(1))
        say("    vh[t ^ " draw(64) "] = (unsigned short)" value(2) ";")
        line("__syncthreads();")
        say("if " condition(1))
        say("    " local() " -= vh[(t * " pick("1 2 3 33") " + " draw(9) ") & 63];")
        line("__syncthreads();")
    } else if (which == 3) {
        say("atomicAdd(&sums[" value(1) " & 15], " value(1) ");")
        line("__syncthreads();")
        say(local() " ^= sums[" value(1) " & 15];")
        line("__syncthreads();")
    } else if (which == 4)
        say(local() " += __shfl_" pick("xor up down") "_sync(0xffffffffu, " value(1) ", " pick("1 2 4 8 16 7") ");")
    else if (which == 5)
        say(local() " ^= " pick("__ballot_sync __any_sync __all_sync") "(0xffffffffu, " condition(1) ");")
    else {
        say("#pragma unroll " pick("1 2 4"))
        say("for (int j = 0; j < " pick("2 4 6") "; j++)")
        say("    v[64 * (j & 1) + t] = " value(1) " + j;")
        say(local() " += v[64 + t] ^ v[t];")
        line("__syncthreads();")
    }
}
BEGIN {
    srand(seed)
    print "struct pair {"
    print "    unsigned x, y;"
    print "    __device__ void add(unsigned n) { x += n, y ^= x >> 3; }"
    print "    __device__ unsigned sum() const { return x + 2 * y; }"
    print "};"
    print "__device__ unsigned mix(unsigned a, unsigned b) { return (a ^ b) * 2654435761u + (a >> 5); }"
    print "template <class T> __device__ T larger(T a, T b) { return a > b ? a : b; }"
    print "__global__ void k(const unsigned *in, unsigned *out)"
    print "{"
    print "    __shared__ volatile unsigned v[128];"
    print "    __shared__ volatile unsigned short vh[64];"
    print "    __shared__ unsigned sums[16];"
    print "    unsigned t = threadIdx.x, a = in[blockIdx.x * 64 + t], b = a * 7 + t, c = 11, d = t ^ 5;"
    print "    pair p = {a, t};"
    print "    auto twice = [=](unsigned n) { return n + n + " draw(9) "u; };"
    print "    v[t] = a; v[t + 64] = b; vh[t] = (unsigned short)c;"
    print "    if (t < 16) sums[t] = t;"
    print "    __syncthreads();"
    for (i = 4 + draw(8); i; i--) {
        for (j = draw(3); j; j--)
            statement(2)
        together()
    }
    print "    a = mix(mix(a, b), mix(c, d)) + p.sum();"
    print "    out[blockIdx.x * 64 + t] = a;"
    print "    printf(\"%u %u %08x\\n\", blockIdx.x, t, a);"
    print "}"
}
