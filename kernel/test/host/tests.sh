# SPDX-License-Identifier: GPL-2.0 OR MIT
# Runs the tests in the guest: one boot for each mode, more if a guest crashes.

modes=(normal slub deterministic)

# The longest that the tests of one boot may take. For a kernel that checks itself this limit and
# that of each test are multiplied by $patience.
boot_limit_s=1800
sanitised_patience=5

# A guest that has not begun its tests by then hangs in the start of the kernel, and is booted
# again.
start_limit_s=180
most_boots=3

# How many lines of a failed test's log the summary shows; the guest's log has all of them.
told_lines=30

# tests_of MODE ONLY: prints the tests with that mode in their head line and ONLY in their name,
# `load` first.
tests_of() {
    local name
    grep -lE "^# modes:.*\b$1\b" "$test_dir"/guest/tests/*.sh | while read -r name; do
        basename "$name" .sh
    done | grep -F -- "$2" | sed 's/^load$/0 &/' | sort | sed 's/^0 //'
}

# spread MODE SERIES: prints those of the tests on stdin that this kernel runs in that mode: all,
# but with SPREAD=1, several kernels and no ONLY only some. A test with the modes normal and slub
# runs in one of them on each kernel, and in the other one on the next kernel; a deterministic test
# runs on one kernel.
spread() {
    local name position turn=0
    [ -n "${SPREAD:-}" ] && [ -z "${ONLY:-}" ] && [ ${#all_series[@]} -gt 1 ] || {
        cat
        return
    }
    for position in "${!all_series[@]}"; do
        [ "${all_series[position]}" != "$2" ] || break
    done
    while read -r name; do
        case $1-$(sed -n 's/^# modes: *//p' "$test_dir/guest/tests/$name.sh") in
            deterministic-*) [ $(((turn + position) % ${#all_series[@]})) != 0 ] || echo "$name" ;;
            normal-*slub*) [ $(((turn + position) % 2)) != 0 ] || echo "$name" ;;
            slub-*normal*) [ $(((turn + position) % 2)) = 0 ] || echo "$name" ;;
            *)
                echo "$name"
                continue
                ;;
        esac
        turn=$((turn + 1))
    done
}

# test_kernel SERIES RELEASE ELEVATOR ONLY: prints a line for each test and mode, and appends it to
# the kernel's verdicts.
test_kernel() {
    local series=$1 release=$2 elevator=$3 only=$4 mode tests boot company round
    for mode in "${modes[@]}"; do
        rm -f "$log_dir/$series.$mode".*
        boot=1
        for company in apart together; do
            mapfile -t tests < <(for ((round = 0; round < ${REPEAT:-1}; round++)); do
                tests_of "$mode" "$only" | spread "$mode" "$series" | "$company" "$series"
            done)
            while [ ${#tests[@]} -gt 0 ]; do
                boot_and_report "$series" "$release" "$elevator" "$mode" "$boot"
                boot=$((boot + 1))
            done
        done
    done
}

# apart SERIES, together SERIES: print those of the tests on stdin that have guests of their own,
# and those that share a guest. Lockdep remembers for a whole boot in which order locks were taken;
# after device mapper it complains of an order of the kernel's own at times
# (docs/kernel-measurements.md, "How it is tested").
apart() { ! checks_itself "$1" || grep "^device-mapper" || true; }
together() { if checks_itself "$1"; then grep -v "^device-mapper" || true; else cat; fi; }

# boot_and_report SERIES RELEASE ELEVATOR MODE BOOT: runs $tests and leaves in it those that were
# not started, because a guest that has failed is not used any more.
boot_and_report() {
    local series=$1 release=$2 elevator=$3 mode=$4
    local log=$log_dir/$series.$mode.$5.log results=$log_dir/$series.$mode.$5.results
    local initrd guest started last patience=1
    ! checks_itself "$series" || patience=$sanitised_patience
    initrd=$(initramfs "$release" "$mode" <<<"task=tests
elevator=$elevator
policy=$policy
mode=$mode
patience=$patience
tests='${tests[*]}'")
    # On 6.1 no other disk takes commands by a plug. It keeps nothing, and only the test that wants
    # it loads its driver.
    local devices=(-blockdev "driver=null-co,node-name=nvme,size=$((64 << 20)),read-zeroes=on"
        -device "nvme,serial=bfq,drive=nvme")
    [ "$mode" != deterministic ] || devices=()
    : >"$results"
    boot "$mode" "$release" "$initrd" "$log" "$results" $((boot_limit_s * patience)) &
    guest=$!
    give_up_start "$results" "$guest" $((start_limit_s * patience)) &
    give_up_stuck "$log" "$guest" &
    follow "$results" "$guest" "$series $mode"
    started=$(grep -ac '^start ' "$results" || true)
    last=$(tr -d '\r' <"$results" | sed -n 's/^start //p' | tail -1)
    if [ -z "$last" ] && [ "$5" -lt "$most_boots" ]; then
        echo "$series $mode: the guest did not reach its tests, and is booted again; see $log"
    elif [ -z "$last" ]; then
        report "$series $mode" "FAIL boot: the guest did not reach its tests; see $log"
        tests=()
    elif [ "$(grep -acE '^(ok|FAIL|skip) ' "$results")" -ge "$started" ]; then
        :
    elif was_patched "$log" && [ "$5" -lt "$most_boots" ]; then
        echo "$series $mode: a breakpoint of the kernel's own ended $last, and it is run again;" \
            "see $log"
        started=$((started - 1))
    else
        report "$series $mode" "FAIL $last: the guest crashed: $(last_words "$log")"
        crashed "$last" "$log"
    fi
    tests=("${tests[@]:$started}")
}

# give_up_start RESULTS PID LIMIT_S: ends the process's guest if no test has begun by then.
give_up_start() {
    local second
    for ((second = 0; second < $3; second++)); do
        ! grep -qa '^start ' "$1" && kill -0 "$2" 2>/dev/null || return 0
        sleep 1
    done
    pkill -P "$2" || true
}

# give_up_stuck LOG PID: ends the process's guest if a processor of it is stuck for 100 s or more:
# no test can end itself then.
give_up_stuck() {
    while kill -0 "$2" 2>/dev/null; do
        if grep -qaE 'soft lockup - CPU#[0-9]+ stuck for [0-9]{3,}s' "$1" 2>/dev/null; then
            pkill -P "$2" || true
            return
        fi
        sleep 5
    done
}

# follow RESULTS PID WHERE: prints each verdict as it comes, until the process ends.
follow() {
    local line
    while read -r line; do
        line=${line%$'\r'}
        case $line in
            ok\ * | FAIL\ * | skip\ *) report "$3" "$line" ;;
        esac
    done < <(tail -n +1 -f --pid="$2" -s 0.2 "$1" 2>/dev/null)
}

# verdicts SERIES: the file with that kernel's verdicts. Tests of other kernels may run at once.
verdicts() { echo "$log_dir/$1.verdicts"; }

# report "SERIES MODE" VERDICT: prints a verdict, and keeps it.
report() {
    local verdict=${2%% *} rest=${2#* }
    printf '%-18s %-4s %s\n' "$1" "$verdict" "$rest" | tee -a "$(verdicts "${1%% *}")"
}

# last_words LOG: prints the lines of the log that explain best why a kernel crashed. Panics of the
# core, which tests want, do not crash it.
last_words() {
    tr -d '\r' <"$1" | grep -av ' bfq: ' |
        grep -aE 'BUG|Oops|panic|RIP: 0010|unable to handle' | tail -3 | tr '\n' ';'
}

# was_patched LOG: whether the guest crashed at a breakpoint of the kernel's own, and the module had
# no part in it. The kernel puts one where it patches its code, and takes it away when all CPUs have
# passed; emulated on several threads, a CPU meets it later at times. There are breakpoints between
# functions, too: a wild call of the module that ended in one would have the module in its trace.
was_patched() {
    local crash
    crash=$(sed -nE '/\bint3: 0000 /,$p' "$1")
    [ -n "$crash" ] && ! grep -qaF '[bfq]' <<<"$crash"
}

# crashed TEST LOG: marks the end of the guest's log, and of what the emulator said, as the test's
# output, for the summary to show.
crashed() {
    local end
    end=$(tail -"$((told_lines - 4))" "$2")
    {
        echo "=== FAIL $1: the guest is gone. The end of its log:"
        echo "$end"
        echo "The emulator: $(tail -1 "$2.qemu")"
        echo "=== end of $1"
    } >>"$2"
}

# told_by_failures SERIES...: prints the end of each failed test's output on its guest's console.
told_by_failures() {
    local series mode name log
    for series; do
        while read -r _ mode _ name _; do
            for log in "$log_dir/$series.$mode".*.log; do
                tr -d '\r' <"$log" |
                    sed -nE "/^=== (FAIL )?${name%:}[: ]/,/^=== end of ${name%:}\$/p" |
                    tail -"$told_lines"
            done
        done < <(grep -E "^$series +[a-z]+ +FAIL " "$(verdicts "$series")")
    done
}

# summary SERIES...: prints the failures again, at the end, and a line for each kernel; fails if a
# test did.
summary() {
    local series bad=0 counts
    told_by_failures "$@"
    echo
    for series; do
        grep -E '^[^ ]+ +[a-z]+ +FAIL ' "$(verdicts "$series")" || true
    done
    for series; do
        counts=$(for verdict in ok FAIL skip; do
            grep -cE "^$series +[a-z]+ +$verdict " "$(verdicts "$series")" || true
        done | paste -sd' ')
        read -r ok failed skipped <<<"$counts"
        echo "$series: $ok passed, $failed failed, $skipped skipped"
        [ "$failed" = 0 ] && [ "$ok" != 0 ] || bad=1
    done
    say_if_untested
    return "$bad"
}
