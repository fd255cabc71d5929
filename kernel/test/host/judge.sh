# SPDX-License-Identifier: GPL-2.0 OR MIT
# Checks which scheduler `bfq bench` recommends on a slow disk and on one in memory. The guest
# measures, the host judges, as for any results; each disk has to get the expected verdict.

measured_disks=(slow memory)

# The least factor by which a program has to start faster beside a load than without a scheduler. If
# bfq takes the load itself for a starting program it is 4, otherwise more than 30.
least_times_faster=10

# The longest that the measurement on one disk may take.
measure_limit_s=1800

# measurements SERIES DISK: the path of the bench's file of results.
measurements() { echo "$log_dir/$1.$2.jsonl"; }

# measure_disk SERIES RELEASE DISK: writes that file if the guest completed.
measure_disk() {
    local series=$1 release=$2 disk=$3 initrd results
    results=$(measurements "$series" "$disk")
    rm -f "$results"
    initrd=$(initramfs "$release" "judge.$disk" <<<"task=judge
elevator=$elevator
mode=deterministic
disk=$disk")
    boot deterministic "$release" "$initrd" "$log_dir/$series.$disk.log" "$results.raw" \
        "$measure_limit_s"
    if [ "$(tail -1 "$results.raw")" = complete ]; then
        sed '$d' "$results.raw" >"$results"
    fi
    rm -f "$results.raw"
}

# times_faster: reads a verdict for bfq; prints how many times as fast as under none a program
# starts beside a load, in the scenario with the least factor.
times_faster() {
    awk '/^  Beside / {none = $2 ~ /^none[,:]$/}
        none && /^ +starts .* times faster: .* beside / && (least == "" || $2 + 0 < least) {
            least = $2 + 0
        }
        END {print least + 0}'
}

# dearer_than_none: reads a verdict on cost alone; prints the other schedulers under which an I/O
# costs more.
dearer_than_none() {
    awk '/^  Beside / {other = $2; sub(/[,:]$/, "", other)}
        /^ +takes .* less processor time for an I\/O: / {dearer[other] = 1}
        END {for (other in dearer) print other}' | sort | paste -sd' '
}

# as_expected DISK VERDICT COSTS: prints the relevant parts of the verdict for desktops and of the
# one on the cost of an I/O; fails if they are not as expected.
as_expected() {
    local disk=$1 verdict=$2 costs=$3 seen
    printf '%s; ' "${verdict%%;*}"
    case $disk in
        slow)
            seen=$(times_faster <<<"$verdict")
            echo "programs start beside a load at least $seen times faster than under none"
            [[ $verdict == "For desktop use: bfq;"* ]] &&
                awk -v seen="$seen" -v least="$least_times_faster" 'BEGIN {exit !(seen >= least)}'
            ;;
        memory)
            # What suits a desktop there depends on the schedule of the only processor; it is
            # printed only.
            seen=$(dearer_than_none <<<"$costs")
            echo "an I/O costs more than under none with: ${seen:-no scheduler}"
            [[ $costs == "For cpu_per_io: none;"* ]] && [ -n "$seen" ]
            ;;
    esac
}

# judge_kernel SERIES DISK...: a verdict for each disk, and a report of all. Leaves a line for each
# in $conclusions, and fails if one is not as expected.
judge_kernel() {
    local series=$1 bfq=$bfq_command bad=0
    local disk results=() verdict costs conclusion word
    shift
    for disk; do
        results+=("$(measurements "$series" "$disk")")
        [ -e "${results[-1]}" ] ||
            fail "the measurement on $series was not completed; see $log_dir/$series.$disk.log"
        verdict=$("$bfq" bench --import "${results[-1]}" --goal desktop)
        costs=$("$bfq" bench --import "${results[-1]}" --goal cpu_per_io)
        printf 'Linux %s, the %s disk\n\n%s\n\n' "$series" "$disk" "$verdict"
        word=ok
        conclusion=$(as_expected "$disk" "$verdict" "$costs") || { word=FAIL bad=1; }
        conclusions+=("$(printf '%-18s %-4s %s' "$series $disk" "$word" "$conclusion")")
    done
    "$bfq" report "${results[@]}" -o "$log_dir/$series.report.html"
    return "$bad"
}

# judge: all kernels and disks side by side.
judge() {
    local series disk disks=() conclusions=() bad=0
    for disk in "${measured_disks[@]}"; do
        [[ $disk != *"${ONLY:-}"* ]] || disks+=("$disk")
    done
    for series in "${all_series[@]}"; do
        for disk in "${disks[@]}"; do
            measure_disk "$series" "${releases[$series]}" "$disk" &
        done
    done
    wait
    for series in "${all_series[@]}"; do
        judge_kernel "$series" "${disks[@]}" || bad=1
    done
    printf '%s\n' "${conclusions[@]}"
    return "$bad"
}
