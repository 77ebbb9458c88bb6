# Bankscope. `make help` lists what can be made and the knobs.
#
# Sources are found by wildcard, so a new file needs no edit here. Objects of every combination of
# compiler, knobs and parts found lie apart in build/FLAVOUR/; build/bankscope points to the
# program that was built last.

VERSION := 1.0.0

## Knobs
# CC=clang            the C compiler
# DEBUG=1             no optimisation, full debug information
# SAN=1               address and undefined-behaviour sanitizers
# WERROR=no           warnings are not errors (for packagers)
# SDL=no CAIRO=no CMARK=no DW=no CUDA=no ZLIB=no ZSTD=no   leave a part out, even where it is found
# CUDA=yes            build the CUDA backend (minutes) although there is no GPU here
# SANITIZER=FOLDER    Compute Sanitizer, with include/ in it; where nvcc is, if not given
# CUDA_ARCH="75 90"   compute capabilities to compile for; PTX of the first serves the others
# PREFIX=/usr/local DESTDIR=         where `make install` goes
# LIBDIR=lib          where below PREFIX the machine goes, a library: a distribution's lib/x86_64-linux-gnu
# JOBS=4              tests run at a time; two more than processors unless it is given
# FUZZ_SECONDS=60     how long `make fuzz` looks for trouble
# FUZZ_PROGRAMS=100000  how many programs it gives the machine and the kernel compiler
# FILES="..." NUMBER=20 SEED=1       what `make mutants` changes, how often in each file or folder (or all)
# SETUP=no            check and demo name the packages that are missing and install none
# V=1                 print whole command lines
##

CC ?= cc
OBJCOPY ?= objcopy
CFLAGS ?= -O2 -g
PREFIX ?= /usr/local
LIBDIR ?= lib
CUDA_ARCH ?= 75 90
FUZZ_SECONDS ?= 60
FUZZ_PROGRAMS ?= 100000
DEFAULT_NVCC := $(firstword $(shell command -v nvcc) $(wildcard /usr/local/cuda/bin/nvcc))
NVCC ?= $(DEFAULT_NVCC)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SECONDARY:
MAKEFLAGS += --no-print-directory --no-builtin-rules
quiet := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# ---- parts: what is here, and what is left out ---------------------------------------------------

# All packages with their versions, zlib=1.2.13 or zlib=no. If all are there, one question is enough.
asked := libcjson libelf cairo pangocairo libpng sdl2 libcmark zlib libzstd libdw
versions := $(join $(addsuffix =,$(asked)),$(shell said=$$(pkg-config --modversion $(asked) 2>/dev/null) && \
	echo $$said || for i in $(asked); do pkg-config --modversion $$i 2>/dev/null || echo no; done))
# $(call version,KNOB,PACKAGES): the first one's version, empty when one is missing or forced off.
version = $(if $(filter no,$(1))$(filter $(addsuffix =no,$(2)),$(versions)),,$(patsubst \
	$(firstword $(2))=%,%,$(filter $(firstword $(2))=%,$(versions))))
cjson := $(call version,,libcjson)
elf := $(call version,,libelf)
cairo := $(call version,$(CAIRO),cairo pangocairo libpng)
sdl := $(if $(cairo),$(call version,$(SDL),sdl2))
cmark := $(if $(cairo),$(call version,$(CMARK),libcmark))
zlib := $(call version,$(ZLIB),zlib)
zstd := $(call version,$(ZSTD),libzstd)
dw := $(call version,$(DW),libdw)
nvcc := $(if $(filter no,$(CUDA)),,$(NVCC))
gpu := $(or $(filter yes,$(CUDA)),$(wildcard /dev/nvidiactl))
# nvcc takes minutes for all kernels: the CUDA backend is linked in where there is a GPU to run it.
cuda := $(if $(gpu),$(nvcc))
# Programs on a GPU are recorded through Compute Sanitizer, a part of the toolkit.
ifneq ($(cuda),)
toolkit := $(shell $(nvcc) --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/.*TOP=//p')
SANITIZER ?= $(toolkit)/compute-sanitizer
sanitizer := $(patsubst %/include/sanitizer_patching.h,%,$(wildcard $(SANITIZER)/include/sanitizer_patching.h))
endif

packages := libcjson libelf $(if $(cairo),pangocairo cairo libpng) $(if $(sdl),sdl2) $(if $(cmark),libcmark) \
	$(if $(zlib),zlib) $(if $(zstd),libzstd) $(if $(dw),libdw)
parts := $(if $(cairo),-DHAVE_CAIRO) $(if $(sdl),-DHAVE_SDL) $(if $(cmark),-DHAVE_CMARK) \
	$(if $(zlib),-DHAVE_ZLIB) $(if $(zstd),-DHAVE_ZSTD) $(if $(dw),-DHAVE_DW) \
	$(if $(cuda),-DHAVE_CUDA)
flavour := $(notdir $(lastword $(CC)))$(if $(DEBUG),-debug)$(if $(SAN),-san)$(if \
	$(FUZZ),-fuzz)$(if $(cairo),,-nocairo)$(if $(sdl),,-nosdl)$(if $(cmark),,-nocmark)$(if \
	$(zlib),,-nozlib)$(if $(zstd),,-nozstd)$(if $(dw),,-nodw)$(if $(cuda),-cuda)
obj := build/$(flavour)

, := ,

# ---- flags ---------------------------------------------------------------------------------------

sanitize := $(if $(SAN),-fsanitize=address$(,)undefined -fno-sanitize-recover=undefined \
	-fno-omit-frame-pointer) $(if $(FUZZ),-fsanitize=fuzzer-no-link -DLIBFUZZER)
all_cflags := -std=gnu11 -I. $(parts) -DBANKSCOPE_VERSION='"$(VERSION)"' \
	-Wall -Wextra -Wpedantic -Wno-overlength-strings $(if $(filter no,$(WERROR)),,-Werror) $(CPPFLAGS) $(CFLAGS) $(if $(DEBUG),-O0 -g3) $(sanitize) \
	$(shell pkg-config --cflags $(packages) 2>/dev/null) -MMD -MP
# nvcc itself says where its libraries are: it may be a script far from the toolkit.
cuda_libs = $(shell $(nvcc) --dryrun -x cu -c /dev/null 2>&1 | sed -n 's/.*LIBRARIES=//p') \
	-lcudart_static -lstdc++ -lpthread -lrt
# On processors that viewer/export/libraries.c knows, it loads these when there is something to draw.
loaded := $(if $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null | grep -E '__(x86_64|aarch64)__'),$(filter \
	pangocairo cairo libpng sdl2,$(packages)))
libs := $(shell pkg-config --libs $(filter-out $(loaded),$(packages)) 2>/dev/null) -ldl -lm $(if $(cuda),$(cuda_libs))
# A test may draw by itself.
test_libs := $(libs) -Wl,--as-needed $(if $(cairo),$(shell pkg-config --libs pangocairo cairo 2>/dev/null))
gencode := $(foreach a,$(CUDA_ARCH),-gencode arch=compute_$(a)$(,)code=sm_$(a)) \
	-gencode arch=compute_$(firstword $(CUDA_ARCH))$(,)code=compute_$(firstword $(CUDA_ARCH))
nvcc_flags := -std=c++17 -O3 -lineinfo -I. $(gencode) -Xcompiler -Wall \
	$(if $(filter no,$(WERROR)),,-Werror all-warnings) -MMD -MP

# ---- sources -------------------------------------------------------------------------------------

# A command that draws is left out without cairo; the front door says so when it is asked for. Who fuzzes needs the
# rooms that the fuzzers call.
left_out := $(if $(FUZZ),$(wildcard $(addsuffix /*.c,measure program program/report program/compile teach teach/class papers subject commands))) $(if $(cairo),,$(patsubst %,viewer/export/%.c,libraries render export document pdf_words moving png) \
		$(wildcard papers/*.c) commands/view.c \
		$(wildcard commands/export*.c) commands/figure.c teach/class/failing.c teach/class/marks_pages.c) \
	$(if $(sdl),,viewer/window/sheet.c viewer/window/window.c commands/view.c teach/window.c teach/window_page.c) \
	$(if $(cmark),,commands/lesson.c \
		$(patsubst %,teach/%.c,read fence play page paper paper_figure watch results progress text window window_page answers gift glossary write publish folders list begin answers_table translate lab describe present)) \
	$(if $(dw),,$(filter-out program/records.c,$(wildcard program/*.c program/report/*.c)) $(wildcard subject/program_*.c commands/*_program.c) subject/survey.c subject/operands.c subject/launches.c \
		subject/sweep_program.c)
sources := $(filter-out $(left_out) system/allocation.c,$(wildcard base/*.c instrument/*.c instrument/trace/*.c system/*.c kernels/*.c kernels/*.cu viewer/*/*.c \
	measure/*.c machine/*.c machine/*/*.c kernelc/*.c kernelc/*/*.c grade/*.c program/*.c program/report/*.c program/compile/*.c teach/*.c teach/class/*.c papers/*.c subject/*.c commands/*.c))
objects := $(patsubst %,$(obj)/%.o,$(sources)) $(if $(wildcard kernelc/*.c),$(obj)/kernelc/made.c.o)
# The library's merge, compiled by g++ for test_library_merge.sh, with what reads traces.
cccl := $(firstword $(foreach folder,/usr/local/cuda/include /usr/include,$(if $(wildcard \
	$(folder)/cccl/cub/block/block_merge_sort.cuh),$(folder))))
library_merge := $(if $(and $(cccl),$(shell command -v $(firstword $(CXX)))),$(patsubst \
	tests/gpu/%.cu,$(obj)/tests/%,$(wildcard tests/gpu/library_merge.cu)))
reader_sources := $(filter-out $(patsubst %,instrument/%.c,host host_order host_records fiber shadow watch),$(wildcard \
	base/*.c instrument/*.c instrument/trace/*.c) $(patsubst %,system/%.c,file output packed))
reader_objects := $(patsubst %,$(obj)/reader/%.o,$(reader_sources))
# What a CUDA program is linked with that runs on the machine: one object without global names but CUDA's.
runtime_types := program/compile/include
runtime_parts := $(patsubst %,$(obj)/cudart/%.o,$(wildcard program/runtime/*.c program/runtime/*/*.c))
# The machine's objects serve both, unless the program's have sanitizers in them.
machine_parts := $(patsubst %,$(obj)/$(if $(SAN),cudart/)%.o,$(wildcard machine/*.c machine/*/*.c))
runtime_library := $(patsubst %,$(obj)/cudart/%.o,$(reader_sources))
launcher := $(obj)/launcher
runtime := $(if $(runtime_parts),$(obj)/cudart.o $(obj)/libcudart.so.13 $(launcher) $(obj)/cuda/made)
machine_library := $(if $(machine_parts),$(obj)/libbankscope-machine.a)
# What records a program on a GPU from inside of it.
injected := $(if $(sanitizer),$(obj)/libbankscope_inject.so)
# What nvcc makes is the same whatever the C compiler and the parts found: one folder for all.
cuda_objects := $(patsubst %.cu,build/cuda/%.cuda.o,$(wildcard instrument/*.cu sort/*.cu)) $(foreach \
	k,$(basename $(wildcard kernels/*.cu)),build/cuda/$(k).traced.o build/cuda/$(k).bare.o)
linked := $(objects) $(if $(cuda),$(cuda_objects))

# What needs cairo or libdw is left out with it.
drawing_tests := $(if $(cairo),,$(shell grep -lE '[<"](cairo|pango|papers/papers)|renderer_|export_drawing' tests/*/*.c 2>/dev/null)) \
	$(if $(dw),,$(shell grep -lE '"program/(program|report)' tests/*/*.c 2>/dev/null))
programs = $(patsubst %.c,$(obj)/tests/%,$(notdir $(filter-out $(drawing_tests),$(wildcard $(1)))))
test_programs := $(call programs,tests/unit/test_*.c)
bench_programs := $(call programs,tests/bench/bench_*.c)
fuzz_programs := $(call programs,tests/fuzz/fuzz_*.c)

# ---- building ------------------------------------------------------------------------------------

.PHONY: all tests cuda parts latest dist deb FORCE
all: $(obj)/bankscope $(runtime) $(machine_library) $(obj)/headers/made $(injected) ## build build/bankscope (the default)
# build/bankscope points to what was built last.
ifneq ($(shell readlink build/bankscope 2>/dev/null),$(flavour)/bankscope)
all: latest
endif
latest: $(obj)/bankscope
	@ln -sfn $(flavour)/bankscope $(new_link) && mv -f $(new_link) build/bankscope
new_link = build/bankscope.$$$$

# What is made appears under its name when it is whole: two makes may work in one tree.
whole = $@.$$$$ && mv -f $@.$$$$ $@

found = $(if $(2),$(1) $(2),$(1) no)
parts:
	@echo "bankscope $(VERSION) in $(obj): $(call found,cJSON,$(cjson)), $(call \
		found,cairo,$(cairo)), $(call found,SDL2,$(sdl)), $(call found,cmark,$(cmark)), $(call \
		found,zlib,$(zlib)), $(call found,zstd,$(zstd)), $(call found,CUDA,$(cuda))"
	@$(if $(cairo),,echo "  left out without cairo, Pango and libpng: view, export, figure, lesson")
	@$(if $(sdl),,echo "  left out without SDL2: view")
	@$(if $(cmark),,echo "  left out without cmark: lesson")
	@$(if $(zlib),,echo "  left out without zlib: traces compressed with gzip (.gz)")
	@$(if $(zstd),,echo "  left out without libzstd: traces compressed with zstd (.zst)")
	@$(if $(strip $(web_missing)),echo "  left out without $(strip $(web_missing)): make page")
	@$(if $(dw),,echo "  left out without libdw: run of CUDA programs as they stand")
	@$(if $(cuda),,echo "  left out without $(if $(nvcc),a GPU,$(if $(filter no,$(CUDA)),CUDA,nvcc)): --backend cuda$(if \
		$(nvcc), (CUDA=yes builds it all the same))")
	@$(if $(cuda),$(if $(sanitizer),,echo "  left out without Compute Sanitizer (SANITIZER=FOLDER): run -- ./APP"))
	@$(if $(cjson),,echo "  cJSON is needed (libcjson-dev): 'make setup' installs it" >&2; exit 1)
	@$(if $(elf),,echo "  libelf is needed (libelf-dev): 'make setup' installs it" >&2; exit 1)

$(obj)/bankscope: $(obj)/bankscope.c.o $(obj)/system/allocation.c.o $(linked) $(obj)/objects
	$(call say,LINK,$@)
	$(quiet)$(link) -rdynamic $(libs) -o $(whole)
link = $(CC) $(sanitize) $(LDFLAGS) $(filter %.o %.a,$^)

# For processors whose libraries are not here: compiles all that runs there, and links nothing.
.PHONY: compile-only
compile-only: $(obj)/bankscope.c.o $(objects) $(engine_objects) $(runtime_parts)

# For tests: everything but main, of which the linker takes what a test uses.
$(obj)/libbankscope.a: $(linked) $(obj)/objects
	$(call say,AR,$@)
	$(quiet)rm -f $@.$$$$ && $(AR) rcs $@.$$$$ $(filter %.o,$^) && mv -f $@.$$$$ $@

# What the program says of itself in the pictures that it makes.
commit := $(if $(wildcard .git),$(shell git rev-parse --short HEAD 2>/dev/null))
$(obj)/commands/version.c.o: private all_cflags += $(if $(commit),-DBANKSCOPE_COMMIT='"$(commit)"')
$(obj)/commands/version.c.o: $(obj)/commit

# What compilers made is kept (system/cache.c) until what calls them changes, which is told by its objects.
callers := $(filter $(obj)/system/%.o $(obj)/program/compile/%.o,$(filter-out %/cache.c.o,$(objects)))
$(obj)/system/cache.c.o: private all_cflags += -DCALLERS='"$(shell cat $(callers) 2>/dev/null | cksum)"'
$(obj)/system/cache.c.o: $(callers)

# Files that hold what a command line is made of, so that what it makes is made anew when that
# changes: flags for objects, the list of objects for programs (a source may have been deleted).
text_of_flags := $(CC) $(filter-out -Werror,$(all_cflags))
$(obj)/flags: text = $(text_of_flags)
$(obj)/objects: text = $(linked)
$(obj)/commit: text = $(commit)
build/cuda/flags: text = $(nvcc) $(nvcc_flags)
ifneq ($(strip $(file <$(obj)/flags)),$(strip $(text_of_flags)))
$(obj)/flags: FORCE
endif
ifneq ($(strip $(file <$(obj)/objects)),$(strip $(linked)))
$(obj)/objects: FORCE
endif
ifneq ($(strip $(file <$(obj)/commit)),$(commit))
$(obj)/commit: FORCE
endif
ifneq ($(strip $(file <build/cuda/flags)),$(strip $(nvcc) $(nvcc_flags)))
build/cuda/flags: FORCE
endif
$(obj)/flags:
	@$(MAKE) parts
	@$(write_text)
$(obj)/objects $(obj)/commit build/cuda/flags:
	@$(write_text)
write_text = mkdir -p $(@D) && printf '%s\n' '$(subst ','\'',$(text))' >$(whole)

# An object, with the list of its headers beside it.
headers = -MF $(@:.o=.d).$$$$ -MT $@
whole_object = $@.$$$$ && mv -f $(@:.o=.d).$$$$ $(@:.o=.d) && mv -f $@.$$$$ $@
compile = $(CC) $(all_cflags) $(headers) -c

$(obj)/%.c.o: %.c $(obj)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(quiet)$(compile) $< -o $(whole_object)

# The machine's arithmetic is the same to the bit everywhere, and its loops over lanes become vectors.
machine_cflags := -ffp-contract=off -fno-math-errno -fno-trapping-math -fno-strict-aliasing \
	-fPIC -fno-stack-protector -ftree-vectorize $(if $(findstring clang,$(CC)),,-fvect-cost-model=dynamic)
$(obj)/machine/%.c.o $(obj)/tests/unit/test_real%.c.o $(obj)/tests/unit/test_math%.c.o: private all_cflags += $(machine_cflags)
# Chosen at run time where the processor has it.
avx2 := $(if $(shell $(CC) $(CFLAGS) -dM -E -x c /dev/null 2>/dev/null | grep __x86_64__),-mavx2 -mfma)
$(obj)/machine/%_avx2.c.o: private all_cflags += $(machine_cflags) $(avx2)
# Warps of over 32 lanes are rare: no time is spent on making them fast.
$(obj)/machine/operations/operations_64.c.o: private all_cflags += $(machine_cflags) -O1

# What reads traces, for a program that g++ compiles.
reader_cflags := $(filter-out $(sanitize),$(all_cflags)) -O2 -fno-pie
$(reader_objects): $(obj)/reader/%.c.o: %.c $(obj)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(quiet)$(subst $(all_cflags),$(reader_cflags),$(compile)) $< -o $(whole_object)

# It is linked with programs of any compiler's that know nothing of sanitizers.
runtime_cflags = $(filter-out $(sanitize),$(all_cflags)) -O2 -fPIC -fno-stack-protector \
	-ftls-model=initial-exec -I$(runtime_types)
$(machine_parts): private runtime_cflags += $(machine_cflags)
$(obj)/cudart/machine/%_avx2.c.o: private runtime_cflags += $(avx2)
$(runtime_library): private runtime_cflags += -ffunction-sections
# state.c looks for who calls; blas_vector.c and random.c take square roots.
$(runtime_parts): private runtime_cflags += -fno-omit-frame-pointer -fno-math-errno
$(runtime_parts) $(filter $(obj)/cudart/%,$(machine_parts)) $(runtime_library): $(obj)/cudart/%.c.o: %.c $(obj)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(quiet)$(subst $(all_cflags),$(runtime_cflags),$(compile)) $< -o $(whole_object)

$(obj)/cudart/library.a: $(runtime_library)
	$(call say,AR,$@)
	$(quiet)rm -f $@.$$$$ && $(AR) rcs $@.$$$$ $^ && mv -f $@.$$$$ $@

# Of this program's own code it has what it calls. Its code has a section of its own: the runtime knows by it
# whether a call came from the program.
$(obj)/cudart/all.o: $(runtime_parts) $(machine_parts) $(obj)/cudart/library.a
	$(call say,LINK,$@)
	$(quiet)$(CC) -r -nostdlib -Wl,--gc-sections $$(nm $(runtime_parts) | \
		sed -n 's/.* T \(_*cuda.*\|cublas.*\|curand.*\|cu[A-Z].*\)/-Wl,-u,\1/p') -o $@.$$$$ $^ && $(OBJCOPY) --strip-unneeded \
		--rename-section .text=bankscope_text,alloc,load,readonly,code,contents $@.$$$$ && \
		mv -f $@.$$$$ $@

$(obj)/cudart.o: $(obj)/cudart/all.o
	$(call say,LINK,$@)
	$(quiet)$(OBJCOPY) --wildcard --keep-global-symbol='cuda*' --keep-global-symbol='__cuda*' \
		--keep-global-symbol='cu[A-Z]*' --keep-global-symbol='cublas*' --keep-global-symbol='curand*' $< $(whole)

$(obj)/libcudart.so.13: $(obj)/cudart/all.o program/runtime/cudart.map
	$(call say,LINK,$@)
	$(quiet)$(CC) -shared -Wl,-soname,$(@F) -Wl,--version-script=program/runtime/cudart.map \
		-Wl,-z,defs $< -lpthread -ldl -o $(whole)

# For programs that others built: the library under the names that they look for. As links they are one.
$(obj)/cuda/made: $(obj)/libcudart.so.13
	$(call say,MAKE,$(@D))
	$(quiet)mkdir -p $(@D) && for name in libcudart.so.13 libcudart.so libcuda.so.1 libcuda.so; do \
		ln -sfn ../libcudart.so.13 $(@D)/$$name || exit; done && touch $@

# What launches kernels of PTX where there is no host program.
launcher_part := $(obj)/cudart/program/launcher/launcher.c.o
$(launcher_part): program/launcher/launcher.c $(obj)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(quiet)$(subst $(all_cflags),$(runtime_cflags),$(compile)) $< -o $(whole_object)
$(launcher): $(launcher_part) $(runtime_parts) $(machine_parts) $(obj)/cudart/library.a
	$(call say,LINK,$@)
	$(quiet)$(CC) $(LDFLAGS) -Wl,--gc-sections $^ -lpthread -ldl -o $(whole)

# The machine for other programs (doc/machine-library.md): one object with its own names and no others.
$(obj)/machine.o: $(machine_parts) $(obj)/cudart/library.a
	$(call say,LINK,$@)
	$(quiet)$(CC) -r -nostdlib -Wl,-u,heap_allocator -Wl,-u,op_name -o $@.$$$$ $^ && $(OBJCOPY) --wildcard \
		--keep-global-symbol='machine_*' --keep-global-symbol=heap_allocator \
		--keep-global-symbol=op_name --strip-unneeded $@.$$$$ && mv -f $@.$$$$ $@
$(machine_library): $(obj)/machine.o
	$(call say,AR,$@)
	$(quiet)rm -f $@.$$$$ && $(AR) rcs $@.$$$$ $< && mv -f $@.$$$$ $@

# Headers of the toolkit's that say no more than others do, for clang.
$(obj)/headers/made: program/compile/headers.txt program/compile/make-headers
	$(call say,MAKE,$(@D))
	$(quiet)program/compile/make-headers $< $(@D) && mkdir -p $(obj)/tests && \
		ln -sfn ../headers $(obj)/tests/headers && touch $@

# The kernel compiler has its headers in it.
kernelc_headers := $(wildcard kernelc/include/*.h kernelc/include/*/*)
$(obj)/kernelc/made.c: kernelc/make-headers $(kernelc_headers)
	@mkdir -p $(@D)
	$(call say,MAKE,$@)
	$(quiet)kernelc/make-headers $(kernelc_headers) >$(whole)
$(obj)/kernelc/made.c.o: $(obj)/kernelc/made.c $(obj)/flags
	$(quiet)$(compile) $< -o $(whole_object)

# A kernel for the host backend: the same lines, compiled as C.
$(obj)/%.cu.o: %.cu $(obj)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(quiet)$(compile) -x c $< -o $(whole_object)

$(obj)/tests/test_%: $(obj)/tests/unit/test_%.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) -rdynamic $(test_libs) -lcmocka -o $(whole)

$(library_merge): tests/gpu/library_merge.cu $(reader_objects)
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(quiet)$(CXX) -std=c++17 -O1 -Wall -Wextra -no-pie -I. -isystem $(cccl) -isystem $(cccl)/cccl -MMD -MP \
		-MF $@.d -MT $@ -x c++ $< -x none $(reader_objects) \
		$(shell pkg-config --libs $(filter libcjson zlib libzstd,$(packages)) 2>/dev/null) -o $(whole)

# Programs for test_runtime.c: the runtime on a machine that calls C functions for kernels.
$(obj)/tests/runtime_program: $(patsubst %,$(obj)/cudart/tests/support/%.c.o,runtime_program fake_machine) \
		$(runtime_parts) $(filter %/machine/texture.c.o,$(machine_parts)) $(obj)/cudart/library.a
	$(call say,LINK,$@)
	$(quiet)$(CC) $(LDFLAGS) -Wl,--gc-sections $^ -lpthread -o $(whole)
$(obj)/cudart/tests/%.c.o: tests/%.c $(obj)/flags
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(quiet)$(subst $(all_cflags),$(runtime_cflags),$(compile)) $< -o $(whole_object)

# Prints what a program told that was linked with the runtime.
$(obj)/tests/recorded: $(obj)/tests/support/recorded.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) $(libs) -o $(whole)

# The kernel compiler by itself.
$(obj)/tests/kernelc: $(obj)/tests/support/kernelc.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) $(libs) -o $(whole)

# An exercise as two compilers translate it.
$(obj)/tests/graded: $(obj)/tests/support/graded.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) $(libs) -o $(whole)

# What a program on a GPU would write, for test_gpu_app.sh.
$(obj)/tests/gpu_app: $(obj)/tests/support/gpu_app.c.o
	$(call say,LINK,$@)
	$(quiet)$(link) -o $(whole)

$(obj)/tests/bench_%: $(obj)/tests/bench/bench_%.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) -rdynamic $(test_libs) -o $(whole)

# With FUZZ=1 libFuzzer brings main; otherwise the target's own main replays the files it is given.
$(obj)/tests/fuzz_%: $(obj)/tests/fuzz/fuzz_%.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) $(if $(FUZZ),-fsanitize=fuzzer) $(libs) -o $(whole)

include cuda.mk

tests: $(test_programs) $(fuzz_programs) $(obj)/tests/gpu_app $(library_merge) \
	$(obj)/tests/runtime_program $(obj)/tests/recorded $(obj)/tests/kernelc \
	$(obj)/tests/graded ## build the test programs

# ---- using ---------------------------------------------------------------------------------------

.PHONY: setup demo check check-thorough check-long bench fuzz mutants pictures figures install uninstall format format-check clean help
# As many jobs as processors, unless make was told how many.
parallel = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))

setup: ## install what building needs (Debian and Ubuntu)
	@.ci/setup build

demo: ## set up, build, record two merges, compare them
	@SETUP='$(SETUP)' .ci/setup build
# What a newer compiler warns of is no newcomer's business, and nvcc takes minutes.
	@$(MAKE) $(parallel) WERROR=no CUDA=no all
	@tests/demo

# What a test of either half makes or opens is there before the first begins.
build_tests = $(MAKE) $(parallel) all tests $(can_page)
run_tests = JOBS=$(JOBS) tests/run $$(readlink -f build/bankscope | xargs dirname)

check: ## set up, build, run the tests of every day; the last line counts them
	@SETUP='$(SETUP)' .ci/setup build check
	@$(build_tests)
	@$(run_tests) everyday

check-thorough: ## run the tests that check leaves out
	@$(build_tests)
	@$(run_tests) thorough

check-long: ## both with ten times as many random rounds, and all that takes minutes
	@TEST_ROUNDS=10 TEST_SECONDS=1000 $(MAKE) check
	@TEST_ROUNDS=10 TEST_SECONDS=1000 $(MAKE) check-thorough

bench: all $(bench_programs) ## print the speed of this machine
	@set -e; for program in $(sort $(bench_programs)); do $$program; done
	@tests/bench/bench_page $(obj)/bankscope
	@$(if $(dw),tests/bench/bench_programs $(obj)/bankscope)
	@tests/bench/bench_watch $(obj)/bankscope

fuzz: ## look for crashes of machine, reader and viewer (clang), FUZZ_SECONDS each
	@$(MAKE) CC=clang SAN=1 FUZZ=1 $(parallel) fuzz-run

.PHONY: fuzz-run
fuzz-run: $(fuzz_programs) $(obj)/tests/test_machine_fuzz $(obj)/tests/test_kernelc_fuzz
	@$(obj)/tests/test_machine_fuzz $(FUZZ_PROGRAMS)
	@$(obj)/tests/test_kernelc_fuzz $(FUZZ_PROGRAMS)
	@set -e; for program in $(fuzz_programs); do mkdir -p $$program.found; \
		$$program -max_total_time=$(FUZZ_SECONDS) -timeout=10 -rss_limit_mb=2048 \
		-artifact_prefix=$$program. $$program.found \
		$$(case $$program in *_ptx) echo tests/data/ptx ;; *_kernelc) echo tests/programs ;; \
		*) echo tests/corpus ;; esac); done

mutants: ## change the program in small ways; print what no test notices
	@tests/mutants $(if $(NUMBER),-n $(NUMBER)) $(if $(SEED),-s $(SEED)) $(FILES)

page: ## set up, build build/bankscope.html, the program as a web page

pictures: all $(can_page) ## make the pictures of README.md and doc/ anew (needs Xvfb, Chromium)
	@set -e; for name in $(basename $(notdir $(wildcard doc/pictures/*-*.png))); do \
		build/bankscope figure $$name -o doc/pictures/$$name.png; done
	@set -e; for kernel in thrust-merge cf-merge; do build/bankscope run $$kernel -p w=12 -p u=24 \
		-p E=5 --input worst -o build/$$kernel.jsonl >build/$$kernel.txt; done
	@build/bankscope export build/thrust-merge.jsonl build/cf-merge.jsonl --stage merge --race \
		--step-seconds 0.4 --dpi 144 -o doc/pictures/race.gif
	@doc/window-picture doc/pictures/source.png 1400x800 tests/programs/transpose.cu
	@build/bankscope lesson strides -o build/lesson.html
	@doc/page-picture build/lesson.html doc/pictures/lesson.png 900 720

# As the newest commit, unless asked otherwise: the same sources make the same files.
figures: all ## draw all figures of the papers into build/figures: PDF, SVG, TeX, numbers, SHA256SUMS
	@SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null || echo 0)} \
		doc/figures $(obj)/bankscope build/figures

$(obj)/bankscope.1: doc/man-page $(obj)/bankscope
	$(call say,MAN,$@)
	$(quiet)doc/man-page $(obj)/bankscope $(VERSION) >$(whole)

# ---- installing ----------------------------------------------------------------------------------

# A path for the shell, whatever blanks and quotes are in it.
quote = '$(subst ','\'',$(1))'
installed = $(call quote,$(DESTDIR)$(PREFIX)/$(1))
# Each file that is installed, as SOURCE:PLACE. The data, which the program looks for, is apart.
installs := $(obj)/bankscope.1:share/man/man1/bankscope.1 \
	program/compile/include/bankscope.h:include/bankscope.h \
	share/completion.bash:share/bash-completion/completions/bankscope \
	share/completion.zsh:share/zsh/site-functions/_bankscope \
	share/bankscope.xml:share/mime/packages/bankscope.xml \
	$(if $(sdl),share/bankscope.desktop:share/applications/bankscope.desktop \
	share/bankscope.svg:share/icons/hicolor/scalable/apps/bankscope.svg)
# What neither a kernel in the dialect nor a program with the machine in it includes.
private_headers := $(patsubst %,base/%.h,arena kept) $(patsubst %,instrument/%.h,advice device_run fiber host interrupted layout shadow) $(patsubst %,kernels/%.h,catalogue hardest worst)
data = $(call installed,share/bankscope)
libraries = $(call installed,lib/bankscope)
machine_pc = $(call installed,$(LIBDIR)/pkgconfig/bankscope-machine.pc)
# The way from LIBDIR to PREFIX: "../..".
to_prefix = $(subst $(blank),/,$(strip $(patsubst %,..,$(subst /, ,$(LIBDIR)))))
blank := $(subst ,, )
# In a call of a function, GNU make before 4.3 takes \# for #, and later ones do not.
number_sign := \#
# What desktops know of types and programs; a package's own scripts see to it when DESTDIR is set.
refresh_desktop = $(if $(DESTDIR),,for tool in update-mime-database:mime \
	update-desktop-database:applications; do folder=$(call installed,share)/$${tool$(number_sign)*:}; \
	if [ -d "$$folder" ] && command -v $${tool%:*} >/dev/null; then \
	$${tool%:*} "$$folder" >/dev/null 2>&1 || true; fi; done)

install: all $(obj)/bankscope.1 ## install below PREFIX (and DESTDIR)
	@mkdir -p $(call installed,bin) $(call installed,include) $(data)
	install -m 755 $(obj)/bankscope $(call installed,bin/bankscope)
	@$(foreach i,$(installs),install -D -m 644 $(subst :, ,$(firstword $(subst :, ,$(i)))) \
		$(call installed,$(lastword $(subst :, ,$(i)))) &&) true
	@rm -rf $(data)/base $(data)/instrument $(data)/machine $(data)/kernels $(data)/sort $(data)/lessons \
		$(data)/program $(libraries)/headers
	@mkdir -p $(data)/base $(data)/instrument $(data)/kernels $(data)/papers
	install -m 644 $(filter-out $(private_headers),$(wildcard base/*.h)) $(data)/base
	install -m 644 $(filter-out $(private_headers),$(wildcard instrument/*.h)) $(data)/instrument
	install -D -m 644 machine/machine.h $(data)/machine/machine.h
	install -D -m 644 machine/children.h $(data)/machine/children.h
	install -D -m 644 $(machine_library) $(call installed,$(LIBDIR)/$(notdir $(machine_library)))
	@mkdir -p $(call installed,$(LIBDIR)/pkgconfig)
	sed 's/@VERSION@/$(VERSION)/; s,@TO_PREFIX@,$(to_prefix),' share/bankscope-machine.pc >$(machine_pc)
	install -m 644 $(filter-out $(private_headers),$(wildcard kernels/*.h kernels/*.cu)) $(data)/kernels
	install -D -m 644 -t $(data)/sort sort/layout.h sort/buckets.h
	cp -R lessons $(data)
	install -m 644 papers/h100-times.tsv $(data)/papers
	$(if $(wildcard build/bankscope*.html),install -m 644 $(wildcard build/bankscope*.html) $(data))
	install -D -m 644 $(obj)/cudart.o $(libraries)/cudart.o
	install -D -m 755 $(obj)/libcudart.so.13 $(libraries)/libcudart.so.13
	install -D -m 755 $(launcher) $(libraries)/launcher
	cp -R $(obj)/cuda $(libraries)
	$(if $(injected),install -D -m 755 $(injected) $(libraries)/$(notdir $(injected)))
	@mkdir -p $(data)/program/compile
	cp -R program/compile/include $(data)/program/compile
	cp -R $(obj)/headers $(libraries)
# The headers are in include/bankscope by way of a link, so that one folder holds all data.
	ln -sfn ../share/bankscope $(call installed,include/bankscope)
	@$(refresh_desktop)

uninstall: ## remove what install put below PREFIX
	rm -f $(call installed,bin/bankscope) $(call installed,include/bankscope) $(machine_pc) \
		$(call installed,$(LIBDIR)/$(notdir $(machine_library))) \
		$(foreach i,$(installs),$(call installed,$(lastword $(subst :, ,$(i)))))
	rm -rf $(data) $(libraries)
	@$(refresh_desktop)

# ---- releases ------------------------------------------------------------------------------------

# What is committed, as a tarball that unpacks to one folder.
release := bankscope-$(VERSION)
dist: ## make build/bankscope-VERSION.tar.gz from what is committed, with the page ready to use in it
	@mkdir -p build
	@$(if $(can_page),$(MAKE) all && $(MAKE) page-file && $(MAKE) page-lessons)
	git archive --format=tar.gz --prefix=$(release)/ $$(ls build/bankscope.html build/bankscope-write.html \
		build/bankscope-lessons.html 2>/dev/null | sed 's/^/--add-file=/') -o build/$(release).tar.gz HEAD
	@echo "build/$(release).tar.gz$(if $(can_page),, without the page: make page says what is missing)"

# Who packages: Debian's variables, or the last commit's author.
maintainer = $(if $(DEBEMAIL),$(or $(DEBFULLNAME),$(DEBEMAIL)) <$(DEBEMAIL)>,$(shell git log -1 \
	--format='%an <%ae>'))

# The package is built from that tarball, so that nothing of this folder gets into it.
deb: dist ## make a Debian package below build/deb (needs debhelper)
	@command -v dh >/dev/null || { echo "make deb: there is no dh; install debhelper" >&2; exit 1; }
	@rm -rf build/deb && mkdir -p build/deb
	@cp build/$(release).tar.gz build/deb/bankscope_$(VERSION).orig.tar.gz
	@tar -xzf build/$(release).tar.gz -C build/deb
	@cp -R share/debian build/deb/$(release)/debian
	@sed -i 's/MAINTAINER/$(maintainer)/' build/deb/$(release)/debian/control
	@printf 'bankscope (%s-1) unstable; urgency=medium\n\n  * See NEWS.\n\n -- %s  %s\n' $(VERSION) \
		'$(maintainer)' "$$(git log -1 --format=%cD)" >build/deb/$(release)/debian/changelog
	cd build/deb/$(release) && dpkg-buildpackage -us -uc -b
	@if command -v lintian >/dev/null; then cd build/deb && lintian --fail-on error,warning *.deb; fi
	@ls build/deb/*.deb

# Version 14 decides; others lay code out differently.
clang_format = $(or $(shell command -v clang-format-14),clang-format)
# What students write is laid out in its own way.
formatted = $(shell git ls-files '*.c' '*.h' '*.cu' '*.cuh' ':!tests/attempts' ':!kernelc/include')
format: ## lay out the source
	$(clang_format) -i $(formatted)

format-check: ## fail where the layout differs
	$(clang_format) --dry-run --Werror $(formatted)

clean: ## remove build/
	rm -rf build

help: ## this text
	@echo "Targets:"
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile cuda.mk | awk -F'\t' '{printf "  %-13s %s\n", $$1, $$2}'
	@echo "Knobs:"
	@sed -n '/^## Knobs/,/^##$$/s/^# /  /p' Makefile

include $(wildcard web/*.mk)

-include $(shell find build -name '*.d' 2>/dev/null)
