# SPDX-License-Identifier: GPL-2.0 OR MIT
# The file `statistics` of each elevator has a name, a number and a unit in each line. What tfq has
# learnt of a disk that takes 2 ms for a read is about that.
# modes: deterministic

[ "$elevator" = ours ] || skip "the kernel's own module has no such file"
load_elevator
null_disk disk queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=8 size=1024

# statistic NAME: prints its value.
statistic() { awk -v name="$1" '$1 == name {print $2}' /sys/kernel/debug/bfq/disk/statistics; }

for name in bfq tfq; do
    choose disk $name
    fio_run /run/out --filename=/dev/disk --name=job --rw=randread --bs=4k --ioengine=psync \
        --time_based --runtime=3
    file=/sys/kernel/debug/bfq/disk/statistics
    expect_equal "lines of $name that are none" 0 "$(grep -cvE '^[a-z_]+ [0-9]+ [a-z0-9/]+$' $file)"
    expect_within "lines of $name" 5 30 "$(wc -l <$file)"
    # The reader, and whatever looks at the disk.
    expect_within "queues of $name" 1 10 "$(statistic queues_created)"
    expect_equal "in flight with $name" 0 "$(statistic in_flight)"
    case $name in
        bfq) expect_within "budget, sectors" 32 100000 "$(statistic max_budget)" ;;
        tfq)
            base_ns=$(statistic request_base)
            seen "a small request takes $base_ns ns, as learnt"
            expect_within "what a small request takes" 2000000 2200000 "$base_ns"
            ;;
    esac
done
