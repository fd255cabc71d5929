# SPDX-License-Identifier: GPL-2.0 OR MIT
# Builds kernels that Debian has no package of, as more series: `6.12-sanitised` (checks itself with
# KASAN, lockdep, …: test/sanitised.config), `6.12-rt-sanitised` (the same with PREEMPT_RT; what
# test/rt-sanitised.config changes of that), `6.12-kcsan` (finds data races: test/kcsan.config) and
# `6.12-faults` (injects faults, without the checks: test/faults.config).
#
# Each is compiled once, from Debian's source package of the same version as the images, and kept
# outside of the repository; that takes some 20 minutes of two processors and 3 GB.

compiled_packages=(flex bison bc libelf-dev libssl-dev)
compiled_dir=${XDG_CACHE_HOME:-$HOME/.cache}/bfq/kernel

# compiled_source SERIES VERSION: unpacks Debian's source, of which each kernel has a copy; prints
# the folder.
compiled_source() {
    local series version=$2 scratch dir
    series=$(debian_series "$1")
    dir=$compiled_dir/linux-source-$series-$version
    [ "$1" = "$series-sanitised" ] || dir+=${1#"$series"}
    if [ ! -e "$dir/Makefile" ]; then
        echo "fetching linux-source-$series $version" >&2
        rm -rf "$dir" "$dir.new"
        mkdir -p "$dir.new"
        scratch=$(mktemp -d "$compiled_dir/download.XXXX")
        (cd "$scratch" && apt-get download -q -o APT::Sandbox::User=root \
            "linux-source-$series=$version") >&2 ||
            fail "cannot download linux-source-$series $version; run apt-get update as root"
        dpkg-deb --fsys-tarfile "$scratch"/*.deb | tar -xO "./usr/src/linux-source-$series.tar.xz" |
            tar -xJ -C "$dir.new" --strip-components=1
        rm -r "$scratch"
        mv "$dir.new" "$dir"
    fi
    echo "$dir"
}

# compiled_config SERIES: prints the configuration; of two lines for an option the last one counts.
compiled_config() {
    cat "$test_dir/sanitised.config"
    [ "$1" = "$(debian_series "$1")-sanitised" ] || cat "$test_dir/${1#*-}.config"
}

# compile_kernel SERIES VERSION: compiles the kernel if that was not done yet; sets release, KDIR
# and LOCALVERSION, the end of the release. The file .built is the configuration that was compiled.
compile_kernel() {
    local series=$1 version=$2 log=$log_dir/$1.kernel.log config=$log_dir/$1.config
    compiled_config "$series" >"$config"
    LOCALVERSION=-${series#*-}
    KDIR=$(compiled_source "$series" "$version")
    export KDIR
    if ! cmp -s "$KDIR/.built" "$config"; then
        echo "compiling the kernel $series: some 20 minutes, once;" \
            "messages in $log" >&2
        make -C "$KDIR" KCONFIG_ALLCONFIG="$config" LOCALVERSION= allnoconfig >"$log" 2>&1 &&
            make -C "$KDIR" -j"$(nproc)" LOCALVERSION="$LOCALVERSION" bzImage modules \
                >>"$log" 2>&1 ||
            fail "the kernel does not build; see $log"
        cp "$config" "$KDIR/.built"
    fi
    release=$(make -s --no-print-directory -C "$KDIR" LOCALVERSION="$LOCALVERSION" kernelrelease)
}

# compiled_image RELEASE: makes the guest's image from the compiled kernel, in
# $vm_dir/RELEASE/image.
compiled_image() {
    local image=$vm_dir/$1/image
    ! newer "$image/boot/config-$1" "$KDIR/.built" || return 0
    rm -rf "$image" "$vm_dir/$1/base"
    mkdir -p "$image/boot"
    make -s --no-print-directory -C "$KDIR" LOCALVERSION="$LOCALVERSION" \
        INSTALL_MOD_PATH="$image" modules_install >/dev/null
    cp "$(make -s --no-print-directory -C "$KDIR" LOCALVERSION="$LOCALVERSION" image_name |
        sed "s|^|$KDIR/|")" \
        "$image/boot/vmlinuz-$1"
    cp "$KDIR/.config" "$image/boot/config-$1"
}
