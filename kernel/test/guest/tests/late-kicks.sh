# SPDX-License-Identifier: GPL-2.0 OR MIT
# Requests that the scheduler held back are dispatched when it releases them. A dispatch that got
# nothing leaves a run of the hardware queue pending, for 3 ms in whole ticks of 4; a kick that does
# not move that run to now comes some milliseconds late, each time the disk was kept idle for a
# process that thinks.
# modes: deterministic

about_bfq "it compares waits by strict_guarantees with those of the stock module"
null_disk disk queue_mode=2 irqmode=2 completion_nsec=100000 hw_queue_depth=32 size=1024

# measure MODULE: one process reads every 20 ms, another one all the time, one request at a time;
# sets `iops` and `worst_us` of the second one. A late kick shows in each of four seconds, a tick or
# an interrupt in the middle of a read in some: the best of the four counts.
measure() {
    insmod "/bfq/$1.ko"
    choose disk $policy
    tune disk low_latency 0
    tune disk strict_guarantees 1
    tune disk slice_idle 2
    iops=0 worst_us=
    for second in 0 1 2 3 4; do
        fio_run /run/out --filename=/dev/disk --readonly --time_based --runtime=1 \
            --ioengine=psync --bs=4k --size=256m \
            --name=thinks --rw=read --thinktime=20000 --thinktime_blocks=1 --offset=512m \
            --name=reads --rw=randread
        # The first one finds everything cold.
        [ $second != 0 ] || continue
        this_iops=$(fio_value /run/out reads read_iops)
        this_us=$(fio_value /run/out reads read_max_us)
        [ "${this_iops%.*}" -le "${iops%.*}" ] || iops=$this_iops
        [ -n "$worst_us" ] && [ "$this_us" -ge "$worst_us" ] || worst_us=$this_us
        each="${each:-} $this_us"
    done
    seen "$1: $iops IOPS, at most$each us"
    each=
    choose disk none
    unload_elevator
}

measure stock
stock_iops=$iops stock_worst_us=$worst_us
measure "$elevator"
expect_within "IOPS against the stock module" 1 10 "$(calculate "$iops / $stock_iops")"
expect_within "worst latency against the stock module" 0 1.1 \
    "$(calculate "$worst_us / $stock_worst_us")"
