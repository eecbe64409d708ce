// SPDX-License-Identifier: Apache-2.0
//
// The bounds of functions of the language, and the end of what scripts could change. Evaluated once in each context, behind
// runtime.js, whose `globals` it defines; lock() follows when the program has defined its own.
(web, messages, globals) => {
    "use strict";
    const { describe } = web;
    const { host, Request, Inspected, Fetched } = messages;
    const SHORT = 65536; // characters that a replacement makes without being limited

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

    return lock;
}
