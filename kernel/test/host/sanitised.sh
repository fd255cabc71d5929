# SPDX-License-Identifier: GPL-2.0 OR MIT
# Builds a kernel that checks itself (KASAN, lockdep, …: test/sanitised.config), as one more series:
# `6.12-sanitised`.
#
# It is compiled once, from Debian's source package of the same version as the images, and kept
# outside of the repository; that takes some 20 minutes of two processors and 3 GB.

sanitised_packages=(flex bison bc libelf-dev libssl-dev)
sanitised_dir=${XDG_CACHE_HOME:-$HOME/.cache}/bfq/kernel

# sanitised_source SERIES VERSION: unpacks Debian's source; prints the folder.
sanitised_source() {
    local series=$1 version=$2 scratch
    local dir=$sanitised_dir/linux-source-$series-$version
    if [ ! -e "$dir/Makefile" ]; then
        echo "fetching linux-source-$series $version" >&2
        rm -rf "$dir" "$dir.new"
        mkdir -p "$dir.new"
        scratch=$(mktemp -d "$sanitised_dir/download.XXXX")
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

# build_sanitised SERIES VERSION: compiles the kernel if that was not done yet; sets release and
# KDIR. The file .built is the configuration that was compiled.
build_sanitised() {
    local series=$1 version=$2 log=$log_dir/$1-sanitised.kernel.log
    local config=$test_dir/sanitised.config
    KDIR=$(sanitised_source "$series" "$version")
    export KDIR
    if ! cmp -s "$KDIR/.built" "$config"; then
        echo "compiling the kernel $series that checks itself: some 20 minutes, once;" \
            "messages in $log" >&2
        make -C "$KDIR" KCONFIG_ALLCONFIG="$config" LOCALVERSION= allnoconfig >"$log" 2>&1 &&
            make -C "$KDIR" -j"$(nproc)" LOCALVERSION=-sanitised bzImage modules >>"$log" 2>&1 ||
            fail "the kernel does not build; see $log"
        cp "$config" "$KDIR/.built"
    fi
    release=$(make -s --no-print-directory -C "$KDIR" LOCALVERSION=-sanitised kernelrelease)
}

# sanitised_image RELEASE: makes the guest's image from the compiled kernel, in
# $vm_dir/RELEASE/image.
sanitised_image() {
    local image=$vm_dir/$1/image
    ! newer "$image/boot/config-$1" "$KDIR/.built" || return 0
    rm -rf "$image" "$vm_dir/$1/base"
    mkdir -p "$image/boot"
    make -s --no-print-directory -C "$KDIR" LOCALVERSION=-sanitised \
        INSTALL_MOD_PATH="$image" modules_install >/dev/null
    cp "$(make -s --no-print-directory -C "$KDIR" LOCALVERSION=-sanitised image_name |
        sed "s|^|$KDIR/|")" \
        "$image/boot/vmlinuz-$1"
    cp "$KDIR/.config" "$image/boot/config-$1"
}
