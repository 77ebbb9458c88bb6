/* libraries.c - cairo with Pango, and SDL, loaded when there is something to draw.
 *
 * They come with some forty libraries of their own. To load those takes five times as long as most
 * commands do, so the program is not linked with them: for each function that it calls, it has one of
 * the same name here, which jumps to the library's. Before load_cairo() and load_sdl() there is nowhere
 * to jump to. A function that is missing from the lists is an error of the linker.
 */
#include "viewer/export/export.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#if defined(__x86_64__)
#define JUMP_TO(pointer) "jmp *" pointer "(%rip)\n"
#elif defined(__aarch64__)
#define JUMP_TO(pointer)                                                                           \
    "adrp x16, " pointer "\n"                                                                      \
    "ldr x16, [x16, :lo12:" pointer "]\n"                                                          \
    "br x16\n"
#endif

/* clang-format off */
#define CAIRO(F) \
    F(cairo_arc) F(cairo_clip_extents) F(cairo_close_path) F(cairo_create) F(cairo_destroy) F(cairo_fill) \
    F(cairo_fill_preserve) F(cairo_font_options_create) F(cairo_font_options_destroy) F(cairo_font_options_set_antialias) \
    F(cairo_font_options_set_hint_metrics) F(cairo_get_matrix) F(cairo_get_target) \
    F(cairo_image_surface_create) F(cairo_image_surface_create_for_data) \
    F(cairo_image_surface_get_data) F(cairo_image_surface_get_height) \
    F(cairo_image_surface_get_stride) F(cairo_image_surface_get_width) F(cairo_line_to) F(cairo_move_to) \
    F(cairo_new_path) F(cairo_paint) F(cairo_pdf_surface_create_for_stream) F(cairo_pdf_surface_set_metadata) \
    F(cairo_pdf_surface_set_size) F(cairo_rectangle) F(cairo_rel_line_to) F(cairo_restore) F(cairo_rotate) F(cairo_save) F(cairo_scale) \
    F(cairo_scaled_font_destroy) F(cairo_scaled_font_reference) F(cairo_set_dash) \
    F(cairo_set_line_width) F(cairo_set_scaled_font) F(cairo_set_source_rgb) \
    F(cairo_set_source_rgba) F(cairo_show_glyphs) F(cairo_show_page) F(cairo_status) \
    F(cairo_status_to_string) F(cairo_stroke) F(cairo_surface_destroy) F(cairo_surface_finish) \
    F(cairo_surface_flush) F(cairo_surface_get_type) F(cairo_surface_status) F(cairo_tag_begin) \
    F(cairo_tag_end) F(cairo_translate) F(g_object_unref) F(g_type_check_instance_cast) \
    F(pango_attr_family_new) F(pango_attr_list_insert) F(pango_attr_list_new) \
    F(pango_attr_list_unref) F(pango_attr_scale_new) F(pango_cairo_context_set_font_options) \
    F(pango_cairo_create_context) F(pango_cairo_font_get_scaled_font) \
    F(pango_cairo_font_get_type) F(pango_cairo_show_layout_line) \
    F(pango_context_set_round_glyph_positions) F(pango_font_description_free) \
    F(pango_font_description_from_string) F(pango_font_description_set_absolute_size) \
    F(pango_font_description_set_weight) F(pango_layout_get_line_readonly) \
    F(pango_layout_line_get_extents) F(pango_layout_new) F(pango_layout_set_attributes) \
    F(pango_layout_set_font_description) F(pango_layout_set_single_paragraph_mode) \
    F(pango_layout_set_text) F(png_create_info_struct) F(png_create_write_struct) \
    F(png_destroy_write_struct) F(png_init_io) F(png_longjmp) F(png_set_bgr) F(png_set_compression_level) \
    F(png_set_compression_strategy) F(png_set_filler) F(png_set_filter) F(png_set_IHDR) \
    F(png_set_longjmp_fn) F(png_set_text) F(png_write_end) F(png_write_info) F(png_write_row)
#define SDL(F) \
    F(SDL_CreateRGBSurfaceWithFormat) F(SDL_CreateThread) F(SDL_CreateWindow) F(SDL_Delay) \
    F(SDL_DestroyWindow) F(SDL_free) F(SDL_FreeSurface) F(SDL_GetCurrentVideoDriver) \
    F(SDL_GetDisplayUsableBounds) F(SDL_GetError) F(SDL_GetKeyName) F(SDL_GetNumVideoDisplays) \
    F(SDL_GetPerformanceCounter) F(SDL_GetPerformanceFrequency) F(SDL_GetTicks64) \
    F(SDL_GetWindowDisplayIndex) F(SDL_GetWindowFlags) F(SDL_GetWindowID) F(SDL_GetWindowSize) \
    F(SDL_GetWindowSurface) F(SDL_HideWindow) F(SDL_Init) F(SDL_PollEvent) F(SDL_PushEvent) \
    F(SDL_Quit) F(SDL_RaiseWindow) F(SDL_RegisterEvents) F(SDL_SetHint) F(SDL_SetWindowFullscreen) \
    F(SDL_SetWindowMinimumSize) F(SDL_SetWindowPosition) F(SDL_StartTextInput) \
    F(SDL_UpdateWindowSurfaceRects) F(SDL_UpperBlit) F(SDL_WaitEvent) F(SDL_WaitEventTimeout) \
    F(SDL_WaitThread)
/* clang-format on */

struct function {
    const char *name; /* NULL behind the last */
    void **at;
};

#ifdef JUMP_TO
#define FUNCTION(name)                                                                             \
    void *library_##name __attribute__((visibility("hidden"), used));                              \
    __asm__(".pushsection .text\n"                                                                 \
            ".globl " #name "\n"                                                                   \
            ".hidden " #name "\n"                                                                  \
            ".type " #name ", %function\n" #name ":\n" JUMP_TO("library_" #name) ".popsection\n");
#define ROW(name) {#name, &library_##name},
CAIRO(FUNCTION)
SDL(FUNCTION)
#else /* The Makefile links the program with both. */
#define ROW(name)
#endif
static const struct function cairo[] = {CAIRO(ROW){NULL, NULL}}, sdl[] = {SDL(ROW){NULL, NULL}};

static bool load_library(const char *file, const struct function *function, const char *what,
                         const char *instead, struct error *error)
{
    void *library = dlopen(file, RTLD_LAZY);
    if (!library)
        return error_set(error, "%s, which cannot be loaded (%s): install %s", what, dlerror(),
                         instead);
    for (; function->name; function++)
        if (!(*function->at = dlsym(library, function->name)))
            return error_set(error, "%s, too old on this machine: there is no %s", what,
                             function->name);
    return true;
}

static void *do_nothing(void *context)
{
    return context;
}

/* Pango has GLib start a thread, which ends the program where it cannot. */
static bool can_start_threads(struct error *error)
{
    pthread_t thread;
    const int failure = pthread_create(&thread, NULL, do_nothing, NULL);
    if (failure)
        return error_set(error, "a picture's letters need a thread, which cannot be started: %s",
                         strerror(failure));
    return pthread_join(thread, NULL) == 0;
}

bool load_cairo(struct error *error)
{
    return can_start_threads(error) &&
           load_library("libpangocairo-1.0.so.0", cairo, "a picture needs cairo and Pango",
                        "them (libpangocairo-1.0-0), or export to .svg, which needs neither",
                        error);
}

bool load_sdl(struct error *error)
{
    return load_library("libSDL2-2.0.so.0", sdl, "a window needs SDL2",
                        "it (libsdl2-2.0-0), or draw into a file with 'bankscope export'", error);
}
