# SPDX-License-Identifier: GPL-2.0 OR MIT
# Groups of weights 100 and 400 get one and four fifths of a disk.
# modes: deterministic

load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
mount_cgroup2
for weight in 100 400; do
    make_group w$weight $weight
    in_group w$weight fio_run /run/w$weight --filename=/dev/disk --name=job --rw=randread \
        --bs=4k --iodepth=16 --time_based --runtime=60 &
done
wait
light=$(fio_value /run/w100 job read_kib)
heavy=$(fio_value /run/w400 job read_kib)
ratio=$(calculate "$heavy / $light")
seen "100:400 gives $((light / 60)) and $((heavy / 60)) KiB/s, 1:$ratio"
expect_within "ratio" 3.8 4.2 "$ratio"
