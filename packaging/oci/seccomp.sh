#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Makes packaging/seccomp.json: Docker's default profile, in the version below, and the three system calls of io_uring.
# The profile is that of the Go module github.com/moby/profiles/seccomp (Apache-2.0, copyright of the Moby authors), so
# this needs go, once for each new version, and python3.
set -euo pipefail
version=v0.3.0
out=$(dirname "$(readlink -f "$0")")/../seccomp.json
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cd "$work"
go mod init profile 2>/dev/null
profile=$(go mod download -json "github.com/moby/profiles/seccomp@$version" | sed -n 's/^\t"Dir": "\(.*\)",*$/\1/p')/default.json
python3 - "$profile" >"$work/seccomp.json" <<'END_OF_PYTHON'
import json, sys
profile = json.load(open(sys.argv[1]))
profile["syscalls"].append({
    "names": ["io_uring_enter", "io_uring_register", "io_uring_setup"],
    "action": "SCMP_ACT_ALLOW",
    "comment": "all that differs from Docker's default profile",
})
print(json.dumps(profile, indent=1))
END_OF_PYTHON
mv "$work/seccomp.json" "$out"
