# SPDX-License-Identifier: GPL-2.0 OR MIT
# Makes the guest's initramfs: two archives, one after the other. The first (busybox, fio, the
# kernel's modules) is kept between runs; the second (the tests, the tested module, the task of this
# boot) is written for each boot.

archive() { (cd "$1" && find . | cpio -o -H newc --quiet -R 0:0); }

# make_ext4 FILE: makes an empty file system with a journal, compressed, as busybox cannot make one.
make_ext4() {
    local image=${1%.gz}
    truncate -s 32M "$image"
    mkfs.ext4 -qF "$image"
    gzip -9 "$image"
}

# base_archive RELEASE: prints the path of the first archive. Its contents stay beside it, for the
# modules.
base_archive() {
    local release=$1 fio busybox compiler=gcc fsx name
    local file=$vm_dir/$release/base.cpio root=$vm_dir/$release/base
    fio=$(static_fio "$release")
    fsx=$(installed_fsx)
    busybox=$(type -P busybox)
    if is_arm64 "$release"; then
        busybox=$(arm64_busybox)
        compiler=aarch64-linux-gnu-gcc
    fi
    if [ ! -e "$root/lib" ] ||
        ! newer "$file" "$fio" "$fsx" "$test_dir"/host/{image,initramfs}.sh \
            "$test_dir"/guest/tools/*.c; then
        rm -rf "$root"
        mkdir -p "$root"/{bin,proc,sys,dev,tmp,run,etc,bfq}
        cp "$busybox" "$root/bin/busybox"
        # Of the same version as this machine's.
        for name in $(busybox --list); do
            [ "$name" = busybox ] || ln -s busybox "$root/bin/$name"
        done
        cp "$fio" "$root/bin/fio"
        is_arm64 "$release" || programs "$root" "$fsx" nbd-client mkfs.ext4 e2fsck
        for name in "$test_dir"/guest/tools/*.c; do
            "$compiler" -O2 -Wall -Wextra -Werror -static \
                -o "$root/bin/$(basename "$name" .c)" "$name"
        done
        make_ext4 "$root/ext4.gz"
        collect_modules "$release" "$root" "${guest_modules[@]}"
        ln -s "/lib/modules/$release/kernel/block/bfq.ko" "$root/bfq/stock.ko"
        archive "$root" >"$file.new"
        mv "$file.new" "$file"
    fi
    echo "$file"
}

# programs ROOT NAME...: copies these programs, by their paths or names.
programs() {
    local root=$1 name
    shift
    for name; do program "$(type -P "$name")" "$root"; done
}

# program FILE ROOT: copies a program with the libraries that it needs.
program() {
    local library
    mkdir -p "$2/bin"
    # It may be the place of a link to busybox.
    rm -f "$2/bin/$(basename "$1")"
    strip -o "$2/bin/$(basename "$1")" "$1"
    for library in $(ldd "$1" | grep -o '/[^ ]*'); do
        mkdir -p "$2$(dirname "$library")"
        cp -L "$library" "$2$library"
    done
}

# user_space_bfq ROOT: copies the bfq command, if it was built.
user_space_bfq() {
    say_if_untested >&2
    [ ! -x "$bfq_command" ] || program "$bfq_command" "$1"
}

# initramfs RELEASE NAME [FOLDER]: prints the path of the whole initramfs; stdin is the guest's
# /etc/boot.conf; the files of the folder are added.
initramfs() {
    local release=$1 file=$vm_dir/$1/$2.initrd root=$vm_dir/$1/$2.root base
    base=$(base_archive "$release")
    rm -rf "$root"
    mkdir -p "$root"/{etc,bfq}
    cat >"$root/etc/boot.conf"
    cp -r "$test_dir/guest/." "$root/test"
    ln -s test/init "$root/init"
    if [ -e "$vm_dir/$release/installed" ]; then
        cp -r "$vm_dir/$release/installed/lib" "$root"
        ln -s "/lib/modules/$release/updates/bfq.ko" "$root/bfq/ours.ko"
        strip_for "$release" --strip-debug -o "$root/bfq/testing.ko" \
            "$build_dir/$release/testing/bfq.ko"
    fi
    [ ! -e "$build_dir/$release/fifo.ko" ] || cp "$build_dir/$release/fifo.ko" "$root/bfq"
    is_arm64 "$release" || user_space_bfq "$root"
    {
        cat "$base"
        archive "$root"
        [ -z "${3:-}" ] || archive "$3"
    } >"$file"
    rm -rf "$root"
    echo "$file"
}
