# SPDX-License-Identifier: GPL-2.0 OR MIT
# All written data are read back: random and sequential jobs, all at once, on a memory disk.
# modes: normal slub

load_elevator
memory_disk disk submit_queues=2
choose disk $policy
fio_verify /run/out --filename=/dev/disk --size=8m \
    --name=random --rw=randwrite --bs=4k --iodepth=16 --offset=0 \
    --name=sequential --rw=write --bs=64k --iodepth=4 --offset=16m \
    --name=mixed --rw=randrw --bs=512-16k --iodepth=8 --offset=32m --ioengine=psync \
    --name=single --rw=randwrite --bs=4k --iodepth=1 --offset=48m
seen "32 MB written and read back by 4 jobs"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
