# SPDX-License-Identifier: GPL-2.0 OR MIT
# A device of device mapper that takes whole requests, as one with several paths does, has an
# elevator of its own, which schedules the requests; their clones bypass the elevator of the disk
# below. That is a disk of scsi_debug: null_blk's with memory may sleep, which device mapper does
# not allow below whole requests (a kernel that checks itself complains, under any elevator).
# modes: normal slub

modprobe dm-multipath && modprobe dm-round-robin || skip "no device mapper for several paths"
load_elevator
modprobe sd_mod
modprobe scsi_debug dev_size_mb=64 submit_queues=2 ndelay=20000 || skip "no disks of scsi_debug"
lower=$(scsi_disk)
choose "$lower" $policy
sectors=$(cat "/sys/block/$lower/size")
mapped=$(mapped create paths "$sectors:multipath:0 0 1 1 round-robin 0 1 1 /dev/$lower 1000")
trap 'mapped remove paths' EXIT
choose "$mapped" $policy || wrong "$mapped has no elevator"

mount_cgroup2
make_group a
in_group a fio_verify /run/out --filename="/dev/$mapped" --iodepth=8 \
    --name=random --rw=randwrite --bs=4k --offset=0 --size=8m \
    --name=sequential --rw=write --bs=128k --offset=10m --size=16m \
    --name=mixed --rw=randrw --bs=512-64k --offset=32m --size=8m
grep -q "^$(device_number "$mapped") .*rbytes=[1-9]" "$cgroup_root/a/io.stat" ||
    wrong "the group has no I/O on $mapped: $(cat "$cgroup_root/a/io.stat")"

# The elevators of both are exchanged while the device works.
fio_verify /run/out --filename="/dev/$mapped" --iodepth=8 --time_based --runtime=6 \
    --name=random --rw=randwrite --bs=4k --offset=0 --size=8m &
fio=$!
switches=0
while kill -0 $fio 2>/dev/null; do
    for name in none $policy; do
        choose "$mapped" $name
        choose "$lower" $name
        switches=$((switches + 2))
        sleep 0.1
    done
done
wait $fio || wrong "fio: $(tail -1 /run/out)"
for disk in "$mapped" "$lower"; do
    expect_equal "in flight on $disk at the end" 0 "$(in_flight "$disk")"
done
seen "32 MB written and read back over a path, $switches switches"
