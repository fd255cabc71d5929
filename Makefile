# SPDX-License-Identifier: MIT OR Apache-2.0
# The commands of the README. Results go to out/.

CARGO ?= cargo
TARGET = $(or $(CARGO_TARGET_DIR),target)
BFQ = $(TARGET)/release/bfq
# A build is shown to people, not to logs.
QUIET = $(shell test -t 2 || echo --quiet)

.PHONY: help prepare run test bench fidelity results lab soak check msrv man completions deb deb-test build kernel kernel-test kernel-sanitised kernel-bench bench-kernel kernel-record kernel-soak kernel-blktests clean

help:           ## list these commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

prepare:        ## get what the others need: toolchain, C compiler, crates (see README)
	@CARGO="$(CARGO)" ./scripts/prepare

build: prepare  ## build the bfq command (optimised)
	@test -e $(BFQ) || echo "Building bfq (some minutes, this first time) …"
	@$(CARGO) build --release --locked $(QUIET) -p bfq-cli

run: build      ## the main job: simulated on two disks, and for real on a scratch file
	@./scripts/run-main-job $(abspath $(BFQ))

test: prepare   ## all tests (PACKAGES="cli bench": of these crates)
	@CARGO="$(CARGO)" PACKAGES="$(PACKAGES)" ./scripts/test

check: prepare  ## formatting, lints, documentation and licence lines
	./scripts/spdx check
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --document-private-items --quiet

man: build      ## manual pages, to out/man
	@rm -rf out/man
	@$(BFQ) generate man out/man

completions: build ## completions for bash, zsh and fish, to out/completions
	@mkdir -p out/completions
	@$(BFQ) generate completions bash >out/completions/bfq
	@$(BFQ) generate completions zsh >out/completions/_bfq
	@$(BFQ) generate completions fish >out/completions/bfq.fish

deb: build      ## Debian packages of the command and of the kernel module, to out/deb
	@CARGO="$(CARGO)" ./packaging/deb/build $(BFQ)

deb-test: deb   ## these installed, used and removed in a Debian 12 of their own (root, network)
	@./packaging/deb/test

msrv:           ## whether everything compiles with the oldest Rust that is supported
	@./scripts/msrv

bench:          ## cost of the core and speed of the simulator, to out/bench.json
	@./scripts/bench

fidelity: build ## our decisions and results beside the kernel's recorded ones, to docs/fidelity.md
	@./scripts/fidelity $(abspath $(BFQ))

results: build  ## what bfq promises, simulated, to docs/results.md
	@./scripts/results

lab: build      ## all scenarios (ONLY=PART: with that in their path) and their report: out/lab/report.html
	@./scripts/lab $(abspath $(BFQ)) "$(ONLY)"

soak:           ## random scenarios of the core for an hour (BFQ_SOAK_MINUTES)
	BFQ_SOAK_MINUTES=$${BFQ_SOAK_MINUTES:-60} \
	CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
	$(CARGO) test --release -p bfq --test random -- --nocapture

kernel:         ## the Linux module, for each kernel that is supported and has its headers here
	@$(MAKE) --no-print-directory -C kernel every

kernel-test: build ## the kernel module in virtual machines (KERNEL=6.1, ONLY=PART of a test's name, ELEVATOR=stock)
	@./kernel/test/run tests

kernel-sanitised: build ## the same, then 10 minutes of mixed load, in a 6.12 with KASAN and lockdep (compiled once: 20 minutes, 3 GB)
	@KERNEL=6.12-sanitised ./kernel/test/run tests
	@KERNEL=6.12-sanitised SOAK_MINUTES=$${SOAK_MINUTES:-10} ./kernel/test/run soak

kernel-bench:   ## instructions that an I/O costs under each elevator, to out/kernel/bench.json (KERNEL=6.1)
	@./kernel/test/run bench

bench-kernel: build ## bfq bench on a slow disk and one in memory of a virtual machine, to out/kernel/ (KERNEL=6.1, ELEVATOR=stock)
	@./kernel/test/run measure

kernel-record:  ## what the kernel's own bfq says and does in a virtual machine, to out/kernel/recordings (KERNEL=6.1, ONLY=PART)
	@./kernel/test/run record

kernel-soak:    ## an hour of mixed load in a virtual machine (SOAK_MINUTES, KERNEL=6.1)
	@./kernel/test/run soak

kernel-blktests: ## BLKTESTS=DIR, a checkout of blktests, under ours and the stock bfq, side by side (KERNEL=6.12, ONLY=PART)
	@BLKTESTS="$(BLKTESTS)" ./kernel/test/run blktests

clean:          ## remove what was built and measured
	$(CARGO) clean --quiet
	rm -rf out
	@$(MAKE) --no-print-directory -C kernel clean
