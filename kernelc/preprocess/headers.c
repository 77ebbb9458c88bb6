/* headers.c - headers whose names the compiler knows anyway, or that only host code needs: including them says
 * nothing. And headers and names of what is not supported, or only the host's. */
#include "kernelc/compiler.h"

bool kc_header_is_empty(struct slice name, bool angle)
{
    /* Installed headers that device code could need are not here; all others are the host's. In quotes are the user's
     * own files, and some of the toolkit's and of C's. */
    static const char *const device[] = {"cub/",  "cuda/",    "cooperative_groups",
                                         "cute/", "cutlass/", "curand_"};
    static const char *const known[] = {"cuda",
                                        "cublas",
                                        "cufft.h",
                                        "curand.h",
                                        "cusparse",
                                        "cusolver",
                                        "device_",
                                        "driver_types.h",
                                        "helper_",
                                        "host_",
                                        "math",
                                        "nvrtc",
                                        "nvtx",
                                        "sm_",
                                        "std",
                                        "string",
                                        "sys/",
                                        "time.h",
                                        "vector_",
                                        "assert.h",
                                        "builtin_types.h",
                                        "cmath",
                                        "cstd",
                                        "float.h",
                                        "iostream",
                                        "limits.h",
                                        "omp.h",
                                        "unistd.h",
                                        "crt/"};
    if (slice_begins(name, "cuda/std/"))
        return true;
    for (size_t i = 0; i < sizeof device / sizeof *device; i++)
        if (slice_begins(name, device[i]))
            return false;
    for (size_t i = 0; i < sizeof known / sizeof *known && !angle; i++)
        if (slice_begins(name, known[i]))
            return true;
    return angle;
}

bool kc_is_of_host(struct slice name)
{
    static const char *const known[] = {"rand",  "srand",   "exit",    "time",
                                        "puts",  "scanf",   "fprintf", "sprintf",
                                        "fopen", "getchar", "usleep",  "drand48"};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (slice_is(name, known[i]))
            return true;
    return slice_begins(name, "cuda") && name.length > 4 && name.at[4] >= 'A' && name.at[4] <= 'Z';
}

const char *kc_unsupported(struct kc *c, struct slice scope, struct slice name)
{
    static const char textures[] = "textures", surfaces[] = "surfaces";
    static const struct {
        const char *scope, *name, *what;
        bool begins; /* names that begin so, too */
    } known[] = {
        {"", "texture", textures, false},
        {"", "texture_fetch_functions.h", textures, false},
        {"", "texture_indirect_functions.h", textures, false},
        {"", "tex1D", textures, true},
        {"", "tex2D", textures, true},
        {"", "tex3D", textures, true},
        {"", "texCubemap", textures, true},
        {"", "surface", surfaces, false},
        {"", "surface_functions.h", surfaces, false},
        {"", "surface_indirect_functions.h", surfaces, false},
        {"", "surf1D", surfaces, true},
        {"", "surf2D", surfaces, true},
        {"", "surf3D", surfaces, true},
        {"", "surfCubemap", surfaces, true},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (slice_is(scope, known[i].scope) &&
            (known[i].begins ? slice_begins(name, known[i].name) : slice_is(name, known[i].name)))
            return kc_text(c,
                           "%s are not supported by this compiler: clang and nvcc compile them "
                           "(--compiler clang)",
                           known[i].what);
    return NULL;
}
