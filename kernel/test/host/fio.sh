# SPDX-License-Identifier: GPL-2.0 OR MIT
# Builds fio without libraries from Debian's source: the packaged one would need 80 MB of libraries
# in the guest.

fio_options=(--build-static --disable-http --disable-rbd --disable-rados --disable-rdma
    --disable-gfapi --disable-libzbc --disable-numa --disable-native --disable-pmem
    --disable-xnvme --disable-dfs --disable-libnfs)

# static_fio RELEASE: prints the path of the program for the guest of that kernel; builds it at the
# first call (half a minute).
static_fio() {
    local dir=$vm_dir/fio options=("${fio_options[@]}")
    if is_arm64 "$1"; then
        dir+=-arm64
        options+=(--cc=aarch64-linux-gnu-gcc --cpu=aarch64)
    fi
    if [ ! -x "$dir/fio" ]; then
        echo "building fio" >&2
        rm -rf "$dir.build"
        mkdir -p "$dir.build/source" "$dir"
        fetch_fio_source "$dir.build" >&2
        tar -xf "$dir.build"/fio_*.orig.tar.?z -C "$dir.build/source" --strip-components=1
        (cd "$dir.build/source" && ./configure "${options[@]}" &&
            make -j"$(nproc)" fio && strip_for "$1" fio) \
            >"$dir.build/log" 2>&1 || fail "fio does not build:" "$(tail -5 "$dir.build/log")"
        mv "$dir.build/source/fio" "$dir/fio"
        rm -rf "$dir.build"
    fi
    echo "$dir/fio"
}

# fetch_fio_source DIR: downloads the source with package lists of its own, as most machines have no
# lists of source packages.
fetch_fio_source() {
    local dir=$1
    mkdir -p "$dir"/apt/{lists,cache/archives}/partial "$dir/apt/sources"
    if [ -e /etc/apt/sources.list ]; then
        sed -n 's/^deb /deb-src /p' /etc/apt/sources.list >"$dir/apt/sources/all.list"
    fi
    if [ -e /etc/apt/sources.list.d/debian.sources ]; then
        sed 's/^Types:.*/Types: deb-src/' /etc/apt/sources.list.d/debian.sources \
            >"$dir/apt/sources/debian.sources"
    fi
    local options=(-q -o "Dir::State::lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache"
        -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$dir/apt/sources"
        -o APT::Sandbox::User=)
    apt-get "${options[@]}" update
    (cd "$dir" && apt-get "${options[@]}" source --download-only fio) ||
        fail "cannot download the source of fio from Debian"
}
