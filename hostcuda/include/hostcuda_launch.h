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

template <class T> struct same {
    using type = T;
};

struct configuration {
    const char *name;
    dim3 grid, block;
    size_t bytes;
    void *stream;
    int line;
    int cooperative;
};

inline HOSTCUDA_PLAIN int start(const configuration &c, const void **called, void (*run)(void *),
                                void *argument, size_t bytes)
{
    struct hostcuda_launch launch = {};
    launch.grid = {c.grid.x, c.grid.y, c.grid.z};
    launch.block = {c.block.x, c.block.y, c.block.z};
    launch.shared_bytes = c.bytes;
    launch.stream = c.stream;
    launch.kernel = called ? *called : nullptr;
    launch.called = called;
    launch.name = c.name;
    launch.run = run;
    launch.argument = argument;
    launch.argument_bytes = bytes;
    launch.cooperative = c.cooperative;
    launch.line = c.line;
    int status = ::hostcuda_launch(&launch);
    hostcuda_remember(status);
    return status;
}

/* A launch of one known function. */
template <class... P> struct known {
    configuration c;
    void (*kernel)(P...);
    void (*second)(void *, P...);

    struct call {
        void (*kernel)(P...);
        pack<std::index_sequence_for<P...>, own<std::remove_cv_t<P>>...> values;
    };
    template <size_t... I> struct runner {
        static HOSTCUDA_QUIET void run(void *argument)
        {
            call *c = static_cast<call *>(argument);
            auto kernel = reinterpret_cast<void (*)(passed<std::remove_cv_t<P>>...)>(c->kernel);
            kernel(own<std::remove_cv_t<P>>(
                static_cast<leaf<I, own<std::remove_cv_t<P>>> &>(c->values).value)...);
        }
    };
    template <size_t... I> int go(std::index_sequence<I...>, const P &...p) const
    {
        call c = {kernel, {{own<std::remove_cv_t<P>>(p)}...}};
        return start(this->c, (const void **)&c.kernel, runner<I...>::run, &c, sizeof c);
    }
    int operator()(P... p) const
    {
        return go(std::index_sequence_for<P...>{}, p...);
    }
};

/* A launch whose arguments say of what. */
template <class F> struct deduced {
    configuration c;
    F function;

    template <class... T> struct call {
        const F *function;
        pack<std::index_sequence_for<T...>, T...> values;
    };
    template <class Indices, class... T> struct runner;
    template <size_t... I, class... T> struct runner<std::index_sequence<I...>, T...> {
        static HOSTCUDA_QUIET void run(void *argument)
        {
            call<T...> *c = static_cast<call<T...> *>(argument);
            (*c->function)(static_cast<leaf<I, T> &>(c->values).value...);
        }
    };
    template <class... A> int operator()(A &&...a) const
    {
        call<std::decay_t<A>...> c = {&function, {{std::forward<A>(a)}...}};
        return start(this->c, nullptr,
                     runner<std::index_sequence_for<A...>, std::decay_t<A>...>::run, &c, sizeof c);
    }
};

/* Default arguments of a known function: fewer arguments than parameters go the second way. */
template <class F, class... P> struct either : known<P...> {
    F function;
    either(const configuration &c, void (*kernel)(P...), F function)
        : known<P...>{c, kernel, nullptr}, function(function)
    {
    }
    using known<P...>::operator();
    template <class... A, class = std::enable_if_t<(sizeof...(A) < sizeof...(P))>>
    int operator()(A &&...a) const
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

} // namespace hostcuda

#endif
