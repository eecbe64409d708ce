// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Function;
import org.graalvm.polyglot.Context;
import org.graalvm.polyglot.Engine;
import org.graalvm.polyglot.HostAccess;
import org.graalvm.polyglot.PolyglotAccess;
import org.graalvm.polyglot.PolyglotException;
import org.graalvm.polyglot.ResourceLimits;
import org.graalvm.polyglot.Source;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.io.IOAccess;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.graalvm.polyglot.proxy.ProxyObject;

/**
 * A sandbox of JavaScript: the language, the objects of runtime.js, and nothing of the machine. Of
 * the thread of its {@link Worker}, but for {@link #interrupt}.
 */
final class ScriptContext {
    static final String RUNTIME = "sirocco-runtime";
    private static final Level[] LEVELS = {Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR};

    /** Loaded with the first context: code is parsed once for all of them. */
    private static final class Shared {
        static final Engine ENGINE =
                Engine.newBuilder("js")
                        .option("engine.WarnInterpreterOnly", "false")
                        .out(OutputStream.nullOutputStream())
                        .err(OutputStream.nullOutputStream())
                        .build();
        static final HostAccess ACCESS = // byte buffers only
                HostAccess.newBuilder().allowBufferAccess(true).build();
        static final Source RUNTIME_SOURCE = runtime();
        static final SecureRandom RANDOM = new SecureRandom();

        private static Source runtime() {
            try (InputStream in = ScriptContext.class.getResourceAsStream("runtime.js")) {
                String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
                return Source.newBuilder("js", text, RUNTIME).build();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private final Worker worker;
    private final ScriptPool pool;
    private final VersionFiles files;
    private final Context context;
    private final Value dispatch;
    private final Value thrown;
    private final Value next;
    private final Value close;
    private final Value inspect;
    private final Value completed;
    private final Value forget;
    private final Value load;
    private final Value teardown;

    ScriptContext(Worker worker, Version version, ScriptPool pool) {
        this.worker = worker;
        this.pool = pool;
        this.files = new VersionFiles(version);
        long most = pool.settings.maxAllocation();
        Context.Builder builder =
                Context.newBuilder("js")
                        .engine(Shared.ENGINE)
                        .allowHostAccess(Shared.ACCESS)
                        .allowPolyglotAccess(PolyglotAccess.NONE)
                        .allowIO(IOAccess.newBuilder().fileSystem(files).build())
                        .allowExperimentalOptions(true)
                        .option("js.text-encoding", "true")
                        .option("js.json-modules", "true")
                        .option("js.import-attributes", "true")
                        .option("js.top-level-await", "true")
                        .option("js.unhandled-rejections", "handler")
                        .option("js.load", "false")
                        .option("js.print", "false")
                        .option("js.polyglot-builtin", "false")
                        .option("js.java-package-globals", "false")
                        .option("js.shared-array-buffer", "false")
                        .option("js.atomics", "false")
                        .option(
                                "js.max-typed-array-length",
                                Long.toString(Math.min(most, Integer.MAX_VALUE - 8L)))
                        .option(
                                "js.string-length-limit",
                                Long.toString(Math.min(most / 2, (1 << 30) - 25L)))
                        .out(OutputStream.nullOutputStream())
                        .err(OutputStream.nullOutputStream());
        if (pool.settings.maxStatements() > 0) {
            builder.resourceLimits(
                    ResourceLimits.newBuilder()
                            .statementLimit(pool.settings.maxStatements(), null)
                            .build());
        }
        context = builder.build();
        Value api = context.eval(Shared.RUNTIME_SOURCE).execute(ProxyObject.fromMap(host()));
        dispatch = api.getMember("dispatch");
        thrown = api.getMember("thrown");
        next = api.getMember("next");
        close = api.getMember("close");
        inspect = api.getMember("inspect");
        completed = api.getMember("completed");
        forget = api.getMember("forget");
        load = api.getMember("load");
        teardown = api.getMember("teardown");
        Value globals = context.getBindings("js");
        pool.settings
                .exposed()
                .forEach((name, function) -> globals.putMember(name, exposed(function)));
    }

    // ---- into the context

    void load(Version.Endpoint it) {
        load.executeVoid(
                it.id(), it.parent(), it.key(), it.file(), it.specifier(), pool.settings.config());
    }

    void dispatch(int number, int endpoint, String head) {
        dispatch.executeVoid(number, endpoint, head);
    }

    /** An exception has left the context; returns whether a request in it is told. */
    boolean thrown(int number, Object error) {
        return thrown.execute(number, error).asBoolean();
    }

    void next(int number) {
        next.executeVoid(number);
    }

    void close(int number) {
        close.executeVoid(number);
    }

    void inspect(int number, int status, String headers) {
        inspect.executeVoid(number, status, headers);
    }

    void completed(int number, int status, boolean complete, long bytes, double millis) {
        completed.executeVoid(number, status, complete, (double) bytes, millis);
    }

    void forget(int number) {
        forget.executeVoid(number);
    }

    void teardown() {
        teardown.executeVoid();
    }

    void files(Version version) {
        files.version(version);
    }

    void resetLimits() {
        if (pool.settings.maxStatements() > 0) {
            context.resetLimits();
        }
    }

    /** Interrupts what runs. Any thread. */
    void interrupt(Duration longest) throws TimeoutException {
        context.interrupt(longest);
    }

    void close() {
        try {
            context.close(true);
        } catch (RuntimeException e) {
            ScriptLog.log(Level.WARNING, "A context of scripts was not closed", e);
        }
    }

    /** Returns an error with the stack of a script. */
    static ScriptException exception(String file, String message, Throwable thrown) {
        var stack = new StringBuilder();
        if (thrown instanceof PolyglotException e) {
            for (PolyglotException.StackFrame frame : e.getPolyglotStackTrace()) {
                if (frame.isGuestFrame() && frame.getSourceLocation() != null) {
                    stack.append("\n    at ")
                            .append(frame.getRootName())
                            .append(" (")
                            .append(frame.getSourceLocation().getSource().getName())
                            .append(':')
                            .append(frame.getSourceLocation().getStartLine())
                            .append(')');
                }
            }
        }
        return new ScriptException(file, message, stack.toString());
    }

    // ---- out of the context: what `host` is in runtime.js

    private Map<String, Object> host() {
        var host = new HashMap<String, Object>();
        on(host, "pass", a -> request(a[0], r -> r.passed(worker, a[0].asInt(), a[1].asInt())));
        on(host, "forward", a -> request(a[0], r -> forward(r, a)));
        on(host, "respond", a -> request(a[0], r -> respond(r, a)));
        on(host, "stream", a -> request(a[0], r -> stream(r, a)));
        on(host, "unavailable", a -> request(a[0], r -> r.fail(it -> ScriptRequest.unavailable())));
        on(host, "fail", a -> request(a[0], r -> fail(r, a)));
        on(host, "part", a -> request(a[0], r -> part(r, a)));
        on(host, "failPart", a -> request(a[0], r -> r.partFailed(error(a, 1))));
        on(host, "inspected", a -> request(a[0], r -> inspected(r, a)));
        on(host, "body", a -> request(a[0], r -> r.read(a[1].asInt(), a[2], a[3])));
        on(host, "loaded", a -> worker.loaded(a[0].asInt(), null));
        on(host, "notLoaded", a -> worker.loaded(a[0].asInt(), failure(a[1], a[2])));
        on(host, "tornDown", a -> worker.tornDown());
        on(host, "log", this::log);
        on(host, "clearTimer", a -> worker.clearTimer(a[0].asInt()));
        on(host, "kvSet", a -> keyValues().set(a[0].asString(), a[1].asString(), a[2].asDouble()));
        on(host, "fetch", this::fetch);
        host.put(
                "timer",
                (ProxyExecutable) a -> worker.timer(a[0].asDouble(), a[1].asBoolean(), a[2]));
        host.put("kvGet", (ProxyExecutable) a -> keyValues().get(a[0].asString()));
        host.put("kvDelete", (ProxyExecutable) a -> keyValues().delete(a[0].asString()));
        host.put(
                "kvIncrement",
                (ProxyExecutable)
                        a ->
                                keyValues()
                                        .increment(
                                                a[0].asString(), a[1].asDouble(), a[2].asDouble()));
        host.put("languages", (ProxyExecutable) a -> languages(a[0].asString()));
        host.put("uuid", (ProxyExecutable) a -> UUID.randomUUID().toString());
        host.put("random", (ProxyExecutable) a -> random(a[0].asInt()));
        return host;
    }

    private static void on(Map<String, Object> host, String name, Consumer<Value[]> action) {
        host.put(
                name,
                (ProxyExecutable)
                        arguments -> {
                            action.accept(arguments);
                            return null;
                        });
    }

    private KeyValues keyValues() {
        return pool.keyValues;
    }

    private void request(Value number, Consumer<ScriptRequest> action) {
        ScriptRequest request = worker.request(number.asInt());
        if (request != null) {
            action.accept(request);
        }
    }

    private void forward(ScriptRequest request, Value[] a) {
        String upstream = a[2].asString();
        if (!isAllowed(upstream)) {
            String name = upstream.isEmpty() ? "a changed request needs one" : "'" + upstream + "'";
            throw new IllegalArgumentException("There is no such upstream: " + name);
        }
        Headers headers = ScriptRequest.headers(a[4].asString(), true);
        request.forwarded(a[1].asInt(), new Upstreams.Forward(upstream, a[3].asString(), headers));
    }

    private boolean isAllowed(String upstream) {
        return pool.settings.upstreams().has(upstream)
                || pool.settings.anyUpstream() && upstream.contains("://");
    }

    private static void respond(ScriptRequest request, Value[] a) {
        int kind = a[4].asInt();
        Response response =
                kind == 0
                        ? Response.empty(a[2].asInt())
                        : typed(kind, bytes(kind, a)).status(a[2].asInt());
        Headers headers = ScriptRequest.headers(a[3].asString(), false);
        request.responded(a[1].asInt(), with(response, headers));
    }

    private static void stream(ScriptRequest request, Value[] a) {
        Headers headers = ScriptRequest.headers(a[3].asString(), false);
        Response response = Response.bytes(new byte[0]).status(a[2].asInt());
        request.streamed(a[1].asInt(), with(response, headers), a[4].asBoolean());
    }

    /** Returns a response with the content type that a kind of body has by itself. */
    private static Response typed(int kind, byte[] body) {
        Response response = Response.bytes(body);
        return switch (kind) {
            case 1 -> response.contentType("text/plain; charset=utf-8");
            case 3 -> response.contentType("application/json");
            default -> response;
        };
    }

    /** Returns a response with the headers of a script, whose content type comes first. */
    private static Response with(Response response, Headers headers) {
        if (headers.size() == 0) {
            return response;
        }
        boolean typed = headers.has("Content-Type") || response.headers().size() == 0;
        return response.headers(typed ? headers : response.headers().with(headers));
    }

    private static byte[] bytes(int kind, Value[] a) {
        return a.length < 8
                ? a[5].asString().getBytes(StandardCharsets.UTF_8)
                : bytes(kind, a[5], a[6], a[7]);
    }

    private static byte[] bytes(int kind, Value content, Value offset, Value length) {
        return switch (kind) {
            case 0 -> new byte[0];
            case 2 -> {
                byte[] bytes = new byte[length.asInt()];
                content.readBuffer(offset.asInt(), bytes, 0, bytes.length);
                yield bytes;
            }
            default -> content.asString().getBytes(StandardCharsets.UTF_8);
        };
    }

    private static void part(ScriptRequest request, Value[] a) {
        request.part(a[1].asBoolean() ? null : bytes(a[2].asInt(), a[3], a[4], a[5]));
    }

    private static void inspected(ScriptRequest request, Value[] a) {
        Headers headers = ScriptRequest.headers(a[2].asString(), false);
        int kind = a[3].asInt();
        byte[] body = kind == ScriptRequest.SAME ? null : bytes(kind, a[4], a[5], a[6]);
        if (body != null && kind != 0 && !headers.has("Content-Type")) {
            headers = headers.with("Content-Type", a[7].asString());
        }
        request.inspected(a[1].asInt(), headers, kind, body);
    }

    private static void fail(ScriptRequest request, Value[] a) {
        String message = a[2].asString();
        int colon = message.indexOf(": ");
        request.failed(
                error(a, 1),
                a[4].asInt(),
                colon < 0 ? message : message.substring(colon + 2),
                a[5].asBoolean());
    }

    private static ScriptException error(Value[] a, int from) {
        return new ScriptException(
                a[from].asString(), a[from + 1].asString(), a[from + 2].asString());
    }

    private static String failure(Value message, Value stack) {
        String text = ScriptException.plain(message.asString());
        StackTraceElement at = new ScriptException("", "", stack.asString()).getStackTrace()[0];
        return at.getLineNumber() < 0
                ? text
                : text + " (" + at.getFileName() + ":" + at.getLineNumber() + ")";
    }

    private void log(Value[] a) {
        ScriptRequest request = worker.current();
        String prefix = request == null ? "" : "[" + request.id + "] ";
        ScriptLog.log(LEVELS[a[0].asInt()], prefix + ScriptException.plain(a[1].asString()));
    }

    /** Returns the languages of an Accept-Language, best first (RFC 9110 12.5.4). */
    private static String languages(String header) {
        record Range(String tag, double quality) {}
        var ranges = new ArrayList<Range>();
        for (String part : header.split(",")) {
            int semicolon = part.indexOf(';');
            String tag = (semicolon < 0 ? part : part.substring(0, semicolon)).strip();
            double quality = semicolon < 0 ? 1 : quality(part.substring(semicolon + 1));
            if (!tag.isEmpty() && quality > 0) {
                ranges.add(new Range(tag, quality));
            }
        }
        ranges.sort((a, b) -> Double.compare(b.quality, a.quality)); // keeps the order of equals
        var out = new StringBuilder();
        ranges.forEach(each -> out.append(out.isEmpty() ? "" : ",").append(each.tag));
        return out.toString();
    }

    private static double quality(String parameter) {
        String known = parameter.strip();
        try {
            return known.startsWith("q=") || known.startsWith("Q=")
                    ? Double.parseDouble(known.substring(2))
                    : 1;
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    private static ByteBuffer random(int length) {
        byte[] bytes = new byte[length];
        Shared.RANDOM.nextBytes(bytes);
        return ByteBuffer.wrap(bytes);
    }

    private void fetch(Value[] a) {
        String upstream = a[0].asString();
        Value resolve = a[9];
        Value reject = a[10];
        if (!isAllowed(upstream)) {
            reject.executeVoid("There is no upstream '" + upstream + "'.");
            return;
        }
        double millis = a[8].asDouble();
        long most = pool.settings.timeoutNanos();
        long nanos = millis > 0 ? (long) Math.min(millis * 1e6, most) : most;
        var fetch =
                new Upstreams.Fetch(
                        upstream,
                        a[2].asString(),
                        a[1].asString(),
                        ScriptRequest.headers(a[3].asString(), false),
                        bytes(a[4].asInt(), a[5], a[6], a[7]),
                        Duration.ofNanos(nanos),
                        pool.settings.maxBodyBytes());
        ScriptRequest request = worker.current();
        pool.settings
                .upstreams()
                .fetch(fetch)
                .whenComplete(
                        (fetched, thrown) ->
                                worker.post(
                                        request,
                                        () -> {
                                            if (thrown != null) {
                                                reject.executeVoid(message(thrown));
                                            } else {
                                                resolve.executeVoid(
                                                        fetched.status(),
                                                        ScriptRequest.flat(fetched.headers()),
                                                        ByteBuffer.wrap(fetched.body()));
                                            }
                                        }));
    }

    private static String message(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return String.valueOf(cause.getMessage());
    }

    // ---- functions of the program

    private ProxyExecutable exposed(Function<List<Object>, Object> function) {
        Value parse = context.eval("js", "JSON.parse");
        return arguments -> {
            var list = new ArrayList<Object>(arguments.length);
            for (Value each : arguments) {
                list.add(plain(each));
            }
            Object result = function.apply(list);
            return result instanceof Map || result instanceof List
                    ? parse.execute(Json.write(result))
                    : result;
        };
    }

    /** Returns a value of a script as Java knows it. */
    private static Object plain(Value value) {
        if (value.isNull()) {
            return null;
        }
        if (value.isString()) {
            return value.asString();
        }
        if (value.isBoolean()) {
            return value.asBoolean();
        }
        if (value.isNumber()) {
            return value.fitsInInt() ? (Object) value.asInt() : (Object) value.asDouble();
        }
        if (value.hasArrayElements()) {
            var list = new ArrayList<Object>();
            for (long i = 0; i < value.getArraySize(); i++) {
                list.add(plain(value.getArrayElement(i)));
            }
            return list;
        }
        var map = new HashMap<String, Object>();
        for (String key : value.getMemberKeys()) {
            map.put(key, plain(value.getMember(key)));
        }
        return map;
    }
}
