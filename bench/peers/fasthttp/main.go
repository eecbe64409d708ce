// SPDX-License-Identifier: Apache-2.0

// fasthttp as a peer: server PORT FILES
package main

import (
	"log"
	"os"
	"strings"

	"github.com/valyala/fasthttp"
)

func text(ctx *fasthttp.RequestCtx, body string) {
	ctx.SetContentType("text/plain")
	ctx.SetBodyString(body)
}

func main() {
	port, folder := os.Args[1], os.Args[2]
	files := (&fasthttp.FS{Root: folder, PathRewrite: fasthttp.NewPathSlashesStripper(1)}).NewRequestHandler()
	handler := func(ctx *fasthttp.RequestCtx) {
		switch path := string(ctx.Path()); {
		case path == "/plaintext", path == "/virtual":
			text(ctx, "Hello, World!")
		case path == "/echo":
			text(ctx, "Hello from the echo")
		case path == "/three":
			text(ctx, "abc")
		case strings.HasPrefix(path, "/files/"):
			files(ctx)
		default:
			ctx.NotFound()
		}
	}
	server := &fasthttp.Server{Name: "fasthttp", Handler: handler}
	log.Fatal(server.ListenAndServe("127.0.0.1:" + port))
}
