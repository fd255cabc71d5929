# SPDX-License-Identifier: GPL-2.0 OR MIT
# `bfq top` knows the disk from two sides: the kernel's events, and the recording of our module.
# They agree: on how many I/Os each program did, on how long these took, and on the parts that two
# programs had of the disk.
# modes: deterministic

needs_top
load_elevator
slow_disk disk
# The events are of I/Os, the decisions of requests: with merging these may be fewer.
echo 2 >/sys/block/disk/queue/nomerges
choose disk $policy
tune disk low_latency 0
mount_cgroup2
make_group light 100
make_group heavy 300

# of_decisions KEY PROGRAM: prints what the recording says of a program that waited.
of_decisions() { sum_of '"name":' "\"name\":\"$2\",\"sentence\":" "$1"; }
# turns_of PROGRAM: prints how long the turns of its queues were, in nanoseconds.
turns_of() { sum_of "\"who\":\"[^\"]*$1[^\"]*\",\"ns\":" '' ns; }

watch_disk disk
for name in light heavy; do
    cp /bin/fio "/run/$name"
    in_group $name "/run/$name" --output-format=terse --terse-version=3 --output="/run/$name.out" \
        --eta=never --thread --direct=1 --ioengine=io_uring --filename=/dev/disk --name=job \
        --rw=randread --bs=4k --iodepth=16 --time_based --runtime=8 &
    jobs="${jobs:-} $!"
done
wait $jobs
top_ends
grep -q "\"activity\":{\"scheduler\":\"$policy\",\"elapsed_ns\":[0-9]*,\"lost\":0," /run/top ||
    wrong "records of the scheduler were lost"
all_turns=$(calculate "$(turns_of light) + $(turns_of heavy)")
all_time=$(calculate "$(of_program time_percent light) + $(of_program time_percent heavy)")
for name in light heavy; do
    ios=$(of_program ios $name)
    expect_equal "I/Os of $name by decisions" "$ios" "$(of_decisions ios $name)"
    mean_us=$(calculate "$(of_decisions latency_ns $name) / 1000 / $ios")
    by_fio=$(fio_value /run/$name.out job read_mean_us)
    seen "$name: $ios I/Os, mean latency $mean_us us by decisions, $by_fio us by fio"
    expect_within "mean latency of $name" "$(calculate "$by_fio * 0.95")" \
        "$(calculate "$by_fio * 1.05")" "$mean_us"
    time=$(calculate "100 * $(of_program time_percent $name) / $all_time")
    turns=$(calculate "100 * $(turns_of $name) / $all_turns")
    seen "$name: $time % of the time by events, $turns % of the turns by decisions"
    expect_within "turns of $name" "$(calculate "$time - 1")" "$(calculate "$time + 1")" "$turns"
    grep -q "^\"name\":\"$name\",\"sentence\":\"$name " /run/top.lines ||
        wrong "nothing says why $name waited"
done
