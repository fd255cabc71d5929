# SPDX-License-Identifier: GPL-2.0 OR MIT
# tfq: groups of weights 100 and 400, each with 40 processes that read one by one, get one and four
# fifths of a disk that takes 32 requests at a time.
# modes: deterministic

[ "$elevator" = ours ] || skip "the kernel's own module has no tfq"
load_elevator
mount_cgroup2
null_disk disk queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=32 size=1024
choose disk tfq
echo 256 >/sys/block/disk/queue/nr_requests
tune disk low_latency 0
for weight in 100 400; do
    make_group w$weight $weight
    in_group w$weight fio_run /run/w$weight --filename=/dev/disk --name=job --rw=randread \
        --bs=4k --ioengine=psync --numjobs=40 --time_based --runtime=5 &
done
wait
light=$(awk -F';' '{sum += $6} END {print sum}' /run/w100)
heavy=$(awk -F';' '{sum += $6} END {print sum}' /run/w400)
ratio=$(calculate "$heavy / $light")
seen "100:400 gives $((light / 5)) and $((heavy / 5)) KiB/s, 1:$ratio"
expect_within "ratio" 3.96 4.04 "$ratio"
