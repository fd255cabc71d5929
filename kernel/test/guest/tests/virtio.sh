# SPDX-License-Identifier: GPL-2.0 OR MIT
# A disk with interrupts and two hardware queues of its own, as guests in clouds have.
# modes: normal slub

load_elevator
[ -b /dev/vda ] || skip "this machine has no virtio disk"
choose vda $policy
fio_verify /run/out --filename=/dev/vda --size=8m \
    --name=random --rw=randwrite --bs=4k --iodepth=16 --offset=0 \
    --name=sequential --rw=write --bs=128k --iodepth=4 --offset=16m \
    --name=mixed --rw=randrw --bs=4k --iodepth=4 --offset=32m
expect_equal "in flight at the end" 0 "$(in_flight vda)"
seen "20 MB written and read back"
