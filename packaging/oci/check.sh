#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Looks whether the container image in DIR is what docs/containers.md says. Saying nothing is passing.
#
#   check.sh [--times] DIR     --times prints how long the starts take
#
# The image runs in bubblewrap as a container does: as process 1, as a user without rights, with nothing that it may write,
# and, where this machine lets control groups be made, with 64 MiB of memory and half a processor.
set -uo pipefail
times=
if [ "$1" = --times ]; then times=yes && shift; fi
archive=$(echo "$1"/sirocco-*-linux-*.oci.tar)
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
place=$(mktemp -d)
root=$place/root
server=
groups=() # that this script has made
inside=() # those that the container is to run in
trap 'end' EXIT

main() {
    mkdir "$place/layout" "$root" "$place/site"
    tar -xf "$archive" -C "$place/layout" || return
    is_sound "$place/layout"
    unpack "$place/layout"
    is_known_to_others
    fill_site
    has bwrap || return
    says_its_version
    finds_its_jars
    makes_few_classes
    refuses_what_cannot_work
    serves "without limits"
    serves_compressed
    answers_scripts
    chooses_its_transport
    if make_groups; then
        inside=("${groups[@]}")
        serves "with 64 MiB and half a processor" "${limits[@]}"
        [[ $first == *" 1 loop)"* ]] || echo "with half a processor it says: $first"
        if [ -n "$times" ]; then
            echo "most memory of that: $(($(cat "${groups[0]}"/memory.{max_usage_in_bytes,peak} 2>/dev/null) >> 20)) MiB, with the cache of files"
        fi
    elif [ -n "$times" ]; then
        echo "no control groups can be made here, so it was not run with limits"
    fi
}

# --- the archive ---------------------------------------------------------------------------------------------------

# Each blob is what its name says, and what is named is there.
is_sound() { # LAYOUT
    local file digest
    for file in "$1"/blobs/sha256/*; do
        [ "$(sha256sum <"$file")" = "${file##*/}  -" ] || echo "the blob $file is not what its name says"
    done
    grep -oh 'sha256:[0-9a-f]*' "$1/index.json" "$1/$(manifest "$1")" | while IFS=: read -r _ digest; do
        [ -e "$1/blobs/sha256/$digest" ] || echo "there is no blob $digest"
    done
    [ "$(cat "$1/oci-layout")" = '{"imageLayoutVersion":"1.0.0"}' ] || echo "it is no OCI image layout"
}

manifest() { sed 's/.*"digest":"sha256:\([0-9a-f]*\)".*/blobs\/sha256\/\1/' "$1/index.json"; } # LAYOUT

# Layers lie one over the other, and none deletes files of another.
unpack() { # LAYOUT
    local digest
    grep -o '"layers":.*' "$1/$(manifest "$1")" | grep -o 'sha256:[0-9a-f]*' | while IFS=: read -r _ digest; do
        tar -xzf "$1/blobs/sha256/$digest" -C "$root" --no-same-owner
    done
}

is_known_to_others() {
    if has skopeo; then
        skopeo inspect "oci-archive:$archive" >/dev/null || echo "skopeo does not know the OCI archive"
        skopeo inspect "docker-archive:$archive" >/dev/null || echo "skopeo does not know the archive of Docker"
    fi
    if has umoci; then umoci list --layout "$place/layout" >/dev/null || echo "umoci does not know the layout"; fi
}

# --- running it ----------------------------------------------------------------------------------------------------

fill_site() {
    echo 'a page' >"$place/site/index.html"
    echo 'a name' >"$place/site/żółw.txt"
    printf 'body { margin: 0 }\n%.0s' {1..1000} >"$place/site/style.css"
    mkdir "$place/scripts"
    echo 'export default () => ({ body: "by a script" })' >"$place/scripts/hello.js"
    sed '/^\[\[site/,$d' "$root/etc/sirocco/sirocco.toml" >"$place/scripted.toml"
    printf '[[site]]\n[[site.route]]\npath = "/*"\n%s\n' 'script = "/srv"' >>"$place/scripted.toml"
    local file
    for file in "$root/etc/sirocco/sirocco.toml" "$place/scripted.toml"; do # ports that nobody else has
        sed -i 's/":8080"/"127.0.0.1:0"/; s/"127.0.0.1:9180"/"127.0.0.1:0"/' "$file"
    done
}

box() { # [OPTION OF BWRAP ...] -- ARGUMENTS
    local group options=()
    while [ "$1" != -- ]; do options+=("$1") && shift; done
    shift
    for group in ${inside[@]+"${inside[@]}"}; do echo "$BASHPID" >"$group/cgroup.procs" || return; done
    exec bwrap --ro-bind "$root" / --proc /proc --dev /dev --ro-bind "$place/site" /srv --unshare-user --unshare-pid --unshare-ipc \
        --unshare-uts --die-with-parent --uid 65532 --gid 65532 --as-pid-1 --clearenv --setenv PATH /usr/bin --setenv LANG C.UTF-8 \
        --chdir /var/lib/sirocco ${options[@]+"${options[@]}"} /usr/bin/sirocco "$@"
}

# Starts it, and reads its ports from its first line. FD 5 gets the id of process 1.
start() { # [OPTION OF BWRAP ...] -- ARGUMENTS
    local line said=''
    began=$EPOCHREALTIME
    mkfifo "$place/out"
    (box --info-fd 5 "$@") >"$place/out" 2>&1 5>"$place/info" &
    server=$!
    exec 4<"$place/out"
    rm "$place/out"
    port=
    while read -r -t 60 line <&4; do
        if [[ $line =~ on\ http://127\.0\.0\.1:([0-9]+).*admin:\ http://127\.0\.0\.1:([0-9]+) ]]; then
            port=${BASH_REMATCH[1]} admin=${BASH_REMATCH[2]} first=$line
            return
        fi
        said=$line
    done
    echo "it does not start with $*: $said"
    return 1
}

# Sends SIGTERM to process 1, and expects it to end with 0.
stop() { # WHAT
    kill "$(sed -n 's/.*"child-pid": \([0-9]*\).*/\1/p' "$place/info")"
    wait "$server" || echo "$1: it ends with $?"
    server=
    grep -F '[engine]' <&4 | sed "s/^/$1: /"
    exec 4<&-
}

says_its_version() {
    local said
    said=$(box -- --version 2>&1)
    [[ $said == "sirocco "*"AOT cache: in use"* ]] || echo "--version says: $said"
}

# The cache names the jars by where they are; otherwise each class that comes from it costs a search (make.sh).
finds_its_jars() {
    local said
    said=$(box --setenv SIROCCO_JAVA_OPTS -Xlog:exceptions -- --version 2>&1)
    [[ $said == *"sirocco "* && $said != *toFileURL* ]] || echo "the AOT cache names jars that are not there"
}

# No cache of JDK 25 holds the classes of `switch` over types, of the comparators that Comparator makes, of lambdas of
# interfaces with both default methods and a static initializer, and of proxies: the JVM makes each at every start, for a
# millisecond or more.
makes_few_classes() {
    local made
    mkdir "$place/log"
    start --bind "$place/log" /tmp --setenv SIROCCO_JAVA_OPTS -Xlog:class+load:file=/tmp/loaded -- \
        serve --config /etc/sirocco/sirocco.toml || return
    get "$port" / >/dev/null
    stop "while it logs what it loads"
    made=$(grep -v 'source: shared' "$place/log/loaded" | grep -oE '[a-zA-Z.$]*[$](Lambda|TypeSwitch|Proxy[0-9])' | grep -v '^jdk\.internal\.foreign')
    [ "$(wc -w <<<"$made")" -le 3 ] || echo "the JVM makes these classes at each start: ${made//$'\n'/ }"
}

refuses_what_cannot_work() {
    local url said
    for url in https://127.0.0.1/ http:// http://127.0.0.1:x/ 'http://[::1/' 'http://127.0.0.1/a b' http://127.0.0.1:9/; do
        said=$(box -- health "$url" 2>&1)
        [ $? = 1 ] && [[ $said == "sirocco: $url: "* ]] || echo "health $url says: $said"
    done
    echo 50331648 >"$place/memory.max"
    said=$(box --tmpfs /sys --dir /sys/fs/cgroup --ro-bind "$place/memory.max" /sys/fs/cgroup/memory.max -- --version 2>&1)
    [ $? = 2 ] && [[ $said == *"48 MiB"*"needs 64 MiB"* ]] || echo "with 48 MiB it says: $said"
}

serves() { # WHAT [OPTION OF BWRAP ...]
    local what=$1 said
    shift
    start "$@" -- serve --config /etc/sirocco/sirocco.toml || return
    said=$(get "$port" /)
    if [ -n "$times" ]; then echo "first response $what: $((($(micros "$EPOCHREALTIME") - $(micros "$began")) / 1000)) ms"; fi
    [[ $said == *"a page" ]] || echo "$what: to a request it says $said"
    said=$(get "$port" /%C5%BC%C3%B3%C5%82w.txt)
    [[ $said == *"a name" ]] || echo "$what: for a file whose name is not ASCII it says $said"
    for _ in {1..100}; do said=$(get "$admin" /metrics); done
    [[ $said == *'sirocco_ready 1'* ]] || echo "$what: for /metrics it says $said"
    (box "$@" -- health "http://127.0.0.1:$admin/ready") || echo "$what: health exits with $?"
    stop "$what"
    (box "$@" -- health "http://127.0.0.1:$admin/ready" 2>/dev/null) && echo "$what: health exits with 0 although it has ended"
}

serves_compressed() {
    local coding said=
    start -- serve --config /etc/sirocco/sirocco.toml || return
    for coding in br zstd gzip; do
        for _ in {1..100}; do # a file may be sent as it is while it is compressed
            said=$(get "$port" /style.css "Accept-Encoding: $coding" | head -n 20 | tr -d '\0')
            if grep -qai "^content-encoding: $coding" <<<"$said"; then continue 2; fi
        done
        echo "it does not compress by $coding: $said"
    done
    stop compressed
}

answers_scripts() {
    local said
    start --ro-bind "$place/scripts" /srv --ro-bind "$place/scripted.toml" /etc/sirocco/sirocco.toml -- \
        serve --config /etc/sirocco/sirocco.toml || return
    for _ in {1..20}; do # the first run of the engine may take longer than a script may
        said=$(get "$port" /hello)
        if [[ $said != *" 503 "* ]]; then break; fi
    done
    [[ $said == *"by a script" ]] || echo "a script says: $said"
    stop "with a script"
}

get() { # PORT PATH [FIELD]
    exec 3<>"/dev/tcp/127.0.0.1/$1" || return
    printf '%s\r\n' "GET $2 HTTP/1.1" 'Host: localhost' 'Connection: close' ${3+"$3"} '' >&3
    timeout 60 cat <&3
    exec 3>&-
}

# With the profile io_uring, where the kernel has it; without its three lines, as Docker's is, epoll.
chooses_its_transport() {
    local said compile=$here/seccomp_filter.py
    if ! /usr/bin/python3 -c 'import seccomp' 2>/dev/null || [[ $(box -- --version) != *"transport: io_uring"* ]]; then return; fi
    "$compile" "$here/../seccomp.json" >"$place/with" &&
        "$compile" "$here/../seccomp.json" --without io_uring_setup,io_uring_enter,io_uring_register >"$place/without" || return
    said=$(box --seccomp 6 -- --version 6<"$place/with")
    [[ $said == *"transport: io_uring"* ]] || echo "with seccomp.json it says: $said"
    said=$(box --seccomp 6 -- --version 6<"$place/without")
    [[ $said == *"transport: epoll"* ]] || echo "with Docker's profile it says: $said"
}

# --- limits --------------------------------------------------------------------------------------------------------

# Makes groups of 64 MiB and half a processor, enters them, and shows them to the container as its own; fails where it
# may not.
make_groups() {
    local group=sirocco-check-$$ top=/sys/fs/cgroup
    limits=(--tmpfs /sys --dir "$top")
    if [ -e $top/memory/memory.limit_in_bytes ]; then # version 1
        group_of $top/memory/$group memory.limit_in_bytes=67108864 && group_of $top/cpu/$group cpu.cfs_quota_us=50000 || return 1
        limits+=(--ro-bind "$top/memory/$group" "$top/memory" --ro-bind "$top/cpu/$group" "$top/cpu")
        for group in cpuset cpuacct; do # without all of them the JVM looks for no limits
            if [ -d $top/$group ]; then limits+=(--ro-bind "$top/$group" "$top/$group"); fi
        done
    else
        (echo '+memory +cpu' >$top/cgroup.subtree_control) 2>/dev/null
        group_of $top/$group memory.max=67108864 memory.swap.max=0 'cpu.max=50000 100000' || return 1
        limits+=(--ro-bind "$top/$group" "$top")
    fi
}

group_of() { # GROUP FILE=VALUE...
    local group=$1 each
    mkdir "$group" 2>/dev/null || return 1
    groups+=("$group")
    for each in "${@:2}"; do
        (echo "${each#*=}" >"$group/${each%%=*}") 2>/dev/null || [[ $each == memory.swap.max=* ]] || return 1
    done
}

end() {
    local group
    if [ -n "$server" ]; then kill "$server"; fi
    for group in ${groups[@]+"${groups[@]}"}; do rmdir "$group"; done
    rm -rf "$place"
}

micros() { echo "${1/[.,]/}"; }

has() { command -v "$1" >/dev/null; }

main
