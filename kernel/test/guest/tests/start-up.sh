# SPDX-License-Identifier: GPL-2.0 OR MIT
# A program that starts (100 small random reads, one after the other) while eight readers keep a disk
# busy that takes 5 ms for each request: how long it takes, by elevator.
# modes: deterministic
# limit_s: 300

load_elevator
null_disk disk queue_mode=2 irqmode=2 completion_nsec=5000000 hw_queue_depth=1 size=1024

# start_up ELEVATOR: sets `ms` to the time of the 100 reads.
start_up() {
    choose disk "$1"
    fio_run /run/readers --filename=/dev/disk --name=reader --rw=read --bs=128k --ioengine=psync \
        --numjobs=8 --offset_increment=100m --time_based --runtime=60 &
    readers=$!
    sleep 5
    fio_run /run/small --filename=/dev/disk --name=small --rw=randread --bs=4k --ioengine=psync \
        --number_ios=100
    killall fio || true
    wait $readers || true
    ms=$(fio_value /run/small small runtime_ms)
}

start_up bfq
bfq_ms=$ms
for other in none mq-deadline; do
    start_up $other
    times=$(calculate "$ms / $bfq_ms")
    seen "$other $ms ms: $times times bfq's $bfq_ms ms"
    expect_within "$other against bfq" 2 1000000 "$times"
done
