# SPDX-License-Identifier: GPL-2.0 OR MIT
# The module that is tried, and which elevator a disk has.

load_elevator() { insmod "/bfq/$elevator.ko" "$@"; }

# load_testing_elevator: ours with faults that a test can provoke.
load_testing_elevator() {
    [ "$elevator" = ours ] || skip "only ours has faults to provoke"
    insmod /bfq/testing.ko
}

# It may take a moment until the last disk's queues are gone.
unload_elevator() {
    local attempt
    for attempt in 1 2 3 4 5 6 7 8 9 10; do
        rmmod bfq 2>/dev/null && return
        sleep 0.2
    done
    rmmod bfq
}

# elevator_of DISK: the chosen one.
elevator_of() { sed 's/.*\[\(.*\)\].*/\1/' "/sys/block/$1/queue/scheduler"; }

# choose DISK ELEVATOR
choose() {
    echo "$2" >"/sys/block/$1/queue/scheduler" && [ "$(elevator_of "$1")" = "$2" ]
}

# tune DISK NAME VALUE
tune() { echo "$3" >"/sys/block/$1/queue/iosched/$2"; }
