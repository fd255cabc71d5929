# SPDX-License-Identifier: GPL-2.0 OR MIT
# Requests that a thread of the kernel submits for a process: io_uring's polling thread.
# modes: normal slub

load_elevator
memory_disk disk
choose disk $policy
fio_verify /run/out --filename=/dev/disk --size=4m --sqthread_poll=1 --iodepth=8 \
    --name=random --rw=randwrite --bs=4k --offset=0 \
    --name=sequential --rw=write --bs=64k --offset=8m
seen "8 MB written and read back"
