#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reloads Sirocco, nginx and HAProxy once a second, one after the other, under WebSockets with traffic and 500 requests a
# second, and prints what each has lost and how its memory has grown. nginx and HAProxy are those of Debian.
#
#   bench/reload.sh [SECONDS [WEBSOCKETS [PROXY,...]]]
set -euo pipefail

seconds=${1:-60}
sockets=${2:-9000} # each takes two files of HAProxy, which often may have 20,000
proxies=${3:-sirocco,nginx,haproxy}

cd "$(dirname "$(readlink -f "$0")")/.."
exec ./sirocco test --all -Dtest=ReloadUnderTunnelsTest \
    -Dio.sirocco.reload.seconds="$seconds" -Dio.sirocco.reload.sockets="$sockets" -Dio.sirocco.reload.proxies="$proxies"
