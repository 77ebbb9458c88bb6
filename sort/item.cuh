/* item.cuh - what is sorted: items, their order, how they come from keys and go back.
 *
 * The kernels only sort items of 4, 8 or 16 bytes in ascending order:
 *
 *     int         a key of 4 bytes
 *     long long   a key of 8 bytes, or a key of 4 bytes (high) and where it stood in the input (low)
 *     wide_item   a key of 8 bytes and where it stood in the input
 *     pair_item   a key of 4 or 8 bytes and a value of as many
 *     any struct  with an order of the user's
 *
 * encode() turns the bits of any key into a signed integer with the same order as the key, or with the
 * reverse order for a descending sort. Items that carry their place are all different, so any sort of
 * them is stable; values are fetched by place when the last pass writes the output.
 */
#ifndef BANKSCOPE_SORT_ITEM_CUH
#define BANKSCOPE_SORT_ITEM_CUH

#include "sort/ptx.cuh"

#include <type_traits>

namespace bankscope
{

enum { ROW_BYTES = 128, STAGED_ROW_BYTES = 144 };

/* Items of a row: the E of layout.h. */
template <class Item> constexpr int row_items = ROW_BYTES / (int)sizeof(Item);
/* Items of 16 bytes, the unit of bulk copies and of wide accesses. */
template <class Item> constexpr int quad_items = 16 / (int)sizeof(Item);

struct alignas(16) wide_item {
    long long key;
    unsigned place, unused;
};

/* A key and its value, in as many bytes. Only the key is compared, so that items may be equal and yet
 * differ. `placed` is what they are while a block sorts them. */
template <class Key> struct alignas(2 * sizeof(Key)) pair_item {
    Key value, key;
};
template <class Item> constexpr bool is_pair = false;
template <class Key> constexpr bool is_pair<pair_item<Key>> = true;

template <class Item> struct block_form {
    using placed = Item;
};
template <> struct block_form<pair_item<int>> {
    using placed = long long;
};
template <> struct block_form<pair_item<long long>> {
    using placed = wide_item;
};

/* An item in a network whose items may be equal and differ: which of them comes first is said by its place in
 * the tile, and in a merge by gather_tag() of layout.h. */
template <class Item> struct tagged {
    Item item;
    unsigned tag;
};

template <class Item> constexpr bool is_tagged = false;
template <class Item> constexpr bool is_tagged<tagged<Item>> = true;

template <class Item> __host__ __device__ __forceinline__ Item item_of(const Item &item)
{
    return item;
}
template <class Item> __host__ __device__ __forceinline__ Item item_of(const tagged<Item> &item)
{
    return item.item;
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* The order of the items above. A user's order is a class with the same `less`. */
struct natural_order {
    template <class T> static __device__ __forceinline__ bool less(const T &a, const T &b)
    {
        return a < b;
    }
    static __device__ __forceinline__ bool less(const wide_item &a, const wide_item &b)
    {
        return a.key < b.key || (a.key == b.key && a.place < b.place);
    }
    template <class Key>
    static __device__ __forceinline__ bool less(const pair_item<Key> &a, const pair_item<Key> &b)
    {
        return a.key < b.key;
    }
};

/* The order in such a network, and what it works on: tagged items wherever equal items may
 * differ. A split of a merge decides which of them belong to which row, and the network must agree. */
template <class Order> struct by_tag {
    template <class Item>
    static __device__ __forceinline__ bool less(const tagged<Item> &a, const tagged<Item> &b)
    {
        return Order::less(a.item, b.item) || (!Order::less(b.item, a.item) && a.tag < b.tag);
    }
    static __device__ __forceinline__ bool less(const tagged<pair_item<int>> &a,
                                                const tagged<pair_item<int>> &b)
    {
        return ((long long)a.item.key << 32 | a.tag) < ((long long)b.item.key << 32 | b.tag);
    }
};
template <class Item, class Order> struct network_form {
    static constexpr bool tags = is_pair<Item> || !std::is_same<Order, natural_order>::value;
    using item = typename std::conditional<tags, tagged<Item>, Item>::type;
    using order = typename std::conditional<tags, by_tag<Order>, Order>::type;
};

/* Compare and exchange: a gets the smaller item, b the greater.
 *
 * Minimum, maximum, comparison and selection share one pipe of half rate, and the multiply-add pipe
 * is idle. BALANCE says that the greater one is to be found as a + b - smaller by two multiply-adds
 * with a factor 1 that the compiler must not know: blockDim.z. Where two thirds of the exchanges do,
 * the pipes are balanced: 2.67 cycles of a scheduler for each exchange of ints instead of 4. */
template <class Order, bool BALANCE, class Item>
__device__ __forceinline__ void exchange(Item &a, Item &b)
{
    bool swap = Order::less(b, a);
    Item low = swap ? b : a, high = swap ? a : b;
    a = low;
    b = high;
}

__device__ __forceinline__ int other_of_two(int a, int b, int one)
{
    const int factor = (int)blockDim.z;
    return multiply_add(one, -factor, multiply_add(a, factor, b));
}

template <> __device__ __forceinline__ void exchange<natural_order, false, int>(int &a, int &b)
{
    int low = min(a, b), high = max(a, b);
    a = low;
    b = high;
}

template <> __device__ __forceinline__ void exchange<natural_order, true, int>(int &a, int &b)
{
    int low = min(a, b);
    b = other_of_two(a, b, low);
    a = low;
}

template <>
__device__ __forceinline__ void exchange<natural_order, true, long long>(long long &a, long long &b)
{
    bool swap = b < a;
    int a0 = (int)a, a1 = (int)(a >> 32), b0 = (int)b, b1 = (int)(b >> 32);
    int low0 = swap ? b0 : a0, low1 = swap ? b1 : a1;
    int high0 = other_of_two(a0, b0, low0), high1 = other_of_two(a1, b1, low1);
    a = (long long)((unsigned long long)(unsigned)low1 << 32 | (unsigned)low0);
    b = (long long)((unsigned long long)(unsigned)high1 << 32 | (unsigned)high0);
}

template <>
__device__ __forceinline__ void
exchange<by_tag<natural_order>, true, tagged<pair_item<int>>>(tagged<pair_item<int>> &a,
                                                              tagged<pair_item<int>> &b)
{
    const bool swap = by_tag<natural_order>::less(b, a);
    const tagged<pair_item<int>> low = swap ? b : a;
    b.item.key = max(a.item.key, b.item.key);
    b.item.value = other_of_two(a.item.value, b.item.value, low.item.value);
    b.tag = (unsigned)other_of_two((int)a.tag, (int)b.tag, (int)low.tag);
    a = low;
}

/* ---- registers and memory -------------------------------------------------------------------- */

template <class Item> __device__ __forceinline__ Item shuffle_xor(const Item &item, int mask)
{
    int words[sizeof(Item) / 4];
    Item other;
    memcpy(words, &item, sizeof item);
#pragma unroll
    for (int i = 0; i < (int)(sizeof(Item) / 4); i++)
        words[i] = __shfl_xor_sync(~0u, words[i], mask);
    memcpy(&other, words, sizeof other);
    return other;
}

template <class Item>
__device__ __forceinline__ tagged<Item> shuffle_xor(const tagged<Item> &item, int mask)
{
    return {shuffle_xor(item.item, mask), __shfl_xor_sync(~0u, item.tag, mask)};
}

/* ---- keys in, keys and values out ------------------------------------------------------------ */

/* How the bits of a key become a signed integer: flip_negative is what to flip where the sign bit
 * is set, flip what to flip in any case.
 *     signed 0, 0;  unsigned 0, 0x80000000;  floating 0x7fffffff, 0;  descending: flip all of flip */
template <class Key> struct encoding {
    Key flip_negative, flip;
    /* Codes are keys: where a thread has many, it looks once. */
    __device__ __forceinline__ bool none() const
    {
        if constexpr (std::is_integral<Key>::value)
            return !(flip_negative | flip);
        else
            return true;
    }
    __device__ __forceinline__ Key encode(Key bits) const
    {
        if constexpr (!std::is_integral<Key>::value)
            return bits; /* an order of the user's */
        else
            return bits ^ ((bits >> (8 * sizeof(Key) - 1)) & flip_negative) ^ flip;
    }
    __device__ __forceinline__ Key decode(Key code) const
    {
        if constexpr (!std::is_integral<Key>::value) {
            return code;
        } else {
            code ^= flip;
            return code ^ ((code >> (8 * sizeof(Key) - 1)) & flip_negative);
        }
    }
};

template <class Item>
__host__ __device__ __forceinline__ void make_item(Item &item, const Item &code, unsigned)
{
    item = code;
}
__host__ __device__ __forceinline__ void make_item(long long &item, int code, unsigned place)
{
    item = (long long)((unsigned long long)(unsigned)code << 32 | place);
}
__host__ __device__ __forceinline__ void make_item(wide_item &item, long long code, unsigned place)
{
    item.key = code;
    item.place = place;
    item.unused = 0;
}

template <class Key, class Item> __device__ __forceinline__ Key code_of(const Item &item)
{
    if constexpr (std::is_same<Key, Item>::value)
        return item;
    else if constexpr (sizeof(Item) == 16 || is_pair<Item>)
        return item.key;
    else
        return (Key)(item >> 32);
}
template <class Item> __device__ __forceinline__ unsigned place_of(const Item &item)
{
    if constexpr (sizeof(Item) == 16)
        return item.place;
    else
        return (unsigned)item;
}

/* One end of a sort: the caller's arrays. Only block_sort reads keys_in, only the last pass writes;
 * everything between is in the scratch memory, in whole tiles. Any alignment of its element. */
template <class Key, class Item> struct caller_arrays {
    static constexpr bool has_value = is_pair<Item>;
    static constexpr bool has_place = sizeof(Item) != sizeof(Key) && !has_value;
    using placed = typename block_form<Item>::placed;
    static constexpr bool encoded_later = std::is_same<Key, placed>::value; /* by encode() */
    const Key *keys_in;
    Key *keys_out;
    const void *values_in;
    void *values_out;
    int value_bytes; /* 4 or 8; 0 without values */
    int n;
    encoding<Key> code;
    bool floating;           /* -0 and 0 are equal keys */
    placed pad;              /* behind the last of the n items: none is greater */
    int *negative_zero_seen; /* set if there is a -0; NULL: not wanted */

    __device__ __forceinline__ placed item(Key bits, int i) const
    {
        placed item;
        if constexpr (has_place)
            if (floating && bits == negative_zero())
                bits = 0; /* put() finds its sign again */
        make_item(item, encoded_later ? bits : code.encode(bits), (unsigned)i);
        return item;
    }
    template <int E> __device__ __forceinline__ void encode(placed (&items)[E]) const
    {
        if constexpr (encoded_later)
            if (!code.none()) {
#pragma unroll
                for (int i = 0; i < E; i++)
                    items[i] = code.encode(items[i]);
            }
    }
    static __device__ __forceinline__ Key negative_zero()
    {
        return sizeof(Key) == 4 ? (Key)0x80000000u : (Key)0x8000000000000000ull;
    }
    /* Keys first, first + 1, ... of 16 bytes, first a multiple of their number. */
    static constexpr int quad = 16 / (int)sizeof(Key);
    __device__ __forceinline__ bool aligned_in() const
    {
        return ((size_t)keys_in & 15) == 0;
    }
    __device__ __forceinline__ void load_quad(int first, bool whole, placed *items) const
    {
        Key bits[quad];
        if (whole) {
            int4 words = *(const int4 *)(keys_in + first);
            memcpy(bits, &words, 16);
#pragma unroll
            for (int i = 0; i < quad; i++)
                items[i] = item(bits[i], first + i);
        } else {
            placed behind = pad;
            if constexpr (encoded_later)
                behind = code.decode(pad);
#pragma unroll
            for (int i = 0; i < quad; i++)
                items[i] = first + i < n ? item(keys_in[first + i], first + i) : behind;
        }
    }
    /* The value of item number i. */
    __device__ __forceinline__ Key value(int i) const
    {
        return i >= n             ? 0
               : value_bytes == 4 ? (Key)((const int *)values_in)[i]
                                  : (Key)((const long long *)values_in)[i];
    }
    /* Item number i of the output. */
    __device__ __forceinline__ void put(int i, const Item &item) const
    {
        Key bits = code.decode(code_of<Key>(item));
        if constexpr (has_place) {
            unsigned place = place_of(item);
            if (floating && bits == 0)
                bits = keys_in[place];
            if (value_bytes == 4)
                ((int *)values_out)[i] = ((const int *)values_in)[place];
            else
                ((long long *)values_out)[i] = ((const long long *)values_in)[place];
        }
        if constexpr (has_value) {
            if (value_bytes == 4)
                ((int *)values_out)[i] = (int)item.value;
            else
                ((long long *)values_out)[i] = (long long)item.value;
        }
        keys_out[i] = bits;
    }
    /* 16 bytes of items. */
    __device__ __forceinline__ void put_quad(int first, bool whole, const Item *items) const
    {
        constexpr int count = quad_items<Item>;
        if constexpr (count == 2 && has_value) {
            if (whole) {
                *(int2 *)(keys_out + first) =
                    make_int2((int)code.decode(items[0].key), (int)code.decode(items[1].key));
                *(int2 *)((int *)values_out + first) =
                    make_int2((int)items[0].value, (int)items[1].value);
                return;
            }
        } else if constexpr (!has_place && !has_value) {
            if (whole) {
                Key bits[count];
                int4 words;
#pragma unroll
                for (int i = 0; i < count; i++)
                    bits[i] = code_of<Key>(items[i]);
                if (!code.none()) {
#pragma unroll
                    for (int i = 0; i < count; i++)
                        bits[i] = code.decode(bits[i]);
                }
                memcpy(&words, bits, 16);
                *(int4 *)(keys_out + first) = words;
                return;
            }
        }
#pragma unroll
        for (int i = 0; i < count; i++)
            if (first + i < n)
                put(first + i, items[i]);
    }
    __device__ __forceinline__ bool aligned_out() const
    {
        return (((size_t)keys_out | (has_value ? (size_t)values_out : 0)) & 15) == 0;
    }
};

} // namespace bankscope
#endif
