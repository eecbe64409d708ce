# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
#
# What the outside suites of this folder have in common: programs that may be missing, a certificate, a server to
# examine, and a file with what is expected. To be sourced, at the top of the checkout. $place is a folder to work in,
# which goes away at the end.

place=$(mktemp -d)
server=
trap leave EXIT

leave() {
    if [ -n "$server" ]; then kill "$server" && wait "$server"; fi 2>/dev/null
    rm -rf "$place"
}

# 1 is for what was found, 2 for a suite that could not run, 77 for one that is left out.
fail() { echo "$*" >&2 && exit 2; }

# Without what it needs a suite is left out. In CI that is a failure.
left_out() {
    if [ "${CI:-}" = true ]; then fail "$*"; fi
    echo "left out: $*" && exit 77
}

needs() {
    local each
    for each in "$@"; do
        command -v "$each" >/dev/null || left_out "$each is missing; .ci/packages says where it comes from"
    done
}

# A Python of its own with what .ci/python names, made once; the suites may ask for it at the same time.
bring_python() {
    python=target/python
    mkdir -p target && exec 8>target/python.lock
    if command -v flock >/dev/null; then flock 8; fi
    if ! cmp -s .ci/python $python/.made; then
        rm -rf $python
        make_python >"$place/python.log" 2>&1 ||
            left_out "no Python with what .ci/python names: $(tail -n 3 "$place/python.log")"
        cp .ci/python $python/.made
    fi
    exec 8>&-
}

# Debian's Python comes without the part that venv needs; virtualenv is a package of its own.
make_python() {
    { python3 -m venv "$python" || virtualenv -q "$python"; } &&
        "$python/bin/pip" install -q --disable-pip-version-check -r .ci/python
}

# An authority, and a certificate of it for localhost with all that a certificate of today has. Nobody asks at the
# addresses for revocation.
make_certificate() {
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
        -subj "/O=Sirocco/CN=An authority for tests" -keyout "$place/ca.key" -out "$place/ca.pem" &&
        openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes \
            -subj "/CN=localhost" -keyout "$place/server.key" -out "$place/server.csr" &&
        openssl x509 -req -in "$place/server.csr" -CA "$place/ca.pem" -CAkey "$place/ca.key" -days 90 \
            -set_serial "0x5a$(openssl rand -hex 11)" -out "$place/server.pem" -extfile <(cat <<'END'
basicConstraints = critical, CA:FALSE
subjectAltName = DNS:localhost, IP:127.0.0.1
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
subjectKeyIdentifier = hash
authorityKeyIdentifier = keyid
crlDistributionPoints = URI:http://localhost/ca.crl
authorityInfoAccess = OCSP;URI:http://localhost/ocsp
END
        )
} >"$place/openssl.log" 2>&1 || fail "openssl makes no certificate: $(cat "$place/openssl.log")"

# Serves $place/sirocco.toml, and sets http and https to its first address of each kind.
serve() {
    ./sirocco version >/dev/null || fail "it does not build" # so that what comes now is quick
    : >"$place/said"
    ./sirocco serve --config "$place/sirocco.toml" >"$place/said" 2>"$place/server.log" &
    server=$!
    local tries=0
    until grep -q '^Sirocco serves' "$place/said"; do
        kill -0 "$server" 2>/dev/null || fail "the server ended: $(cat "$place/server.log")"
        [ $((tries += 1)) -le 600 ] || fail "the server says nothing for a minute: $(cat "$place/server.log")"
        sleep 0.1
    done
    http=$(grep -oE 'http://[^, ]+' "$place/said" | head -n 1)
    https=$(grep -oE 'https://[^, ]+' "$place/said" | head -n 1)
    export http https
}

# The lines of a file without its comments and without the empty ones.
meant() { grep -vE '^(#|$)' "$1" || true; }

# Compares a file with what is expected, or, after --accept, makes it what is expected; the comments stay.
compare() {
    local expected=$1 found=$2 choice=${3:-}
    if [ "$choice" = --accept ]; then
        { sed '/^[^#]/,$d' "$expected" && cat "$found"; } >"$place/accepted" && cat "$place/accepted" >"$expected"
        return
    fi
    diff -U 1 --label "$expected" --label "now" <(meant "$expected") "$found" || {
        echo "If that is as it should be: ${0#"$PWD"/} --accept"
        return 1
    }
}
