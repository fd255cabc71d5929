# SPDX-License-Identifier: GPL-2.0 OR MIT
# Passthrough commands that are submitted several at a time, as io_uring can, come by a plug; they
# bypass the scheduler as well, while writes that it schedules go on.
# modes: normal slub

load_elevator
modprobe nvme_core multipath=N || true
modprobe nvme || skip "this kernel has no driver of NVMe disks"
trap 'rmmod nvme' EXIT
for attempt in $(seq 100); do
    [ ! -e /sys/block/nvme0n1/bdi ] || [ ! -c /dev/ng0n1 ] || break
    sleep 0.1
done
choose nvme0n1 $policy
fio_run /run/writes --filename=/dev/nvme0n1 --size=16m --time_based --runtime=5 --iodepth=8 \
    --name=writes --rw=randwrite --bs=4k &
writes=$!
fio_run /run/commands --filename=/dev/ng0n1 --ioengine=io_uring_cmd --cmd_type=nvme --direct=0 \
    --size=16m --iodepth=32 --iodepth_batch_submit=16 --time_based --runtime=4 \
    --name=commands --rw=randread --bs=4k || wrong "the commands failed"
wait $writes || wrong "the writes failed: $(tail -1 /run/writes)"
commands=$(fio_value /run/commands commands read_iops)
[ "$commands" -gt 0 ] || wrong "there were no commands"
expect_equal "in flight at the end" 0 "$(in_flight nvme0n1)"
[ "$elevator" != ours ] || expect_equal "requests not scheduled as they should be" 0 \
    "$(awk '{n += $2} END {print n}' /sys/kernel/debug/bfq/nvme0n1/fallbacks)"
seen "$commands commands a second beside $(fio_value /run/writes writes write_iops) writes"
