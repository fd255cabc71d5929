# SPDX-License-Identifier: GPL-2.0 OR MIT
# A program that starts (100 small random reads, one after the other) while eight readers keep a
# disk busy that takes 5 ms for each request: the test measures its time under each elevator.
# modes: deterministic
# limit_s: 300

load_elevator
null_disk disk queue_mode=2 irqmode=2 completion_nsec=5000000 hw_queue_depth=1 size=1024

# start_up ELEVATOR [REQUESTS]: runs with a pool of that many requests; sets `ms` to the time of the
# 100 reads.
start_up() {
    choose disk "$1"
    [ -z "${2:-}" ] || echo "$2" >/sys/block/disk/queue/nr_requests
    fio_run /run/readers --filename=/dev/disk --name=reader --rw=read --bs=128k --ioengine=psync \
        --numjobs=8 --offset_increment=100m --time_based --runtime=100 &
    readers=$!
    # By now the scheduler does not take the readers for starting programs.
    sleep 30
    fio_run /run/small --filename=/dev/disk --name=small --rw=randread --bs=4k --ioengine=psync \
        --number_ios=100
    killall fio || true
    wait $readers || true
    ms=$(fio_value /run/small small runtime_ms)
}

# A disk that takes one request at a time has a pool of two by default: then a process that waits
# for one of those waits outside of the scheduler, unless the scheduler leaves the others less than
# all.
start_up "$policy" 64
ample_ms=$ms
start_up "$policy"
default_ms=$ms
for other in none mq-deadline; do
    start_up $other
    for our_ms in $ample_ms $default_ms; do
        times=$(calculate "$ms / $our_ms")
        seen "$other $ms ms: $times times $policy's $our_ms ms"
        expect_within "$other against $policy" 2 1000000 "$times"
    done
done
