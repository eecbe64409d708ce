# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What the peers' scripts share. Each sets `here` to its folder and sources this.

: "${here:?is the folder of the peer}"

# Debian keeps some servers where only root looks.
PATH=$PATH:/usr/local/sbin:/usr/sbin:/sbin

# needs PROGRAM PACKAGE ...: says which packages are missing and ends the script, or does nothing when there are none.
needs() {
    local missing=()
    while [ $# -gt 0 ]; do
        command -v "$1" >/dev/null || missing+=("$2")
        shift 2
    done
    [ ${#missing[@]} = 0 ] && return
    echo "needs ${missing[*]}"
    exit
}

# needs_version PACKAGE LEAST FOUND: says so when the version that was found is older.
needs_version() {
    # `sort -C` is content when the lines are in order.
    printf '%s\n' "$2" "$3" | sort -VC || echo "needs $1 $2 or newer, and this is $3"
}

# stale MADE SOURCE ...: whether MADE is absent or older than one of its sources.
stale() {
    local made=$1 source
    shift
    for source in "$@"; do
        [ "$made" -nt "$source" ] || return 0
    done
    return 1
}

# attempt COMMAND ...: on failure the last line is the reason, as far as the log of a compiler lets one see it.
attempt() {
    local log
    if log=$("$@" 2>&1); then
        printf '%s' "${log:+$log
}"
        return
    fi
    printf '%s\n%s: %s\n' "$log" "$1" "$(grep -m 1 -i error <<<"$log" || tail -n 1 <<<"$log")"
    exit 1
}

# A server holds thousands of connections, and the usual limit is 1,024 files.
many_files() { ulimit -n "$(ulimit -Hn)"; }

# What a proxy forwards to; a race without proxies sets none, and nobody listens there.
export UPSTREAM=${UPSTREAM:-127.0.0.1:9}

# Where a path leads from anywhere: servers and compilers change their folder.
absolute() { readlink -f -- "$1"; }

unknown() {
    echo "usage: peer language | works | absent | build DIR | version DIR | notes DIR | run DIR PORT FILES" >&2
    exit 2
}

# Go: go.mod says which Go it takes, and neither fetches another.
export GOTOOLCHAIN=local

go_absent() {
    needs go golang-go
    needs_version golang-go "$(awk '$1 == "go" { print $2 }' "$here/go.mod")" "$(go env GOVERSION | sed 's/^go//')"
}

go_build() {
    mkdir -p "$1"
    stale "$1/server" "$here"/*.go "$here"/go.* || return 0
    # go.sum holds what the modules must be; nothing may change it here.
    export CGO_ENABLED=0
    attempt go build -C "$here" -mod=readonly -trimpath -o "$(absolute "$1")/server" .
}

# The Go that made the server, which need not be the one of today.
go_version() { go version "$1/server" | sed 's/.*: //'; }

# go_run DIR PORT FILES
go_run() {
    many_files
    export GOMAXPROCS=1
    exec "$1/server" "$2" "$3"
}

# npm_build DIR SOURCE ...: the packages of package-lock.json, beside the sources. Scripts of packages do not run: native
# add-ons come compiled.
npm_build() {
    local dir=$1 source
    shift
    mkdir -p "$dir"
    for source in "$@"; do cp "$here/$source" "$dir"; done
    stale "$dir/.built" "$here/package.json" "$here/package-lock.json" || return 0
    cp "$here/package.json" "$here/package-lock.json" "$dir"
    (cd "$dir" && attempt npm ci --ignore-scripts --no-audit --no-fund)
    touch "$dir/.built"
}

# npm_version DIR PACKAGE
npm_version() { node -p 'require(process.argv[1]).version' "$(absolute "$1")/node_modules/$2/package.json"; }
