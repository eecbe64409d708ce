#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes the packages from a finished build; ./sirocco package calls it.
#
#   make.sh [--oci] JDK PROGRAM OUT     PROGRAM holds sirocco.jar and all that it needs
#
# In OUT it leaves sirocco-VERSION-linux-ARCH.tar.gz, which runs where it is unpacked, and, where dpkg-deb is,
# sirocco_VERSION_ARCH.deb; with --oci a container image instead (oci/oci.sh). The files in all are the same, and none
# but the AOT cache differs from one making to the next: times are SOURCE_DATE_EPOCH or that of the last commit.
set -euo pipefail
umask 022

oci=
if [ "$1" = --oci ]; then oci=yes && shift; fi
jdk=$1
program=$2
out=$3
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
top=$(dirname "$here")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Modules that the code needs and jdeps cannot see: the log, signals, and XML for a library that insists on it.
also=java.logging,java.xml,jdk.unsupported

# Modules that libraries would use if they were there, and that nothing here asks for.
without='^(java\.desktop|java\.sql|java\.sql\.rowset)$'

main() {
    version=$(unzip -p "$program/sirocco.jar" META-INF/MANIFEST.MF | sed -n 's/^Implementation-Version: \([^[:space:]]*\).*/\1/p')
    time=${SOURCE_DATE_EPOCH:-$(git -C "$top" log -1 --format=%ct 2>/dev/null || date +%s)}
    arch=$(uname -m)
    name=sirocco-$version-linux-$arch
    mkdir -p "$out"
    out=$(cd "$out" && pwd)

    lay_out "$work/$name"
    set_times "$work/$name"
    make_cache "$work/$name"
    set_times "$work/$name"
    if [ -n "$oci" ]; then
        move_cache "$work/$name/lib/sirocco.aot" "$work/$name" /usr/lib/sirocco
        "$here/oci/oci.sh" "$work/$name" "$version" "$time" "$out"
        return
    fi
    make_archive
    if command -v dpkg-deb >/dev/null; then
        make_deb
    else
        echo "there is no .deb, since dpkg-deb is missing here (Debian package dpkg)" >&2
    fi
}

# --- what is in both ---------------------------------------------------------------------------------------

lay_out() { # DIR
    mkdir -p "$1/bin" "$1/lib" "$1/etc" "$1/share/man/man1" "$1/share/systemd"
    make_runtime "$1/runtime"
    cp "$program"/*.jar "$here/java.args" "$1/lib"
    cp -r "$program/script" "$program/home" "$1/lib"
    install -m 755 "$here/sirocco.sh" "$1/bin/sirocco"
    cp "$top/LICENSE" "$top/README.md" "$1"
    cp "$top/app/src/main/resources/io/sirocco/app/sirocco.toml" "$1/etc"
    sed "s/@VERSION@/$version/; s/@DATE@/$(date -u -d "@$time" +%F)/" "$here/sirocco.1" >"$1/share/man/man1/sirocco.1"
    cp "$here/sirocco.service" "$here/sirocco-home.service" "$1/share/systemd"
}

# A JVM with the modules that are needed and no others. It is not compressed: the packages are.
make_runtime() { # DIR
    local found each jars=()
    for each in "$program"/*.jar "$program"/{script,home}/*.jar; do
        case $each in
            */luaj-jse-*) ;; # no module can have classes without a package
            */jtoml-*) ;;    # nor can two have the same package; java.base is all that they need
            *) jars+=("$each") ;;
        esac
    done
    found=$("$jdk/bin/jdeps" --module-path "$(IFS=: && echo "${jars[*]}")" --multi-release 25 --ignore-missing-deps --print-module-deps \
        "${jars[@]}" 2>/dev/null | tail -n 1) || found=
    [[ $found == *java.base* ]] || { echo "jdeps does not say which modules are needed: $found" >&2 && exit 1; }
    found=$(tr , '\n' <<<"$found" | grep -vE "$without" | paste -sd ,)
    "$jdk/bin/jlink" --add-modules "$found,$also" --no-header-files --no-man-pages --output "$1" >"$work/jlink.log" ||
        { cat "$work/jlink.log" >&2 && exit 1; }
    # Each start reads this file, most of which are comments. The licence asks for the note.
    sed -i -e "1i # The build of Sirocco removed the comments on $(date -u -d "@$time" +%F), and nothing else." -e '/^#/d' \
        "$1/conf/security/java.security"
}

# A cache holds the classes of those method handles that the list of the runtime names. While it is made, these are also those
# that a server needs, or each start would make some 40 classes anew.
make_cache() { # DIR
    local list=$1/runtime/lib/classlist
    cp "$list" "$work/classlist"
    train --method-handles >>"$list"
    train "$1/lib/sirocco.aot"
    cp "$work/classlist" "$list"
}

train() { # CACHE or --method-handles
    "$here/train.sh" ${oci:+--admin} "$1" "$work/$name/lib/sirocco.jar" "$work/$name/runtime/bin/java" "@$work/$name/lib/java.args" \
        -XX:+UseSerialGC 2>"$work/train.log" || { cat "$work/train.log" >&2 && exit 1; }
}

# A cache holds the absolute paths of its jars. If they do not exist, the JVM searches for the jar at each class that it loads
# from the cache: a tenth of a start. The new path has the length of the old one, since slashes may be repeated.
move_cache() { # CACHE FROM TO     from jars in FROM/lib to those in TO/lib
    local from=$2/lib/ to=$3 slashes
    printf -v slashes '%*s' $((${#2} - ${#3})) ''
    to+=${slashes// //}/lib/
    if [ ${#to} != ${#from} ]; then
        echo "the AOT cache keeps the paths of $2, which is shorter than $3: starts take a tenth longer" >&2
        return
    fi
    LC_ALL=C sed -i "s:${from//./\\.}:$to:g" "$1"
}

set_times() { find "$1" -exec touch -h -d "@$time" {} +; } # DIR

# --- tar.gz ------------------------------------------------------------------------------------------------

make_archive() {
    tar --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -C "$work" -c "$name" |
        gzip -n -6 >"$out/$name.tar.gz.next"
    mv "$out/$name.tar.gz.next" "$out/$name.tar.gz"
    echo "$out/$name.tar.gz"
}

# --- deb ---------------------------------------------------------------------------------------------------

make_deb() {
    local root=$work/deb file debian_version debian_arch
    debian_arch=$(dpkg --print-architecture)
    debian_version=${version/-SNAPSHOT/\~snapshot} # 0.1.0~snapshot comes before 0.1.0
    file=$out/sirocco_${debian_version}_$debian_arch.deb

    mkdir -p "$root"/{DEBIAN,etc/sirocco,usr/bin,usr/lib/sirocco,usr/lib/systemd/system,usr/share/man/man1} \
        "$root/usr/share/doc/sirocco"
    cp -rp "$work/$name"/{bin,lib,runtime} "$root/usr/lib/sirocco"
    move_cache "$root/usr/lib/sirocco/lib/sirocco.aot" "$work/$name" /usr/lib/sirocco
    ln -s ../lib/sirocco/bin/sirocco "$root/usr/bin/sirocco"
    cp "$work/$name/etc/sirocco.toml" "$root/etc/sirocco"
    cp "$here/sirocco.service" "$here/sirocco-home.service" "$root/usr/lib/systemd/system"
    gzip -n -9 -c "$work/$name/share/man/man1/sirocco.1" >"$root/usr/share/man/man1/sirocco.1.gz"
    gzip -n -9 -c "$top/CHANGELOG.md" >"$root/usr/share/doc/sirocco/changelog.gz"
    cp "$here/debian/copyright" "$top/README.md" "$root/usr/share/doc/sirocco"

    cp "$here/debian/conffiles" "$root/DEBIAN"
    install -m 755 "$here"/debian/{postinst,prerm,postrm} "$root/DEBIAN"
    (cd "$root" && find usr etc -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    sed "s/@VERSION@/$debian_version/; s/@ARCH@/$debian_arch/; s/@SIZE@/$(du -sk --apparent-size "$root/usr" | cut -f 1)/" \
        "$here/debian/control" >"$root/DEBIAN/control"
    set_times "$root"
    SOURCE_DATE_EPOCH=$time dpkg-deb --root-owner-group -Zxz -z1 --build "$root" "$file.next" >/dev/null
    mv "$file.next" "$file"
    echo "$file"
}

main
