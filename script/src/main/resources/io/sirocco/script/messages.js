// SPDX-License-Identifier: Apache-2.0
//
// The messages that scripts see: requests, responses and their bodies. Evaluated once in each context, before runtime.js. `functions`
// has the functions of the class Host; `web` is what web.js returns. Flat headers are a string of lines: name, value, name, value.
(functions, web) => {
    "use strict";
    const host = {}; // whose members are called sooner than those of an object of Java
    for (const name of Object.keys(functions)) host[name] = functions[name];
    const { Headers, URL, URLSearchParams, describe } = web;
    const NONE = 0, TEXT = 1, BYTES = 2, JSON_TEXT = 3, STREAM = 4; // kinds of bodies

    // ---- requests

    const lines = (state) => (state.lines ??= state.head.split("\n")); // method, path, query, version, host, scheme, address, id, headers
    const split = (list) => list === "" ? [] : list.split(",");
    const bytesOf = (buffer) => new Uint8Array(buffer instanceof ArrayBuffer ? buffer : new ArrayBuffer(buffer));

    /** Its facts are in the object that dispatch creates: one private field costs less than seven. */
    class Request {
        #state;

        constructor(state) { this.#state = state; }

        static is(value) { return #state in value; }

        static changed(request) {
            const { upstream, path, sentPath, headers } = request.#state;
            return upstream !== undefined || path !== sentPath || headers !== null && Headers.changed(headers);
        }

        static target(request) {
            const { path, sentPath } = request.#state;
            const query = lines(request.#state)[2];
            return query === "" || path !== sentPath && path.includes("?") ? path : path + "?" + query;
        }

        get method() { return lines(this.#state)[0]; }

        get path() { return this.#state.path; }

        set path(path) { this.#state.path = String(path); }

        get upstream() { return this.#state.upstream; }

        set upstream(upstream) { this.#state.upstream = upstream; }

        get version() { return lines(this.#state)[3]; }

        get host() { return lines(this.#state)[4]; }

        get scheme() { return lines(this.#state)[5]; }

        get remoteAddress() { return lines(this.#state)[6]; }

        get id() { return lines(this.#state)[7]; }

        get query() { return (this.#state.query ??= new URLSearchParams(lines(this.#state)[2])); }

        get headers() { return (this.#state.headers ??= Headers.parse(lines(this.#state), 8)); }

        get state() { return (this.#state.shared ??= {}); }

        get url() { return new URL(this.scheme + "://" + (this.host || "localhost") + Request.target(this)); }

        get languages() {
            const { job, headers } = this.#state;
            const known = headers === null ? host.languages(job, null) : null; // the headers are not parsed for it
            return split(known ?? host.languages(job, this.headers.get("accept-language") ?? ""));
        }

        get cookies() {
            const cookies = Object.create(null);
            for (const pair of (this.headers.getAll("cookie").join("; ")).split(";")) {
                const at = pair.indexOf("=");
                const name = pair.slice(0, at).trim();
                if (at > 0 && !(name in cookies)) cookies[name] = pair.slice(at + 1).trim().replace(/^"(.*)"$/, "$1");
            }
            return cookies;
        }

        #read(kind) {
            return new Promise((resolve, reject) =>
                host.body(this.#state.job, kind, resolve, (message, status) => {
                    const error = Object.assign(new Error(message), { status });
                    this.#state.bodyError = error;
                    reject(error);
                }));
        }

        text() { return this.#read(0); }

        async bytes() { return bytesOf(await this.#read(1)); }

        async json() {
            const body = await this.text();
            try {
                return JSON.parse(body);
            } catch (error) {
                const known = error instanceof RangeError ? error : new SyntaxError("The body is not JSON.", { cause: error });
                throw Object.assign(known, { status: 400 });
            }
        }

        async *stream() {
            for (;;) {
                const part = bytesOf(await this.#read(2));
                if (part.length === 0) return;
                yield part;
            }
        }
    }

    class Response {
        constructor(body, init = {}) {
            this.status = init.status ?? 200;
            this.headers = new Headers(init.headers);
            this.body = body;
        }

        static json(value, init) {
            const response = new Response(JSON.stringify(value), init);
            if (!response.headers.has("content-type")) response.headers.set("Content-Type", "application/json");
            return response;
        }

        static redirect(location, status = 302) { return new Response(undefined, { status, headers: { Location: location } }); }
    }

    /** The response of a handler, as inspectResponse sees it. */
    class Inspected {
        #job;
        #body;
        #replaced = false;
        #read; // a promise of the bytes and their text, once they are read

        constructor(job, status, flat) {
            this.#job = job;
            this.status = status;
            this.headers = Headers.parse(flat === "" ? [] : flat.split("\n"), 0);
        }

        static replaced(response) { return response.#replaced; }

        get body() { return this.#body; }

        set body(body) {
            this.#replaced = true;
            this.#body = body;
        }

        #bytes() {
            return this.#read ??= new Promise((resolve, reject) => host.responseBody(this.#job,
                (buffer, text) => resolve({ bytes: bytesOf(buffer), text }), (message) => reject(new Error(message))));
        }

        async bytes() { return (await this.#bytes()).bytes.slice(); }

        async text() { return (await this.#bytes()).text; }

        async json() { return JSON.parse(await this.text()); }
    }

    class Fetched {
        #bytes;

        constructor(status, flat, buffer) {
            this.status = status;
            this.ok = status >= 200 && status < 300;
            this.headers = Headers.parse(flat === "" ? [] : flat.split("\n"), 0);
            this.#bytes = bytesOf(buffer);
        }

        async bytes() { return this.#bytes; }

        async text() { return new TextDecoder().decode(this.#bytes); }

        async json() { return JSON.parse(await this.text()); }
    }

    // ---- bodies

    const isThenable = (value) => typeof value === "object" && value !== null && typeof value.then === "function";
    const isBytes = (value) => value instanceof ArrayBuffer || ArrayBuffer.isView(value);
    const isStream = (value) =>
        typeof value === "object" && value !== null && !Array.isArray(value)
        && (typeof value[Symbol.asyncIterator] === "function" || typeof value.next === "function");

    /** Calls then(kind, a, offset, length, type) with a body that is at hand. */
    function encode(body, then) {
        if (body == null) return then(NONE, null, 0, 0, "");
        if (typeof body === "string") return then(TEXT, body, 0, 0, "text/plain; charset=utf-8");
        if (body instanceof ArrayBuffer) return then(BYTES, body, 0, body.byteLength, "application/octet-stream");
        if (ArrayBuffer.isView(body)) return then(BYTES, body.buffer, body.byteOffset, body.byteLength, "application/octet-stream");
        if (typeof body === "function" || isStream(body)) return then(STREAM, null, 0, 0, "application/octet-stream");
        return then(JSON_TEXT, json(body), 0, 0, "application/json");
    }

    function json(body) {
        const text = JSON.stringify(body);
        if (text === undefined) throw new TypeError("A body cannot be " + describe(body) + ".");
        return text;
    }

    function iteratorOf(body) {
        if (typeof body?.[Symbol.asyncIterator] === "function") return body[Symbol.asyncIterator]();
        if (isStream(body)) return body;
        const parts = body == null ? [] : typeof body === "string" || isBytes(body) ? [body] : [JSON.stringify(body)];
        return parts[Symbol.iterator]();
    }

    return { host, Request, Response, Inspected, Fetched, NONE, JSON_TEXT, STREAM, TEXT, bytesOf, isThenable, isBytes, isStream, encode, json, iteratorOf };
}
