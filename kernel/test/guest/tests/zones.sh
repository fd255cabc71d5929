# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk of zones that are written in order. Before 6.10 the kernel allowed only mq-deadline for
# such a disk.
# modes: normal slub

load_elevator
memory_disk disk zoned=1 zone_size=4 zone_nr_conv=2
[ -e /sys/block/disk/queue/zoned ] || skip "no zones"
if choose disk $policy; then
    fio_run /run/out --filename=/dev/disk --name=zones --rw=write --bs=16k --iodepth=4 --size=32m \
        --offset=8m --zonemode=zbd --max_open_zones=4
    expect_equal "in flight at the end" 0 "$(in_flight disk)"
    seen "32 MB written zone by zone"
else
    before 6.10 || wrong "the elevator was refused"
    seen "refused by the kernel, as for any scheduler but mq-deadline"
fi
