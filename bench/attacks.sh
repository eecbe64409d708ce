#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Prints how long other requests take while scripts misbehave: 500 a second to a script and 500 to a file, first alone, then
# beside one client for each of an endless loop, a script that takes all memory, a deep recursion and one that throws.
# A client asks again as soon as it has the response, so an attack goes on for the whole time.
#
#   bench/attacks.sh [SECONDS [ROUNDS]]
set -euo pipefail

seconds=${1:-10}
rounds=${2:-3}
port=18091
attacks=(loop memory recursion throws)

cd "$(dirname "$(readlink -f "$0")")/.."
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -r "$work"' EXIT

mkdir "$work/public" "$work/scripts"
echo 'A file.' >"$work/public/file.txt"
cat >"$work/sirocco.toml" <<'END'
[[site]]
root = "public"

[[site.route]]
path = "/*"
script = "scripts"
END
cat >"$work/scripts/greeting.js" <<'END'
const greetings = { es: "Hola", fr: "Bonjour", en: "Hello" };
export function generateResponse(request) {
    const language = request.languages.find((each) => each in greetings) ?? "en";
    return { body: { greeting: greetings[language], language, path: request.path } };
}
END
attack() { echo "export function generateResponse() { $2 }" >"$work/scripts/$1.js"; }
attack loop 'for (;;);'
attack memory 'const all = []; for (;;) all.push(new Array(1000).fill(1));'
attack recursion '(function f() { f(); })();'
attack throws 'throw new Error("thrown");'

url=http://127.0.0.1:$port
./sirocco version >/dev/null # builds
(cd "$work" && exec "$OLDPWD/sirocco" serve --port $port >"$work/log" 2>&1) &
until curl -sf "$url/greeting" >"$work/curl"; do sleep 0.1; done

load() { # NAME OPTIONS
    ./sirocco bench http -c 16 -H 'Accept-Language: es, fr;q=0.8' "${@:2}" "$url/$1" >"$work/$1.load" || true
    grep -E '^(latency|statuses|failures)' "$work/$1.load" | sed "s|^|  ${1#/}  |"
}

# 500 requests a second to the script, and as many to the file.
measure() {
    load greeting -d "${seconds}s" --rate=500 &
    local other=$!
    load file.txt -d "${seconds}s" --rate=500
    wait $other
}

# Asks one script again and again; prints how often each status came, and the longest time.
repeat() { # NAME
    local end=$((SECONDS + seconds + 3))
    while [ $SECONDS -lt $end ]; do
        curl -s -o /dev/null -w '%{http_code} %{time_total}\n' "$url/$1" || true
    done | awk -v name="$1" '{ n[$1]++; if ($2 > most) most = $2 } END {
        printf "  %-10s", name; for (status in n) printf " %d x %s,", n[status], status; printf " at most %.2f s\n", most }'
}

load greeting -d 10s >/dev/null
for name in "${attacks[@]}"; do seconds=2 repeat "$name" >/dev/null; done
for ((round = 1; round <= rounds; round++)); do
    echo "round $round, without attacks"
    measure
    echo "round $round, with attacks"
    clients=()
    for name in "${attacks[@]}"; do
        repeat "$name" >"$work/$name.attack" &
        clients+=($!)
    done
    measure
    wait "${clients[@]}"
    for name in "${attacks[@]}"; do cat "$work/$name.attack"; done
done
