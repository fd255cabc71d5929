# SPDX-License-Identifier: GPL-2.0 OR MIT
# Adjacent requests that wait behind a slow disk become one, whether they come in rising or in
# falling order.
# modes: normal
# limit_s: 240

load_elevator

# use_disk MS: the disk takes so long for a request from now on.
use_disk() {
    [ ! -e /dev/disk ] || drop_disk disk
    null_disk disk queue_mode=2 irqmode=2 completion_nsec=$(($1 * 1000000)) hw_queue_depth=8 size=64
}

# measure ELEVATOR DIRECTION STEP: submits 512 requests of 4 KB one by one; sets `requests`, how
# many came to the disk, and `merges`.
measure() {
    local requests_field=1
    [ "$2" = read ] || requests_field=5
    choose disk "$1"
    # A raised process may have six tags of the sixteen for its writes, and the disk takes eight:
    # none would ever wait.
    [ "$1" != "$policy" ] || tune disk low_latency 0
    requests=$(disk_stat disk $requests_field)
    merges=$(disk_stat disk $((requests_field + 1)))
    fio_run /run/out --filename=/dev/disk --name=job --rw="$2:$3" --bs=4k --size=2m \
        --iodepth=64 --iodepth_batch=1 --number_ios=512
    requests=$(($(disk_stat disk $requests_field) - requests))
    merges=$(($(disk_stat disk $((requests_field + 1))) - merges))
}

for direction in read write; do
    for step in 0 -8k; do
        # Nothing waits for a disk that is faster than the guest submits, and how fast
        # that is on a busy machine is not known.
        for slower in 1 4 16; do
            use_disk $((20 * patience * slower))
            measure mq-deadline $direction $step
            other=$requests
            measure "$policy" $direction $step
            [ "$requests" -gt 256 ] || break
        done
        seen "512 of $direction:$step became $requests (mq-deadline: $other)"
        expect_within "requests of 512, $direction:$step" 1 256 "$requests"
        expect_equal "requests and merges, $direction:$step" 512 "$((requests + merges))"
    done
done
