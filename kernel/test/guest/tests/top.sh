# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq top` beside what the kernel and fio count: the bytes of the disk are those of its statistics,
# those of two groups what fio has read, and each group's share of the disk's time is its due. It
# tells what the scheduler decided.
# modes: deterministic

needs_top
load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
mount_cgroup2
make_group a 100
make_group b 300

watch_disk disk
before=$(disk_stat disk 3)
for group in a b; do
    in_group $group fio_run /run/$group --filename=/dev/disk --name=job --rw=randread --bs=4k \
        --iodepth=16 --time_based --runtime=20 &
    jobs="${jobs:-} $!"
done
wait $jobs
read_bytes=$((($(disk_stat disk 3) - before) * 512))
top_ends
expect_equal "bytes read from the disk" "$read_bytes" "$(of_disk read_bytes)"
for group in a b; do
    by_fio=$(($(fio_value /run/$group job read_kib) * 1024))
    expect_within "bytes of $group" "$(calculate "$by_fio * 0.99")" \
        "$(calculate "$by_fio * 1.01")" "$(of_group read_bytes $group)"
    due=$(of_group entitled_percent $group)
    time=$(of_group time_percent $group)
    seen "$group: due $due %, time $time %"
    expect_within "time of $group" "$(calculate "$due - 5")" "$(calculate "$due + 5")" "$time"
    expect_quantiles_as_fio $group /run/$group read '"group":' "\"/$group\""
done
grep -q "\"activity\":{\"scheduler\":\"$policy\"" /run/top || wrong "no decisions are told"
grep -q '"programs":\[{"name":"fio","sentence":"fio ' /run/top ||
    wrong "nothing says why it waited"
