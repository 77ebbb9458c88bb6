/* hostcuda_launch.h - what a launch becomes.
 *
 *     kernel<T><<<grid, block, bytes, stream>>>(a, b);
 *
 * is rewritten, on the same line, to
 *
 *     ::hostcuda::launcher("kernel<T>", [&](auto hostcuda_take) -> decltype(
 *         hostcuda_take(kernel<T>)) { return hostcuda_take(kernel<T>); },
 *         [&](auto &...hostcuda_a) HOSTCUDA_PLAIN { kernel<T>(hostcuda_a...); },
 *         grid, block, bytes, stream)(a, b);
 *
 * Where the name alone says which function it is, the first lambda yields it: arguments are then
 * converted as in a call. Where arguments decide (deduced template parameters, overloads), it
 * cannot be called, and the second lambda does. Arguments are evaluated once, and each thread gets
 * copies of them.
 */
#ifndef BANKSCOPE_HOSTCUDA_LAUNCH_H
#define BANKSCOPE_HOSTCUDA_LAUNCH_H

#include <stddef.h>
#include <type_traits>
#include <utility>

#define HOSTCUDA_PLAIN __attribute__((no_sanitize("thread"), no_sanitize_coverage))

namespace hostcuda
{

/* Whether copies of a T are copies of its bytes. An argument of another type is passed by its address,
 * says C++'s binary interface; so each thread gets a copy of the bytes, as on a GPU, where nobody calls
 * constructors or destructors for it. */
template <class T>
constexpr bool is_bytes = std::is_trivially_copy_constructible_v<T>
    &&std::is_trivially_move_constructible_v<T> &&std::is_trivially_destructible_v<T>;
template <class T> using passed = std::conditional_t<is_bytes<T>, T, T &>;
template <class T, bool = is_bytes<T>> struct own {
    alignas(T) unsigned char bytes[sizeof(T)];
    HOSTCUDA_PLAIN own(const T &value)
    {
        __builtin_memcpy(bytes, &value, sizeof value);
    }
    HOSTCUDA_PLAIN operator T &()
    {
        return reinterpret_cast<T &>(bytes);
    }
};
template <class T> struct own<T, true> {
    T value;
    HOSTCUDA_PLAIN own(const T &value) : value(value)
    {
    }
    HOSTCUDA_PLAIN operator T &()
    {
        return value;
    }
};

template <size_t I, class T> struct leaf {
    T value;
};
template <class Indices, class... T> struct pack;
template <size_t... I, class... T> struct pack<std::index_sequence<I...>, T...> : leaf<I, T>... {
};

struct configuration {
    const char *name;
    dim3 grid, block;
    size_t bytes;
    void *stream;
    int line;
    int cooperative;
};

inline HOSTCUDA_PLAIN struct hostcuda_launch described(const configuration &c)
{
    struct hostcuda_launch launch = {};
    launch.grid = {c.grid.x, c.grid.y, c.grid.z};
    launch.block = {c.block.x, c.block.y, c.block.z};
    launch.shared_bytes = c.bytes;
    launch.stream = c.stream;
    launch.name = c.name;
    launch.cooperative = c.cooperative;
    launch.line = c.line;
    return launch;
}

/* What is known of a function with these parameters, and how it is called. */
template <class... P> struct signature {
    template <size_t... I>
    HOSTCUDA_INLINE void call(const hostcuda_packed *p, std::index_sequence<I...>)
    {
        auto kernel = reinterpret_cast<void (*)(passed<std::remove_cv_t<P>>...)>(
            const_cast<void *>(p->kernel));
        kernel(
            own<std::remove_cv_t<P>>(*static_cast<std::remove_reference_t<P> *>(p->values[I]))...);
    }
    static HOSTCUDA_QUIET void run(void *packed)
    {
        call(static_cast<const hostcuda_packed *>(packed), std::index_sequence_for<P...>());
    }
    static constexpr size_t sizes[] = {sizeof(P)..., 0};
    static constexpr hostcuda_signature value = {run, sizes, sizeof...(P)};
};

inline HOSTCUDA_PLAIN cudaError_t start(const configuration &c, const void *kernel,
                                        const hostcuda_signature *signature, void **values)
{
    hostcuda_packed packed = {kernel, values};
    struct hostcuda_launch launch = described(c);
    launch.kernel = kernel;
    launch.called = &packed.kernel;
    launch.run = signature->run;
    launch.argument = &packed;
    launch.argument_bytes = sizeof packed;
    launch.signature = signature;
    return hostcuda_stream_launch(&launch);
}

/* A launch of one known function. */
template <class... P> struct known {
    configuration c;
    void (*kernel)(P...);

    cudaError_t operator()(P... p) const
    {
        void *values[] = {(void *)&p..., nullptr};
        return start(c, (const void *)kernel, &signature<P...>::value, values);
    }
};

/* A launch whose arguments say of what. */
template <class F> struct deduced {
    configuration c;
    F function;

    template <class... T> struct call {
        F function;
        pack<std::index_sequence_for<T...>, T...> values;
    };
    template <class Indices, class... T> struct runner;
    template <size_t... I, class... T> struct runner<std::index_sequence<I...>, T...> {
        static HOSTCUDA_QUIET void run(void *argument)
        {
            call<T...> *c = static_cast<call<T...> *>(argument);
            c->function(static_cast<leaf<I, T> &>(c->values).value...);
        }
    };
    template <class... A> cudaError_t operator()(A &&...a) const
    {
        call<std::decay_t<A>...> call = {function, {{std::forward<A>(a)}...}};
        struct hostcuda_launch launch = described(c);
        launch.run = runner<std::index_sequence_for<A...>, std::decay_t<A>...>::run;
        launch.argument = &call;
        launch.argument_bytes = sizeof call;
        return hostcuda_stream_launch(&launch);
    }
};

/* Default arguments of a known function: fewer arguments than parameters go the second way. */
template <class F, class... P> struct either : known<P...> {
    F function;
    either(const configuration &c, void (*kernel)(P...), F function)
        : known<P...>{c, kernel}, function(function)
    {
    }
    using known<P...>::operator();
    template <class... A, class = std::enable_if_t<(sizeof...(A) < sizeof...(P))>>
    cudaError_t operator()(A &&...a) const
    {
        return deduced<F>{this->c, function}(std::forward<A>(a)...);
    }
};

struct taker {
    template <class... P> auto operator()(void (*kernel)(P...)) const
    {
        return kernel;
    }
};

template <class F, class... P>
either<F, P...> choose(const configuration &c, void (*kernel)(P...), F function)
{
    return {c, kernel, function};
}

template <class N, class F>
auto select(const configuration &c, N &name, F function, int)
    -> decltype(choose(c, name(taker{}), function))
{
    return choose(c, name(taker{}), function);
}
template <class N, class F> deduced<F> select(const configuration &c, N &, F function, long)
{
    return {c, function};
}

template <class N, class F>
auto launcher(const char *text, N name, F function, dim3 grid, dim3 block, size_t bytes = 0,
              cudaStream_t stream = {}, int line = __builtin_LINE())
{
    configuration c = {text, grid, block, bytes, (void *)stream, line, 0};
    return select(c, name, function, 0);
}

/* (void *)kernel becomes typed()->*kernel, which is the same address, but keeps how the kernel is called
 * for those who get no more than that: nodes of a graph, cudaLaunchKernel. */
struct typed {
};
template <class... P> void *operator->*(typed, void (*kernel)(P...))
{
    hostcuda_know((const void *)kernel, &signature<P...>::value);
    return (void *)kernel;
}
template <class T> HOSTCUDA_INLINE void *operator->*(typed, T value)
{
    return (void *)value;
}

} // namespace hostcuda

#endif
