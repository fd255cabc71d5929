# SPDX-License-Identifier: GPL-2.0 OR MIT
# Loads the tested module, and chooses the elevator of a disk. The module has one for each policy:
# $policy, bfq or tfq, is the one that the tests choose.

load_elevator() { insmod "/bfq/$elevator.ko" "$@"; }

# about_bfq REASON...: skips a test of what bfq alone does if another policy is tested.
about_bfq() { [ "$policy" = bfq ] || skip "not of $policy: $*"; }

# load_testing_elevator: loads our module with faults that a test can provoke.
load_testing_elevator() {
    [ "$elevator" = ours ] || skip "only ours has faults to provoke"
    insmod /bfq/testing.ko
}

# It may take a moment until the queues of the last disk are freed.
unload_elevator() {
    local attempt
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        rmmod bfq 2>/dev/null && return
        sleep 0.2
    done
    rmmod bfq
}

# elevator_of DISK: prints the chosen elevator.
elevator_of() { sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$1/queue/scheduler"; }

# choose DISK ELEVATOR: chooses an elevator.
choose() {
    echo "$2" >"/sys/block/$1/queue/scheduler" && [ "$(elevator_of "$1")" = "$2" ]
}

# tune DISK NAME VALUE: writes a tunable.
tune() { echo "$3" >"/sys/block/$1/queue/iosched/$2"; }
