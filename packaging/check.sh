#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Looks whether the packages in DIR are what docs/packaging.md says. Saying nothing is passing.
#
#   check.sh DIR
#
set -uo pipefail
packages=$(cd "$1" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir "$place/tar" "$place/deb" "$place/control" "$place/empty folder"
cd "$place/empty folder" || exit 1

main() {
    tar -xzf "$packages"/sirocco-*-linux-*.tar.gz -C "$place/tar" || return
    mv "$place"/tar/sirocco-* "$place/tar/a name with blanks" # it need not keep its name
    runs_alone "$place/tar/a name with blanks/bin/sirocco"
    serves_scripts "$place/tar/a name with blanks/bin/sirocco"
    does_without_its_cache "$place/tar/a name with blanks"
    has_no_module_too_many "$place/tar/a name with blanks/runtime/bin/java"
    if ! has dpkg-deb; then return; fi
    dpkg-deb -x "$packages"/sirocco_*.deb "$place/deb" || return
    dpkg-deb -e "$packages"/sirocco_*.deb "$place/control" || return
    has_the_files_of_a_deb
    runs_alone "$place/deb/usr/bin/sirocco"
    has_a_sound_unit "$place/deb/usr/lib/systemd/system/sirocco.service"
    has_a_sound_unit "$place/deb/usr/lib/systemd/system/sirocco-home.service"
}

# With no PATH, no JAVA_HOME and no home, and with a JVM that ends when it cannot take its cache.
runs_alone() { # COMMAND
    local line said server
    said=$(env -i PATH= SIROCCO_JAVA_OPTS=-XX:AOTMode=on "$1" --version 2>&1)
    [[ $said == "sirocco "*"AOT cache: in use"* ]] || echo "$1 --version says: $said"
    exec 3< <(exec env -i PATH= SIROCCO_JAVA_OPTS=-XX:AOTMode=on "$1" serve --port 0 2>&1)
    server=$!
    read -r -t 60 line <&3
    said=$(curl -sS --max-time 10 "$(grep -o 'http://[^ ]*' <<<"$line")/hello/you" 2>&1)
    [ "$said" = "Hello, you" ] || echo "$1 serve says '$line', and to a request '$said'"
    kill "$server"
    wait "$server" || echo "$1 serve ends with $?"
    exec 3<&-
}

# The engine is in lib/script, and nothing of it or of lib/home is opened before it is needed.
serves_scripts() { # COMMAND
    local line said server place_of_site=$place/scripted
    mkdir -p "$place_of_site/scripts"
    echo 'export default () => ({ body: "by a script" })' >"$place_of_site/scripts/hello.js"
    printf '[[site]]\n[[site.route]]\npath = "/*"\n%s\n' 'script = "scripts"' >"$place_of_site/sirocco.toml"
    exec 3< <(exec env -i PATH= "$1" serve --port 0 --config "$place_of_site/sirocco.toml" 2>&1)
    server=$!
    read -r -t 60 line <&3
    said=$(curl -sS --max-time 60 "$(grep -o 'http://[^ ]*' <<<"$line")/hello" 2>&1)
    [ "$said" = "by a script" ] || echo "$1 serve with a script says '$line', and to a request '$said'"
    kill "$server"
    wait "$server" || echo "$1 serve with a script ends with $?"
    exec 3<&-
    exec 3< <(exec env -i PATH= "$1" serve --port 0 2>&1)
    server=$!
    read -r -t 60 line <&3
    if find "/proc/$server/fd" -lname '*/lib/script/*' -o -lname '*/lib/home/*' 2>/dev/null | grep -q .; then
        echo "$1 serve opens libraries of scripts or of 'home' without need"
    fi
    kill "$server"
    wait "$server"
    exec 3<&-
}

does_without_its_cache() { # HOME
    local cache=$1/lib/sirocco.aot said
    mv "$cache" "$cache.kept"
    head -c 100000 "$cache.kept" >"$cache"
    said=$("$1/bin/sirocco" --version 2>/dev/null)
    [[ $said == *"AOT cache: rejected by this JVM"* ]] || echo "with half a cache it says: $said"
    mv "$cache.kept" "$cache"
}

has_no_module_too_many() { # JAVA
    "$1" --list-modules | grep -E '^(java\.(desktop|sql|rmi)|jdk\.(compiler|jdi|jlink|jshell))@'
}

has_the_files_of_a_deb() {
    local file
    for file in etc/sirocco/sirocco.toml usr/bin/sirocco usr/lib/sirocco/bin/sirocco usr/lib/sirocco/lib/sirocco.jar \
        usr/lib/sirocco/runtime/bin/java usr/lib/systemd/system/sirocco.service usr/lib/systemd/system/sirocco-home.service usr/share/doc/sirocco/copyright \
        usr/share/man/man1/sirocco.1.gz; do
        [ -s "$place/deb/$file" ] || echo "the .deb has no $file"
    done
    for file in postinst prerm postrm; do
        sh -n "$place/control/$file" && [ -x "$place/control/$file" ] || echo "the .deb has no sound $file"
    done
    [ "$(cat "$place/control/conffiles")" = /etc/sirocco/sirocco.toml ] || echo "the configuration is no conffile"
    (cd "$place/deb" && md5sum --quiet -c "$place/control/md5sums")
    find "$place/deb" -perm /022 ! -type l
}

# An exposure of 2.0 is the most that is let pass; systemd calls 1.7 to 2.9 OK.
has_a_sound_unit() { # UNIT
    local unit=$place/${1##*/}
    if ! has systemd-analyze; then return; fi
    sed "s:/usr/bin/sirocco:$place/deb/usr/bin/sirocco:; /^Documentation=/d" "$1" >"$unit"
    systemd-analyze verify "$unit"
    systemd-analyze security --offline=yes --threshold=20 "$unit" >"$place/exposure" || tail -n 1 "$place/exposure"
}

has() { command -v "$1" >/dev/null; }

main
