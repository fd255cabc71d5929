# SPDX-License-Identifier: GPL-2.0 OR MIT
# tfq, the second elevator of the module: it is exchanged with bfq and none under verified I/O, has
# the tunables that it heeds and no others, groups with the same files of weights, and a recording
# that user space replays.
# modes: normal slub

[ "$elevator" = ours ] || skip "the kernel's own module has no tfq"
load_elevator
memory_disk disk submit_queues=2
queue=/sys/block/disk/queue
dir=$queue/iosched
number=$(device_number disk)
mount_cgroup2
make_group a

# Each elevator has its share of the load before the next one comes.
verify() {
    until [ -e /run/test/over ]; do
        fio_verify /run/out --filename=/dev/disk --size=4m --iodepth=8 \
            --name=random --rw=randwrite --bs=4k --offset=0 \
            --name=sequential --rw=write --bs=64k --offset=16m \
            --name=mixed --rw=randrw --bs=4k --offset=32m --ioengine=psync || return
    done
}
verify &
load=$!
switches=0
for round in 1 2 3 4 5; do
    for name in tfq bfq tfq none; do
        choose disk $name || wrong "no $name"
        switches=$((switches + 1))
        wait_for_requests disk 200 $load || break 2
    done
done
touch /run/test/over
wait $load || wrong "fio: $(tail -1 /run/out)"
expect_equal "in flight at the end" 0 "$(in_flight disk)"
expect_equal "switches" 20 $switches

choose disk tfq
read -r line </sys/kernel/debug/bfq/disk/state
expect_equal "state" serving "$line"
expect_equal names "low_latency slice_idle slice_idle_us strict" \
    "$(find "$dir" -type f | sed 's/.*\///' | sort | xargs)"
defaults() {
    while read -r name value; do
        expect_equal "$1 $name" "$value" "$(cat "$dir/$name")"
        expect_equal "mode of $name" 644 "$(stat -c %a "$dir/$name")"
    done <<-END
	strict 1
	low_latency 1
	slice_idle 8
	slice_idle_us 8000
	END
}
defaults default
# Written, the answer, and what is read afterwards.
while read -r name text answer value; do
    expect_equal "$name <- '$text'" "$answer" "$(write_to "$dir/$name" "$text")"
    expect_equal "$name after '$text'" "$value" "$(cat "$dir/$name")"
done <<END
strict          0                       ok      0
strict          +2                      ok      2
strict          1\n                     ok      1
strict          3                       ok      2
strict          18446744073709551615    ok      2
strict          18446744073709551616    ERANGE  2
strict          -1                      EINVAL  2
strict          shares                  EINVAL  2
strict          \n                      EINVAL  2
low_latency     0                       ok      0
low_latency     2                       ok      1
slice_idle      0                       ok      0
slice_idle      2147483648              ok      2147483647
slice_idle_us   4294967296              ok      4294967295
slice_idle_us   1500                    ok      1500
slice_idle      3                       ok      3
END
expect_equal "slice_idle_us of 3 ms" 3000 "$(cat $dir/slice_idle_us)"
expect_equal "weight of the disk" ok "$(write_to "$cgroup_root/a/io.bfq.weight" "$number 300")"
expect_equal "weights" "default 100,$number 300" "$(paste -sd, "$cgroup_root/a/io.bfq.weight")"
choose disk bfq
expect_equal "names of bfq's" 10 "$(find "$dir" -type f | wc -l)"
[ ! -e $dir/strict ] || wrong "bfq has a tunable that it does not heed"
choose disk tfq
defaults "chosen again:"
expect_equal "weights then" "default 100" "$(cat "$cgroup_root/a/io.bfq.weight")"
choose disk none
drop_disk disk
seen "$switches switches, 4 tunables"

# What it decides it decides in user space as well.
if [ -x /bin/bfq ]; then
    make_group heavy 400
    echo 65536 >/sys/module/bfq/parameters/recording_kib
    echo 1 >/sys/module/bfq/parameters/record_from_attach
    slow_disk disk mbps=20 submit_queues=2
    choose disk tfq
    in_group a fio --filename=/dev/disk --direct=1 --time_based --runtime=2 --output=/run/out \
        --name=random --rw=randread --bs=4k --ioengine=psync --numjobs=2 &
    in_group heavy fio --filename=/dev/disk --direct=1 --time_based --runtime=2 --output=/run/out \
        --name=sequential --rw=read --bs=64k --iodepth=8 --ioengine=io_uring \
        --name=writer --rw=write --bs=32k --iodepth=64 --ioengine=io_uring &
    sleep 1
    echo 50 >"$cgroup_root/heavy/io.bfq.weight"
    tune disk strict 2
    wait
    cat /sys/kernel/debug/bfq/disk/decisions >/run/disk.rec &
    choose disk none
    wait $!
    bfq fidelity /run/disk.rec >/run/fidelity ||
        wrong "user space decides otherwise: $(cat /run/fidelity)"
    ! grep -q 'missing' /run/fidelity || wrong "the ring was too small"
    seen "$(head -1 /run/fidelity)"
fi
