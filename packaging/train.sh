#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes an AOT cache: starts a server that records what it loads and runs, lets it do what servers do, and stops it; on
# its way out the JVM writes the cache. What is not done here is not in the cache, and is slower the first time.
#
#   train.sh [--channels | --admin] CACHE JAR JAVA [OPTIONS]
#   train.sh [--channels | --admin] --method-handles JAR JAVA [OPTIONS]
#
# With --channels it is one for `sirocco live`, with profiles: with it `serve` would hold 9 MiB more than it needs. With
# --admin it is one for the container image, whose configuration has an admin server.
# With --method-handles it makes no cache, but prints which method handles the server needed, in the form of the JDK's list
# of classes (lib/classlist): a cache holds the classes of those that this list names.
# The options must be those that the cache is used with. It needs nothing but bash, and what is in every system.
set -euo pipefail

channels=
admin=
case $1 in
    --channels) channels=yes && shift ;;
    --admin) admin=yes && shift ;;
esac
cache=$1
jar=$2
shift 2
folder=$(mktemp -d)
config=$folder/sirocco.toml
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$folder"' EXIT

main() {
    fill_folder
    local options=(-XX:+UnlockDiagnosticVMOptions -XX:AOTCacheOutput="$cache" -Xlog:disable -Xlog:all=error)
    if [ -z "$channels" ]; then options+=(-XX:-AOTRecordTraining); fi
    if [ "$cache" = --method-handles ]; then options=(-Djava.lang.invoke.MethodHandle.TRACE_RESOLVE=true); fi
    # Without the profiles of JEP 515: with them the compiler has so much to do at once that on two cores the first
    # answer comes 25 ms later. But the first thousand clients of channels cost a quarter less.
    exec 4< <(exec "$@" "${options[@]}" -jar "$jar" serve --port 0 --config "$config")
    server=$!
    find_port
    if [ -n "$admin$channels" ]; then visit_admin; fi
    visit_welcome
    reload_with_site
    visit_site
    if [ -n "$channels" ]; then visit_channels; fi
    kill "$server"
    cat <&4 >>"$folder/said" # ends when the cache is written
    server=
    if [ "$cache" = --method-handles ]; then
        list_method_handles
    else
        cat "$folder/said" >&2
        [ -s "$cache" ] || give_up "the JVM wrote no cache"
    fi
}

list_method_handles() {
    sed -nE 's/^(\[LF_RESOLVE] [^ ]+ [^ ]+ [^ ]+) .*/@lambda-form-invoker \1/p
        s/^(\[SPECIES_RESOLVE] [^ ]+).*/@lambda-form-invoker \1/p' "$folder/said" | sort -u
}

# --- the work that the server is trained with: add to it what a server should do quickly from its first second ------

fill_folder() {
    # Comments and values of each kind, as files have them: a class that no cache holds makes the JVM open every jar.
    cat >"$config" <<'END'
# A comment.

[server]
loops = 0   # a comment behind a number
reload = true
drain-timeout = "30s"
END
    if [ -n "$admin$channels" ]; then printf '[admin]\naddress = "127.0.0.1:0"\n' >>"$config"; fi
    echo training >"$folder/password"
    mkdir "$folder/site"
    echo '<!doctype html><title>training</title>' >"$folder/site/index.html"
    printf 'body { margin: 0 }\n%.0s' {1..1000} >"$folder/site/style.css"
}

visit_admin() {
    local port=$admin_port
    request GET /health
    request GET /ready
    request GET /metrics
    request GET /
}

visit_welcome() {
    request GET /
    request GET /hello/you
    request GET /stats
    request GET /bytes/1000
    request POST /echo 'Content-Length: 0'
}

reload_with_site() {
    local i
    if [ -n "$channels" ]; then
        printf '[live]\non = true\nconnects = 0\npassword-file = "%s/password"\nhistory = [{ rooms = "*" }]\n' "$folder" >>"$config"
    fi
    printf "[[site]]\nroot = '%s/site'\nindex = [\n  'index.html', # a comment in a list\n]\n" "$folder" >>"$config"
    printf 'headers = { "X-Training" = "yes" }\n' >>"$config"
    kill -HUP "$server"
    for i in {1..200}; do
        request GET /index.html
        if [[ $status == *' 200 '* ]]; then return; fi
        sleep 0.05
    done
    give_up "the server does not take up another configuration: $status"
}

visit_site() {
    local i
    request GET /
    request GET /index.html 'If-Modified-Since: Thu, 01 Jan 2037 00:00:00 GMT' 'Accept-Encoding: gzip, br'
    request GET /index.html 'Range: bytes=0-9'
    request HEAD /style.css
    request GET /nothing
    request POST / 'Content-Length: 0'
    for i in {1..10}; do pipelined 20 /style.css; done
}

# Clients of the channels, as many as the profiles need. What is sent over a WebSocket is masked by zeros, which changes
# nothing.
visit_channels() {
    local i
    request POST /ticket 'Content-Length: 0'
    request GET '/socket.io/?EIO=4&transport=polling'
    for i in {1..400}; do visit_channel; done
}

visit_channel() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%s\r\n' 'POST /ticket HTTP/1.1' 'Host: localhost' 'Content-Type: application/json' 'Content-Length: 23' '' >&3
    printf '{"password":"training"}' >&3
    heard '"}'
    exec 3>&-
    local ticket=${heard##*'"ticket":"'}
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%s\r\n' 'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1' 'Host: localhost' 'Upgrade: websocket' \
        'Connection: Upgrade' 'Sec-WebSocket-Version: 13' 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==' '' >&3
    heard '0{'
    frame "40{\"ticket\":\"${ticket%'"}'}\"}"
    heard '40{'
    frame '420["join","a"]'
    heard '430[]'
    frame '421["echo",1,"two",[3]]'
    heard '431[1,"two",[3]]'
    frame '422["publish","a","b",{"c":1}]'
    heard '432[]'
    frame '423["history","a"]'
    heard '433['
    frame '41'
    exec 3>&-
}

# --- how -----------------------------------------------------------------------------------------------------------

find_port() {
    local line said=
    while read -r -t 60 line <&4; do
        if [[ $line =~ http://127\.0\.0\.1:([0-9]+)(.*admin: http://127\.0\.0\.1:([0-9]+))? ]]; then
            port=${BASH_REMATCH[1]}
            admin_port=${BASH_REMATCH[3]}
            return
        fi
        said=$line
        echo "$line" >>"$folder/said"
    done
    give_up "the server does not start: $said"
}

request() { # METHOD PATH [FIELD ...]
    local field
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '%s %s HTTP/1.1\r\nHost: localhost\r\n' "$1" "$2" >&3
    for field in "${@:3}"; do printf '%s\r\n' "$field" >&3; done
    printf 'Connection: close\r\n\r\n' >&3
    answered
}

frame() { # TEXT
    local length
    if [ ${#1} -lt 126 ]; then
        printf -v length '\\x%02x' $((128 + ${#1}))
    else
        printf -v length '\\xfe\\x00\\x%02x' ${#1}
    fi
    printf '\x81%b\0\0\0\0%s' "$length" "$1" >&3
}

heard() { # TEXT
    local piece
    heard=
    while read -r -t 10 -n 1 -d '' piece <&3; do
        heard+=$piece
        if [[ $heard == *"$1" ]]; then return; fi
    done
    give_up "the channels do not answer with '$1', but with '$heard'"
}

pipelined() { # COUNT PATH
    local i
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    for ((i = 1; i < $1; i++)); do printf 'GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n' "$2" >&3; done
    printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" >&3
    answered
}

answered() {
    status=
    read -r -t 10 status <&3
    [[ $status == HTTP/1.1\ * ]] || give_up "no answer, but '$status'"
    cat <&3 >/dev/null
    exec 3>&-
}

give_up() {
    echo "train.sh: $*" >&2
    exit 1
}

main "$@"
