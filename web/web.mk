# web.mk - bankscope.html, the page that is the program: the viewer, the kernels and the host backend
# as WebAssembly. Included by the Makefile.

WASM_CC ?= $(or $(shell command -v clang),clang)
WASM_OPT ?= $(or $(shell command -v wasm-opt),wasm-opt)
wasm_target := --target=wasm32-wasi --sysroot=/usr

# What is missing here, as the names of packages.
web_missing := $(if $(shell command -v $(WASM_CC)),,clang) $(if $(shell command -v wasm-ld),,lld) \
	$(if $(wildcard /usr/lib/wasm32-wasi/libc.a),,wasi-libc) $(if $(wildcard $(shell $(WASM_CC) \
	--print-resource-dir 2>/dev/null)/lib/wasi/libclang_rt.builtins-wasm32.a),,libclang-rt-dev-wasm32) \
	$(if $(shell command -v $(WASM_OPT)),,binaryen) $(if $(shell command -v zopfli),,zopfli)

# What a page has no use for: files, compressed ones, windows, terminals, signals, and what draws with
# cairo.
web_sources := web/page.c web/page_record.c $(filter-out viewer/window/sheet.c viewer/window/window.c viewer/drawing/preset.c \
	$(patsubst %,instrument/trace/%.c,trace_read trace_read_header trace_read_written trace_fields trace_write) \
	instrument/watch.c,$(wildcard viewer/drawing/*.c viewer/scene/*.c viewer/window/*.c viewer/export/svg.c viewer/export/title.c system/file.c base/*.c instrument/*.c instrument/trace/*.c kernels/*.c kernels/*.cu))
web_objects := $(patsubst %,build/web/%.o,$(web_sources))
web_cflags := $(wasm_target) -std=gnu11 -Oz -I. -Wall -Wextra -Wpedantic $(if $(filter no,$(WERROR)),,-Werror) \
	-MMD -MP

# "page-file" where it can be made.
can_page = $(if $(strip $(web_missing)),,page-file)

# The program that writes the lessons' page, if one is built that can: without cmark or cairo it cannot.
lessons_by = $(firstword $(foreach program,$(wildcard build/bankscope $(obj)/bankscope),$(shell \
	$(program) help lesson >/dev/null 2>&1 && echo $(program))))

.PHONY: page page-file page-lessons page-needs
# What is asked for in the same call is built first: the lessons' page is written by the program with all that it needs.
page page-lessons dist: | $(filter all tests page-file,$(MAKECMDGOALS))
page:
	@SETUP='$(SETUP)' .ci/setup page
	@$(MAKE) $(parallel) page-file
	@$(MAKE) page-lessons
# A minute's work, so that only `make page` and `make dist` do it.
page-lessons:
	@$(if $(lessons_by),$(lessons_by) lesson --all -o build/bankscope-lessons.html,echo "make page: without \
		bankscope-lessons.html: no program is built that writes it (make, with cmark and cairo)" >&2)
# The first screen links to it from now on.
	@[ ! -e build/bankscope-lessons.html ] || grep -q 'href="bankscope-lessons.html"' build/bankscope.html || \
		{ rm -f build/bankscope.html build/bankscope-write.html; $(MAKE) page-file; }
ifeq ($(strip $(web_missing)),)
page-file: build/bankscope.html build/bankscope-write.html
else
page-file:
	@echo "make page: install $(strip $(web_missing))" >&2; exit 1
endif
page-needs:
	@echo $(web_missing)

build/web/%.c.o: %.c web/web.mk
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(quiet)$(WASM_CC) $(web_cflags) $(headers) -c $< -o $(whole_object)

build/web/%.cu.o: %.cu web/web.mk
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(quiet)$(WASM_CC) $(web_cflags) $(headers) -c -x c $< -o $(whole_object)

# Only what a kernel's thread calls can stop and go on; run_thread calls a kernel by a pointer.
asyncify := --asyncify --pass-arg=asyncify-ignore-imports --pass-arg=asyncify-ignore-indirect \
	--pass-arg=asyncify-addlist@run_thread

# ---- the kernel compiler and the machine: a module of their own, for pages that are written in ----

kernel_sources := web/kernel.c web/kernel_told.c web/exercise.c $(wildcard grade/*.c) $(filter-out %_avx2.c %/math_names.c,$(wildcard machine/*.c machine/*/*.c)) \
	$(wildcard kernelc/*.c kernelc/*/*.c) $(patsubst %,base/%.c,arena error memory text) $(patsubst %,instrument/%.c,trace/trace trace/trace_bytes trace/trace_check trace/trace_memory bank_model sector_model)
kernel_objects := $(patsubst %,build/web/kernel/%.o,$(kernel_sources)) build/web/kernel/made.o build/web/kernel/names.o
kernel_cflags := $(filter-out -Oz,$(web_cflags)) -msimd128 -fno-strict-aliasing
# Warps of 32 lanes and accesses are fast, all else is small.
kernel_fast := machine/operations/operations_32.c machine/run/warp.c
kernel_optimised = $(if $(filter $(kernel_fast),$<),-O2 -fno-unroll-loops,-Oz) $(if $(filter \
	machine/operations/operations_64.c,$<),-mno-simd128) $(if $(filter machine/%,$<),-ffp-contract=off \
	-fno-math-errno -fno-trapping-math)

build/web/kernel/%.c.o: %.c web/web.mk
	@mkdir -p $(@D)
	$(call say,WASM,$<)
	$(quiet)$(WASM_CC) $(kernel_cflags) $(kernel_optimised) $(headers) -c $< -o $(whole_object)

build/web/made.c: kernelc/make-headers $(kernelc_headers)
	@mkdir -p $(@D)
	$(quiet)kernelc/make-headers $(kernelc_headers) >$(whole)
build/web/kernel/made.o: build/web/made.c web/web.mk
	@mkdir -p $(@D)
	$(quiet)$(WASM_CC) $(kernel_cflags) -Os $(headers) -c $< -o $(whole_object)

# Of the functions of libdevice those that the headers call.
build/web/math_names.c: machine/math/math_names.c $(kernelc_headers) web/web.mk
	@mkdir -p $(@D)
	$(quiet)awk ' \
		FILENAME != last { \
			for (; match($$0, /__KC_D[12]\([a-z0-9_]+\)|__nv_[a-z0-9_]+/); $$0 = substr($$0, RSTART + RLENGTH)) { \
				name = substr($$0, RSTART + 5 + 3 * (substr($$0, RSTART + 2, 2) == "KC"), RLENGTH); \
				sub(/\).*/, "", name); \
				called[substr(name, 1, RLENGTH - 5)] = called[name "f"] = called[name] = 1; \
			} \
			next; \
		} \
		/^    \{"/ && !(substr($$0, 7, index(substr($$0, 7), "\"") - 1) in called) { next } \
		{ print }' last=machine/math/math_names.c $(kernelc_headers) machine/math/math_names.c >$(whole)
build/web/kernel/names.o: build/web/math_names.c
	@mkdir -p $(@D)
	$(quiet)$(WASM_CC) $(kernel_cflags) -Oz $(headers) -c $< -o $(whole_object)

# The lowest 1024 bytes are the end of the stack, so that no pointer points there. A second -Oz finds more.
build/web/kernel.wasm: $(kernel_objects)
	$(call say,LINK,$@)
	$(quiet)$(WASM_CC) $(wasm_target) -mexec-model=reactor -Wl,-z,stack-size=1048576 -Wl,--stack-first \
		-Wl,--max-memory=2147483648 -Wl,--strip-debug $^ -o $@.linked
	$(quiet)$(WASM_OPT) --enable-simd --enable-bulk-memory --enable-sign-ext --enable-mutable-globals \
		--enable-nontrapping-float-to-int --low-memory-unused -Oz -Oz --strip-debug --strip-producers \
		$@.linked -o $(whole)

# No -O: clang would run wasm-opt, which then knows no names.
build/web/page.wasm: $(web_objects)
	$(call say,LINK,$@)
	$(quiet)$(WASM_CC) $(wasm_target) -mexec-model=reactor -Wl,-z,stack-size=262144 -Wl,--stack-first \
		-Wl,--max-memory=2147483648 -Wl,--strip-debug $^ -o $@.linked
	$(quiet)$(WASM_OPT) $(asyncify) --low-memory-unused -Oz -Oz --strip-debug --strip-producers $@.linked -o $(whole)

page_parts := web/make-page $(patsubst %,web/page.%,html css) $(patsubst %,web/front.%,html css) $(wildcard web/*.js) \
	$(wildcard web/starters/*.cu)
build/bankscope.html: $(page_parts) build/web/page.wasm
	$(call say,PAGE,$@)
	$(quiet)web/make-page build/web/page.wasm >$(whole)

# The same with compiler and machine: for writing kernels. What is exported has no use for them.
build/bankscope-write.html: $(page_parts) build/web/page.wasm \
		web/write.html web/write.css \
		$(wildcard kernels/*.cu kernels/*.h sort/*.h) build/web/kernel.wasm
	$(call say,PAGE,$@)
	$(quiet)web/make-page build/web/page.wasm build/web/kernel.wasm >$(whole)

# What tests/page/test_page.sh compares the page's program with.
$(obj)/tests/page_native: $(obj)/tests/page/page_native.c.o $(obj)/libbankscope.a
	$(call say,LINK,$@)
	$(quiet)$(link) $(libs) -o $(whole)
tests: $(obj)/tests/page_native
