# SPDX-License-Identifier: GPL-2.0 OR MIT
# Sourced by all scripts on the host's side: paths, and how to fail.

kernel_dir=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
test_dir=$kernel_dir/test
build_dir=$kernel_dir/build
vm_dir=$build_dir/vm
log_dir=$(dirname "$kernel_dir")/out/kernel

# The bfq command, where the Makefile builds it.
bfq_command=$(realpath -m "${CARGO_TARGET_DIR:-$(dirname "$kernel_dir")/target}/release/bfq")

# fail LINE...: prints what went wrong, and ends the run.
fail() {
    printf 'bfq: %s\n' "$@" >&2
    exit 1
}

# say_if_untested: says that guests have no bfq command, if there is none for them.
say_if_untested() {
    [ -x "$bfq_command" ] ||
        echo "NOT TESTED: whatever needs the bfq command, as there is no $bfq_command (make build)"
}

# refuse_old_command: fails if the bfq command is older than its sources: it would judge what the
# module decides by another core.
refuse_old_command() {
    local source sources=()
    # Cargo writes beside it, in one line, which files it was built from.
    [ ! -x "$bfq_command" ] || [ ! -e "$bfq_command.d" ] || read -ra sources <"$bfq_command.d"
    for source in "${sources[@]:1}"; do
        [ ! "$source" -nt "$bfq_command" ] ||
            fail "$bfq_command is older than $source; run make build"
    done
}

# is_compiled SERIES: whether that is a kernel that is compiled here (compiled.sh); a release will
# do as well.
is_compiled() { [[ $1 == *-@(sanitised|kcsan|faults) ]]; }

# checks_itself SERIES: whether that kernel, or release, checks itself, and so is a tenth as fast.
checks_itself() { [[ $1 == *-@(sanitised|kcsan) ]]; }

# is_real_time SERIES: whether that is Debian's kernel with PREEMPT_RT of a series.
is_real_time() { [[ $1 == *-rt ]]; }

# is_arm64 SERIES: whether that is a kernel for arm64; a release will do as well.
is_arm64() { [[ $1 == *-arm64 ]]; }

# strip_for RELEASE ARGUMENT...: strips programs or modules for the guest of that kernel.
strip_for() {
    local strip=strip
    ! is_arm64 "$1" || strip=aarch64-linux-gnu-strip
    shift
    "$strip" "$@"
}

# is_backport SERIES: whether that is a kernel of Debian 13's backports (backports.sh).
is_backport() { [[ $1 == 7.[23]?(-rt) ]]; }

# debian_series SERIES: the series of Debian's kernels that it is one of, or is compiled from.
debian_series() { echo "${1%%-*}"; }

# newer FILE SOURCE...: whether FILE exists and is newer than every SOURCE.
newer() {
    local file=$1 source
    shift
    [ -e "$file" ] || return 1
    for source; do
        [ "$file" -nt "$source" ] || return 1
    done
}
