# SPDX-License-Identifier: GPL-2.0 OR MIT
# Two disks have the elevator at the same time; processes use both.
# modes: normal slub

load_elevator
memory_disk one
memory_disk two submit_queues=2
choose one $policy
choose two $policy
tune one slice_idle 0
expect_equal "slice_idle of the other disk" 8 "$(cat /sys/block/two/queue/iosched/slice_idle)"
fio_verify /run/out --size=4m --iodepth=8 --rw=randwrite --bs=4k \
    --name=one --filename=/dev/one --name=two --filename=/dev/two \
    --name=both --filename=/dev/one:/dev/two --offset=8m --file_service_type=random --size=8m
drop_disk one
fio_verify /run/out --size=4m --iodepth=8 --rw=randwrite --bs=4k --name=two --filename=/dev/two
expect_equal "in flight at the end" 0 "$(in_flight two)"
seen "16 MB written and read back"
