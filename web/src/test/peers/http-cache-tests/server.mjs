// SPDX-License-Identifier: Apache-2.0
//
// server.mjs PORT: the origin of http-cache-tests.

process.env.npm_config_protocol = 'http'
process.env.npm_config_port = process.argv[2]
process.env.npm_config_pidfile = 'server.pid'
await import('http-cache-tests/server/server.mjs')
