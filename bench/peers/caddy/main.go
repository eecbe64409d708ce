// SPDX-License-Identifier: Apache-2.0

// Caddy as a peer, with those of its modules that a reverse proxy needs: server run --config FILE
package main

import (
	caddycmd "github.com/caddyserver/caddy/v2/cmd"

	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/headers"
	_ "github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
)

func main() {
	caddycmd.Main()
}
