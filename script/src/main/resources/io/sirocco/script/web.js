// SPDX-License-Identifier: Apache-2.0
//
// Classes and functions that scripts know from browsers, for the common cases. Evaluated before messages.js.
() => {
    "use strict";

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
                const known = String(name);
                if (/[\r\n\0]/.test(known)) throw new TypeError("The name of a header contains a control character.");
                this.#list.push(known, text(known, value));
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

    /** Returns what `read` returns. Values of scripts may throw while they are read. */
    function safely(read, otherwise) {
        try {
            return read();
        } catch {
            return otherwise;
        }
    }

    const describe = (value) => safely(() => description(value), "a value that cannot be described");

    function description(value) {
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

    return { Headers, URL, URLSearchParams, btoa, atob, describe, safely };
}
