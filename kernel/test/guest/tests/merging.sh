# SPDX-License-Identifier: GPL-2.0 OR MIT
# Adjacent requests that wait behind a slow disk become one, whether they come in rising or in
# falling order.
# modes: normal

load_elevator
null_disk disk queue_mode=2 irqmode=2 completion_nsec=20000000 hw_queue_depth=1 size=64

# 256 writes of 4 KB, each submitted by itself.
for direction in write:0 write:-8k; do
    for name in mq-deadline bfq; do
        choose disk $name
        echo 64 >/sys/block/disk/queue/nr_requests
        before=$(disk_stat disk 5) merged_before=$(disk_stat disk 6)
        fio_run /run/out --filename=/dev/disk --name=job --rw=$direction --bs=4k --size=1m \
            --iodepth=16 --iodepth_batch=1 --number_ios=256
        requests=$(($(disk_stat disk 5) - before))
        merges=$(($(disk_stat disk 6) - merged_before))
        seen "$direction $name: $requests requests, $merges merged"
    done
    expect_within "requests of 256 writes, $direction" 1 64 "$requests"
    expect_equal "requests and merges, $direction" 256 "$((requests + merges))"
done
