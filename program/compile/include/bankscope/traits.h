/* traits.h - short names for the standard library's traits that C++11 has, too: the headers in this folder
 * are read as whatever C++ the program is written in. */
#ifndef BANKSCOPE_TRAITS_H
#define BANKSCOPE_TRAITS_H

#include <type_traits>

template <bool condition, typename Then, typename Else>
using bankscope_either = typename std::conditional<condition, Then, Else>::type;
template <bool condition, typename Then = void>
using bankscope_only_if = typename std::enable_if<condition, Then>::type;
template <typename T> using bankscope_value = typename std::decay<T>::type;

#endif
