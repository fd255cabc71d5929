# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `lock`, in the deterministic mode: how often an I/O takes the lock of its device, and how
# many instructions run while it is held. Writes lines to the results, for each elevator of ours:
#
#   lock ELEVATOR WORKLOAD IOS ACQUISITIONS HELD_NS LONGEST_NS VAIN_DISPATCHES
#
# in which a nanosecond is an instruction, and the reading of a clock is counted with each
# acquisition.

. /test/lib/elevator.sh
. /test/lib/disk.sh

ios=32000
workloads="alone one batches saturated crowded"
figures="acquisitions held_ns longest_ns vain_dispatches"

# figures_of DISK: prints the figures in that order. The longest is that since the last call.
figures_of() {
    awk -v figures="$figures" '
        {value[$1] = $2}
        END {
            count = split(figures, figure, " ")
            for (i = 1; i <= count; i++) printf "%d ", value[figure[i]]
        }' "/sys/kernel/debug/bfq/$1/lock"
}

# measure ELEVATOR WORKLOAD DISK
measure() {
    local before
    before=$(figures_of "$3")
    sh /test/workload.sh "$2" $ios || return
    # shellcheck disable=SC2046,SC2086
    set -- "$1" "$2" $before $(figures_of "$3")
    echo "lock $1 $2 $ios $(($7 - $3)) $(($8 - $4)) $9 $((${10} - $6))" >&4
}

null_disk disk queue_mode=2 irqmode=0 size=1024
# It takes 8 requests, for 1 ms each.
null_disk slow queue_mode=2 irqmode=2 completion_nsec=1000000 hw_queue_depth=8 size=1024
load_elevator count_lock=1
for elevator in bfq tfq; do
    choose disk $elevator
    choose slow $elevator
    # What happens once is not measured.
    sh /test/workload.sh one 6400
    sh /test/workload.sh saturated 6400
    for workload in $workloads; do
        case $workload in
            saturated)
                echo 256 >/sys/block/slow/queue/nr_requests
                measure $elevator saturated slow
                ;;
            crowded)
                echo 16 >/sys/block/slow/queue/nr_requests
                measure $elevator crowded slow
                ;;
            *) measure $elevator "$workload" disk ;;
        esac
    done
done
