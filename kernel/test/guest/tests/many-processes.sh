# SPDX-License-Identifier: GPL-2.0 OR MIT
# Twenty thousand processes use one disk: groups share it as beside a hundred, each process has its
# queue, and no piece of memory above 8 KiB, a block, is allocated while the lock is held. While
# 4,096 processes start, the longest read takes less than under the stock module on 6.1 (a seventh);
# on 6.12 both are as long as what interrupts them, mostly what the kernel frees behind RCU, and
# ours may take twice as long.
# modes: deterministic
# limit_s: 800

about_bfq "it compares ours with the stock module"
few=100
many=20000
starting=4096
starts=9
tracing=/sys/kernel/debug/tracing
[ "$elevator" = ours ] || skip "it compares ours with the stock module"

echo 60000 >/proc/sys/kernel/threads-max
echo 60000 >/proc/sys/kernel/pid_max
echo 200000 >/proc/sys/vm/max_map_count

# start_readers COUNT: starts them; sets `readers` to their process and `took_us` to how long their
# reads took: the longest, the median, nine of ten, 99 of 100.
start_readers() {
    rm -f /run/test/times
    readers /dev/disk "$1" >/run/test/times 2>/run/test/readers &
    readers=$!
    until [ -s /run/test/times ]; do
        kill -0 $readers || { cat /run/test/readers; return 1; }
        sleep 0.1
    done
    took_us=$(awk '{printf "%.0f %.1f %.1f %.1f", $1 / 1000, $2 / 1000, $3 / 1000, $4 / 1000}' \
        /run/test/times)
}

stop_readers() {
    kill $readers
    wait $readers || true
}

# compete NAME: runs groups of weights 100 and 400; sets `light`, `heavy` and `ratio`.
compete() {
    for weight in 100 400; do
        in_group w$weight fio_run "/run/test/$1.$weight" --filename=/dev/disk --name=job \
            --rw=randread --bs=4k --iodepth=16 --time_based --runtime=60 &
        jobs="${jobs:-} $!"
    done
    wait $jobs
    jobs=
    light=$(fio_value "/run/test/$1.100" job read_iops)
    heavy=$(fio_value "/run/test/$1.400" job read_iops)
    ratio=$(calculate "$heavy / $light")
}

# Counts pieces above 8 KiB that the module requests of kmalloc with interrupts off; fails if
# tracing does.
watch_memory() {
    echo 'bytes_alloc > 8192' >$tracing/events/kmem/kmalloc/filter
    echo >$tracing/trace
    echo 1 >$tracing/events/kmem/kmalloc/enable
}

late_pieces() { grep -E '\] d.*kmalloc:.*bfq' $tracing/trace | wc -l; }

stop_watching() { echo 0 >$tracing/events/kmem/kmalloc/enable; }

# The longest read while many start, under each module in turn: which read is interrupted, and by
# what, is chance, so the test uses one of the quieter of several starts.
for start in $(seq $starts); do
    for module in stock ours; do
        insmod /bfq/$module.ko
        null_disk disk queue_mode=2 irqmode=0 size=1024
        choose disk $policy
        start_readers $starting
        echo "$took_us" >>/run/test/$module.took
        stop_readers
        choose disk none
        drop_disk disk
        unload_elevator
    done
done
# quiet MODULE: prints the lower quartile of the longest reads.
quiet() { sort -n "/run/test/$1.took" | sed -n "$(((starts + 3) / 4))s/ .*//p"; }
# longest MODULE: prints the longest read of each start, and of the last one the other figures.
longest() {
    cut -d' ' -f1 "/run/test/$1.took" | tr '\n' ' '
    tail -n 1 "/run/test/$1.took" |
        awk '{printf "us (median %s, nine of ten %s, 99 of 100 %s)", $2, $3, $4}'
}
seen "longest read while $starting start, of $starts starts: $(longest ours)," \
    "stock $(longest stock)"
case $(uname -r) in
    6.1.*) most=1 ;;
    *) most=2 ;;
esac
expect_within "longest read against stock's" 0 $most "$(calculate "$(quiet ours) / $(quiet stock)")"

load_elevator
null_disk disk queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=32 mbps=4 size=1024
choose disk $policy
tune disk low_latency 0
mount_cgroup2
make_group w100 100
make_group w400 400
watch_memory
for count in $few $many; do
    start_readers $count
    compete $count
    seen "beside $count: 100:400 gives $light and $heavy IOPS, 1:$ratio"
    expect_within "ratio beside $count" 3.8 4.2 "$ratio"
    fallbacks=$(tr '\n' ' ' </sys/kernel/debug/bfq/disk/fallbacks)
    expect_equal "fallbacks beside $count" "shared 0 nobody 0 strays 0 refused 0 " "$fallbacks"
    stop_readers
done
expect_equal "pieces above 8 KiB under the lock" 0 "$(late_pieces)"
stop_watching
