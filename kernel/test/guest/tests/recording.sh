# SPDX-License-Identifier: GPL-2.0 OR MIT
# The core decides in user space as it does in the guest: a recording from attach on is replayed
# there, call by call. It covers groups that are made and removed, weights, priorities, merging, a
# full pool, tunables. Its reader's memory faults now and then.
# modes: normal slub deterministic

[ -x /bin/bfq ] || skip "the bfq command was not built"
mount_cgroup2
make_group light
make_group heavy
make_group brief
load_elevator record_from_attach=1 recording_kib=65536
slow_disk disk mbps=20 submit_queues=2
choose disk $policy
decisions=/sys/kernel/debug/bfq/disk/decisions

# load GROUP SECONDS JOBS...: runs the jobs in a group.
load() {
    local group=$1 seconds=$2
    shift 2
    in_group "$group" fio --filename=/dev/disk --direct=1 --time_based --runtime="$seconds" \
        --output=/run/out "$@"
}
load light 3 --name=random --rw=randread --bs=4k --ioengine=psync --numjobs=3 &
load heavy 3 --name=sequential --rw=read --bs=64k --iodepth=8 --ioengine=io_uring \
    --name=urgent --rw=randread --bs=4k --ioengine=psync --prioclass=1 --thinktime=20000 &
load . 3 --name=writer --rw=write --bs=32k --iodepth=64 --ioengine=io_uring --prioclass=2 --prio=6 &
load brief 1 --name=brief --rw=randread --bs=8k --ioengine=psync
drop_group brief
echo 400 >"$cgroup_root/heavy/io.bfq.io_weight"
tune disk low_latency 0
tune disk slice_idle 2
wait

exec 3<$decisions
cat $decisions >/dev/null 2>&1 && wrong "two readers at a time"
faulting_reader <&3 >/run/disk.rec &
exec 3<&-
# The file ends when bfq is removed.
choose disk none
wait $!
bfq fidelity /run/disk.rec >/run/fidelity ||
    wrong "user space decides otherwise: $(cat /run/fidelity)"
grep -q 'missing' /run/fidelity && wrong "the ring was too small"
# Call 2 sets the weight of a group: one made a device's group of 100, the write made it 400.
records 2 </run/disk.rec | grep -q ' 400$' || wrong "the weight is not in the recording"
requests=$(($(disk_stat disk 1) + $(disk_stat disk 5)))
seen "$(head -1 /run/fidelity)," \
    "$(($(wc -c </run/disk.rec) / requests)) bytes for each of $requests requests"
