// SPDX-License-Identifier: Apache-2.0
//
// The part of the runtime that is JavaScript: the objects that scripts see, and the search for the script that takes a
// request. Evaluated once in each context. `host` has the functions of the class Host; what is returned is called by the
// class ScriptContext. Flat headers are a string of lines: name, value, name, value.
(host) => {
    "use strict";
    const endpoints = []; // by their number: { key, file, object, ready, parent, filter }
    const jobs = new Map(); // requests in progress by their number; dispatch says what of them
    const NONE = 0, TEXT = 1, BYTES = 2, JSON_TEXT = 3, STREAM = 4, SAME = 5; // kinds of bodies
    const INSPECTS = 1, COMPLETES = 2; // what scripts want to know of a response

    // ---- values

    class Headers {
        #list = []; // name, value, name, value
        #changed = false;

        constructor(init) {
            if (init == null) return;
            if (init instanceof Headers) {
                this.#list = [...init.#list];
            } else if (Array.isArray(init)) {
                for (const each of init) {
                    if (Array.isArray(each)) this.#add(each[0], each[1]);
                    else for (const name of Object.keys(each)) this.#add(name, each[name]);
                }
            } else if (typeof init === "object") {
                for (const name of Object.keys(init)) this.#add(name, init[name]);
            } else {
                throw new TypeError("Headers are an object, an array of pairs, or Headers, not " + describe(init) + ".");
            }
        }

        static parse(lines, from) {
            const headers = new Headers();
            headers.#list = lines.slice(from);
            return headers;
        }

        static changed(headers) { return headers.#changed; }

        static flat(headers) { return headers.#list.join("\n"); }

        static has(headers, name) { return headers.#find(name, 0) >= 0; }

        #find(name, from) {
            const wanted = String(name).toLowerCase();
            const list = this.#list;
            for (let i = from; i < list.length; i += 2) {
                if (list[i].length === wanted.length && list[i].toLowerCase() === wanted) return i;
            }
            return -1;
        }

        #add(name, value) {
            if (Array.isArray(value)) {
                for (const each of value) this.#add(name, each);
            } else if (value != null) {
                this.#list.push(String(name), text(name, value));
            }
        }

        get(name) {
            let at = this.#find(name, 0);
            if (at < 0) return null;
            let value = this.#list[at + 1];
            while ((at = this.#find(name, at + 2)) >= 0) value += ", " + this.#list[at + 1];
            return value;
        }

        getAll(name) {
            const all = [];
            for (let at = -2; (at = this.#find(name, at + 2)) >= 0;) all.push(this.#list[at + 1]);
            return all;
        }

        getSetCookie() { return this.getAll("set-cookie"); }

        has(name) { return this.#find(name, 0) >= 0; }

        set(name, value) {
            this.delete(name);
            this.#add(name, value);
        }

        append(name, value) {
            this.#changed = true;
            this.#add(name, value);
        }

        delete(name) {
            this.#changed = true;
            for (let at; (at = this.#find(name, 0)) >= 0;) this.#list.splice(at, 2);
        }

        forEach(action, self) {
            for (const [name, value] of this) action.call(self, value, name, this);
        }

        *entries() {
            for (let i = 0; i < this.#list.length; i += 2) yield [this.#list[i].toLowerCase(), this.#list[i + 1]];
        }

        *keys() { for (const [name] of this) yield name; }

        *values() { for (const [, value] of this) yield value; }

        [Symbol.iterator]() { return this.entries(); }

        toJSON() { return Object.fromEntries(this); }
    }

    function text(name, value) {
        let string;
        if (value instanceof Date) string = value.toUTCString();
        else if (typeof value === "string" && value[0] === "@" && /^expires$/i.test(name) && /^@-?\d+$/.test(value)) {
            string = new Date(Date.now() + 1000 * Number(value.slice(1))).toUTCString();
        } else string = String(value);
        if (/[\r\n\0]/.test(string)) throw new TypeError("The value of the header " + name + " contains a control character.");
        return string;
    }

    function describe(value) {
        if (value === null) return "null";
        if (typeof value === "function") return "a function";
        if (typeof value === "object") return "an object of " + (value.constructor?.name ?? "no class");
        return "the " + typeof value + " " + String(value).slice(0, 80);
    }

    const percentDecoded = (string) => {
        try {
            return decodeURIComponent(string);
        } catch {
            return string.replace(/%[0-9a-f]{2}/gi, (each) => String.fromCharCode(parseInt(each.slice(1), 16)));
        }
    };
    const formDecoded = (string) => percentDecoded(string.replaceAll("+", " "));
    const formEncoded = (string) =>
        encodeURIComponent(string).replace(/%20/g, "+").replace(/[!'()~]/g, (c) => "%" + c.charCodeAt(0).toString(16).toUpperCase());

    class URLSearchParams {
        #list = [];
        #changed;

        constructor(init = "", changed) {
            this.#changed = changed ?? (() => {});
            if (typeof init === "string") {
                for (const pair of init.replace(/^\?/, "").split("&")) {
                    if (pair === "") continue;
                    const at = pair.indexOf("=");
                    this.#list.push(at < 0 ? [formDecoded(pair), ""] : [formDecoded(pair.slice(0, at)), formDecoded(pair.slice(at + 1))]);
                }
            } else if (typeof init?.[Symbol.iterator] === "function") {
                for (const [name, value] of init) this.#list.push([String(name), String(value)]);
            } else {
                for (const name of Object.keys(init)) this.#list.push([name, String(init[name])]);
            }
        }

        get size() { return this.#list.length; }

        get(name) { return this.#list.find((pair) => pair[0] === name)?.[1] ?? null; }

        getAll(name) { return this.#list.filter((pair) => pair[0] === name).map((pair) => pair[1]); }

        has(name) { return this.#list.some((pair) => pair[0] === name); }

        append(name, value) {
            this.#list.push([String(name), String(value)]);
            this.#changed(this.toString());
        }

        set(name, value) {
            const at = this.#list.findIndex((pair) => pair[0] === name);
            if (at < 0) return this.append(name, value);
            this.#list = this.#list.filter((pair, i) => pair[0] !== name || i === at);
            this.#list[at][1] = String(value);
            this.#changed(this.toString());
        }

        delete(name) {
            this.#list = this.#list.filter((pair) => pair[0] !== name);
            this.#changed(this.toString());
        }

        sort() {
            this.#list.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
            this.#changed(this.toString());
        }

        forEach(action, self) {
            for (const [name, value] of this) action.call(self, value, name, this);
        }

        *entries() { for (const [name, value] of this.#list) yield [name, value]; }

        *keys() { for (const [name] of this.#list) yield name; }

        *values() { for (const [, value] of this.#list) yield value; }

        [Symbol.iterator]() { return this.entries(); }

        toString() { return this.#list.map(([name, value]) => formEncoded(name) + "=" + formEncoded(value)).join("&"); }
    }

    const PORTS = { "http:": "80", "https:": "443", "ws:": "80", "wss:": "443" };
    const ABSOLUTE = /^([a-z][a-z0-9+.-]*:)\/\/(?:([^:@\/?#]*)(?::([^@\/?#]*))?@)?(\[[0-9a-f:.]+\]|[^:\/?#]*)(?::(\d*))?([^?#]*)(\?[^#]*)?(#.*)?$/i;
    const encoded = (string, more) => string.replace(more, (c) => encodeURIComponent(c).replace(/^.$/, (d) => "%" + d.charCodeAt(0).toString(16).toUpperCase()));

    /** Hierarchical URLs (RFC 3986), as browsers read those of http. */
    class URL {
        #params;

        constructor(url, base) {
            const string = String(url).trim();
            let match = ABSOLUTE.exec(string);
            if (!match) {
                if (base === undefined || /^[a-z][a-z0-9+.-]*:/i.test(string)) throw new TypeError("Invalid URL: " + string);
                const from = base instanceof URL ? base : new URL(base);
                match = ABSOLUTE.exec(from.#join(string));
                if (!match) throw new TypeError("Invalid URL: " + string);
            }
            this.protocol = match[1].toLowerCase();
            this.username = match[2] ?? "";
            this.password = match[3] ?? "";
            this.hostname = match[4].toLowerCase();
            if (this.hostname === "" || /[\s<>^|%\\]/.test(this.hostname) || Number(match[5] ?? 0) > 65535) throw new TypeError("Invalid URL: " + string);
            this.port = !match[5] || match[5] === PORTS[this.protocol] ? "" : String(Number(match[5]));
            this.pathname = URL.#normal(match[6]);
            this.search = match[7] ?? "";
            this.hash = match[8] ?? "";
            if (this.search === "?") this.search = "";
            this.search = encoded(this.search, /[\s"<>'\u007f-\uffff]+/g);
        }

        static canParse(url, base) {
            try {
                new URL(url, base);
                return true;
            } catch {
                return false;
            }
        }

        static #normal(path) {
            const out = [];
            const segments = path.replaceAll("\\", "/").split("/").slice(1);
            segments.forEach((segment, i) => {
                const dots = segment.replace(/%2e/gi, ".");
                if (dots === "..") out.pop();
                else if (dots !== ".") return out.push(encoded(segment, /[\s"<>`{}\u007f-\uffff]+/g));
                if (i === segments.length - 1) out.push("");
            });
            return "/" + out.join("/");
        }

        #join(reference) {
            const origin = this.protocol + "//" + this.#user() + this.host;
            if (reference.startsWith("//")) return this.protocol + reference;
            if (reference.startsWith("/")) return origin + reference;
            if (reference.startsWith("?")) return origin + this.pathname + reference;
            if (reference.startsWith("#") || reference === "") return origin + this.pathname + this.search + reference;
            return origin + this.pathname.replace(/[^\/]*$/, "") + reference;
        }

        get host() { return this.hostname + (this.port === "" ? "" : ":" + this.port); }

        get origin() { return this.protocol + "//" + this.host; }

        get searchParams() {
            return (this.#params ??= new URLSearchParams(this.search, (search) => { this.search = search === "" ? "" : "?" + search; }));
        }

        #user() { return this.username === "" ? "" : this.username + (this.password === "" ? "" : ":" + this.password) + "@"; }

        get href() {
            return this.protocol + "//" + this.#user() + this.host + this.pathname + this.search + this.hash;
        }

        toString() { return this.href; }

        toJSON() { return this.href; }
    }

    // ---- requests

    const bytesOf = (buffer) => new Uint8Array(buffer instanceof ArrayBuffer ? buffer : new ArrayBuffer(buffer));

    class Request {
        #job;
        #lines; // method, path, query, version, host, scheme, remote address, id, then headers
        #headers;
        #query;
        #state;
        #path;
        upstream = undefined;

        constructor(job, lines) {
            this.#job = job;
            this.#lines = lines;
            this.#path = lines[1];
        }

        static changed(request) {
            return request.upstream !== undefined || request.#path !== request.#lines[1]
                || request.#headers !== undefined && Headers.changed(request.#headers);
        }

        static job(request) { return request.#job; }

        static target(request) {
            if (request.#path !== request.#lines[1]) {
                return request.#path.includes("?") || request.#lines[2] === "" ? request.#path : request.#path + "?" + request.#lines[2];
            }
            return request.#lines[2] === "" ? request.#path : request.#path + "?" + request.#lines[2];
        }

        get method() { return this.#lines[0]; }

        get path() { return this.#path; }

        set path(path) { this.#path = String(path); }

        get version() { return this.#lines[3]; }

        get host() { return this.#lines[4]; }

        get scheme() { return this.#lines[5]; }

        get remoteAddress() { return this.#lines[6]; }

        get id() { return this.#lines[7]; }

        get query() { return (this.#query ??= new URLSearchParams(this.#lines[2])); }

        get headers() { return (this.#headers ??= Headers.parse(this.#lines, 8)); }

        get state() { return (this.#state ??= {}); }

        get url() { return new URL(this.scheme + "://" + (this.host || "localhost") + Request.target(this)); }

        get languages() {
            const header = this.headers.get("accept-language");
            const known = header === null ? "" : host.languages(header);
            return known === "" ? [] : known.split(",");
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
                host.body(this.#job, kind, resolve, (message, status) => {
                    const error = Object.assign(new Error(message), { status });
                    const state = jobs.get(this.#job);
                    if (state) state.bodyError = error;
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
                throw Object.assign(new SyntaxError("The body is not JSON."), { status: 400, cause: error });
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
        #body;
        #replaced = false;

        constructor(status, flat) {
            this.status = status;
            this.headers = Headers.parse(flat === "" ? [] : flat.split("\n"), 0);
        }

        static replaced(response) { return response.#replaced; }

        get body() { return this.#body; }

        set body(body) {
            this.#replaced = true;
            this.#body = body;
        }
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
        const json = JSON.stringify(body);
        if (json === undefined) throw new TypeError("A body cannot be " + describe(body) + ".");
        return then(JSON_TEXT, json, 0, 0, "application/json");
    }

    function iteratorOf(body) {
        if (typeof body?.[Symbol.asyncIterator] === "function") return body[Symbol.asyncIterator]();
        if (isStream(body)) return body;
        const parts = body == null ? [] : typeof body === "string" || isBytes(body) ? [body] : [JSON.stringify(body)];
        return parts[Symbol.iterator]();
    }

    // ---- the search for the script that takes a request

    function dispatch(job, first, head) {
        const state = { job, request: new Request(job, head.split("\n")), took: [], at: null, streams: false, iterator: null, produce: null, bodyError: null };
        jobs.set(job, state);
        advance(state, endpoints[first]);
    }

    function advance(state, first) {
        for (let at = first; at !== undefined; at = at.parent) {
            if (!at.ready) return end(state, () => host.unavailable(state.job, at.file));
            if (at.filter) {
                state.took.push(at);
                continue;
            }
            state.at = at;
            const result = call(at, state.request);
            if (isThenable(result)) {
                const here = at;
                result.then(
                    (value) => guarded(state, here, () => settle(state, here, value) || advance(state, here.parent)),
                    (error) => fail(state, here, error));
                return;
            }
            if (settle(state, at, result)) return;
        }
        pass(state);
    }

    /** An exception has left the context: nothing above catches it, so that its stack is that of the script. */
    function thrown(job, error) {
        const state = jobs.get(job);
        if (state === undefined) return false;
        if (state.streams) failPart(state, error);
        else fail(state, state.at, error);
        return true;
    }

    function guarded(state, at, action) {
        try {
            action();
        } catch (error) {
            fail(state, at, error);
        }
    }

    function call(at, request) {
        const object = at.object;
        if (typeof object.inspectRequest !== "function") return object.generateResponse(request);
        const result = object.inspectRequest(request);
        return isThenable(result) ? result.then((value) => generate(at, request, value)) : generate(at, request, result);
    }

    function generate(at, request, result) {
        if (result !== true && result !== at.object) return result;
        if (typeof at.object.generateResponse !== "function") {
            throw new TypeError("inspectRequest took the request, but there is no generateResponse to answer it.");
        }
        return at.object.generateResponse(request);
    }

    /** Acts on the result of a script; returns false if the search goes on. */
    function settle(state, at, result) {
        if (result == null) return false;
        if (result instanceof Request) {
            take(state, at);
            if (Request.changed(result)) forward(state, String(result.upstream ?? ""), Request.target(result), result);
            else pass(state);
        } else if (typeof result === "string" || result instanceof URL) {
            take(state, at);
            const url = new URL(result);
            const known = url.port === "" && url.protocol === "http:";
            forward(state, known ? url.hostname : url.origin, url.pathname + url.search, state.request);
        } else {
            respond(state, at, result);
        }
        return true;
    }

    function take(state, at) {
        state.took.push(at);
        for (let up = at.parent; up !== undefined; up = up.parent) if (up.filter && up.ready) state.took.push(up);
    }

    const wants = (took) =>
        (took.some((at) => typeof at.object.inspectResponse === "function") ? INSPECTS : 0)
        | (took.some((at) => typeof at.object.responseCompleted === "function") ? COMPLETES : 0);

    function pass(state) {
        const flags = wants(state.took);
        host.pass(state.job, flags);
        if (flags === 0) jobs.delete(state.job);
    }

    function forward(state, upstream, target, request) {
        const flags = wants(state.took);
        host.forward(state.job, flags, upstream, target, Headers.flat(request.headers));
        if (flags === 0) jobs.delete(state.job);
    }

    function checked(response) {
        if (typeof response !== "object" || !("status" in response || "headers" in response || "body" in response)) {
            throw new TypeError("A script returns null, the request, a string, a URL or a response { status, headers, body }, not " + describe(response) + ".");
        }
        const status = response.status ?? 200;
        if (!Number.isInteger(status) || status < 200 || status > 599) throw new TypeError("The status of a response is 200 to 599, not " + String(status) + ".");
        return status;
    }

    function respond(state, at, response) {
        const status = checked(response);
        const headers = response.headers;
        const flat = headers == null ? "" : Headers.flat(headers instanceof Headers ? headers : new Headers(headers));
        const body = response.body;
        const flags = typeof at.object.responseCompleted === "function" ? COMPLETES : 0;
        state.took = [at];
        if (typeof body === "function" || isStream(body)) {
            if (typeof body === "function") state.produce = () => body.call(response, state.request);
            else state.iterator = iteratorOf(body);
            return host.stream(state.job, flags, status, flat, state.produce !== null);
        }
        if (typeof body === "string") host.respond(state.job, flags, status, flat, TEXT, body);
        else encode(body, (kind, content, offset, length) => host.respond(state.job, flags, status, flat, kind, content, offset, length));
        if (flags === 0) jobs.delete(state.job);
    }

    function end(state, action) {
        jobs.delete(state.job);
        action();
    }

    function fail(state, at, error) {
        const body = error === state.bodyError && error !== null;
        end(state, () => host.fail(state.job, at.file, ...report(error), statusOf(error), body));
    }

    const statusOf = (error) =>
        typeof error === "object" && error !== null && Number.isInteger(error.status) && error.status >= 400 && error.status < 500 ? error.status : 0;

    function report(error) {
        if (error instanceof Error) return [String(error.name) + ": " + String(error.message), String(error.stack)];
        return [describe(error) + " was thrown", ""];
    }

    // ---- what follows a result

    /** Produces the next part of a streamed body. */
    function next(job) {
        const state = jobs.get(job);
        if (state === undefined) return host.part(job, true, NONE, null, 0, 0);
        state.streams = true;
        if (state.iterator === null) {
            const body = state.produce();
            if (isThenable(body)) {
                const begin = (known) => { state.iterator = iteratorOf(known); next(job); };
                body.then(begin).catch((error) => failPart(state, error));
                return;
            }
            state.iterator = iteratorOf(body);
        }
        const result = state.iterator.next();
        if (isThenable(result)) result.then((known) => part(state, known), (error) => failPart(state, error));
        else part(state, result);
    }

    function part(state, { done, value }) {
        try {
            if (done) return host.part(state.job, true, NONE, null, 0, 0);
            if (typeof value !== "string" && !isBytes(value)) throw new TypeError("A part of a body is a string or bytes, not " + describe(value) + ".");
            encode(value, (kind, content, offset, length) => host.part(state.job, false, kind, content, offset, length));
        } catch (error) {
            failPart(state, error);
        }
    }

    function failPart(state, error) { host.failPart(state.job, state.took[0].file, ...report(error)); }

    /** Ends a request: its stream is complete, or nobody reads it. */
    function close(job) {
        const state = jobs.get(job);
        if (state === undefined) return;
        if (typeof state.iterator?.return === "function") ignore(() => state.iterator.return());
        state.iterator = null;
        state.produce = null;
        if ((wants(state.took) & COMPLETES) === 0) jobs.delete(job);
    }

    function ignore(action) {
        try {
            const result = action();
            if (isThenable(result)) result.then(undefined, (error) => log(3, [error]));
        } catch (error) {
            log(3, [error]);
        }
    }

    function inspect(job, status, flat) {
        const state = jobs.get(job);
        inspectNext(state, 0, new Inspected(status, flat));
    }

    function inspectNext(state, from, response) {
        for (let i = from; i < state.took.length; i++) {
            const at = state.took[i];
            if (typeof at.object.inspectResponse !== "function") continue;
            state.at = at;
            const result = at.object.inspectResponse(state.request, response);
            if (isThenable(result)) {
                result.then(
                    (known) => guarded(state, at, () => inspectNext(state, i + 1, replacement(response, known))),
                    (error) => fail(state, at, error));
                return;
            }
            response = replacement(response, result);
        }
        inspected(state, response);
    }

    function replacement(response, result) {
        if (result == null || result === response) return response;
        const other = new Inspected(checked(result), Headers.flat(result.headers instanceof Headers ? result.headers : new Headers(result.headers)));
        other.body = result.body;
        return other;
    }

    function inspected(state, response) {
        const status = checked(response);
        const flat = Headers.flat(response.headers);
        if (!Inspected.replaced(response)) {
            host.inspected(state.job, status, flat, SAME, null, 0, 0, "");
        } else {
            encode(response.body, (kind, content, offset, length, type) => {
                if (kind === STREAM) throw new TypeError("inspectResponse cannot stream a body.");
                host.inspected(state.job, status, flat, kind, content, offset, length, type);
            });
        }
        if ((wants(state.took) & COMPLETES) === 0) jobs.delete(state.job);
    }

    function completed(job, status, complete, bytes, millis) {
        const state = jobs.get(job);
        if (state === undefined) return;
        jobs.delete(job);
        for (const at of state.took) {
            if (typeof at.object.responseCompleted === "function") {
                ignore(() => at.object.responseCompleted(state.request, { status, complete, bytes, millis }));
            }
        }
    }

    const forget = (job) => { jobs.delete(job); };

    // ---- loading

    const MEMBERS = ["inspectRequest", "generateResponse", "inspectResponse", "responseCompleted"];

    /** Loads the script of an endpoint; host.loaded or host.notLoaded follows. */
    function load(id, parent, key, file, specifier, config) {
        const endpoint = { key, file, object: null, ready: false, parent: parent < 0 ? undefined : endpoints[parent], filter: false };
        for (const each of endpoints) if (each !== undefined && each.parent === endpoints[id] && endpoints[id] !== undefined) each.parent = endpoint;
        endpoints[id] = endpoint;
        const failed = (error) => host.notLoaded(id, ...report(error));
        import(specifier).then((module) => {
            let object = module;
            if (typeof module.default === "function") object = { ...module, generateResponse: module.default };
            else if (typeof module.default === "object" && module.default !== null) object = module.default;
            const members = MEMBERS.filter((name) => typeof object[name] === "function");
            if (members.length === 0) throw new TypeError("It exports none of " + MEMBERS.join(", ") + ".");
            endpoint.object = object;
            endpoint.filter = typeof object.inspectRequest !== "function" && typeof object.generateResponse !== "function";
            const context = { path: key, config: JSON.parse(config), log: globalThis.log };
            const result = typeof object.setup === "function" ? object.setup(context) : undefined;
            return isThenable(result) ? result : null;
        }).then(() => {
            endpoint.ready = true;
            host.loaded(id);
        }).catch(failed);
    }

    function teardown() {
        const results = endpoints.filter((at) => at?.ready && typeof at.object.teardown === "function").map(async (at) => {
            try {
                await at.object.teardown();
            } catch (error) {
                log(3, [error]);
            }
        });
        Promise.all(results).then(() => host.tornDown());
    }

    // ---- what scripts can use

    function log(level, values) {
        host.log(level, values.map((value) => {
            if (typeof value === "string") return value;
            if (value instanceof Error) return value.stack + (value.cause === undefined ? "" : "\nCaused by: " + (value.cause?.stack ?? value.cause));
            try {
                return JSON.stringify(value) ?? String(value);
            } catch {
                return String(value);
            }
        }).join(" "));
    }

    const logger = Object.freeze({
        debug: (...values) => log(0, values),
        info: (...values) => log(1, values),
        log: (...values) => log(1, values),
        warn: (...values) => log(2, values),
        error: (...values) => log(3, values),
    });

    function fetch(upstream, path, options = {}) {
        return new Promise((resolve, reject) => {
            const headers = new Headers(options.headers);
            encode(options.body, (kind, content, offset, length, type) => {
                if (kind === STREAM) throw new TypeError("fetch cannot send a stream.");
                if (kind !== NONE && !headers.has("content-type")) headers.set("Content-Type", type);
                host.fetch(String(upstream), String(path), String(options.method ?? (kind === NONE ? "GET" : "POST")), Headers.flat(headers),
                    kind, content, offset, length, Number(options.timeout ?? 0),
                    (status, flat, buffer) => resolve(new Fetched(status, flat, buffer)),
                    (message) => reject(new Error(message)));
            });
        });
    }

    const seconds = (options) => {
        const ttl = Number(options?.ttl ?? 0);
        if (!(ttl >= 0)) throw new TypeError("A ttl is a number of seconds.");
        return ttl;
    };
    const kv = Object.freeze({
        get(key) {
            const json = host.kvGet(String(key));
            return json === null ? undefined : JSON.parse(json);
        },
        set(key, value, options) {
            const json = JSON.stringify(value);
            if (json === undefined) throw new TypeError("kv stores JSON, not " + describe(value) + ".");
            host.kvSet(String(key), json, seconds(options));
        },
        delete: (key) => host.kvDelete(String(key)),
        increment: (key, by = 1, options = undefined) => host.kvIncrement(String(key), Number(by), seconds(options)),
    });

    const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

    function btoa(value) {
        const string = String(value);
        const out = [];
        for (let i = 0; i < string.length; i += 3) {
            const [a, b, c] = [string.charCodeAt(i), string.charCodeAt(i + 1), string.charCodeAt(i + 2)];
            if (a > 255 || b > 255 || c > 255) throw new RangeError("btoa encodes characters up to U+00FF.");
            out.push(BASE64[a >> 2], BASE64[((a & 3) << 4) | (b >> 4)],
                i + 1 < string.length ? BASE64[((b & 15) << 2) | (c >> 6)] : "=",
                i + 2 < string.length ? BASE64[c & 63] : "=");
        }
        return out.join("");
    }

    function atob(value) {
        let string = String(value).replace(/[\t\n\f\r ]/g, "");
        if (string.length % 4 === 0) string = string.replace(/==?$/, "");
        if (string.length % 4 === 1 || /[^A-Za-z0-9+\/]/.test(string)) throw new SyntaxError("The text is not base64.");
        const out = [];
        let bits = 0;
        let count = 0;
        for (const c of string) {
            bits = ((bits << 6) | BASE64.indexOf(c)) & 0xffffff;
            count += 6;
            if (count >= 8) out.push(String.fromCharCode((bits >> (count -= 8)) & 255));
        }
        return out.join("");
    }

    function getRandomValues(array) {
        if (!ArrayBuffer.isView(array) || array.byteLength > 65536) throw new TypeError("getRandomValues takes a typed array of at most 65536 bytes.");
        new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(bytesOf(host.random(array.byteLength)));
        return array;
    }

    const timer = (repeats) => (action, delay = 0, ...values) => {
        if (typeof action !== "function") throw new TypeError("A timer calls a function, not " + describe(action) + ".");
        return host.timer(Number(delay) || 0, repeats, values.length === 0 ? action : () => action(...values));
    };
    const clear = (id) => { if (typeof id === "number") host.clearTimer(id); };

    const globals = {
        Headers, URL, URLSearchParams, Response, fetch, kv, log: logger, console: logger, btoa, atob,
        crypto: Object.freeze({ randomUUID: () => host.uuid(), getRandomValues }),
        setTimeout: timer(false), setInterval: timer(true), clearTimeout: clear, clearInterval: clear,
        queueMicrotask: (action) => { Promise.resolve().then(action).catch((error) => log(3, [error])); },
    };
    for (const name of Object.keys(globals)) {
        Object.defineProperty(globalThis, name, { value: globals[name], writable: true, configurable: true, enumerable: false });
    }
    Graal.setUnhandledPromiseRejectionHandler((reason) => log(3, ["Unhandled rejection:", reason]));
    for (const name of ["Graal", "Polyglot", "Packages", "Java", "java", "javax", "javafx", "com", "org", "edu", "load", "loadWithNewGlobal", "print", "printErr", "SharedArrayBuffer", "Atomics"]) {
        delete globalThis[name];
    }

    return { dispatch, thrown, next, close, inspect, completed, forget, load, teardown };
}
