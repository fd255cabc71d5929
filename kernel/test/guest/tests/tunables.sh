# SPDX-License-Identifier: GPL-2.0 OR MIT
# The ten tunables: names, defaults, accepted values and their effect (specification, 7).
# modes: normal

about_bfq "the test tfq has its tunables"
load_elevator
memory_disk disk
choose disk $policy
dir=/sys/block/disk/queue/iosched

names="back_seek_max back_seek_penalty fifo_expire_async fifo_expire_sync low_latency max_budget \
slice_idle slice_idle_us strict_guarantees timeout_sync"
expect_equal names "$names" "$(find "$dir" -type f | sed 's/.*\///' | sort | xargs)"

# A tick is 4 ms here, and periods measured in ticks are whole ticks: 125 ms are 31 of them.
defaults() {
    while read -r name value; do
        expect_equal "$1 $name" "$value" "$(cat "$dir/$name")"
        expect_equal "mode of $name" 644 "$(stat -c %a "$dir/$name")"
    done <<-END
	slice_idle 8
	slice_idle_us 8000
	strict_guarantees 0
	low_latency 1
	max_budget 0
	timeout_sync 124
	fifo_expire_sync 125
	fifo_expire_async 250
	back_seek_max 16384
	back_seek_penalty 2
	END
}
defaults default

# Written, the answer, and what is read afterwards.
checked=0
while read -r name text answer value; do
    expect_equal "$name <- '$text'" "$answer" "$(write_to "$dir/$name" "$text")"
    expect_equal "$name after '$text'" "$value" "$(cat "$dir/$name")"
    checked=$((checked + 1))
done <<END
slice_idle          0                       ok      0
slice_idle          5000                    ok      5000
slice_idle          2147483647              ok      2147483647
slice_idle          2147483648              ok      2147483647
slice_idle_us       1500                    ok      1500
slice_idle_us       4294967296              ok      4294967295
strict_guarantees   7                       ok      1
low_latency         2                       ok      1
low_latency         0                       ok      0
max_budget          1000                    ok      1000
max_budget          4294967296              ok      2147483647
max_budget          0                       ok      0
timeout_sync        0                       ok      4
timeout_sync        125                     ok      128
timeout_sync        128                     ok      128
fifo_expire_sync    0                       ok      1
fifo_expire_sync    300                     ok      300
fifo_expire_async   0                       ok      1
fifo_expire_async   4294967296              ok      2147483647
back_seek_max       0                       ok      0
back_seek_max       100                     ok      100
back_seek_penalty   0                       ok      1
back_seek_penalty   18446744073709551615    ok      2147483647
back_seek_penalty   3                       ok      3
back_seek_penalty   18446744073709551616    ERANGE  3
back_seek_penalty   +4                      ok      4
back_seek_penalty   5\n                     ok      5
back_seek_penalty   6\n\n                   EINVAL  5
back_seek_penalty   \n                      EINVAL  5
back_seek_penalty   -1                      EINVAL  5
back_seek_penalty   0x10                    EINVAL  5
back_seek_penalty   010                     ok      10
back_seek_penalty   1k                      EINVAL  10
back_seek_penalty   \t1                     EINVAL  10
back_seek_penalty   1\t                     EINVAL  10
back_seek_penalty   none                    EINVAL  10
END

# Two names of one value; strict guarantees require at least 8 ms.
tune disk strict_guarantees 0
tune disk slice_idle_us 1500
expect_equal "slice_idle of 1500 us" 1 "$(cat $dir/slice_idle)"
tune disk slice_idle 3
expect_equal "slice_idle_us of 3 ms" 3000 "$(cat $dir/slice_idle_us)"
tune disk strict_guarantees 1
expect_equal "slice_idle when guarantees become strict" 8 "$(cat $dir/slice_idle)"
tune disk strict_guarantees 0
expect_equal "slice_idle when they are not any more" 8 "$(cat $dir/slice_idle)"

choose disk none
choose disk $policy
defaults "chosen again:"
seen "10 names, $checked writes"
