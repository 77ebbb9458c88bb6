# What nvcc makes: the recorder of a GPU, kernels for --backend cuda, and what tests/gpu/all.sh runs. Included by the
# Makefile, which says what was found and what the variables are.

# ---- the recorder of a GPU -------------------------------------------------------------------------

# Its patches, as machine code for Compute Sanitizer, are a part of it.
build/cuda/inject/patches.fatbin: inject/patches.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(nvcc) -fatbin --compile-as-tools-patch -std=c++17 -O3 -I. -isystem $(sanitizer)/include \
		$(gencode) -MMD -MP -MF $(@:.fatbin=.d) -MT $@ $< -o $(whole)

inject_sources := $(wildcard inject/*.c) inject/patches.S
$(injected): $(inject_sources) $(wildcard inject/*.h program/ring.h program/stream.h) build/cuda/inject/patches.fatbin $(obj)/flags
	$(call say,LINK,$@)
	$(quiet)$(CC) $(filter-out $(sanitize) -MMD -MP,$(all_cflags)) -fPIC -fvisibility=hidden -shared \
		-isystem $(sanitizer)/include -isystem $(toolkit)/include \
		-DPATCHES='"build/cuda/inject/patches.fatbin"' $(inject_sources) -L$(sanitizer) \
		-lsanitizer-public -Wl,-rpath,$(realpath $(sanitizer)) -ldl -lpthread -o $(whole)

# ---- kernels ---------------------------------------------------------------------------------------

compile_cuda = $(nvcc) $(nvcc_flags) $(headers) -c

build/cuda/%.cuda.o: %.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(compile_cuda) $< -o $(whole_object)

build/cuda/%.traced.o: %.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,"$< (traced)")
	$(quiet)$(compile_cuda) -DSIMT_TRACED $< -o $(whole_object)

build/cuda/%.bare.o: %.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,"$< (bare)")
	$(quiet)$(compile_cuda) -DSIMT_BARE $< -o $(whole_object)

cuda: parts ## compile every kernel with nvcc, traced and bare
	@$(if $(nvcc),,echo "make cuda: no nvcc on the path or in /usr/local/cuda" >&2; exit 1)
	@$(MAKE) $(parallel) $(cuda_objects)

# What tests/gpu/all.sh runs, in one folder that may be carried to another machine.
.PHONY: gpu
gpu_objects := build/cuda/tests/gpu/twins.o $(patsubst \
	%,build/cuda/kernels/%.bare.o,stride thrust_merge cf_merge)
gpu_programs := $(patsubst %,build/cuda/tests/gpu/%,library_merge library_sort sort sort_inputs \
	distribution sort_by)
# One program under the names of its parts.
gpu_recorded := $(patsubst %,build/gpu/recorded/%,merge-sort-4 merge-sort-8 merge-sort-pairs \
	radix-sort scan reduce tiles tiles-swizzled)
gpu_course := $(patsubst tests/programs/%.cu,build/gpu/programs/%,$(wildcard tests/programs/*.cu))
gpu_launches := $(patsubst %,build/gpu/%,launches launches.cubin)
# Programs as their users compile them, for one GPU: some need more than the first of CUDA_ARCH has.
gpu_nvcc := $(nvcc) -std=c++17 -lineinfo -arch=sm_$(lastword $(CUDA_ARCH))
gpu: all $(gpu_programs) $(gpu_objects) $(gpu_course) $(gpu_recorded) build/gpu/recorded/string_search $(gpu_launches) build/gpu/processes ## build what tests/gpu/all.sh runs (with CUDA=yes)
	@mkdir -p build/gpu
	@cp $(obj)/bankscope $(injected) $(gpu_programs) $(gpu_objects) build/gpu
	@cp build/cuda/tests/gpu/recorded build/gpu/rings

build/cuda/tests/gpu/recorded: tests/gpu/recorded.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(gpu_nvcc) -o $@ $<

$(gpu_recorded): build/cuda/tests/gpu/recorded
	@mkdir -p $(@D)
	@ln -f $< $@

build/gpu/recorded/string_search: tests/gpu/string_search.cu tests/programs/program.h | parts
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(gpu_nvcc) -o $@ $<

build/gpu/launches: tests/gpu/launches.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(nvcc) $(nvcc_flags) -o $@ $< -L$(dir $(nvcc))../lib64/stubs -lcuda

build/gpu/launches.cubin: tests/gpu/launches.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(gpu_nvcc) -cubin -o $@ $<

build/gpu/processes: tests/gpu/processes.cu | parts
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(gpu_nvcc) -o $@ $<

build/gpu/programs/%: tests/programs/%.cu tests/programs/program.h | parts
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(gpu_nvcc) -o $@ $<

build/cuda/tests/gpu/twins.o: tests/gpu/twins.cu build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(compile_cuda) $< -o $(whole_object)

$(addprefix build/cuda/tests/gpu/,sort sort_inputs): build/cuda/tests/gpu/%: tests/gpu/%.cu build/cuda/sort/sort.cuda.o build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(nvcc) $(nvcc_flags) -o $@ $< build/cuda/sort/sort.cuda.o

build/cuda/tests/gpu/distribution: tests/gpu/distribution.cu $(wildcard sort/*.cuh) build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(nvcc) $(nvcc_flags) -o $@ $<

build/cuda/tests/gpu/sort_by: tests/gpu/sort_by.cu build/cuda/sort/sort.cuda.o $(wildcard sort/*.cuh) build/cuda/flags
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(nvcc) $(nvcc_flags) -o $@ $< build/cuda/sort/sort.cuda.o

build/cuda/tests/gpu/library_%: tests/gpu/library_%.cu build/cuda/flags $(obj)/libbankscope.a
	@mkdir -p $(@D)
	$(call say,NVCC,$<)
	$(quiet)$(nvcc) $(nvcc_flags) -o $@ $< $(obj)/libbankscope.a $(libs)
