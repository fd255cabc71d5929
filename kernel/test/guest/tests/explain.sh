# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq explain` follows a scheduler at work: which programs do I/O, and where the time of one of
# them goes. A kept recording gives the same answer again.
# modes: normal slub

[ -x /bin/bfq ] || skip "the bfq command was not built"
mount_cgroup2
make_group batch
load_elevator
slow_disk disk mbps=0
echo 1 >/sys/block/disk/queue/rotational
for name in reader copier; do
    cp /bin/fio "/run/$name"
done
choose disk $policy
tune disk low_latency 0
/run/reader --filename=/dev/disk --direct=1 --runtime=3600 --time_based --output=/run/reader.out \
    --name=reader --rw=randread --bs=4k --ioengine=psync &
wait_for_io disk
in_group batch /run/copier --filename=/dev/disk --direct=1 --runtime=3600 --time_based \
    --output=/run/copier.out \
    --name=copier --rw=read --bs=256k --iodepth=8 --ioengine=io_uring &
for attempt in $(seq 100); do
    ! grep -q 'rios=[1-9]' "$cgroup_root/batch/io.stat" || break
    sleep 0.1
done

# The scheduler knows both already; the recording begins now.
bfq explain --kernel disk --for 2s --save /run/disk.rec --quiet | tee /run/overview
grep -q '^copier.*(/batch)' /run/overview || wrong "the group of copier is not told"
for name in reader copier; do
    grep -q "^$name\b" /run/overview || wrong "nothing is told of $name"
done
bfq explain --recording /run/disk.rec --job reader --slowest 2 | tee /run/explanation
grep -q 'copier' /run/explanation || wrong "reader did not wait for copier"
grep -q 'lost' /run/explanation && wrong "records were lost"
bfq fidelity /run/disk.rec 2>/run/refused && wrong "it was replayed without its beginning"
grep -q 'middle of a scheduler' /run/refused || wrong "refused without a reason"
kill $(pidof reader copier)
wait
seen "$(sed -n 3p /run/explanation)"
