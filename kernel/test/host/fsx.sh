# SPDX-License-Identifier: GPL-2.0 OR MIT
# Installs fsx, which tries a file system with operations at random and checks what it reads: that
# of crates.io, as Debian has none.

fsx_version=0.3.2

# Prints the path of the program; builds it at the first call.
installed_fsx() {
    local dir=$vm_dir/fsx
    if [ ! -x "$dir/$fsx_version/bin/fsx" ]; then
        echo "building fsx" >&2
        rm -rf "$dir"
        mkdir -p "$dir"
        # In a guest the kernel takes far longer than this program.
        CARGO_PROFILE_RELEASE_OPT_LEVEL=0 \
            cargo install --quiet --locked --root "$dir/$fsx_version" "fsx@$fsx_version" \
            >"$dir/log" 2>&1 || fail "fsx does not build:" "$(tail -n 5 "$dir/log")"
    fi
    echo "$dir/$fsx_version/bin/fsx"
}
