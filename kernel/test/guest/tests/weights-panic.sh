# SPDX-License-Identifier: GPL-2.0 OR MIT
# The core panics while a weight is written: the write fails, and the next one does not.
# modes: normal slub
# expects: bfq: cgroups: (  |failed)

load_testing_elevator
mount_cgroup2
make_group one
null_disk disk queue_mode=2 irqmode=1 size=1
choose disk $policy
weight=$cgroup_root/one/io.bfq.weight
line="$(device_number disk) 200"
for function in parse room_for apply; do
    echo "bfq_weights_$function 1" >/sys/module/bfq/parameters/panic_at
    case $(write_to "$weight" "$line") in
        *EIO*) ;;
        *) wrong "$function: a write that panicked: $(cat "$weight")" ;;
    esac
    expect_equal "$function: what is left to panic" "bfq_weights_$function 0" \
        "$(cat /sys/module/bfq/parameters/panic_at)"
    expect_equal "$function: weights after it" "default 100" "$(cat "$weight")"
    expect_equal "$function: the next write" ok "$(write_to "$weight" "$line")"
    expect_equal "$function: weights then" "default 100
$line" "$(cat "$weight")"
    expect_equal "$function: none of its own again" ok "$(write_to "$weight" "${line% *} default")"
done
seen "three panics, three failed writes"
