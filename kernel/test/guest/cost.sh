# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `cost`, in the deterministic mode: what an I/O costs under each elevator, all told, from
# fio's side of the system call to the disk that answers at once, or (`saturated`) to one that takes
# its time, so that requests wait in the elevator. Two counts are run, so that starting fio is no
# part of it. Writes lines to the results:
#
#   cost ELEVATOR WORKLOAD INSTRUCTIONS_PER_IO
#
# The first one, `none`, is measured again at the end, as `none-again`; the two must agree.

. /test/lib/elevator.sh
. /test/lib/disk.sh
. /test/lib/cgroup.sh

few=6400
many=108800
workloads="one processes groups"

# measure NAME ELEVATOR: NAME is its name in the results.
measure() {
    local workload short long
    choose disk "$2" || return
    for workload in $workloads; do
        short=$(busy sh /test/workload.sh "$workload" $few) || return
        long=$(busy sh /test/workload.sh "$workload" $many) || return
        echo "cost $1 $workload $(((long - short) / (many - few)))" >&4
    done
    choose disk none
    [ "$2" != none ] || return 0
    # Without an elevator requests would wait elsewhere: for a place in the disk's own queue.
    choose slow "$2" && echo 256 >/sys/block/slow/queue/nr_requests || return
    short=$(worked sh /test/workload.sh saturated $few) || return
    long=$(worked sh /test/workload.sh saturated $many) || return
    echo "cost $1 saturated $(((long - short) / (many - few)))" >&4
    choose slow none
}

null_disk disk queue_mode=2 irqmode=0 size=1024
# It takes 8 requests, for 1 ms each.
null_disk slow queue_mode=2 irqmode=2 completion_nsec=1000000 hw_queue_depth=8 size=1024
mount_cgroup2
for group in 1 2 3 4 5 6 7 8; do
    make_group g$group
done

# What happens once in a boot (programs are read, pools grow) must not be measured.
for workload in $workloads; do
    sh /test/workload.sh "$workload" $few
done
choose slow mq-deadline && sh /test/workload.sh saturated $few && choose slow none
measure none none
insmod /bfq/fifo.ko && measure fifo fifo
measure mq-deadline mq-deadline
modprobe kyber-iosched && measure kyber kyber
for elevator in stock ours; do
    load_elevator && measure "bfq-$elevator" bfq
    [ "$elevator" = stock ] || measure tfq tfq
    unload_elevator
done
measure none-again none
