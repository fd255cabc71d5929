# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq top` beside what the kernel and fio count: the bytes of the disk are those of its statistics,
# those of two groups what fio has read, and each group's share of the disk's time is its due. It
# tells what the scheduler decided.
# modes: deterministic

[ -x /bin/bfq ] || skip "the bfq command was not built"
tracing=/sys/kernel/debug/tracing
[ -e $tracing/events/block ] || skip "this kernel has no block trace events"
load_elevator
slow_disk disk
choose disk $policy
tune disk low_latency 0
mount_cgroup2
make_group a 100
make_group b 300
mkdir -p /run/journals

# figure KEY GROUP: prints a figure of a group.
figure() {
    tr '{' '\n' </run/top | sed -n "s/^\"group\":\"\/$2\",.*\"$1\":\([0-9.]*\).*/\1/p" | head -n 1
}
# quantile KEY GROUP: prints how long a group's I/O took, in microseconds.
quantile() {
    awk -v RS='{' -v key="\"$1\":" -v group="\"group\":\"/$2\"" '
        /^"(group|pid|disk)":/ {is_group = index($0, group) == 1}
        is_group && is_whole {split(substr($0, index($0, key) + length(key)), found, /[,}]/)
            print found[1] / 1000; exit}
        {is_whole = /"whole":$/}' /run/top
}
sectors_read() { awk '{print $3}' /sys/block/disk/stat; }
instances() { ls $tracing/instances | wc -l; }

bfq top disk --json --interval 60s --for 30s --journals /run/journals >/run/top &
for attempt in $(seq 100); do
    [ "$(instances)" = 0 ] || break
    sleep 0.1
done
sleep 1
before=$(sectors_read)
for group in a b; do
    in_group $group fio_run /run/$group --filename=/dev/disk --name=job --rw=randread --bs=4k \
        --iodepth=16 --time_based --runtime=20 &
done
wait
read_bytes=$((($(sectors_read) - before) * 512))
expect_equal "instances of tracing that stay" 0 "$(instances)"
grep -q '"lost_events":0,' /run/top || wrong "events were lost"
told=$(sed -n 's/.*"waiting_ios":[0-9]*,"read_bytes":\([0-9]*\).*/\1/p' /run/top)
expect_equal "bytes read from the disk" "$read_bytes" "$told"
for group in a b; do
    by_fio=$(($(fio_value /run/$group job read_kib) * 1024))
    expect_within "bytes of $group" "$(calculate "$by_fio * 0.99")" \
        "$(calculate "$by_fio * 1.01")" "$(figure read_bytes $group)"
    due=$(figure entitled_percent $group)
    seen "$group: due $due %, time $(figure time_percent $group) %"
    expect_within "time of $group" "$(calculate "$due - 5")" "$(calculate "$due + 5")" \
        "$(figure time_percent $group)"
    for quantile in median p99; do
        by_fio=$(fio_value /run/$group job read_${quantile}_us)
        told=$(quantile ${quantile}_ns $group)
        seen "$group: $quantile latency $told us, by fio $by_fio us"
        expect_within "$quantile latency of $group" "$(calculate "$by_fio * 0.95")" \
            "$(calculate "$by_fio * 1.05")" "$told"
    done
done
grep -q "\"activity\":{\"scheduler\":\"$policy\"" /run/top || wrong "no decisions are told"
grep -q '"programs":\[{"name":"fio","sentence":"fio ' /run/top ||
    wrong "nothing says why it waited"
