# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `watching`, in the deterministic mode: what an I/O costs while a program watches the
# disk, all told: the kernel's events, and the work of the program. Two counts are run, so that
# starting programs is no part of it. A disk that answers at once is busy without a pause: an I/O
# takes some 10,000 instructions, so there are 100,000 of them in a second of the guest's time.
# Writes lines to the results:
#
#   watching ELEVATOR PROGRAM INSTRUCTIONS_PER_IO
#   lost PROGRAM EVENTS
#
# `nothing` is measured first, and again at the end.

. /test/lib/elevator.sh
. /test/lib/disk.sh
. /test/lib/cgroup.sh

few=20000
many=120000
out=/run/watched

# watch PROGRAM: becomes the program.
watch() {
    case $1 in
        nothing*) exec sleep 3600 ;;
        top) exec bfq top disk --json --interval 1s --journals /run/journals >$out ;;
        top-record)
            exec bfq top disk --json --interval 1s --journals /run/journals \
                --record /run/trace >$out
            ;;
        blktrace) exec blktrace -d /dev/disk -o /run/trace >$out ;;
        blkparse) blktrace -d /dev/disk -o - | blkparse -q -i - >$out ;;
        trace-cmd)
            exec trace-cmd record -o /run/trace -e block_bio_queue -e block_rq_issue \
                -e block_rq_complete >$out
            ;;
        perf-trace)
            exec perf trace -o $out --no-syscalls -e block:block_rq_issue,block:block_rq_complete
            ;;
        biosnoop) exec bpftrace /test/biosnoop.bt >$out ;;
        iotop) exec iotop-c -b -o -d 1 >$out ;;
    esac
}

# name_of PROGRAM: prints the name of its processes.
name_of() {
    case $1 in
        nothing*) echo sleep ;;
        top | top-record) echo bfq ;;
        blkparse) echo blktrace ;;
        perf-trace) echo perf ;;
        biosnoop) echo bpftrace ;;
        iotop) echo iotop-c ;;
        *) echo "$1" ;;
    esac
}

# measure ELEVATOR PROGRAM: a program that cannot be run here has no line.
measure() {
    local short long name watcher
    name=$(name_of "$2")
    type "$name" >/dev/null || return 0
    watch "$2" 2>/run/errors &
    watcher=$!
    # It attaches itself; bpftrace compiles its program.
    sleep 3
    [ "$2" != biosnoop ] || sleep 30
    if kill -0 $watcher 2>/dev/null; then
        sh /test/workload.sh one $few
        short=$(busy sh /test/workload.sh one $few) || return
        long=$(busy sh /test/workload.sh one $many) || return
        echo "watching $1 $2 $(((long - short) / (many - few)))" >&4
    else
        echo "$2 does not run: $(cat /run/errors)"
    fi
    killall -INT "$name" 2>/dev/null
    wait $watcher
    cat /run/errors
    tail -n 3 $out
    [ "$2" != top ] ||
        echo "lost top $(sed -n 's/.*"lost_events":\([0-9]*\),.*/\1/p' $out |
            awk '{sum += $1} END {print sum + 0}')" >&4
    rm -rf $out /run/trace*
}

null_disk disk queue_mode=2 irqmode=0 size=1024
mount_cgroup2
mkdir -p /run/journals
mount -t tracefs tracefs /sys/kernel/tracing
echo 1 >/proc/sys/kernel/task_delayacct
choose disk none
sh /test/workload.sh one $many
for program in nothing top top-record blktrace blkparse trace-cmd perf-trace biosnoop iotop; do
    measure none $program
done
load_elevator
choose disk $policy
for program in nothing top; do
    measure $policy $program
done
choose disk none
unload_elevator
measure none nothing-again
