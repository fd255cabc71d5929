# SPDX-License-Identifier: GPL-2.0 OR MIT
# A program that starts (100 small random reads, one after the other) while four readers keep the
# disk busy: how long it takes, by elevator.
# modes: deterministic
# limit_s: 300

load_elevator
slow_disk disk mbps=20 completion_nsec=200000

# start_up_ms ELEVATOR: prints the time of the 100 reads.
start_up_ms() {
    choose disk "$1"
    fio_run /run/readers --filename=/dev/disk --name=reader --rw=read --bs=128k --iodepth=8 \
        --numjobs=4 --offset_increment=200m --time_based --runtime=100 &
    readers=$!
    sleep 5
    fio_run /run/small --filename=/dev/disk --name=small --rw=randread --bs=4k --iodepth=1 \
        --number_ios=100
    kill $readers
    wait $readers || true
    fio_value /run/small small runtime_ms
}

bfq_ms=$(start_up_ms bfq)
for other in none mq-deadline; do
    other_ms=$(start_up_ms $other)
    times=$(calculate "$other_ms / $bfq_ms")
    seen "$other $other_ms ms: $times times bfq's $bfq_ms ms"
    expect_within "$other against bfq" 4 1000000 "$times"
done
