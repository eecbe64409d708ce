// SPDX-License-Identifier: Apache-2.0

// net/http as a peer: server PORT FILES
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"time"
)

func text(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, body)
	}
}

// file serves from a folder. http.ServeFile would do the same, but the time of the file that it passes on becomes a
// Last-Modified.
func file(folder http.Dir) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		opened, err := folder.Open(name)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer opened.Close()
		http.ServeContent(w, r, name, time.Time{}, opened)
	}
}

func main() {
	port, folder := os.Args[1], os.Args[2]
	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", text("Hello, World!"))
	mux.HandleFunc("GET /virtual", text("Hello, World!"))
	mux.HandleFunc("GET /echo", text("Hello from the echo"))
	mux.HandleFunc("GET /three", text("abc"))
	mux.HandleFunc("GET /files/{name}", file(http.Dir(folder)))
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, mux))
}
