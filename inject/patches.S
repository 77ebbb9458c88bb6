/* patches.S - patches.fatbin as the array inject_patches of the library. */
    .section .rodata
    .global inject_patches
    .balign 16
inject_patches:
    .incbin PATCHES
    .section .note.GNU-stack, "", @progbits
