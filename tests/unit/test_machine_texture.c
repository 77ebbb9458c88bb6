/* Textures of the machine: handles, filters, edges, formats, surfaces. The expected values are worked out
 * by hand from CUDA's programming guide, "Texture Fetching". */
#include "tests/support/run_ptx.h"

#include <stdio.h>

/* Rows 0 1 2 3, 10 11 12 13, 20 21 22 23 of floats. */
static float plane[3][4];
static struct machine_texture of_plane(void)
{
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 4; x++)
            plane[y][x] = (float)(10 * y + x);
    return (struct machine_texture){.texels = (uint8_t *)plane,
                                    .width = 4,
                                    .height = 3,
                                    .depth = 1,
                                    .pitch = sizeof plane[0],
                                    .slice = sizeof plane,
                                    .channels = 1,
                                    .bits = 32,
                                    .kind = MACHINE_TEXEL_FLOAT,
                                    .wrap = {MACHINE_CLAMP, MACHINE_CLAMP, MACHINE_CLAMP},
                                    .border = {-1, -1, -1, -1}};
}

static float fetched(const struct machine_texture *texture, int dimensions, float x, float y)
{
    union machine_texel texel;
    machine_texture_fetch(texture, dimensions, (float[3]){x, y, 0}, 0, &texel);
    return texel.f[0];
}

static void a_destroyed_texture_is_told_from_the_next(void **state)
{
    (void)state;
    struct machine_textures *textures = machine_textures_new(&heap_allocator);
    struct machine_texture texture = of_plane();
    uint64_t handle[40];
    for (int i = 0; i < 40; i++) {
        texture.width = (uint32_t)i + 1;
        handle[i] = machine_texture_add(textures, &texture);
        assert_true(handle[i] != 0);
    }
    for (int i = 0; i < 40; i++)
        assert_int_equal(machine_texture_find(textures, handle[i])->width, i + 1);
    assert_true(machine_texture_remove(textures, handle[7]));
    assert_false(machine_texture_remove(textures, handle[7]));
    assert_null(machine_texture_find(textures, handle[7]));
    texture.width = 99;
    uint64_t again = machine_texture_add(textures, &texture);
    assert_true(again != handle[7]);
    assert_null(machine_texture_find(textures, handle[7]));
    assert_int_equal(machine_texture_find(textures, again)->width, 99);
    assert_null(machine_texture_find(textures, 0));
    assert_null(machine_texture_find(textures, UINT64_MAX));
    assert_null(machine_texture_find(NULL, again));
    machine_textures_free(textures);
}

static void a_point_is_the_texel_that_it_is_in(void **state)
{
    (void)state;
    struct machine_texture t = of_plane();
    assert_float_equal(fetched(&t, 2, 2.9f, 1.0f), 12, 0);
    assert_float_equal(fetched(&t, 2, -0.1f, 7), 20, 0); /* clamped */
    assert_float_equal(fetched(&t, 1, 1.5f, 2.5f), 1, 0);
    t.wrap[0] = MACHINE_BORDER;
    assert_float_equal(fetched(&t, 2, -0.1f, 1), -1, 0);
    assert_float_equal(fetched(&t, 2, 4, 1), -1, 0);
    t.normalized_coordinates = true;
    t.wrap[0] = MACHINE_WRAP;
    assert_float_equal(fetched(&t, 2, 1.25f, 0), 1, 0);
    assert_float_equal(fetched(&t, 2, -0.25f, 0), 3, 0);
    t.wrap[0] = MACHINE_MIRROR;
    assert_float_equal(fetched(&t, 2, 1.25f, 0), 2, 0);
    assert_float_equal(fetched(&t, 2, -0.25f, 0), 0, 0);
}

static void a_filter_weighs_with_8_bits(void **state)
{
    (void)state;
    struct machine_texture t = of_plane();
    t.linear_filter = true;
    assert_float_equal(fetched(&t, 1, 1.75f, 0), 1.25f, 0);
    assert_float_equal(fetched(&t, 2, 1.5f, 1), 6, 0);
    assert_float_equal(fetched(&t, 2, 2, 2), 16.5f, 0);
    assert_float_equal(fetched(&t, 1, 1.5f + 1.0f / 1024, 0), 1, 0);
    assert_float_equal(fetched(&t, 1, 1.5f + 3.0f / 1024, 0), 1 + 1.0f / 256, 0);
    assert_float_equal(fetched(&t, 1, 1.5f + 2.0f / 1024, 0), 1, 0); /* a half goes to the even */
    assert_float_equal(fetched(&t, 1, 1.5f + 6.0f / 1024, 0), 1 + 2.0f / 256, 0);
    assert_float_equal(fetched(&t, 1, -5, 0), 0, 0);
    assert_float_equal(fetched(&t, 1, 1e30f, 0), 3, 0);
    assert_float_equal(fetched(&t, 1, (float)atof("nan"), 0), 0, 0);
}

static void formats_are_read_as_they_are(void **state)
{
    (void)state;
    static const uint8_t bytes[] = {0xff, 0x80, 0x00, 0x7f};
    struct machine_texture t = of_plane();
    union machine_texel texel;
    t.texels = (uint8_t *)(uintptr_t)bytes;
    t.width = t.height = 1;
    t.channels = 4;
    t.bits = 8;
    t.kind = MACHINE_TEXEL_SIGNED;
    machine_texture_element(&t, (int32_t[3]){0, 0, 0}, &texel);
    assert_int_equal(texel.i[0], -1);
    assert_int_equal(texel.i[1], -128);
    assert_int_equal(texel.i[3], 127);
    t.normalized_values = true;
    machine_texture_element(&t, (int32_t[3]){0, 0, 0}, &texel);
    assert_float_equal(texel.f[1], -1, 0);
    assert_float_equal(texel.f[3], 1, 0);
    t.kind = MACHINE_TEXEL_UNSIGNED;
    machine_texture_element(&t, (int32_t[3]){0, 0, 0}, &texel);
    assert_float_equal(texel.f[0], 1, 0);
    machine_texture_element(&t, (int32_t[3]){1, 0, 0}, &texel);
    assert_int_equal(texel.u[0], 0); /* outside */
    static const uint16_t halves[] = {0x3c00, 0xc100, 0x0001, 0x7c00};
    t.texels = (uint8_t *)(uintptr_t)halves;
    t.bits = 16;
    t.kind = MACHINE_TEXEL_FLOAT;
    t.normalized_values = false;
    machine_texture_element(&t, (int32_t[3]){0, 0, 0}, &texel);
    assert_float_equal(texel.f[0], 1, 0);
    assert_float_equal(texel.f[1], -2.5f, 0);
    assert_float_equal(texel.f[2], 1.0f / 16777216, 0);
    assert_true(texel.f[3] > 3e38f);
}

static void gathering_goes_round(void **state)
{
    (void)state;
    struct machine_texture t = of_plane();
    union machine_texel texel;
    machine_texture_gather(&t, 2, 1, 0, &texel);
    assert_float_equal(texel.f[0], 11, 0);
    assert_float_equal(texel.f[1], 12, 0);
    assert_float_equal(texel.f[2], 2, 0);
    assert_float_equal(texel.f[3], 1, 0);
}

/* A cube whose squares have 2 x 2 texels: 10 times the square's number, and 1 to the right, 2 below. Beside the
 * middle, a direction is in one of four texels; which one is said by the guide's table of s and t. */
static void a_direction_hits_a_square(void **state)
{
    static const struct {
        float at[3], value;
    } rows[] = {
        {{1, .5f, .5f}, 0},      {{1, .5f, -.5f}, 1},    {{1, -.5f, .5f}, 2},
        {{-1, .5f, .5f}, 11},    {{-1, .5f, -.5f}, 10},  {{-2, -1, -1}, 12},
        {{.5f, 1, .5f}, 23},     {{-.5f, 1, .5f}, 22},   {{.5f, 1, -.5f}, 21},
        {{.5f, -1, .5f}, 31},    {{.5f, -1, -.5f}, 33},  {{.5f, .5f, 1}, 41},
        {{-.5f, .5f, 1}, 40},    {{.5f, -.5f, 1}, 43},   {{.5f, .5f, -1}, 50},
        {{-.5f, -.5f, -1}, 53},  {{.99f, -.99f, 1}, 43}, {{1, 1, .99f}, 20 + 3},
        {{0, 0, -5}, 50 + 1.5f},
    };
    static float cube[2][6][4];
    struct machine_texture t = of_plane();
    union machine_texel texel;
    (void)state;
    for (int i = 0; i < 48; i++)
        (&cube[0][0][0])[i] = (float)(i / 24 * 100 + i % 24 / 4 * 10 + i % 4);
    t.texels = (uint8_t *)cube;
    t.width = t.height = 2;
    t.depth = 12;
    t.pitch = 8;
    t.slice = 16;
    t.linear_filter = true;
    t.wrap[0] = t.wrap[1] = MACHINE_WRAP;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int layer = 0; layer < 2; layer++) {
            machine_texture_cube(&t, rows[i].at, layer, &texel);
            if (texel.f[0] != rows[i].value + (float)(100 * layer))
                fail_msg("row %zu, layer %d: %g", i, layer, (double)texel.f[0]);
        }
}

static void a_surface_ends_at_its_edges(void **state)
{
    (void)state;
    struct machine_texture t = of_plane();
    uint8_t *base = (uint8_t *)plane;
    assert_ptr_equal(machine_surface(&t, (int32_t[3]){12, 2, 0}, 4, MACHINE_OUTSIDE_TRAP),
                     base + 44);
    assert_null(machine_surface(&t, (int32_t[3]){13, 2, 0}, 4, MACHINE_OUTSIDE_TRAP));
    assert_null(machine_surface(&t, (int32_t[3]){-1, 2, 0}, 4, MACHINE_OUTSIDE_ZERO));
    assert_null(machine_surface(&t, (int32_t[3]){0, 3, 0}, 4, MACHINE_OUTSIDE_ZERO));
    assert_null(machine_surface(&t, (int32_t[3]){0, 0, 1}, 4, MACHINE_OUTSIDE_ZERO));
    assert_ptr_equal(machine_surface(&t, (int32_t[3]){99, -5, 3}, 4, MACHINE_OUTSIDE_CLAMP),
                     base + 12);
    assert_null(machine_surface(&t, (int32_t[3]){0, 0, 0}, 32, MACHINE_OUTSIDE_CLAMP));
}

/* Instructions of kernels: each lane has its own coordinates; what is outside is 0, or stops the kernel. */
static void kernels_fetch_and_store(void **state)
{
    static const char *const rows[] = {
        /* lane t: element t % 4 of row t / 4, by whole numbers, by floats, as four, by a surface */
        "tex.2d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [%h, {%r1, %r2}];",
        "cvt.rn.f32.s32 %f5, %r1; cvt.rn.f32.s32 %f6, %r2; add.f32 %f5, %f5, 0f3F000000; "
        "add.f32 %f6, %f6, 0f3F000000; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%h, {%f5, %f6}];",
        "cvt.rn.f32.s32 %f5, %r1; cvt.rn.f32.s32 %f6, %r2; add.f32 %f5, %f5, 0f3F800000; "
        "add.f32 %f6, %f6, 0f3F800000; tld4.r.2d.v4.f32.f32 {%f2, %f3, %f4, %f1}, [%h, {%f5, "
        "%f6}];",
        "shl.b32 %r3, %r1, 2; suld.b.2d.b32.zero %f1, [%h, {%r3, %r2}];",
        "shl.b32 %r3, %r1, 2; suld.b.2d.b32.zero %f1, [%h, {%r3, %r2}]; add.f32 %f1, %f1, %f1; "
        "sust.b.2d.b32.zero [%h, {%r3, %r2}], %f1; suld.b.2d.b32.zero %f1, [%h, {%r3, %r2}]; "
        "mul.f32 %f1, %f1, 0f3F000000;",
        "shl.b32 %r3, %r1, 2; suld.b.2d.b32.zero %f1, [%h, {%r3, %r2}]; add.s32 %r3, %r3, 16; "
        "suld.b.2d.b32.zero %f2, [%h, {%r3, %r2}]; add.f32 %f1, %f1, %f2;",
        "and.b32 %r3, %r1, 2; shl.b32 %r3, %r3, 2; suld.b.2d.v2.b32.trap {%f1, %f2}, [%h, {%r3, "
        "%r2}]; and.b32 %r4, %r1, 1; setp.eq.u32 %p1, %r4, 1; @%p1 mov.f32 %f1, %f2;",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct machine_textures *textures = machine_textures_new(&heap_allocator);
        struct machine_texture t = of_plane();
        const uint64_t handle = machine_texture_add(textures, &t);
        const struct machine_launch launch = {
            .grid = {1, 1, 1}, .block = {12, 1, 1}, .textures = textures};
        struct ran ran = {.error = {""}};
        char text[2000];
        snprintf(text, sizeof text,
                 "%s.reg .b64 %%h; mov.u64 %%h, %llu; and.b32 %%r1, %%t, 3; shr.u32 %%r2, %%t, 2;\n"
                 "%s\nst.global.f32 [%%a], %%f1; ret; }\n",
                 KERNEL, (unsigned long long)handle, rows[i]);
        run_launch(text, launch, &ran);
        if (!ran.outcome.good)
            fail_msg("%s: %s%s", rows[i], ran.error.text, ran.fault);
        for (int lane = 0; lane < 12; lane++) {
            float got;
            memcpy(&got, &ran.word[lane], 4);
            if (got != (float)(lane / 4 * 10 + lane % 4))
                fail_msg("%s: %g in lane %d", rows[i], (double)got, lane);
        }
        snprintf(
            text, sizeof text,
            "%s.reg .b64 %%h; mov.u64 %%h, %llu; shl.b32 %%r1, %%t, 2; mov.u32 %%r2, 0;\n"
            "suld.b.2d.b32.trap %%f1, [%%h, {%%r1, %%r2}]; st.global.f32 [%%a], %%f1; ret; }\n",
            KERNEL, (unsigned long long)handle);
        run_launch(text, launch, &ran);
        assert_false(ran.outcome.good);
        machine_textures_free(textures);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_destroyed_texture_is_told_from_the_next),
        cmocka_unit_test(a_point_is_the_texel_that_it_is_in),
        cmocka_unit_test(a_filter_weighs_with_8_bits),
        cmocka_unit_test(formats_are_read_as_they_are),
        cmocka_unit_test(gathering_goes_round),
        cmocka_unit_test(a_direction_hits_a_square),
        cmocka_unit_test(a_surface_ends_at_its_edges),
        cmocka_unit_test(kernels_fetch_and_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
