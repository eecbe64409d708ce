// SPDX-License-Identifier: Apache-2.0
//
// The part of the runtime that is JavaScript: the objects that scripts see, and the search for the script that takes a
// request. Evaluated once in each context. `host` has the functions of the class Host; what is returned is called by the
// class ScriptContext; `web` is what web.js returns. Flat headers are a string of lines: name, value, name, value.
//
// The engine interprets this, and a `return` before the end of a function is an exception: there is none between a request and a
// plain response.
(functions, web) => {
    "use strict";
    const host = {}; // whose members are called sooner than those of an object of Java
    for (const name of Object.keys(functions)) host[name] = functions[name];
    const { Headers, URL, URLSearchParams, btoa, atob, describe, safely } = web;
    const endpoints = []; // by their number; load says what of them
    const jobs = new Map(); // requests that outlast their first run, by their number; dispatch says what of them
    let begun; // the state of the request that has begun last
    const NONE = 0, TEXT = 1, BYTES = 2, JSON_TEXT = 3, STREAM = 4, SAME = 5; // kinds of bodies
    const INSPECTS = 1, COMPLETES = 2; // what scripts want to know of a response
    const LONGEST_LINE = 65536; // characters of a line in the log
    const SHORT = 65536; // characters that a replacement makes without being limited

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

    // ---- the search for the script that takes a request

    function dispatch(job, first, path, head) {
        const state = {
            job, head, lines: null, path, sentPath: path, upstream: undefined, query: null, headers: null, shared: null, request: null,
            took: null, at: null, isOver: false, isKept: false, streams: false, iterator: null, produce: null, bodyError: null,
        };
        state.request = new Request(state);
        begun = state;
        advance(state, endpoints[first]);
        if (!state.isOver) keep(state);
    }

    function keep(state) {
        state.isKept = true;
        jobs.set(state.job, state);
    }

    function over(state) {
        state.isOver = true;
        if (state.isKept) jobs.delete(state.job);
    }

    function advance(state, at) {
        if (at === undefined) {
            pass(state);
        } else if (!at.ready) {
            end(state, () => host.unavailable(state.job, at.file));
        } else if (at.filter) {
            took(state).push(at);
            advance(state, at.parent);
        } else {
            state.at = at;
            const result = at.inspects ? call(at, state.request) : at.object.generateResponse(state.request);
            if (isThenable(result)) {
                result.then(
                    (value) => guarded(state, at, () => settle(state, at, value)),
                    (error) => fail(state, at, error));
            } else {
                settle(state, at, result);
            }
        }
    }

    const took = (state) => (state.took ??= []);

    /** An exception has left the context: nothing above catches it, so that its stack is that of the script. */
    function thrown(job, error) {
        const state = jobs.get(job) ?? (begun?.job === job && !begun.isOver ? begun : undefined);
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
        const result = at.object.inspectRequest(request);
        return isThenable(result) ? Promise.resolve(result).then((value) => generate(at, request, value)) : generate(at, request, result);
    }

    function generate(at, request, result) {
        if (result !== true && result !== at.object) return result;
        if (typeof at.object.generateResponse !== "function") {
            throw new TypeError("inspectRequest took the request, but there is no generateResponse to answer it.");
        }
        return at.object.generateResponse(request);
    }

    /** Acts on the result of a script. */
    function settle(state, at, result) {
        if (result == null) {
            advance(state, at.parent);
        } else if (typeof result === "string" || result instanceof URL) {
            take(state, at);
            const url = new URL(result);
            const known = url.port === "" && url.protocol === "http:";
            forward(state, known ? url.hostname : url.origin, url.pathname + url.search, state.request);
        } else if (typeof result === "object" && Request.is(result)) {
            take(state, at);
            if (Request.changed(result)) forward(state, String(result.upstream ?? ""), Request.target(result), result);
            else pass(state);
        } else {
            respond(state, at, result);
        }
    }

    function take(state, at) {
        took(state).push(at);
        for (let up = at.parent; up !== undefined; up = up.parent) if (up.filter && up.ready) state.took.push(up);
    }

    const wants = (took) => took === null ? 0 : (took.some((at) => at.inspectsResponse) ? INSPECTS : 0) | (took.some((at) => at.completes) ? COMPLETES : 0);

    function pass(state) {
        const flags = wants(state.took);
        host.pass(state.job, flags);
        if (flags === 0) over(state);
    }

    function forward(state, upstream, target, request) {
        const flags = wants(state.took);
        host.forward(state.job, flags, upstream, target, Headers.flat(request.headers));
        if (flags === 0) over(state);
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
        const flags = at.completes ? COMPLETES : 0;
        state.took = [at];
        if (typeof body === "string") {
            host.respond(state.job, flags, status, flat, TEXT, body);
            if (flags === 0) over(state);
        } else if (typeof body === "function" || isStream(body)) {
            if (typeof body === "function") state.produce = () => body.call(response, state.request);
            else state.iterator = iteratorOf(body);
            host.stream(state.job, flags, status, flat, state.produce !== null);
        } else {
            if (body == null || body instanceof ArrayBuffer || ArrayBuffer.isView(body)) {
                encode(body, (kind, content, offset, length) => host.respond(state.job, flags, status, flat, kind, content, offset, length));
            } else {
                host.respond(state.job, flags, status, flat, JSON_TEXT, json(body));
            }
            if (flags === 0) over(state);
        }
    }

    function end(state, action) {
        over(state);
        action();
    }

    function fail(state, at, error) {
        const body = error === state.bodyError && error !== null;
        end(state, () => host.fail(state.job, at.file, ...report(error), statusOf(error), body));
    }

    function statusOf(error) {
        const status = typeof error === "object" && error !== null ? safely(() => error.status, 0) : 0;
        return Number.isInteger(status) && status >= 400 && status < 500 ? status : 0;
    }

    function report(error) {
        const known = safely(() => error instanceof Error ? [String(error.name) + ": " + String(error.message), String(error.stack)] : null, null);
        return known ?? [describe(error) + " was thrown", ""];
    }

    // ---- what follows a result

    /** Produces the next part of a streamed body. */
    function next(job) {
        const state = jobs.get(job);
        if (state === undefined) return host.part(job, true, NONE, null, 0, 0);
        state.streams = true;
        if (state.iterator === null && state.produce === null) return host.part(job, true, NONE, null, 0, 0);
        if (state.iterator === null) {
            const body = state.produce();
            if (isThenable(body)) {
                const begin = (known) => { state.iterator = iteratorOf(known); next(job); };
                body.then(begin).catch((error) => failPart(state, error));
                return;
            }
            state.iterator = iteratorOf(body);
        }
        pull(state);
    }

    /** Empty parts are no parts: all of them in a row count against the limits of one. */
    function pull(state) {
        for (let sent = false; !sent && state.iterator !== null;) {
            const result = state.iterator.next();
            if (isThenable(result)) {
                result.then((known) => part(state, known) || guardedPull(state), (error) => failPart(state, error));
                return;
            }
            sent = part(state, result);
        }
    }

    function guardedPull(state) {
        try {
            pull(state);
        } catch (error) {
            failPart(state, error);
        }
    }

    /** Sends a part of a body; returns false if it is empty. */
    function part(state, result) {
        try {
            const { done, value } = result;
            if (done) {
                host.part(state.job, true, NONE, null, 0, 0);
                return true;
            }
            if (value === "" || isBytes(value) && value.byteLength === 0) return false;
            if (typeof value !== "string" && !isBytes(value)) throw new TypeError("A part of a body is a string or bytes, not " + describe(value) + ".");
            encode(value, (kind, content, offset, length) => host.part(state.job, false, kind, content, offset, length));
        } catch (error) {
            failPart(state, error);
        }
        return true;
    }

    function failPart(state, error) { host.failPart(state.job, state.took[0].file, ...report(error)); }

    /** Ends a request: its stream is complete, or nobody reads it. */
    function close(job) {
        const state = jobs.get(job);
        if (state === undefined) return;
        endStream(state);
        if ((wants(state.took) & COMPLETES) === 0) over(state);
    }

    function endStream(state) {
        const iterator = state.iterator;
        state.iterator = null;
        state.produce = null;
        if (iterator !== null) ignore(() => typeof iterator.return === "function" ? iterator.return() : undefined);
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
        inspectNext(state, 0, new Inspected(job, status, flat));
    }

    function inspectNext(state, from, response) {
        for (let i = from; i < state.took.length; i++) {
            const at = state.took[i];
            if (!at.inspectsResponse) continue;
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
        const other = new Inspected(0, checked(result), Headers.flat(result.headers instanceof Headers ? result.headers : new Headers(result.headers)));
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
        if ((wants(state.took) & COMPLETES) === 0) over(state);
    }

    function completed(job, status, complete, bytes, millis) {
        const state = jobs.get(job);
        if (state === undefined) return;
        over(state);
        endStream(state);
        for (const at of state.took) {
            if (at.completes) {
                ignore(() => at.object.responseCompleted(state.request, { status, complete, bytes, millis }));
            }
        }
    }

    const forget = (job) => { jobs.delete(job); };

    // ---- loading

    const MEMBERS = ["inspectRequest", "generateResponse", "inspectResponse", "responseCompleted"];

    /** Loads the script of an endpoint; host.loaded or host.notLoaded follows. */
    function load(id, parent, key, file, specifier, config) {
        const endpoint = { key, file, object: null, ready: false, parent: parent < 0 ? undefined : endpoints[parent], filter: false, inspects: false, inspectsResponse: false, completes: false };
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
            endpoint.inspects = members.includes("inspectRequest");
            endpoint.filter = !endpoint.inspects && !members.includes("generateResponse");
            endpoint.inspectsResponse = members.includes("inspectResponse");
            endpoint.completes = members.includes("responseCompleted");
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
        const line = values.map((value) => safely(() => printed(value), undefined) ?? describe(value)).join(" ");
        host.log(level, line.length > LONGEST_LINE ? line.slice(0, LONGEST_LINE) + " ..." : line);
    }

    function printed(value) {
        if (typeof value === "string") return value;
        if (value instanceof Error) return value.stack + (value.cause === undefined ? "" : "\nCaused by: " + (value.cause?.stack ?? value.cause));
        return safely(() => JSON.stringify(value), undefined) ?? String(value);
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

    const inherited = Object.getPrototypeOf;
    const freeze = Object.freeze;

    /** Lets objects that inherit from `object`, which is frozen later, have members of these names by assignment. */
    function overridable(object, names) {
        for (const name of names) {
            const { value, writable } = Object.getOwnPropertyDescriptor(object, name) ?? {};
            if (!writable) continue;
            Object.defineProperty(object, name, {
                get: () => value,
                set(other) {
                    if (this === object) throw new TypeError("The built-in object is frozen.");
                    Object.defineProperty(this, name, { value: other, writable: true, enumerable: true, configurable: true });
                },
                enumerable: false, configurable: false,
            });
        }
    }

    /** Freezes objects and all that is reachable by their members and prototypes. */
    function harden(all) {
        const known = new Set();
        const add = (value) => { if ((typeof value === "object" || typeof value === "function") && value !== null && value !== globalThis) known.add(value); };
        all.forEach(add);
        for (const object of known) { // to which members are added meanwhile
            freeze(object);
            add(inherited(object));
            for (const name of Reflect.ownKeys(object)) {
                const { value, get, set } = Object.getOwnPropertyDescriptor(object, name);
                [value, get, set].forEach(add);
            }
        }
    }

    // Functions of strings that the engine cannot interrupt, although their time grows with the square of a length, or of which it looks
    // at the length of the result when it has made it. What is long is done in parts, between which the engine can be interrupted.
    const WORK = 1 << 26; // comparisons of characters: 30 ms
    const CASE = 1024; // characters whose case the JDK changes: it copies all for each that becomes several
    const MARKS = 512; // combining characters in a row, which the JDK sorts by insertion
    const ONLY_MARKS = /^[\p{M}\uff9e\uff9f\ud800-\udfff]+$/u; // with what becomes such, and halves of a pair
    const apply = Reflect.apply;
    const native = {};
    for (const name of Object.getOwnPropertyNames(String.prototype)) native[name] = String.prototype[name];
    const { includes, indexOf, lastIndexOf, split: divide, toLowerCase, toUpperCase, normalize, localeCompare } = native;

    const limited = {
        includes(search, from) {
            return typeof search !== "string" || this.length * search.length > WORK
                ? searched(this, search, from, Symbol.match, includes, has)
                : includes.call(this, search, from);
        },
        indexOf(search, from) {
            return typeof search !== "string" || this.length * search.length > WORK
                ? searched(this, search, from, Symbol.match, indexOf, place)
                : indexOf.call(this, search, from);
        },
        lastIndexOf(search, from) {
            return typeof search !== "string" || this.length * search.length > WORK
                ? searched(this, search, from, Symbol.match, lastIndexOf, lastPlace)
                : lastIndexOf.call(this, search, from);
        },
        split(separator, limit) {
            return separator !== undefined && (typeof separator !== "string" || this.length * separator.length > WORK)
                ? searched(this, separator, limit, Symbol.split, divide, splitLong)
                : divide.call(this, separator, limit);
        },
        replace(search, replacement) { return replaced(this, search, replacement, false); },
        replaceAll(search, replacement) { return replaced(this, search, replacement, true); },
        toLowerCase() { return this.length > CASE ? native.toLocaleLowerCase.call(this, "en") : toLowerCase.call(this); },
        toUpperCase() { return this.length > CASE ? native.toLocaleUpperCase.call(this, "en") : toUpperCase.call(this); },
        normalize(form) {
            return this != null && this.length <= MARKS ? normalize.call(this, form) : normalizeLong(this, form);
        },
        localeCompare(that, locales, options) {
            const known = locales === undefined ? locales : localesOf(locales);
            return this.length <= MARKS && typeof that === "string" && that.length <= MARKS
                ? localeCompare.call(this, that, known, options)
                : localeCompare.call(sortable(this), sortable(that), known, options);
        },
    };

    /** Returns what `known` returns, or `long` for strings that are too long for it. */
    function searched(self, search, more, symbol, known, long) {
        const isPattern = typeof search === "object" && search !== null || typeof search === "function";
        if (self == null || isPattern && search[symbol] != null) return known.call(self, search, more);
        const string = `${self}`;
        const what = `${search}`;
        return string.length * what.length > WORK ? long(string, what, more) : known.call(string, what, more);
    }

    /** Returns the beginning of a string, for which the engine may look in another. */
    const head = (string, what) => what.slice(0, Math.max(1, Math.floor(WORK / string.length)));

    function place(string, what, from) {
        const first = head(string, what);
        const last = string.length - what.length;
        let at = indexOf.call(string, first, from);
        while (at >= 0 && at <= last && !string.startsWith(what, at)) at = indexOf.call(string, first, at + 1);
        return at <= last ? at : -1;
    }

    const has = (string, what, from) => place(string, what, from) >= 0;

    function lastPlace(string, what, from) {
        const first = head(string, what);
        const last = string.length - what.length;
        let at = lastIndexOf.call(string, first, from);
        if (at > last) at = last < 0 ? -1 : lastIndexOf.call(string, first, last);
        while (at >= 0 && !string.startsWith(what, at)) at = at === 0 ? -1 : lastIndexOf.call(string, first, at - 1);
        return at;
    }

    function splitLong(string, what, limit) {
        const most = limit === undefined ? 2 ** 32 - 1 : limit >>> 0;
        const parts = [];
        let from = 0;
        for (let at = place(string, what, 0); at >= 0 && parts.length < most; at = place(string, what, from)) {
            parts.push(string.slice(from, at));
            from = at + what.length;
        }
        if (parts.length < most) parts.push(string.slice(from));
        return parts;
    }

    function normalizeLong(self, form) {
        const string = sortable(self ?? normalize.call(self)); // which throws
        const most = form === "NFKC" || form === "NFKD" ? 18 : 4; // characters of one
        if (string.length > host.longest / most) throw new RangeError("Invalid string length");
        return normalize.call(string, form);
    }

    /** Returns a value as a string whose combining characters the JDK may sort. */
    function sortable(value) {
        const string = `${value}`;
        for (let from = 0; from + MARKS <= string.length; from += MARKS) {
            if (ONLY_MARKS.test(string.slice(from, from + MARKS))) throw new RangeError("The string has more than " + MARKS + " combining characters in a row.");
        }
        return string;
    }

    function replaced(self, search, replacement, all) {
        const known = all ? native.replaceAll : native.replace;
        if (self == null || search instanceof RegExp) return known.call(self, search, replacement);
        const method = typeof search === "object" || typeof search === "function" ? search?.[Symbol.replace] : null;
        if (method != null) return apply(method, search, [self, replacement]);
        const string = String(self);
        const what = String(search);
        const by = typeof replacement === "function" ? replacement : String(replacement);
        const most = all ? string.length / Math.max(1, what.length) + 1 : 1;
        const isShort = typeof by === "string" && string.length + what.length + most * by.length < SHORT && !by.includes("$");
        return isShort && string.length * what.length <= WORK ? known.call(string, what, by) : replacedLong(string, what, by, all);
    }

    function replacedLong(string, what, by, all) {
        const parts = [];
        let length = string.length;
        let from = 0;
        const next = string.length * what.length > WORK ? place : (inside, sought, from) => indexOf.call(inside, sought, from);
        for (let at = next(string, what, 0); at >= 0; at = all && at < string.length ? next(string, what, at + Math.max(1, what.length)) : -1) {
            const part = typeof by === "function" ? String(by(what, at, string)) : expanded(by, what, at, string);
            length += part.length - what.length;
            if (length > host.longest) throw new RangeError("Invalid string length");
            parts.push(string.slice(from, at), part);
            from = at + what.length;
        }
        parts.push(string.slice(from));
        return parts.join("");
    }

    const VARIABLE = /\$[$&`']/g;

    function expanded(by, what, at, string) {
        return !by.includes("$") ? by : native.replace.call(by, VARIABLE, (each) => {
            switch (each[1]) {
                case "$": return "$";
                case "&": return what;
                case "`": return string.slice(0, at);
                default: return string.slice(at + what.length);
            }
        });
    }

    function put(object, name, value) {
        Object.defineProperty(object, name, { value, writable: true, configurable: true, enumerable: false });
    }

    for (const name of Object.keys(limited)) {
        Object.defineProperty(limited[name], "length", { value: native[name].length, configurable: true });
        put(String.prototype, name, limited[name]);
    }

    // The engine goes through arrays, and objects that look like some, without a place where it can be interrupted; a length costs
    // nothing to say: Array(4e9), or { length: 9e15 } from a client.

    function checkLength(length, most) {
        if (length > most) throw new RangeError("Invalid array length");
    }

    /** Replaces a function by one that calls `check` with its `this` and its arguments before. */
    function guard(object, name, check) {
        const known = object[name];
        const checked = { [name](...values) {
            check(this, values);
            return apply(known, this, values);
        } }[name];
        Object.defineProperty(checked, "length", { value: known.length, configurable: true });
        put(object, name, checked);
    }

    for (const name of ["concat", "copyWithin", "every", "fill", "filter", "find", "findIndex", "findLast", "findLastIndex", "flat", "flatMap", "forEach",
        "includes", "indexOf", "join", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift", "slice", "some", "sort", "splice",
        "toLocaleString", "toReversed", "toSorted", "toSpliced", "unshift", "with"]) {
        guard(Array.prototype, name, (self) => checkLength(self?.length, host.longestArray));
    }
    guard(Array, "from", (self, [of]) => checkLength(of?.length, host.longestArray));
    for (const name of ["format", "formatToParts"]) {
        guard(Intl.ListFormat.prototype, name, (self, [list]) => {
            if (Array.isArray(list)) checkLength(list.reduce((sum, each) => sum + String(each).length, 0), host.longest);
        });
    }

    // Each index of a string or typed array becomes a string of its own.
    const isIndexed = (value) => typeof value === "string" || ArrayBuffer.isView(value) || value instanceof String;
    const checkIndexes = (value) => { if (isIndexed(value)) checkLength(value.length, host.longestArray / 16); };
    for (const name of ["assign", "entries", "getOwnPropertyDescriptors", "keys", "values"]) {
        guard(Object, name, (self, values) => { for (let i = name === "assign" ? 1 : 0; i < values.length; i++) checkIndexes(values[i]); });
    }

    // So do functions that take locales: a string, an Intl.Locale, or an object that looks like an array of these.
    const LOCALES = 100;
    const TAG = 1000; // characters of one
    const localeTag = Intl.Locale.prototype.toString;
    const isObject = (value) => typeof value === "object" && value !== null || typeof value === "function";

    /** Returns the tag of a locale, or what the engine refuses. */
    function tagOf(locale) {
        if (typeof locale !== "string" && !isObject(locale)) return locale;
        const tag = `${locale}`;
        if (tag.length > TAG) throw new RangeError("A locale has more than " + TAG + " characters.");
        return tag;
    }

    /** Returns locales as a string or a short array, or what the engine refuses. */
    function localesOf(locales) {
        if (!isObject(locales)) return tagOf(locales);
        if (locales instanceof Intl.Locale) return localeTag.call(locales); // which throws if it is none
        const length = Number(locales.length);
        if (length > LOCALES) throw new RangeError("A function takes at most " + LOCALES + " locales.");
        const tags = [];
        for (let i = 0; i < length; i++) if (i in locales) tags.push(tagOf(locales[i]));
        return tags;
    }

    /** Replaces functions by those that convert the locales they have as their first argument. */
    function guardLocales(object, ...names) {
        for (const name of names) {
            const known = object[name];
            const checked = { [name](locales, ...values) { return known.call(this, locales === undefined ? locales : localesOf(locales), ...values); } }[name];
            Object.defineProperty(checked, "length", { value: known.length, configurable: true });
            put(object, name, checked);
        }
    }

    // The engine copies the names of an object for each that becomes fixed.
    const FIXED = 500;
    for (const name of ["freeze", "seal"]) {
        guard(Object, name, (self, [value]) => {
            if (!isObject(value) || Array.isArray(value)) return;
            const count = isIndexed(value) ? value.length : Reflect.ownKeys(value).length;
            if (count > FIXED) throw new RangeError("An object that becomes frozen or sealed has at most " + FIXED + " properties.");
        });
    }

    // So does it for each that is defined; here it can be interrupted between two.
    const DESCRIPTOR = ["enumerable", "configurable", "value", "writable", "get", "set"];

    function described(value) {
        if (!isObject(value)) throw new TypeError("The description of a property is an object, not " + describe(value) + ".");
        const known = create(null);
        for (const name of DESCRIPTOR) if (name in value) known[name] = value[name];
        return known;
    }

    function define(object, descriptions) {
        const from = Object(descriptions);
        const all = [];
        for (const name of Reflect.ownKeys(from)) {
            if (Object.getOwnPropertyDescriptor(from, name)?.enumerable) all.push([name, described(from[name])]);
        }
        for (const [name, description] of all) Object.defineProperty(object, name, description);
        return object;
    }

    const { create, defineProperties } = Object;
    put(Object, "defineProperties", { defineProperties(object, descriptions) {
        return isObject(object) && descriptions != null ? define(object, descriptions) : defineProperties(object, descriptions); // which throws
    } }.defineProperties);
    put(Object, "create", { create(prototype, descriptions) {
        const object = create(prototype);
        return descriptions === undefined ? object : Object.defineProperties(object, descriptions);
    } }.create);

    const TypedArray = inherited(Uint8Array);
    for (const { prototype } of [Number, BigInt, Date, Array, TypedArray]) {
        guardLocales(prototype, ...Object.getOwnPropertyNames(prototype).filter((name) => /^toLocale.*String$/.test(name)));
    }
    guardLocales(String.prototype, "toLocaleLowerCase", "toLocaleUpperCase");
    guardLocales(Intl, "getCanonicalLocales");
    put(TypedArray.prototype, "toJSON", { toJSON() {
        if (this.length > host.longestArray / 16) {
            throw new RangeError("A typed array of " + this.length + " elements is too long for JSON, which names each of them: send it as a body, or Base64.");
        }
        return this;
    } }.toJSON);

    // The engine looks for a name among all that have its hash.
    const FEW_NAMES = 4096; // characters of JSON, whose names are few
    const parse = JSON.parse;
    put(JSON, "parse", { parse(text, reviver) {
        const known = typeof text === "string" ? text : `${text}`;
        if (known.length > FEW_NAMES && host.namesCollide(known)) throw new RangeError("An object in JSON has at most 100 names of one hash.");
        return parse(known, reviver);
    } }.parse);

    // Numbers of many digits are read and written in a time that grows with the square of their length.
    const DIGITS = 20000;
    const LARGE = 1n << 66439n; // of so many digits
    const RADIX = /^\s*0[box]/i;
    const EXPONENT = /e[+-]?0*[1-9]\d{4}/i;

    function checkDigits(is) {
        if (is) throw new RangeError("Maximum BigInt size exceeded");
    }

    const isLargeBigInt = (value) => typeof value === "bigint" && (value >= LARGE || value <= -LARGE);

    /** Returns the primitive value that a number is read from. */
    function primitive(value) {
        if (typeof value !== "object" && typeof value !== "function" || value === null) return value;
        if (value[Symbol.toPrimitive] != null) return value[Symbol.toPrimitive]("number");
        const known = typeof value.valueOf === "function" ? value.valueOf() : value;
        return typeof known === "object" || typeof known === "function" ? String(value) : known;
    }

    /** Returns what the engine may read a number from that it writes with all its digits. */
    function numeric(value) {
        const known = primitive(value);
        checkDigits(isLargeBigInt(known));
        if (typeof known === "string" && (known.length > DIGITS || EXPONENT.test(known) && !RADIX.test(known))) throw new RangeError("The number has more than " + DIGITS + " digits.");
        return known;
    }

    /** Replaces a constructor of up to two arguments by one that passes what `convert` returns as its first one. */
    function guardConstructor(owner, name, convert) {
        const known = owner[name];
        const checked = { [name]: function (value, more) {
            const isEmpty = arguments.length === 0;
            return new.target === undefined
                ? isEmpty ? known() : known(convert(value, more), more)
                : Reflect.construct(known, isEmpty ? [] : [convert(value, more), more], new.target);
        } }[name];
        for (const key of Reflect.ownKeys(known)) Object.defineProperty(checked, key, Object.getOwnPropertyDescriptor(known, key));
        put(known.prototype, "constructor", checked);
        put(owner, name, checked);
    }

    /** Replaces a getter that returns a function by one whose function converts its two arguments before. */
    function guardBound(prototype, name, convert) {
        const known = Object.getOwnPropertyDescriptor(prototype, name).get;
        const get = function () {
            const bound = known.call(this);
            return (value, other) => bound(convert(value), convert(other));
        };
        Object.defineProperty(prototype, name, { get, configurable: true });
    }

    function readable(value) {
        const known = primitive(value);
        if (typeof known === "string" && known.length > DIGITS && RADIX.test(known)) throw new RangeError("The number has more than " + DIGITS + " digits.");
        return known;
    }

    guardConstructor(globalThis, "Number", (value) => typeof value === "number" || typeof value === "string" && value.length <= DIGITS ? value : readable(value));
    guardConstructor(globalThis, "BigInt", (value) => {
        const known = primitive(value);
        checkDigits(typeof known === "string" && known.length > DIGITS);
        return known;
    });
    for (const name of ["asIntN", "asUintN"]) {
        guard(BigInt, name, (self, [bits, value]) => checkDigits(bits > 66439 || typeof value === "string" && value.length > DIGITS));
    }
    for (const name of ["toString", "toLocaleString"]) guard(BigInt.prototype, name, (self) => checkDigits(isLargeBigInt(self)));
    guardBound(Intl.NumberFormat.prototype, "format", numeric);
    for (const name of ["formatToParts", "formatRange", "formatRangeToParts"]) {
        const known = Intl.NumberFormat.prototype[name];
        put(Intl.NumberFormat.prototype, name, { [name](...values) { return apply(known, this, values.map(numeric)); } }[name]);
    }
    guardBound(Intl.Collator.prototype, "compare", sortable);
    for (const name of Object.getOwnPropertyNames(Intl)) {
        if (typeof Intl[name].prototype !== "object") continue;
        guardConstructor(Intl, name, name === "Locale" ? tagOf : localesOf);
        if ("supportedLocalesOf" in Intl[name]) guardLocales(Intl[name], "supportedLocalesOf");
    }

    // A few characters of a pattern, such as \p{L}, can stand for thousands, and the engine cannot be interrupted while it compiles them.
    const PATTERN = 20000; // characters of one that is made of a string
    const SETS = 10; // of thousands of strings in it
    const SET = /\\p\{(?:RGI_|Basic_E)/g;
    const GROUPS = 50; // in one another: the engine compiles a repeated one several times for each that surrounds it
    const checkPattern = (pattern, flags) => typeof pattern === "string" && pattern.length < SETS ? pattern : checkedPattern(pattern, flags);

    function checkedPattern(pattern, flags) {
        const isKnown = isObject(pattern) && pattern[Symbol.match] != null;
        const hasSets = /[uv]/.test(flags ?? (isKnown ? pattern.flags : ""));
        if (pattern === undefined || isKnown && !hasSets) return pattern;
        const source = isKnown ? pattern.source : `${pattern}`;
        if (source.length > PATTERN || hasSets && source.split(SET).length > SETS + 1 || source.length > GROUPS && host.nests(source, GROUPS)) {
            throw new RangeError("A pattern has at most " + PATTERN + " characters, " + GROUPS + " groups in one another, and " + SETS + " sets of emoji.");
        }
        return isKnown ? pattern : source;
    }

    for (const name of ["match", "matchAll", "search"]) {
        const known = native[name];
        put(String.prototype, name, { [name](pattern) {
            return known.call(this, this == null || isObject(pattern) && pattern[Symbol[name]] != null ? pattern : checkPattern(pattern));
        } }[name]);
    }
    guardConstructor(globalThis, "RegExp", checkPattern);
    guard(RegExp.prototype, "compile", (self, [pattern, flags]) => checkPattern(pattern, flags));

    const globals = {
        Headers, URL, URLSearchParams, Response, fetch, kv, log: logger, console: logger, btoa, atob,
        crypto: Object.freeze({ randomUUID: () => host.uuid(), getRandomValues }),
        setTimeout: timer(false), setInterval: timer(true), clearTimeout: clear, clearInterval: clear,
        queueMicrotask: (action) => { Promise.resolve().then(action).catch((error) => log(3, [error])); },
    };
    for (const name of Object.keys(globals)) put(globalThis, name, globals[name]);
    // An object that a client has sent, merged carelessly into another, must not change the objects of later requests.
    delete Object.prototype.__proto__;
    overridable(Object.prototype, Reflect.ownKeys(Object.prototype));
    overridable(Function.prototype, ["constructor", "toString"]);
    overridable(Array.prototype, ["toString"]);
    overridable(TypedArray.prototype, ["toJSON"]);
    for (const error of [Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError]) {
        overridable(error.prototype, ["constructor", "name", "message", "toString"]);
    }
    harden([
        ...Object.getOwnPropertyNames(globalThis).filter((name) => name !== "globalThis").map((name) => globalThis[name]),
        Request, Inspected, Fetched, async function () {}, function* () {}, async function* () {},
        ...[
            [].values(), ""[Symbol.iterator](), new Map().keys(), new Set().keys(), "".matchAll(/a/g), (function* () {})(), (async function* () {})(),
            [].values().map(() => 0), Iterator.from({ next() {} }), new Intl.Segmenter().segment(""), new Intl.Segmenter().segment("")[Symbol.iterator](),
        ].map(inherited),
    ]);
    Graal.setUnhandledPromiseRejectionHandler((reason) => log(3, ["Unhandled rejection:", reason]));
    for (const name of ["Graal", "Polyglot", "Packages", "Java", "java", "javax", "javafx", "com", "org", "edu", "load", "loadWithNewGlobal", "print", "printErr", "SharedArrayBuffer", "Atomics"]) {
        delete globalThis[name];
    }

    /** Fixes the names of all that is global now. */
    function lock() {
        for (const name of Reflect.ownKeys(globalThis)) {
            const isValue = "value" in Object.getOwnPropertyDescriptor(globalThis, name);
            Object.defineProperty(globalThis, name, isValue ? { writable: false, configurable: false } : { configurable: false });
        }
    }

    return { lock, dispatch, thrown, next, close, inspect, completed, forget, load, teardown };
}
