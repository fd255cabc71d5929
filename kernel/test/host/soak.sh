# SPDX-License-Identifier: GPL-2.0 OR MIT
# Runs hours of mixed load in the guest, and checks that memory did not leak meanwhile.

# soak_kernel SERIES RELEASE MINUTES: runs the load; results go to $log_dir/SERIES.soak.results.
soak_kernel() {
    local series=$1 release=$2 minutes=$3 initrd
    local log=$log_dir/$series.soak.log results=$log_dir/$series.soak.results
    initrd=$(initramfs "$release" soak <<<"task=soak
elevator=$elevator
mode=normal
minutes=$minutes")
    : >"$results"
    # A minute is a minute's sleep and a look at the memory, which takes long on a busy machine.
    boot normal "$release" "$initrd" "$log" "$results" $((minutes * 120 + 600)) &
    while read -r line; do
        printf '%-6s %s\n' "$series" "${line%$'\r'}"
    done < <(tail -n +1 -f --pid=$! -s 1 "$results")
}

# Prints unreclaimable slabs of the last quarter as a ratio to those of the second, which shows a
# leak.
slab_growth() {
    tr -d '\r' <"$1" | awk '/^minute/ {slabs[++n] = $7}
        END {
            for (i = int(n / 4) + 1; i <= int(n / 2); i++) {early += slabs[i]; earlies++}
            for (i = int(n * 3 / 4) + 1; i <= n; i++) {late += slabs[i]; lates++}
            printf "%.3f", lates && earlies ? (late / lates) / (early / earlies) : 1
        }'
}

# soak_verdict SERIES: fails if the guest did, or if its slabs grew by more than a tenth. KASAN
# keeps freed memory for a while, so a kernel with KASAN always grows.
soak_verdict() {
    local results=$log_dir/$1.soak.results growth
    growth=$(slab_growth "$results")
    echo "$1: slabs grew by a factor of $growth between the second and the last quarter"
    grep -qa '^ok ' "$results" || return 1
    [[ $1 != *-sanitised ]] || return 0
    awk -v growth="$growth" 'BEGIN {exit !(growth < 1.1)}'
}

soak() {
    local series minutes=${SOAK_MINUTES:-60} bad=0
    for series in "${all_series[@]}"; do
        soak_kernel "$series" "${releases[$series]}" "$minutes" &
    done
    wait
    for series in "${all_series[@]}"; do
        soak_verdict "$series" || bad=1
    done
    return "$bad"
}
