# SPDX-License-Identifier: GPL-2.0 OR MIT
# The Rust side of the module as one object file, build/core/bfq_core.o: crates/bfq and kernel/core,
# with Rust's own library compiled by the kernel's rules. The same object serves every kernel of its
# architecture; arm64's is in core-arm64. With BFQ_TESTING=y it is bfq_core_testing.o, which can be
# made to panic.
#
# Each crate is a library of its own, so that a change of ours costs seconds.

# Optimized for size, with as much inlining as pays: an I/O costs up to 1 % more than with level 2,
# or 2 % under tfq, and the module is a fifth smaller (docs/kernel-measurements.md).
OPT_LEVEL ?= s
INLINE_THRESHOLD ?= 50

crate_dir = $(core_dir)/crates
crate = $(crate_dir)/lib$(1).rlib
sources_of = $(shell find $(1) -name '*.rs')

# A kernel's code: no vector registers (the target says so), no unwinding, nothing of the builder's
# paths. Frames are linked: arm64's kernel finds callers by that, and on x86-64, where it finds them
# by objtool's tables (ORC), these are a third shorter: saving a register needs no entry there.
core_flags := -C opt-level=$(OPT_LEVEL) -C llvm-args=-inline-threshold=$(INLINE_THRESHOLD) \
	-C panic=abort -C relocation-model=static -C force-frame-pointers=yes \
	-C force-unwind-tables=n -C codegen-units=1 -C embed-bitcode=y \
	-C debug-assertions=n -C overflow-checks=n
# On x86-64: no red zone, indirect jumps and returns through the kernel's thunks, a landing pad and
# room for call thunks at each function.
x86_64_target := $(if $(kcsan),$(build)/core-kcsan/target.json,x86_64-unknown-none)
x86_64_flags := --target $(x86_64_target) -C code-model=kernel -C no-redzone=y -Z plt=yes \
	-C jump-tables=n -Z cf-protection=branch -Z retpoline-external-thunk \
	-Z function-return=thunk-extern -Z patchable-function-entry=16,16
# On arm64: the register that the kernel may keep its second stack in is left alone.
arm64_flags := --target aarch64-unknown-none-softfloat -Z fixed-x18
core_flags += $(if $(arm64),$(arm64_flags),$(x86_64_flags))
# For a kernel with KCSAN each access to memory calls it, as in C compiled for such a kernel. The
# target is the same, but for rustc's list of what it can be had with.
core_flags += $(if $(kcsan),-Z unstable-options -Z sanitizer=thread \
	-C llvm-args=-tsan-distinguish-volatile=1)
library_flags := --cap-lints allow -Z force-unstable-if-unmarked
our_flags := --edition=2024 --sysroot /nonexistent

# RUSTC_BOOTSTRAP makes a stable rustc accept its private switches (-Z, and compiling its library).
core_rustc = RUSTC_BOOTSTRAP=1 '$(shell cat $(core_dir)/rustc)' $(core_flags) \
	--remap-path-prefix=$(root)/= --remap-path-prefix='$(library)'=library \
	--out-dir $(crate_dir) -L $(crate_dir)
library = $(shell "$$(cat $(core_dir)/rustc)" --print sysroot)/lib/rustlib/src/rust/library

# What everything depends on: the compiler, and how it is called. Rewritten when either changes.
core_settings := $(core_dir)/settings

make_kcsan_target = RUSTC_BOOTSTRAP=1 "$$(cat $(core_dir)/rustc)" -Z unstable-options \
	--print target-spec-json --target x86_64-unknown-none | \
	sed 's/"kernel-address"/&, "thread"/' >$(x86_64_target)

.PHONY: core FORCE
core: $(core)

$(core_settings): FORCE
	@mkdir -p $(crate_dir)
	@kernel_rustc=$$($(scripts)/find-rustc $(build)) && echo "$$kernel_rustc" >$(core_dir)/rustc
	@"$$(cat $(core_dir)/rustc)" -vV >$@.new
	@$(if $(kcsan),$(make_kcsan_target))
	@echo '$(core_flags) $(library_flags) $(our_flags)' >>$@.new
	@if cmp -s $@ $@.new; then rm $@.new; else mv $@.new $@; fi

$(call crate,core): $(core_settings)
	@echo '  RUSTC   core'
	@$(core_rustc) $(library_flags) --edition=2024 --crate-type rlib --crate-name core \
		--cfg no_fp_fmt_parse '$(library)/core/src/lib.rs'

# alloc names this crate; its functions (arithmetic that the processor lacks) are not used.
$(call crate,compiler_builtins): $(call crate,core)
	@echo '  RUSTC   compiler_builtins'
	@echo '#![feature(compiler_builtins)] #![compiler_builtins] #![no_builtins] #![no_std]' | \
		$(core_rustc) $(library_flags) --edition=2024 --crate-type rlib \
		--crate-name compiler_builtins --sysroot /nonexistent -

$(call crate,alloc): $(call crate,compiler_builtins)
	@echo '  RUSTC   alloc'
	@$(core_rustc) $(library_flags) --edition=2024 --crate-type rlib --crate-name alloc \
		--cfg no_rc --cfg no_sync --sysroot /nonexistent '$(library)/alloc/src/lib.rs'

our_crates := bfq recording
$(call crate,bfq): $(call crate,alloc)
$(call crate,recording): $(call crate,bfq)
$(call crate,recording): private uses := --extern bfq

define our_crate
$(call crate,$(1)): $(call sources_of,$(root)/crates/$(1)/src)
	@echo '  RUSTC   $(1)'
	@$$(core_rustc) $$(our_flags) $$(uses) --crate-type rlib --crate-name $(1) \
		$(root)/crates/$(1)/src/lib.rs
endef
$(foreach name,$(our_crates),$(eval $(call our_crate,$(name))))

# kernel/core itself, and its object, in two variants: NAME, and what rustc is told besides.
define core_variant
$(crate_dir)/lib$(1).a: $(foreach name,$(our_crates),$(call crate,$(name))) \
		$(call sources_of,$(here)/core/src)
	@echo '  RUSTC   $(1)'
	@$$(core_rustc) $$(our_flags) $(our_crates:%=--extern %) --crate-type staticlib -C lto=fat \
		--crate-name $(1) $(2) $(here)/core/src/lib.rs
endef
$(eval $(call core_variant,bfq_kernel))
$(eval $(call core_variant,bfq_kernel_testing,--cfg 'feature="testing"'))

# One object with what the C side calls, and what that needs; all else is dropped or made local.
imports := $(here)/core/imports.txt $(if $(kcsan),$(here)/core/imports-kcsan.txt)
$(core_dir)/bfq_core.o: $(crate_dir)/libbfq_kernel.a $(imports)
$(core_dir)/bfq_core_testing.o: $(crate_dir)/libbfq_kernel_testing.a $(imports) \
		$(here)/core/imports-testing.txt
$(core_dir)/bfq_core.o $(core_dir)/bfq_core_testing.o: \
		$(scripts)/link-core $(here)/core.lds $(scripts)/check-core
	@echo '  LD      $(@F)'
	@CROSS_COMPILE=$(tools) $(scripts)/link-core $(filter %.a,$^) $@
	@CROSS_COMPILE=$(tools) $(scripts)/check-core $@ $(filter %.txt,$^)
