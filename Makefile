# SPDX-License-Identifier: MIT OR Apache-2.0
# The commands of the README. Results go to out/.

CARGO ?= cargo
TARGET = $(or $(CARGO_TARGET_DIR),target)
BFQ = $(TARGET)/release/bfq
# Progress of a build is shown on a terminal only.
QUIET = $(shell test -t 2 || echo --quiet)

.PHONY: help prepare build run test check msrv package man completions deb deb-test cost bench
.PHONY: results fairness lab soak kernel kernel-test kernel-sanitised kernel-cost kernel-bench
.PHONY: adversaries kernel-judge bench-kernel kernel-record kernel-soak kernel-blktests clean
.PHONY: fidelity kernel-lock kernel-processors sensitivity
.PHONY: cost-check times libnbd-tests serve-bench serve-soak top-cost playground playground-speed
.PHONY: python python-test python-sdist-test python-overhead sweep-bench

help:           ## list these commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 19

prepare:        ## get what the others need: toolchain, C compiler, crates (see README)
	@CARGO="$(CARGO)" ./scripts/prepare

build: prepare  ## build the bfq command (optimised)
	@test -e $(BFQ) || echo "Building bfq (some minutes, this first time) …"
	@$(CARGO) build --release --locked $(QUIET) -p bfq-cli

run: build      ## the main job: simulated on two disks, and for real on a scratch file
	@./scripts/run-main-job $(abspath $(BFQ))

test: prepare   ## all tests (PACKAGES="cli bench": those of these crates)
	@CARGO="$(CARGO)" PACKAGES="$(PACKAGES)" ./scripts/test

check:          ## formatting, lints, documentation, packages, licence lines, prose and spelling
	@CARGO="$(CARGO)" ./scripts/prepare check
	./scripts/spdx check
	./scripts/sensitivity --check
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --quiet -- -D warnings
	RUSTDOCFLAGS="-D warnings" \
	$(CARGO) doc --workspace --no-deps --document-private-items --quiet
	$(CARGO) package --workspace --no-verify --allow-dirty --locked --offline --quiet
	$(CARGO) run --quiet -p bfq-prose
	./scripts/check-spelling

msrv:           ## whether everything compiles with the oldest Rust that is supported
	@./scripts/msrv

package: prepare ## each crate compiled from its package alone, as a registry would hand it out
	$(CARGO) package --workspace --allow-dirty --locked --offline

playground:     ## the simulator as a page for browsers, static files in out/playground
	@CARGO="$(CARGO)" ./scripts/playground

playground-speed: playground ## how fast the page's simulator is beside the command, in Chromium
	@CARGO="$(CARGO)" ./scripts/playground speed

python:         ## the Python package, a wheel in out/python
	@CARGO="$(CARGO)" ./scripts/prepare python
	@./scripts/python

python-test: build ## the Python package tested, its notebooks too (PYTHON=python3.13)
	@CARGO="$(CARGO)" ./scripts/prepare python
	@BFQ=$(abspath $(BFQ)) ./scripts/python test

python-sdist-test: build ## the source package compiled by pip in an empty environment, and tested
	@CARGO="$(CARGO)" ./scripts/prepare python
	@BFQ=$(abspath $(BFQ)) ./scripts/python sdist-test

sweep-bench: python-test ## how busy a sweep keeps the processors, and what Ray costs a cell
	@$(TARGET)/python-environment/bin/python scripts/sweep-bench

python-overhead: build ## the instructions that Python adds to a simulation
	@CARGO="$(CARGO)" ./scripts/prepare python
	@CARGO="$(CARGO)" ./scripts/prepare counts
	@BFQ=$(abspath $(BFQ)) ./scripts/python overhead

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

cost:           ## cost of the core, and the simulator's speed, to out/cost.json (PEERS=1: peers)
	@PEERS="$(PEERS)" DMCLOCK="$(DMCLOCK)" SEASTAR="$(SEASTAR)" ./scripts/cost

times:          ## how long a request takes in each scheduler, by criterion (ONLY=PART)
	@$(CARGO) bench --quiet -p bfq-cost -- $(ONLY)

cost-check:     ## whether a request costs no more instructions than it did (RENEW=1: new figures)
	@CARGO="$(CARGO)" ./scripts/prepare counts
	@CARGO="$(CARGO)" RENEW="$(RENEW)" ./scripts/cost-check

serve-bench: build ## bfq serve beside nbdkit and qemu-nbd, to out/serve.json (ONLY=speed, ANYWAY=1)
	@./scripts/prepare serve
	@CARGO="$(CARGO)" ONLY="$(ONLY)" ROUNDS="$(ROUNDS)" SHARE_SECONDS="$(SHARE_SECONDS)" \
		./scripts/serve-bench $(abspath $(BFQ))

serve-soak:     ## bfq serve for an hour among clients that misbehave (TIME=20m, SEED=1)
	@CARGO="$(CARGO)" TIME="$(TIME)" SEED="$(SEED)" ./scripts/serve-soak

libnbd-tests: build ## libnbd's own tests against bfq serve, logs to out/libnbd
	@./scripts/libnbd-tests $(abspath $(BFQ))

bench: cost     # the old name of `cost`, and of its file
	@cp out/cost.json out/bench.json
	@echo "make bench is called make cost now; out/bench.json is a copy of out/cost.json" >&2

fidelity: build ## our decisions and results beside the kernel's, to docs/generated/fidelity.md
	@./scripts/fidelity $(abspath $(BFQ))

results: build  ## what bfq promises, simulated, to docs/generated/results.md (SCHEDULER=tfq: by it)
	@SCHEDULER="$(SCHEDULER)" ./scripts/results

fairness: build ## who gets what part of its share, by scheduler (ONLY=PART, DEVICES=LIST)
	@ONLY="$(ONLY)" DEVICES="$(DEVICES)" ./scripts/fairness $(abspath $(BFQ))

adversaries: build ## loads that are made to hurt a scheduler, to docs/generated/adversaries.md
	@./scripts/adversaries $(abspath $(BFQ))

sensitivity: prepare ## tfq with each constant halved and doubled (ONLY="NAME …", DEVICES=LIST)
	@CARGO="$(CARGO)" DEVICES="$(DEVICES)" ./scripts/sensitivity $(ONLY)

lab: build      ## all scenarios, as a page: out/lab/report.html (ONLY=PART, FAIR=1, ALSO=tfq)
	@FAIR="$(FAIR)" ALSO="$(ALSO)" ./scripts/lab $(abspath $(BFQ)) "$(ONLY)"

soak:           ## random scenarios of the core for an hour (BFQ_SOAK_MINUTES)
	BFQ_SOAK_MINUTES=$${BFQ_SOAK_MINUTES:-60} \
	CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true \
	$(CARGO) test --release -p bfq --test random -- --nocapture

kernel:         ## the Linux module, for each kernel that is supported and has its headers here
	@$(MAKE) --no-print-directory -C kernel every

kernel-test: build ## the module in virtual machines (KERNEL, ONLY, POLICY, ELEVATOR, SPREAD)
	@./kernel/test/run tests

# That kernel is compiled once, in 20 minutes; it needs 3 GB.
SANITISED := 6.12-$(if $(KCSAN),kcsan,$(if $(RT),rt-)sanitised)
kernel-sanitised: build ## the same, then a soak, in a 6.12 with KASAN, lockdep (RT=1; KCSAN=1)
	@KERNEL=$(SANITISED) ./kernel/test/run tests; tests=$$?; \
	KERNEL=$(SANITISED) SOAK_MINUTES=$${SOAK_MINUTES:-10} ./kernel/test/run soak && exit $$tests

kernel-cost:    ## instructions of an I/O by elevator, to out/kernel/cost.json (KERNEL=6.1)
	@./kernel/test/run cost

top-cost: build ## instructions that `bfq top` and its like add to an I/O (KERNEL=6.1)
	@./kernel/test/run watching

kernel-lock:    ## how often and how long an I/O holds the device's lock (KERNEL=6.1)
	@./kernel/test/run lock

kernel-processors: ## I/Os a second by elevator on 1, 2, 4 and 8 processors (KERNEL=6.12)
	@./kernel/test/run processors

kernel-bench: kernel-cost # the old name of `kernel-cost`, and of its file
	@cp out/kernel/cost.json out/kernel/bench.json
	@echo "make kernel-bench is called make kernel-cost now;" \
		"out/kernel/bench.json is a copy of out/kernel/cost.json" >&2

kernel-judge: build ## bfq bench in a virtual machine, to out/kernel (KERNEL=6.1, ELEVATOR=stock)
	@./kernel/test/run judge

bench-kernel: kernel-judge # the old name of `kernel-judge`
	@echo "make bench-kernel is called make kernel-judge now" >&2

kernel-record:  ## traces of the kernel's own bfq, to out/kernel/recordings (KERNEL=6.1, ONLY=PART)
	@./kernel/test/run record

kernel-soak:    ## an hour of mixed load in a virtual machine (SOAK_MINUTES, KERNEL=6.1)
	@./kernel/test/run soak

kernel-blktests: ## the checkout BLKTESTS=DIR, ours and stock bfq (KERNEL=6.12, ONLY=PART)
	@BLKTESTS="$(BLKTESTS)" ./kernel/test/run blktests

clean:          ## remove what was built and measured
	$(CARGO) clean --quiet
	rm -rf out
	@$(MAKE) --no-print-directory -C kernel clean
