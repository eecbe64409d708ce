#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Brings the official client of Socket.IO to the page: what npm installs by the lock file is one file already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
npm ci --ignore-scripts --no-audit --no-fund --silent
sed '/^\/\/# sourceMappingURL=/d' node_modules/socket.io-client/dist/socket.io.esm.min.js >page/socket.io.js
