# SPDX-License-Identifier: GPL-2.0 OR MIT
# tfq: groups of weights 100 and 400 get one and four fifths of a disk that takes 32 requests at a
# time: each with 40 processes that read one by one, and each with a process of 32 reads at a time.
# modes: deterministic

[ "$elevator" = ours ] || skip "the kernel's own module has no tfq"
load_elevator
mount_cgroup2
make_group w100 100
make_group w400 400

# compare WHAT OPTION...: the ratio of what both groups get. The light one may run ahead by what
# fills the disk some times: that is over after half a second.
compare() {
    local what=$1 weight light heavy ratio
    shift
    null_disk disk queue_mode=2 irqmode=2 completion_nsec=2000000 hw_queue_depth=32 size=1024
    choose disk tfq
    echo 256 >/sys/block/disk/queue/nr_requests
    tune disk low_latency 0
    for weight in 100 400; do
        in_group w$weight exec fio --filename=/dev/disk --name=job --thread --direct=1 \
            --ioengine=io_uring --rw=randread --bs=4k --time_based --runtime=1000 \
            --output=/dev/null "$@" &
    done
    for weight in 100 400; do
        until [ "$(reads disk w$weight)" -gt 0 ]; do sleep 0.1; done
    done
    sleep 1
    count_reads disk 5 w100 w400
    empty w100 w400
    wait
    drop_disk disk
    light=$(awk '$1 == "w100" {print $2}' /run/reads)
    heavy=$(awk '$1 == "w400" {print $2}' /run/reads)
    ratio=$(calculate "$heavy / $light")
    seen "$what: $((light / 5)) and $((heavy / 5)) reads a second, 1:$ratio"
    expect_within "ratio of $what" 3.96 4.04 "$ratio"
}
compare "40 readers" --ioengine=psync --numjobs=40
compare "64 at a time" --iodepth=64
