# SPDX-License-Identifier: GPL-2.0 OR MIT
# Runs blktests, the tests of the block layer's maintainers, with our module on every disk and then
# with the stock module. The run fails if a test fails with ours and not with stock. The user
# provides the checkout.

blktests_groups=(block loop dm scsi throtl)

# These tests need fault injection in null_blk, which Debian's kernels lack and those that are
# compiled here have.
blktests_faults=(block/014 block/015 block/030)

# Modules that these tests load besides those of our own tests.
blktests_modules=(sr_mod virtio_scsi dm-dust dm-zero xfs f2fs ext2 vfat nls_ascii nls_cp437
    nls_iso8859-1)

# The most that the tests of one boot may take. A test has a limit of its own, in the guest, so that
# this ends only a guest that hangs; 79 tests on a slow host need some hours.
blktests_boot_limit_s=36000

# blktests_limit_s SERIES: the longest that a test may take. block/014 lets four times a hundred
# processes wait for timeouts of 30 s.
blktests_limit_s() { is_compiled "$1" && echo 1800 || echo 300; }

# blktests_checkout: BLKTESTS as an absolute path.
blktests_checkout() {
    [ -x "${BLKTESTS:-}/check" ] ||
        fail "BLKTESTS=DIR has to be a checkout of blktests" \
            "(https://github.com/linux-blktests/blktests)"
    realpath "$BLKTESTS"
}

# blktests_of SERIES ONLY: the names of the tests, those with ONLY in them.
blktests_of() {
    local series=$1 only=$2 checkout
    checkout=$(blktests_checkout)
    if is_compiled "$series" && [ -z "$only" ]; then
        printf '%s\n' "${blktests_faults[@]}"
        return
    fi
    (cd "$checkout/tests" && find "${blktests_groups[@]}" -name '[0-9][0-9][0-9]' | sort |
        grep -F -- "$only") ||
        fail "blktests has no test with '$only' in its name in ${blktests_groups[*]}"
}

# blktests_files RELEASE: puts what the guest's root gets into $vm_dir/RELEASE/blktests: blktests
# with its programs, the kernel's modules and configuration.
blktests_files() {
    local release=$1 checkout image=$vm_dir/$1/image
    local root=$vm_dir/$1/blktests/onto-root
    checkout=$(blktests_checkout)
    rm -rf "$vm_dir/$release/blktests"
    mkdir -p "$root"/{usr,boot,blktests}
    collect_modules "$release" "$root/usr" "${guest_modules[@]}" "${blktests_modules[@]}"
    cp "$image/boot/config-$release" "$root/boot"
    cp -r "$checkout"/{check,common,src,tests} "$root/blktests"
    # If a program does not build, the tests that need it say so.
    make -k -C "$root/blktests/src" >"$log_dir/blktests.build.log" 2>&1 || true
}

# blktests_with SERIES RELEASE ELEVATOR: writes the outcomes to $log_dir/SERIES.blktests.ELEVATOR, a
# line each; a guest that crashes, or in which a test does not end, is replaced.
blktests_with() {
    local series=$1 release=$2 elevator=$3 initrd log results started last boot=0 tests
    local outcomes=$log_dir/$series.blktests.$elevator memory_mib
    local devices=(-drive "file=$(root_disk),format=raw,if=none,id=root,snapshot=on"
        -device "virtio-blk-pci,drive=root,serial=root"
        -drive "file=$vm_dir/blktests.scsi,format=raw,if=none,id=scsi,snapshot=on"
        -device "virtio-scsi-pci,id=bus" -device "scsi-hd,bus=bus.0,drive=scsi")
    # throtl/006 makes a file system of 250 GB in memory, whose tables take 4 GB.
    memory_mib=8192
    [[ $series != *-sanitised ]] || memory_mib=2048
    truncate -s 64M "$vm_dir/blktests.scsi"
    tests=$(blktests_of "$series" "${ONLY:-}")
    mapfile -t tests <<<"$tests"
    rm -f "$outcomes" "$outcomes".*
    while [ ${#tests[@]} -gt 0 ]; do
        boot=$((boot + 1))
        log=$outcomes.$boot.log
        results=$outcomes.$boot.results
        initrd=$(initramfs "$release" blktests "$vm_dir/$release/blktests" <<<"task=blktests
elevator=$elevator
mode=normal
limit_s=$(blktests_limit_s "$series")
tests='${tests[*]}'")
        : >"$results"
        boot normal "$release" "$initrd" "$log" "$results" "$blktests_boot_limit_s" &
        tell_outcomes "$results" "$!" "$series $elevator"
        started=$(grep -ac '^start ' "$results" || true)
        last=$(tr -d '\r' <"$results" | sed -n 's/^start //p' | tail -1)
        [ -n "$last" ] || fail "the guest did not reach blktests; see $log"
        tr -d '\r' <"$results" | grep -a '^outcome ' | cut -d' ' -f2- >>"$outcomes" || true
        tr -d '\r' <"$results" | grep -qaxF "end $last" ||
            printf '%s\tfailed\tthe guest crashed: %s\n' "$last" "$(last_words "$log")" |
            tee -a "$outcomes"
        tests=("${tests[@]:$started}")
    done
}

# tell_outcomes RESULTS PID WHERE: prints each outcome as it comes, until the process ends.
tell_outcomes() {
    local line
    while read -r line; do
        line=${line%$'\r'}
        [[ $line != outcome\ * ]] || printf '%-22s %s\n' "$3" "${line#outcome }"
    done < <(tail -n +1 -f --pid="$2" -s 0.5 "$1" 2>/dev/null)
}

# blktests_table SERIES: prints for each test a line with the outcomes and reasons; fails if one
# fails with ours only.
blktests_table() {
    local outcomes=$log_dir/$1.blktests
    awk -F '\t' -v series="$1" '
        FNR == 1 {file++}
        !($1 in seen) {seen[$1] = 1; names[++count] = $1}
        {outcome[file, $1] = $2; why[file, $1] = $3}
        function says(file, name) {return (file, name) in outcome ? outcome[file, name] : "-"}
        END {
            printf "%-32s %-8s %-8s\n", "blktests, Linux " series, "ours", "stock"
            for (i = 1; i <= count; i++) {
                name = names[i]; ours = says(1, name); stock = says(2, name)
                ours_only = ours == "failed" && stock != "failed"
                bad += ours_only
                total[1, ours]++; total[2, stock]++
                reason = ours != "passed" ? why[1, name] : why[2, name]
                if (ours_only) reason = "ONLY OURS: " reason
                printf "%-32s %-8s %-8s %s\n", name, ours, stock, reason
            }
            for (file = 1; file <= 2; file++)
                printf "%s: %d passed, %d failed, %d skipped\n", file == 1 ? "ours" : "stock",
                    total[file, "passed"], total[file, "failed"], total[file, "skipped"]
            printf "%d fail with ours that do not with the stock module\n", bad
            exit bad > 0 || !total[1, "passed"]
        }' "$outcomes.ours" "$outcomes.stock" | cut -c 1-180
}

# blktests: on each kernel one elevator after the other, as the tests measure times.
blktests() {
    local series bad=0
    for series in "${all_series[@]}"; do
        blktests_files "${releases[$series]}"
        blktests_with "$series" "${releases[$series]}" ours
        blktests_with "$series" "${releases[$series]}" stock
    done
    for series in "${all_series[@]}"; do
        echo
        blktests_table "$series" || bad=1
    done
    return "$bad"
}
