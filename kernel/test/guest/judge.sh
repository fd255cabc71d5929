# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `judge`, in the deterministic mode: the schedulers of this kernel compared by `bfq
# bench` on one disk, $disk. Writes the bench's own file of results to ours, and after it a line
# `complete`.

. /test/lib/elevator.sh
. /test/lib/disk.sh
. /test/lib/cgroup.sh

# A card or stick of flash: half a millisecond for each request, however many wait, and 20 MB/s. It
# takes 32 requests at a time, so without a scheduler urgent requests wait behind all others.
slow() {
    null_disk slow queue_mode=2 irqmode=2 completion_nsec=500000 hw_queue_depth=32 mbps=20 size=1024
    compare slow --level normal --time 20m \
        --scenarios start-idle,start-readers,start-writers,player,sequential,deep,groups
}

# As fast as memory: no request waits for the disk, so all time is the processor's. There is one
# processor, so the start of a program beside ten processes shows which process gets it.
memory() {
    null_disk memory queue_mode=2 irqmode=0 memory_backed=1 size=128
    compare memory --level quick --time 2m \
        --scenarios start-idle,start-writers,sequential,single,deep
}

# compare DISK OPTION...: runs the bench.
compare() {
    local name=$1
    shift
    bfq bench "/dev/$name" --allow-write --schedulers none,mq-deadline,kyber,bfq \
        --output /run/results "$@" >/run/log 2>&1 && cat /run/results >&4 && echo complete >&4
    cat /run/log
}

load_elevator
modprobe kyber-iosched
mount_cgroup2
mkdir -p /var/lib
$disk
