# SPDX-License-Identifier: GPL-2.0 OR MIT
# All CPUs at once, each with a hardware queue of its own.
# modes: normal slub

cpus=$(nproc)
[ "$cpus" -gt 1 ] || wrong "the guest has one CPU"
load_elevator
memory_disk disk submit_queues="$cpus"
choose disk $policy
fio_verify /run/out --filename=/dev/disk --size=2m --time_based --runtime=8 --offset_increment=4m \
    --numjobs="$cpus" --name=random --rw=randwrite --bs=4k --iodepth=8
expect_equal "in flight at the end" 0 "$(in_flight disk)"
seen "$cpus CPUs, $(awk -F';' '{sum += $49} END {print sum}' /run/out) writes a second"
