// SPDX-License-Identifier: Apache-2.0
//
// The search for the script that takes a request, and the functions that scripts can use. Evaluated once in each context, between
// messages.js and builtins.js. What is returned is called by the class ScriptContext, but for `globals`.
//
// The engine interprets this, and a `return` before the end of a function is an exception: there is none between a request and a
// plain response.
(web, messages) => {
    "use strict";
    const { Headers, URL, URLSearchParams, btoa, atob, describe, safely } = web;
    const { host, Request, Response, Inspected, Fetched, NONE, JSON_TEXT, STREAM, TEXT } = messages;
    const { bytesOf, isThenable, isBytes, isStream, encode, json, iteratorOf } = messages;
    const endpoints = []; // by their number; load says what of them
    const jobs = new Map(); // requests that outlast their first run, by their number; dispatch says what of them
    let begun; // the state of the request that has begun last
    const SAME = 5; // the body of a response that stays as it is
    const INSPECTS = 1, COMPLETES = 2; // what scripts want to know of a response
    const LONGEST_LINE = 65536; // characters of a line in the log

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

    const globals = {
        Headers, URL, URLSearchParams, Response, fetch, kv, log: logger, console: logger, btoa, atob,
        crypto: Object.freeze({ randomUUID: () => host.uuid(), getRandomValues }),
        setTimeout: timer(false), setInterval: timer(true), clearTimeout: clear, clearInterval: clear,
        queueMicrotask: (action) => { Promise.resolve().then(action).catch((error) => log(3, [error])); },
    };

    Graal.setUnhandledPromiseRejectionHandler((reason) => log(3, ["Unhandled rejection:", reason]));

    return { globals, dispatch, thrown, next, close, inspect, completed, forget, load, teardown };
}
