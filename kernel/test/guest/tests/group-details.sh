# SPDX-License-Identifier: GPL-2.0 OR MIT
# Detailed statistics are switched on and off at any time: the files of version 1, and io.stat of
# version 2 (specification, 6.7, and docs/kernel.md).
# modes: normal

load_elevator
# A request takes 100 us. (6.12 has no exact times of requests that complete at once.)
memory_disk disk irqmode=2 completion_nsec=100000
choose disk $policy
details=/sys/module/bfq/parameters/detailed_statistics
disk=$(device_number disk)

# read_in GROUP: 64 requests of 4 KiB.
read_in() {
    in_group "$1" fio_run /run/out --ioengine=psync --filename=/dev/disk --bs=4k --name=read \
        --rw=randread --size=256k
}

mount_blkio || skip "this kernel has no blkio controller of version 1"
make_group a
make_group a/b
dir=$cgroup_root/a
detailed="sectors time io_service_time io_wait_time io_merged io_queued avg_queue_size
    group_wait_time idle_time empty_time dequeue"
read_in a
for name in $detailed; do
    expect_equal "$name while they are off" "" "$(cat "$dir/blkio.bfq.$name")"
done
cat "$dir"/blkio.bfq.* >/run/file
expect_equal "files" 23 "$(find "$dir" -maxdepth 1 -name 'blkio.bfq.*' | wc -l)"

# value FILE [FIELD]: prints the disk's value; a plain figure has no field.
value() {
    awk -v disk="$disk" -v field="${2:-}" \
        '$1 == disk && (NF == 2 || $2 == field) {print $NF}' "$dir/blkio.bfq.$1"
}
echo 1 >$details
read_in a
read_in a/b
expect_within "time in the device" 6400000 1e12 "$(value io_service_time Read)"
expect_within "the same with the group below" "$(value io_service_time Total)" 1e12 \
    "$(value io_service_time_recursive Total)"
expect_equal "sectors, always counted" 1024 "$(value sectors)"
expect_equal "sectors with the group below" 1536 "$(value sectors_recursive)"
expect_equal "waiting" 0 "$(value io_queued Total)"
expect_within "queues that emptied" 1 1000 "$(value dequeue)"
expect_equal "the last line" "Total $(value io_serviced Total)" \
    "$(tail -1 "$dir/blkio.bfq.io_serviced")"
echo 1 >"$dir/blkio.reset_stats"
expect_equal "time after a reset" 0 "$(value io_service_time Total)"
expect_equal "requests after a reset" 128 "$(value io_serviced Total)"
grep -q "^$disk Read" "$cgroup_root/blkio.bfq.io_serviced" || wrong "the root has no statistics"
drop_all_cgroups

mount_cgroup2
make_group c
read_in c
stat=$(grep "^$disk " "$cgroup_root/c/io.stat")
for key in time dequeue; do
    echo "$stat" | grep -qE " bfq\.$key=[0-9]+( |$)" || wrong "io.stat has no bfq.$key: $stat"
done
expect_equal "sectors in io.stat" "bfq.sectors=512" "$(echo "$stat" | grep -o 'bfq.sectors=[0-9]*')"
echo 0 >$details
grep -q 'bfq\.' "$cgroup_root/c/io.stat" && wrong "io.stat shows what is not kept"
seen "23 files, and of io.stat"
