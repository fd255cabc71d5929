# SPDX-License-Identifier: GPL-2.0 OR MIT
# The task `soak`: runs $minutes of mixed load: elevators are exchanged every second, groups and
# disks are added and removed, tunables and pools change. The results are lines:
#
#   minute N: …      what there is of memory, and what was done so far
#   grew NAME …      the five slabs that grew most between the second quarter's begin and the end
#   FAIL WHAT        as soon as it is seen; at the end: what was lost or left
#   ok WHAT          at the end, if nothing failed

. /test/lib/report.sh
. /test/lib/elevator.sh
. /test/lib/disk.sh
. /test/lib/fio.sh
. /test/lib/cgroup.sh
. /test/lib/complaints.sh

soak=/run/soak
scsi_debug=/sys/bus/pseudo/drivers/scsi_debug
mkdir -p $soak

failed() { echo "FAIL $*" | tee -a $soak/failed >&4; }
is_over() { [ -e $soak/over ]; }

# count NAME: adds one to a count.
count() { echo >>"$soak/$1.count"; }
counted() { wc -l <"$soak/$1.count" 2>/dev/null || echo 0; }

# verify_again_and_again DISK: writes with checksums and reads back.
verify_again_and_again() {
    until is_over; do
        fio_verify "$soak/$1.out" "--filename=/dev/$1" --size=4m \
            --name=random --rw=randwrite --bs=4k --iodepth=16 --offset=0 \
            --name=sequential --rw=write --bs=64k --iodepth=4 --offset=8m \
            --name=mixed --rw=randrw --bs=512-16k --iodepth=8 --offset=16m --ioengine=psync ||
            failed "verification on $1: $(tail -1 "$soak/$1.out")"
        count verified
    done
}

# read_in_groups DISK NUMBER: runs readers of each class in a group that is made for them, gets
# weights, and is removed when they have left it.
read_in_groups() {
    local name=reader$2 class=1
    until is_over; do
        make_group "$name" "$((class * 100))"
        ionice -c "$class" -n 3 sh -c 'echo $$ >"$0"; exec "$@"' "$cgroup_root/$name/cgroup.procs" \
            fio "--filename=/dev/$1" --readonly --direct=1 --name=x --rw=randread --bs=4k-64k \
            --iodepth=8 --ioengine=io_uring --time_based --runtime=3 --output=/dev/null ||
            failed "a reader of $1 in a group"
        rmdir "$cgroup_root/$name" 2>/dev/null || { sleep 0.5; rmdir "$cgroup_root/$name"; }
        class=$((class % 3 + 1))
        count groups
    done
}

# What the stock module does not have.
second_policy=tfq
[ "$elevator" = ours ] || second_policy=bfq

# exchange DISK...: chooses another elevator each second, in turn; now and then another size of the
# pool, another tunable.
exchange() {
    local turn=0 disk name
    until is_over; do
        for disk; do
            for name in bfq mq-deadline $second_policy kyber bfq none; do
                is_over && return
                echo "$name" >"/sys/block/$disk/queue/scheduler" || failed "$disk: no $name"
                count switches
                turn=$((turn + 1))
                if [ "$name" = bfq ] || [ "$name" = tfq ]; then
                    echo $((16 << (turn % 5))) >"/sys/block/$disk/queue/nr_requests"
                    echo $((turn % 2)) >"/sys/block/$disk/queue/iosched/low_latency"
                    echo $((turn % 3 * 4)) >"/sys/block/$disk/queue/iosched/slice_idle"
                fi
                sleep 1
            done
        done
    done
}

# come_and_go: removes a disk under I/O. It is no null_blk, because the kernel keeps two kilobytes
# of each of those with any elevator.
come_and_go() {
    local disk
    until is_over; do
        echo 1 >"$scsi_debug/add_host"
        disk=$(scsi_disk) || failed "scsi_debug adds no disk"
        echo bfq >"/sys/block/$disk/queue/scheduler" || failed "$disk: no bfq"
        fio "--filename=/dev/$disk" --direct=1 --name=x --rw=randrw --bs=4k --iodepth=16 \
            --continue_on_error=all \
            --ioengine=io_uring --time_based --runtime=6 --output=/dev/null 2>/dev/null &
        sleep 3
        echo -1 >"$scsi_debug/add_host"
        wait $!
        count disks
        sleep 2
    done
}

kib_of() { awk -v name="$1:" '$1 == name {print $2}' /proc/meminfo; }

# report_growth: prints which slabs grew, for a verdict that memory leaks.
report_growth() {
    awk 'FNR > 2 {
            kib = $6 * $15 * 4
            if (NR == FNR) before[$1] = kib
            else print kib - before[$1], "grew", $1 ": from", before[$1] + 0, "to", kib, "KiB"
        }' $soak/slabinfo /proc/slabinfo | sort -rn | head -5 | cut -d' ' -f2- >&4
}

# report_minutes: reports each minute until the time is over; checks the kernel's log as well.
report_minutes() {
    local minute=0
    while [ "$minute" -lt "$minutes" ]; do
        sleep 60
        minute=$((minute + 1))
        dmesg -r -c >$soak/dmesg
        cat $soak/dmesg
        complaints $soak/dmesg | head -3 |
            while read -r line; do failed "$line"; done
        echo "minute $minute: free $(kib_of MemFree) KiB, slabs $(kib_of SUnreclaim) KiB," \
            "bfq's $(awk '/^[bt]fq/ {sum += $2} END {print sum + 0}' /proc/slabinfo)," \
            "$(counted switches) switches, $(counted groups) groups, $(counted disks) disks," \
            "$(counted verified) verifications" >&4
        [ "$minute" != $(((minutes + 3) / 4)) ] || cat /proc/slabinfo >$soak/slabinfo
    done
    report_growth
    touch $soak/over
}

load_elevator
modprobe kyber-iosched
modprobe sd_mod
modprobe scsi_debug add_host=0 dev_size_mb=16 ndelay=100000 max_queue=32
mount_cgroup2
memory_disk one submit_queues=2
memory_disk two irqmode=2 completion_nsec=50000 submit_queues=1
choose one bfq
choose two bfq
for disk in one two; do
    verify_again_and_again $disk &
done
read_in_groups one 1 &
read_in_groups two 2 &
read_in_groups two 3 &
exchange one two &
come_and_go &
report_minutes
wait

for disk in one two; do
    [ "$(in_flight $disk)" = 0 ] || failed "in flight on $disk at the end: $(in_flight $disk)"
    choose $disk none
done
drop_all_cgroups
drop_all_disks
rmmod scsi_debug
unload_elevator || failed "the module does not go: $(lsmod | grep '^bfq')"
grep '^[bt]fq' /proc/slabinfo | awk '$2 > 0 {print "left in the slab " $1 ": " $2}' |
while read -r line; do
    failed "$line"
done
dmesg -r >$soak/dmesg
complaints $soak/dmesg | head -3 | while read -r line; do failed "$line"; done
[ -e $soak/failed ] || \
    echo "ok $minutes minutes: $(counted switches) switches, $(counted groups) groups," \
    "$(counted disks) disks, $(counted verified) verifications" >&4
