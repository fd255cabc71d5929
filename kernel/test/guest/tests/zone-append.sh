# SPDX-License-Identifier: GPL-2.0 OR MIT
# Zone appends are writes for which the disk itself chooses the place, behind the data of the zone.
# Programs can issue them only by NVMe commands, which bypass an elevator; so the kernel's own
# target makes an NVMe disk of a zoned disk with bfq, and turns the commands into appends of the
# block layer.
# modes: normal slub

load_elevator
zone_blocks=8192 # 4 MB
memory_disk disk zoned=1 zone_size=4
choose disk $policy || {
    before 6.10 || wrong "the elevator was refused"
    skip "refused by the kernel, as for any scheduler but mq-deadline"
}
modprobe nvme-loop || skip "this kernel has no NVMe target to loop back to"
[ "$(cat /sys/block/disk/queue/zone_append_max_bytes)" -gt 0 ] ||
    wrong "the disk has no zone appends"

trap 'drop_nvme_target zoned' EXIT
nvme_target zoned /dev/disk loop

# Four programs append to one zone, a fifth to another, and reads run beside them.
writes=$(disk_stat disk 5)
pids=
for program in 1 2 3 4; do
    zone_append /dev/nvme0n1 $zone_blocks 200 >/run/places.$program &
    pids="$pids $!"
done
zone_append /dev/nvme0n1 $((4 * zone_blocks)) 200 >/run/places.5 &
pids="$pids $!"
fio_run /run/out --filename=/dev/disk --name=reads --rw=randread --bs=4k --iodepth=8 --size=16m \
    --number_ios=1000
for pid in $pids; do
    wait "$pid" || wrong "what was appended is not where the disk says"
done
expect_equal "places in one zone" "$(seq $zone_blocks 8 $((zone_blocks + 799 * 8)))" \
    "$(cat /run/places.[1-4] | sort -n)"
expect_equal "places in the other" "$(seq $((4 * zone_blocks)) 8 $((4 * zone_blocks + 199 * 8)))" \
    "$(cat /run/places.5)"
expect_equal "writes of the disk" 1000 "$(($(disk_stat disk 5) - writes))"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
seen "1000 blocks appended by 5 programs, and found where the disk said"
