# SPDX-License-Identifier: GPL-2.0 OR MIT
# Discards, alone and among writes and reads, and flushes of a disk with a cache.
# modes: normal slub

load_elevator
memory_disk disk discard=1 cache_size=4
choose disk $policy
dd if=/dev/urandom of=/dev/disk bs=64k count=64 oflag=direct 2>/dev/null
fio_run /run/out --filename=/dev/disk --size=4m --name=trim --rw=trim --bs=64k
sync
expect_equal "bytes left after the discards" 0 \
    "$(dd if=/dev/disk bs=64k count=64 iflag=direct 2>/dev/null | tr -d '\0' | wc -c)"
fio_run /run/out --filename=/dev/disk --size=4m --time_based --runtime=3 \
    --name=trims --rw=randtrim --bs=4k --iodepth=8 \
    --name=trimmed-writes --rw=trimwrite --bs=16k \
    --name=reads --rw=randread --bs=4k --iodepth=8 \
    --name=writes --rw=randwrite --bs=4k --iodepth=8 --fsync=4
expect_equal "in flight at the end" 0 "$(in_flight disk)"
discards=$(disk_stat disk 12) flushes=$(disk_stat disk 16)
[ "$discards" -gt 64 ] || wrong "$discards discards"
[ "$flushes" -gt 0 ] || wrong "no flushes"
seen "$discards discards, $flushes flushes"
