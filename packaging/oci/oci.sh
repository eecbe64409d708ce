#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes a container image from the files of the tar.gz; packaging/make.sh calls it.
#
#   oci.sh HOME VERSION TIME OUT     HOME holds bin, lib and runtime; TIME is that of all files, in seconds
#
# It writes sirocco-VERSION-linux-ARCH.oci.tar: an OCI image layout (image-spec 1.1) in a tar, with the manifest.json of
# `docker save` beside it, so that older versions of Docker load it as well. It needs neither a daemon nor a registry: the
# few files below the JVM, such as those of glibc, are those of this machine.
set -euo pipefail
umask 022

home=$1
version=$2
time=$3
out=$4
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(readlink -f "$here/../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
image=$work/image            # the OCI image layout
blobs=$image/blobs/sha256
user=65532                   # "nonroot" of Distroless, which policies of clusters know

main() {
    case $(uname -m) in
        x86_64) arch=amd64 ;;
        aarch64) arch=arm64 ;;
        *) arch=$(uname -m) ;;
    esac
    tag=${version//+/-} # a tag has no plus
    created=$(date -u -d "@$time" +%FT%TZ)
    revision=$(git -C "$top" rev-parse HEAD 2>/dev/null) || revision=
    if [ -n "$revision" ] && ! git -C "$top" diff --quiet HEAD; then revision+=-changed; fi
    mkdir -p "$blobs"

    fill_layers
    layer base "libc and what else the JVM needs of a system"
    layer runtime "the JVM"
    layer script "the engine of scripts"
    layer sirocco "Sirocco and its libraries"
    layer cache "the AOT cache"
    write_layout
    write_archive
}

# --- files ---------------------------------------------------------------------------------------------------------

# The layers that change least come first, so that a pull of the next version skips them.
fill_layers() {
    local lib=usr/lib/sirocco/lib each
    mkdir -p "$work"/{base/{dev,etc/sirocco,proc,run,srv,sys,tmp,usr/bin,usr/share/doc/sirocco,var/lib/sirocco},runtime/usr/lib/sirocco,cache/$lib}
    mkdir -p "$work/script/$lib" "$work/sirocco/usr/bin" "$work/sirocco/$lib/native" "$work/sirocco/etc/sirocco" "$work/sirocco/srv"
    cp -r "$home/runtime" "$work/runtime/usr/lib/sirocco"
    cp -r "$home/lib/script" "$work/script/$lib"
    mv "$work/script/$lib"/script/sirocco-script-*.jar "$work" # ours: it changes with each version
    cp -r "$home/lib/home" "$home"/lib/*.jar "$home/lib/java.args" "$work/sirocco/$lib"
    mkdir "$work/sirocco/$lib/script"
    mv "$work"/sirocco-script-*.jar "$work/sirocco/$lib/script"
    cp "$home/lib/sirocco.aot" "$work/cache/$lib"
    unpack_native_libraries "$work/sirocco/$lib"
    compile_launcher "$work/sirocco/usr/bin/sirocco"
    cp "$here/sirocco.toml" "$work/sirocco/etc/sirocco"
    sed "s/sirocco:VERSION/sirocco:$tag/" "$here/index.html" >"$work/sirocco/srv/index.html"
    fill_base "$work/base"
}

# Elsewhere these libraries unpack themselves into a temporary folder, which a container may not have, or not for programs.
unpack_native_libraries() { # LIB
    local machine name
    machine=$(uname -m)
    name=${machine/x86_64/amd64}
    unzip -q -j "$1/native-linux-$machine"-*.jar "lib/linux-$machine/libbrotli.so" -d "$1/native"
    unzip -q -j "$1"/zstd-jni-*.jar "linux/$name/libzstd-jni-*.so" -d "$1/native"
    mv "$1"/native/libzstd-jni-*.so "$1/native/libzstd-jni.so"
    unzip -q -j "$home"/lib/script/truffle-api-*.jar "META-INF/resources/engine/libtruffleattach/linux/$name/bin/libtruffleattach.so" \
        -d "$1/native"
    chmod 644 "$1"/native/*.so # their archives may let a group write them
}

compile_launcher() { # FILE
    command -v cc >/dev/null || give_up "the image needs a C compiler for its launcher (Debian packages gcc and libc6-dev)"
    cc -O2 -Wall -Werror -s -Wl,--build-id=none -o "$1" "$here/launcher.c"
}

# A system that has what a JVM without windows asks for: glibc, a user, and the locale that makes names of files UTF-8.
fill_base() { # DIR
    local file
    libraries | sort -u >"$work/libraries"
    while IFS= read -r file; do
        mkdir -p "$1$(dirname "$file")"
        cp -L "$file" "$1$file"
    done <"$work/libraries"
    if [ -d /usr/lib/locale/C.utf8 ]; then
        mkdir -p "$1/usr/lib/locale"
        cp -r /usr/lib/locale/C.utf8 "$1/usr/lib/locale"
        echo /usr/lib/locale/C.utf8/LC_CTYPE >>"$work/libraries"
    else
        echo "the image knows names of files in ASCII only, since the locale C.utf8 is missing here (Debian package libc-bin)" >&2
    fi
    printf '%s\n' 'root:x:0:0:root:/:/sbin/nologin' "nonroot:x:$user:$user:nonroot:/var/lib/sirocco:/sbin/nologin" >"$1/etc/passwd"
    printf '%s\n' 'root:x:0:' "nonroot:x:$user:" >"$1/etc/group"
    echo 'hosts: files dns' >"$1/etc/nsswitch.conf"
    cp "$top/LICENSE" "$here/../debian/copyright" "$1/usr/share/doc/sirocco"
    describe_base "$1/usr/share/doc"
}

# The loader, and all libraries that the JVM, the launcher and the native libraries of jars are linked to.
libraries() {
    local each
    find "$work/runtime" "$work/sirocco/usr" -type f \( -name '*.so' -o -perm /111 \) | while IFS= read -r each; do
        ldd "$each" 2>/dev/null | sed -n "s:^[^/]*=> \(/[^ ]*\) .*:\1:p; s:^[[:space:]]*\(/[^ ]*ld[^ ]*\) .*:\1:p" | grep -v "^$work" || true
    done
}

# The licences of these files, and the versions of the packages that they are from, by which their sources are found.
describe_base() { # DOC
    local package file
    command -v dpkg-query >/dev/null || return 0
    while IFS= read -r file; do
        dpkg-query -S "$file" 2>/dev/null || dpkg-query -S "/usr$file" 2>/dev/null || dpkg-query -S "${file#/usr}" 2>/dev/null ||
            give_up "no package has $file, so its licence is unknown"
    done <"$work/libraries" | sed 's/: .*//' | sort -u >"$work/packages"
    while IFS= read -r package; do
        mkdir -p "$1/${package%:*}"
        cp -L "/usr/share/doc/${package%:*}/copyright" "$1/${package%:*}"
        dpkg-query -W -f '${Package} ${Version} (source package ${source:Package} ${source:Version})\n' "$package"
    done <"$work/packages" >"$1/sirocco/system-packages"
}

# --- layers --------------------------------------------------------------------------------------------------------

layers=() # their descriptors
diffs=()  # digests of the tars
history=()

layer() { # NAME COMMENT
    local tar=$work/$1.tar own=() diff
    find "$work/$1" -exec touch -h -d "@$time" {} +
    if [ "$1" = base ]; then own=(--exclude=./var/lib/sirocco --exclude=./tmp); fi
    pack --owner=0 --group=0 "${own[@]}" -C "$work/$1" -cf "$tar" .
    if [ "$1" = base ]; then
        chmod 1777 "$work/base/tmp"
        chmod 770 "$work/base/var/lib/sirocco" # the group is for platforms that run it as any user of the group 0
        touch -d "@$time" "$work/base/tmp" "$work/base/var/lib/sirocco"
        pack --owner=0 --group=0 -C "$work/$1" -rf "$tar" ./tmp
        pack --owner=$user --group=0 -C "$work/$1" -rf "$tar" ./var/lib/sirocco
    fi
    diff=$(sum "$tar")
    gzip -n -6 "$tar"
    diffs+=("\"sha256:$diff\"")
    history+=("{\"created\":\"$created\",\"created_by\":\"sirocco package --oci\",\"comment\":\"$2\"}")
    layers+=("$(blob "$tar.gz" application/vnd.oci.image.layer.v1.tar+gzip)")
}

pack() { tar --sort=name --numeric-owner --format=gnu "$@"; }

sum() { sha256sum "$1" | cut -d ' ' -f 1; }

# Moves a file to where its digest says, and prints its descriptor.
blob() { # FILE TYPE
    local digest size
    digest=$(sum "$1")
    size=$(stat -c %s "$1")
    mv "$1" "$blobs/$digest"
    printf '{"mediaType":"%s","digest":"sha256:%s","size":%d}' "$2" "$digest" "$size"
}

# --- descriptions --------------------------------------------------------------------------------------------------

write_layout() {
    local config manifest annotations labels
    labels=$(members title Sirocco description "A network server on io_uring, in Java" version "$version" revision "$revision" \
        licenses "Apache-2.0 AND GPL-2.0-only WITH Classpath-exception-2.0 AND LGPL-2.1-or-later" created "$created")
    cat >"$work/config.json" <<JSON
{"created":"$created","architecture":"$arch","os":"linux","config":{"User":"$user:$user","ExposedPorts":{"8080/tcp":{}},\
"Env":["PATH=/usr/bin","LANG=C.UTF-8"],"Entrypoint":["/usr/bin/sirocco"],"Cmd":["serve","--config","/etc/sirocco/sirocco.toml"],\
"WorkingDir":"/var/lib/sirocco","Labels":{$labels},"StopSignal":"SIGTERM"},\
"rootfs":{"type":"layers","diff_ids":[$(joined "${diffs[@]}")]},"history":[$(joined "${history[@]}")]}
JSON
    config=$(blob "$work/config.json" application/vnd.oci.image.config.v1+json)
    cat >"$work/manifest.json" <<JSON
{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":$config,"layers":[$(joined "${layers[@]}")],\
"annotations":{$labels}}
JSON
    manifest=$(blob "$work/manifest.json" application/vnd.oci.image.manifest.v1+json)
    annotations="\"io.containerd.image.name\":\"docker.io/library/sirocco:$tag\",\"org.opencontainers.image.ref.name\":\"$tag\""
    echo "{\"schemaVersion\":2,\"mediaType\":\"application/vnd.oci.image.index.v1+json\",\"manifests\":[${manifest%\}},\
\"platform\":{\"architecture\":\"$arch\",\"os\":\"linux\"},\"annotations\":{$annotations}}]}" >"$image/index.json"
    echo '{"imageLayoutVersion":"1.0.0"}' >"$image/oci-layout"
    echo "[{\"Config\":\"$(path_of "$config")\",\"RepoTags\":[\"sirocco:$tag\"],\
\"Layers\":[$(for each in "${layers[@]}"; do printf '"%s"\n' "$(path_of "$each")"; done | paste -sd ,)]}]" >"$image/manifest.json"
}

# Labels with a value.
members() { # KEY VALUE ...
    local all=()
    while [ $# -gt 0 ]; do
        if [ -n "$2" ]; then all+=("\"org.opencontainers.image.$1\":\"$2\""); fi
        shift 2
    done
    joined "${all[@]}"
}

path_of() { sed 's/.*"sha256:\([0-9a-f]*\)".*/blobs\/sha256\/\1/' <<<"$1"; } # DESCRIPTOR

joined() { local IFS=, && echo "$*"; }

write_archive() {
    local file
    file=$out/sirocco-$version-linux-$(uname -m).oci.tar
    find "$image" -exec touch -h -d "@$time" {} +
    pack --owner=0 --group=0 -C "$image" -cf "$file.next" oci-layout index.json manifest.json blobs
    mv "$file.next" "$file"
    echo "$file"
}

give_up() {
    echo "oci.sh: $*" >&2
    exit 1
}

main
