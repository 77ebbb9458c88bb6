"""Computes machine/math/math_tables.c (needs mpmath):  python3 machine/math/math_tables.py >machine/math/math_tables.c

A polynomial interpolates its function at Chebyshev's nodes, computed with 60 digits; a piece is
halved until at most MOST coefficients reach TARGET. Where a function has a root, its piece is divided
by the distance from the root, so that values beside it are right to the last bits, too. Tables of
elementary functions hold pairs of doubles, whose sum is right to 100 bits.
"""
import mpmath as m

m.mp.dps = 60
MOST, TARGET = 24, m.mpf(2) ** -57


def interpolated(f, a, b, count):
    """Coefficients of the polynomial in x - (a + b) / 2, lowest first."""
    middle, radius = (a + b) / 2, (b - a) / 2
    nodes = [m.cos(m.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    values = [f(middle + radius * x) for x in nodes]
    result = [m.mpf(0)] * count
    before, now = None, [m.mpf(1)]
    for j in range(count):
        c = sum(v * m.cos(m.pi * j * (2 * k + 1) / (2 * count)) for k, v in enumerate(values))
        c *= m.mpf(1 if j == 0 else 2) / count
        for i, t in enumerate(now):
            result[i] += c * t
        doubled = [m.mpf(0)] + [(1 if j == 0 else 2) * t for t in now]
        for i, t in enumerate(before or []):
            doubled[i] -= t
        before, now = now, doubled
    return [c / radius**i for i, c in enumerate(result)]


def moved(c, by):
    """The same polynomial in y = x - by."""
    return [sum(c[j] * m.binomial(j, i) * by ** (j - i) for j in range(i, len(c))) for i in range(len(c))]


def error(f, a, b, middle, c):
    worst = 0
    for i in range(65):
        x = a + (b - a) * i / 64
        value = f(x)
        worst = max(worst, abs(m.polyval(c[::-1], x - middle) - value) / abs(value))
    return worst


def pieces(f, a, b, root=None):
    """Rows (end, center, coefficients, whether the center is a root) that cover a to b."""
    a, b = m.mpf(a), m.mpf(b)

    def g(x):
        if root is None:
            return f(x)
        away = x - root if abs(x - root) > m.mpf(10) ** -25 else m.mpf(10) ** -25
        return f(root + away) / away
    middle = (a + b) / 2
    for count in range(6, MOST + 1):
        c = interpolated(g, a, b, count)
        if abs(c[-1]) * ((b - a) / 4) ** (count - 1) > TARGET * abs(c[0]):
            continue
        if error(g, a, b, middle, c) < TARGET:
            center = middle if root is None else root
            return [(b, center, moved(c, center - middle), root is not None)]
    if root is not None:
        raise ValueError("too wide around a root")
    return pieces(f, a, middle) + pieces(f, middle, b)


def cut(f, a, b, parts):
    """At least so many pieces, where wider ones would cancel."""
    ends = [a + m.mpf(b - a) * i / parts for i in range(parts + 1)]
    return sum((pieces(f, x, y) for x, y in zip(ends, ends[1:])), [])


def number(x):
    return float(x).hex().replace("0x1.0000000000000p", "0x1p")


def pair(x):
    high = float(x)
    return "{%s, %s}" % (number(high), number(x - m.mpf(high)))


def lines(items, width):
    line, out = "   ", []
    for item in items:
        if len(line) + len(item) + 2 > width:
            out.append(line)
            line = "   "
        line += " " + item + ","
    return "\n".join(out + [line])


def print_pieces(name, rows, comment):
    print("/* %s */" % comment)
    print("const struct math_piece math_%s[] = {" % name)
    for end, center, c, root in rows:
        print("    {%s, %s, %s, %d," % (number(end), pair(center), "true" if root else "false", len(c)))
        print("     {" + lines([number(x) for x in c], 96).lstrip()[:-1] + "}},")
    print("};\n")


def print_pairs(name, values, comment):
    print("/* %s */" % comment)
    print("const struct math_pair math_%s[] = {" % name)
    print(lines([pair(x) for x in values], 96))
    print("};\n")


def even(f, at_zero):
    return lambda z: f(m.sqrt(z)) if z > 0 else m.mpf(at_zero)


def bessel_small(order):
    """What is left of y0 and y1 without their logarithm (and 1/x), as functions of x^2."""
    def f(z):
        x = m.sqrt(z)
        rest = m.bessely(order, x) - 2 / m.pi * m.log(x / 2) * m.besselj(order, x)
        return rest if order == 0 else (rest + 2 / (m.pi * x)) / x
    return f


def hankel(order, sine):
    """P and Q (times x) of J = sqrt(2 / (pi x)) (P cos(a) - Q sin(a)), as functions of 64 / x^2."""
    def f(z):
        if z == 0:
            return m.mpf(1) if not sine else m.mpf(4 * order * order - 1) / 8
        x = 8 / m.sqrt(z)
        a = x - (2 * order + 1) * m.pi / 4
        j, y = m.besselj(order, x), m.bessely(order, x)
        if sine:
            return m.sqrt(m.pi * x / 2) * (y * m.cos(a) - j * m.sin(a)) * x
        return m.sqrt(m.pi * x / 2) * (j * m.cos(a) + y * m.sin(a))
    return f


def around_roots(f, kind, order, ends):
    """ends: the ends of pieces; a root that lies in one is its center."""
    rows = []
    for a, b in zip(ends, ends[1:]):
        a, b = m.mpf(a), m.mpf(b)
        root = next((r for r in kind if a < r < b), None)
        rows += pieces(f, a, b, root)
    return rows


def log_gamma(x):
    with m.workdps(120):
        return m.log(m.gamma(x))


def inverse_erfc(w):
    """The x with erfc(x) = exp(-w^2)."""
    p = m.exp(-w * w)
    x = m.mpf(w) if w > 1 else m.mpf(0.5)
    for _ in range(60):
        # Halley's step for log(erfc(x)) + w^2, which is nearly straight
        e = m.erfc(x)
        slope = -2 / m.sqrt(m.pi) * m.exp(-x * x) / e
        step = (m.log(e) + w * w) / slope
        x -= step
        if abs(step) < m.mpf(10) ** -45 * x:
            break
    return x


def main():
    one = m.mpf(1)
    print("""/* math_tables.c - the numbers of math_*.c, computed by math_tables.py: do not edit. */
#include "machine/math/math_core.h"

/* clang-format off */
""")
    print_pairs("powers", [one * 2 ** (m.mpf(j) / 64) for j in range(64)], "2^(j/64)")
    print("/* For m from 1 + j/128: a c of 9 bits that is near 1/m, and -log(c). */")
    print("const struct math_reciprocal math_reciprocals[] = {")
    rows = []
    for j in range(128):
        c = m.nint(256 / (1 + (m.mpf(j) + 0.5) / 128)) / 256
        if j == 0:
            c = one
        if j == 127:
            c = one / 2
        rows.append("{%s, %s}" % (number(c), pair(-m.log(c))))
    print(lines(rows, 96))
    print("};\n")
    print_pairs("arctangents", [m.atan(m.mpf(j) / 32) for j in range(33)], "atan(j/32)")
    print("/* 2/pi after the point, 64 bits each. */")
    print("const uint64_t math_two_over_pi[] = {")
    m.mp.dps = 450
    bits = int(m.floor(2 / m.pi * m.mpf(2) ** (64 * 20)))
    m.mp.dps = 60
    print(lines(["0x%016x" % (bits >> (64 * (19 - i)) & (2**64 - 1)) for i in range(20)], 96))
    print("};\n")

    def sine(z):
        x = m.sqrt(z)
        return (m.sin(x) / x - 1) / z if z > 0 else -one / 6

    def cosine(z):
        return (m.cos(m.sqrt(z)) - 1 + z / 2) / (z * z) if z > m.mpf(10) ** -15 else one / 24
    quarter = (m.pi / 4) ** 2 * 1.01
    for name, f, what in (("sine", sine, "(sin(x)/x - 1) / x^2"),
                          ("cosine", cosine, "(cos(x) - 1 + x^2/2) / x^4")):
        c = interpolated(f, m.mpf(0), quarter, 7)
        print("/* %s, in x^2 below (pi/4)^2, to %s. */" % (what, m.nstr(error(f, m.mpf(10)**-12, quarter, quarter / 2, c), 2)))
        print("const double math_%s[] = {" % name)
        print(lines([number(x) for x in moved(c, -quarter / 2)], 96))
        print("};\n")

    erf = even(lambda x: m.erf(x) / x, 2 / m.sqrt(m.pi))
    print_pieces("erf_small", cut(erf, 0, 1, 4), "erf(x)/x, in x^2")
    erfcx = lambda x: m.exp(x * x) * m.erfc(x)
    print_pieces("erfcx_middle", pieces(erfcx, 0, 8), "exp(x^2) erfc(x)")
    print_pieces("erfcx_large", pieces(even(lambda u: erfcx(8 / u) * 8 / u, 1 / m.sqrt(m.pi)), 0, 1),
                 "x exp(x^2) erfc(x), in 64/x^2")
    print_pieces("erfinv_small", pieces(even(lambda x: m.erfinv(x) / x, m.sqrt(m.pi) / 2), 0, 0.25),
                 "erfinv(x)/x, in x^2")
    print_pieces("erfcinv_large", pieces(inverse_erfc, 0.83, 27.5), "erfcinv(exp(-w^2)), in w")
    print_pieces("lgamma_near", pieces(log_gamma, 0.75, 1.25, one) + pieces(log_gamma, 1.25, 1.75) +
                 pieces(log_gamma, 1.75, 2.25, 2 * one), "log(gamma(x)) around 1 and 2")

    zeros = {k: [g(n, i) for i in range(1, 4)] for k, g, n in
             (("j0", m.besseljzero, 0), ("j1", m.besseljzero, 1), ("y0", m.besselyzero, 0), ("y1", m.besselyzero, 1))}
    bounds = {"j0": (0, 1.6, 3.2, 4.7, 6.3, 8), "y0": (0.6, 1.2, 3.2, 4.7, 6.3, 8),
              "j1": (3, 4.6, 6.2, 7.6, 8), "y1": (0.6, 1.5, 2.9, 4.7, 6.2, 8)}
    for k, g in (("j0", m.besselj), ("j1", m.besselj), ("y0", m.bessely), ("y1", m.bessely)):
        order = int(k[1])
        f = lambda x, g=g, order=order: g(order, x)
        rows = around_roots(f, zeros[k], order, bounds[k])
        if k == "j1":
            rows = pieces(f, 1, 3) + rows
        print_pieces(k + "_middle", rows, k + "(x) below 8 (j1 from 1, y0 and y1 from 0.6)")
    for order in (0, 1):
        print_pieces("y%d_small" % order, pieces(bessel_small(order), m.mpf(10) ** -12, 0.36),
                     "y%d(x) without its singular terms%s, in x^2" % (order, " over x" if order else ""))
        print_pieces("hankel_p%d" % order, pieces(hankel(order, False), 0, 1), "Hankel's P, in 64/x^2")
        print_pieces("hankel_q%d" % order, pieces(hankel(order, True), 0, 1), "Hankel's Q times x, in 64/x^2")
    print_pieces("i0_middle", cut(lambda x: m.besseli(0, x), 0, 8, 8), "i0(x) below 8")
    print_pieces("i1_middle", cut(lambda x: m.besseli(1, x), 1, 8, 7), "i1(x) from 1 to 8")
    print_pieces("i1_small", pieces(even(lambda x: m.besseli(1, x) / x, 0.5), 0, 1), "i1(x)/x, in x^2")
    print_pieces("j1_small", pieces(even(lambda x: m.besselj(1, x) / x, 0.5), 0, 1), "j1(x)/x, in x^2")
    for order in (0, 1):
        f = lambda u, order=order: (m.besseli(order, 8 / u) * m.exp(-8 / u) * m.sqrt(8 / u) if u > 0
                                    else 1 / m.sqrt(2 * m.pi))
        print_pieces("i%d_large" % order, pieces(f, 0, 1), "sqrt(x) exp(-x) i%d(x), in 8/x" % order)
    print("/* clang-format on */")


main()
