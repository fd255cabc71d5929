# SPDX-License-Identifier: GPL-2.0 OR MIT
# Requests that wait when the core panics, and all later ones, go to the disk in the order in which
# they came. (They are reads at random places, which a working scheduler sorts by place.)
# modes: normal slub
# expects: bfq: disk: (  |failed|from now on)

load_testing_elevator
tracing=/sys/kernel/debug/tracing
[ -e $tracing/events/block/block_getrq ] || skip "this kernel cannot trace requests"
reads=400
depth=48
in_disk=2
# Insertions before the panic. There are more insertions than tags, so that the tags are not in
# order.
before=200

null_disk disk queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=$in_disk size=64
choose disk $policy
echo 64 >/sys/block/disk/queue/nr_requests
echo 2 >/sys/block/disk/queue/nomerges
# The beginning and the end of an insertion are one point each.
echo "bfq_core_insert $((2 * before))" >/sys/module/bfq/parameters/panic_at
# The clocks of the processors differ.
echo global >$tracing/trace_clock
for event in block_getrq block_rq_issue; do
    echo 1 >$tracing/events/block/$event/enable
done
fio_run /run/test/reads --filename=/dev/disk --name=job --rw=randread --bs=4k --iodepth=$depth \
    --iodepth_batch_submit=1 --number_ios=$reads
for event in block_getrq block_rq_issue; do
    echo 0 >$tracing/events/block/$event/enable
done
read -r line </sys/kernel/debug/bfq/disk/state
case $line in
    "failed: panic in bfq_core_insert at "*) ;;
    *) wrong "$line" ;;
esac

# How many requests were issued, how many of them before the panic, and how many of the others have
# to be left out for the rest to be in order.
awk -v before=$before '
    {for (i = 1; i < NF; i++) if ($i == "+") sector = $(i - 1)}
    / block_getrq: / {
        arrival[sector] = ++arrived
        if (arrived == before + 1) alive = issued
    }
    / block_rq_issue: / {order[++issued] = arrival[sector]}
    END {
        for (i = alive + 1; i <= issued; i++) {
            run[i] = 1
            for (j = alive + 1; j < i; j++)
                if (order[j] < order[i] && run[j] >= run[i]) run[i] = run[j] + 1
            if (run[i] > longest) longest = run[i]
        }
        print issued, alive, issued - alive - longest
    }' $tracing/trace >/run/test/orders
read -r issued alive late </run/test/orders
expect_equal "requests issued" $reads "$issued"
seen "$alive of $reads reads were issued before the core died," \
    "the others as they came but for $late"
# The core may have dispatched some that the disk had no room for, and a task on its way to the disk
# with one may be stopped. (If waiting requests were not sorted, most would be out of order.)
expect_within "requests out of order" 0 $((depth / 4)) "$late"
