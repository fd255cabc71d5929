# SPDX-License-Identifier: GPL-2.0 OR MIT
# What the core decides in the guest, it decides in user space, too: a recording from attach on is
# replayed there, call by call. Groups, priorities, merging, a full pool, a switch of tunables.
# modes: normal slub deterministic

[ -x /bin/bfq ] || skip "the bfq command was not built"
load_elevator record_from_attach=1 recording_kib=65536
slow_disk disk mbps=20 submit_queues=2
choose disk bfq
decisions=/sys/kernel/debug/bfq/disk/decisions
fio --filename=/dev/disk --direct=1 --runtime=3 --time_based --output=/run/out \
    --name=random --rw=randread --bs=4k --ioengine=psync --numjobs=3 \
    --name=sequential --rw=read --bs=64k --iodepth=8 --ioengine=io_uring \
    --name=writer --rw=write --bs=32k --iodepth=64 --ioengine=io_uring &
sleep 1
tune disk low_latency 0
tune disk slice_idle 2
wait $!
cat $decisions >/run/disk.rec &
sleep 0.5
cat $decisions >/dev/null 2>&1 && wrong "two readers at a time"
# The file ends when bfq goes.
choose disk none
wait $!
bfq fidelity /run/disk.rec >/run/fidelity || wrong "user space decides otherwise"
grep -q 'missing' /run/fidelity && wrong "the ring was too small"
requests=$(($(disk_stat disk 1) + $(disk_stat disk 5)))
seen "$(head -1 /run/fidelity), $(($(wc -c </run/disk.rec) / requests)) bytes for each of $requests requests"
