# SPDX-License-Identifier: GPL-2.0 OR MIT
# Writes that are to reach the medium (O_DSYNC), on a disk with a cache that cannot write past it:
# the block layer flushes after each. They are scheduled as their process's other writes, and are
# neither nobody's nor served before all others. They count for its group.
# modes: normal slub

load_elevator
memory_disk disk cache_size=4
[ -e "$null_config/disk/fua" ] || skip "the null_blk of this kernel can always write past its cache"
drop_disk disk
memory_disk disk cache_size=4 fua=0
mount_blkio || skip "this kernel has no blkio controller of version 1"
choose disk "$policy"
echo 1 >/sys/module/bfq/parameters/detailed_statistics
make_group writers
expect_equal "FUA" 0 "$(cat /sys/block/disk/queue/fua)"
in_group writers fio_run /run/out --filename=/dev/disk --size=16m --number_ios=400 \
    --name=writes --rw=randwrite --bs=4k --sync=dsync --iodepth=8
flushes=$(disk_stat disk 16)
[ "$flushes" -gt 0 ] || wrong "no flushes"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
sectors=$(awk -v disk="$(device_number disk)" '$1 == disk {print $2}' \
    "$cgroup_root/writers/blkio.bfq.sectors")
expect_equal "sectors written by the group" 3200 "$sectors"
seen "$flushes flushes after 400 writes"
