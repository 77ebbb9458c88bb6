/* keywords.c - the words of the language, and other spellings of them. */
#include "kernelc/parser.h"

void kc_keywords(struct kc *c)
{
    static const struct {
        const char *text;
        int keyword;
    } keywords[] = {
#define KEYWORD(name, text) {text, KEY_##name},
#include "kernelc/keywords.def"
        {"__asm__", KEY_ASM},
        {"__asm", KEY_ASM},
        {"__inline__", KEY_INLINE},
        {"__inline", KEY_INLINE},
        {"__restrict", KEY_RESTRICT},
        {"restrict", KEY_RESTRICT},
        {"_Static_assert", KEY_STATIC_ASSERT},
        {"__volatile__", KEY_VOLATILE},
        {"__const__", KEY_CONST},
        {"__signed__", KEY_SIGNED},
        {"_Bool", KEY_BOOL},
        {"__align", KEY_ALIGN},
        {"_Alignas", KEY_ALIGNAS},
        {"_Alignof", KEY_ALIGNOF},
        {"__alignof__", KEY_ALIGNOF},
        {"__alignof", KEY_ALIGNOF},
        {"__nv_bfloat16", KEY_BF16},
        {"__forceinline", KEY_FORCEINLINE},
        {"__decltype", KEY_DECLTYPE},
        {"__typeof__", KEY_DECLTYPE},
        {"thread_local", KEY_THREAD_LOCAL},
        {"__thread", KEY_THREAD_LOCAL},
        {"consteval", KEY_CONSTEXPR},
        {"constinit", KEY_INLINE},
        {"__volatile", KEY_VOLATILE},
        {"__inline_hint__", KEY_INLINE},
    };
    for (size_t i = 0; i < sizeof keywords / sizeof *keywords; i++)
        kc_word_of(c, keywords[i].text)->keyword = keywords[i].keyword;
}
