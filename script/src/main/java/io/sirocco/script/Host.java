// SPDX-License-Identifier: Apache-2.0
package io.sirocco.script;

import io.sirocco.http.Headers;
import io.sirocco.http.Response;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import org.graalvm.polyglot.Value;
import org.graalvm.polyglot.proxy.ProxyExecutable;
import org.graalvm.polyglot.proxy.ProxyObject;

/**
 * The functions that messages.js, runtime.js and builtins.js call, on the object {@code host}.
 * Scripts cannot reach it. Used by the thread of its {@link Worker}.
 */
final class Host {
    private static final Level[] LEVELS = {Level.DEBUG, Level.INFO, Level.WARNING, Level.ERROR};
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int SAME_HASH = 100; // names of an object in JSON

    private final Worker worker;
    private final ScriptPool pool;

    Host(Worker worker, ScriptPool pool) {
        this.worker = worker;
        this.pool = pool;
    }

    ProxyObject functions() {
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
        on(host, "responseBody", a -> responseBody(a[0], a[1], a[2]));
        on(host, "loaded", a -> worker.loaded(a[0].asInt(), null));
        on(host, "notLoaded", a -> worker.loaded(a[0].asInt(), failure(a[1], a[2])));
        on(host, "tornDown", a -> worker.tornDown());
        on(host, "log", this::log);
        on(host, "clearTimer", a -> worker.timers().clear(a[0].asInt()));
        on(host, "kvSet", a -> keyValues().set(a[0].asString(), a[1].asString(), a[2].asDouble()));
        on(host, "fetch", this::fetch);
        host.put("timer", (ProxyExecutable) a -> timer(a[0].asDouble(), a[1].asBoolean(), a[2]));
        host.put("kvGet", (ProxyExecutable) a -> keyValues().get(a[0].asString()));
        host.put("kvDelete", (ProxyExecutable) a -> keyValues().delete(a[0].asString()));
        host.put(
                "kvIncrement",
                (ProxyExecutable)
                        a ->
                                keyValues()
                                        .increment(
                                                a[0].asString(), a[1].asDouble(), a[2].asDouble()));
        host.put("languages", (ProxyExecutable) a -> languages(a[0], a[1]));
        host.put(
                "namesCollide",
                (ProxyExecutable) a -> JsonKeys.collide(a[0].asString(), SAME_HASH));
        host.put("nests", (ProxyExecutable) a -> nests(a[0].asString(), a[1].asInt()));
        host.put("longest", pool.settings.longestString());
        host.put("longestArray", pool.settings.longestArray());
        host.put("uuid", (ProxyExecutable) a -> UUID.randomUUID().toString());
        host.put("random", (ProxyExecutable) a -> random(a[0].asInt()));
        return ProxyObject.fromMap(host);
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

    private int timer(double millis, boolean repeats, Value action) {
        long nanos = (long) (Math.clamp(millis, repeats ? 1 : 0, 1e9) * 1e6);
        return worker.timers().add(nanos, repeats, action::executeVoid, worker.owner());
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
        Headers headers = Lines.headers(a[4].asString(), true);
        String target = Lines.target(a[3].asString());
        request.forwarded(a[1].asInt(), new Upstreams.Forward(upstream, target, headers));
    }

    private void responseBody(Value number, Value resolve, Value reject) {
        ScriptRequest request = worker.request(number.asInt());
        if (request == null) {
            reject.executeVoid("The request is over.");
        } else {
            request.readResponse(resolve, reject);
        }
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
        Headers headers = Lines.headers(a[3].asString(), false);
        request.responded(a[1].asInt(), with(response, headers));
    }

    private static void stream(ScriptRequest request, Value[] a) {
        Headers headers = Lines.headers(a[3].asString(), false);
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
                long from = offset.asLong();
                long count = length.asLong();
                if (from < 0 || count < 0 || count > content.getBufferSize() - from) {
                    throw new IllegalArgumentException("The bytes are not those of their buffer.");
                }
                byte[] bytes = new byte[(int) count];
                content.readBuffer(from, bytes, 0, bytes.length);
                yield bytes;
            }
            default -> content.asString().getBytes(StandardCharsets.UTF_8);
        };
    }

    private static void part(ScriptRequest request, Value[] a) {
        request.part(a[1].asBoolean() ? null : bytes(a[2].asInt(), a[3], a[4], a[5]));
    }

    private static void inspected(ScriptRequest request, Value[] a) {
        Headers headers = Lines.headers(a[2].asString(), false);
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
        String text = ScriptException.brief(message.asString());
        StackTraceElement at = new ScriptException("", "", stack.asString()).getStackTrace()[0];
        return at.getLineNumber() < 0
                ? text
                : text + " (" + at.getFileName() + ":" + at.getLineNumber() + ")";
    }

    private void log(Value[] a) {
        ScriptRequest request = worker.owner();
        String prefix = request == null ? "" : "[" + request.id + "] ";
        ScriptLog.log(LEVELS[a[0].asInt()], prefix + ScriptException.plain(a[1].asString()));
    }

    /** Returns the languages of a header, or of a request if there is none; null if it is over. */
    private String languages(Value number, Value header) {
        if (!header.isNull()) {
            return languages(Lines.bounded("headers", header.asString()));
        }
        ScriptRequest request = worker.request(number.asInt());
        return request == null ? null : languages(Lines.header(request.head, "Accept-Language"));
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

    /** Returns whether a pattern of JavaScript has more than {@code most} groups in one another. */
    private static boolean nests(String pattern, int most) {
        boolean inClass = false; // where a parenthesis is a character
        int groups = 0;
        for (int i = 0; i < pattern.length(); i++) {
            switch (pattern.charAt(i)) {
                case '\\' -> i++;
                case '[' -> inClass = true;
                case ']' -> inClass = false;
                case '(' -> groups += inClass ? 0 : 1;
                case ')' -> groups -= inClass ? 0 : 1;
                default -> {}
            }
            if (groups > most) {
                return true;
            }
        }
        return false;
    }

    private static ByteBuffer random(int length) {
        byte[] bytes = new byte[length];
        RANDOM.nextBytes(bytes);
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
                        Lines.method(a[2].asString()),
                        Lines.target(a[1].asString()),
                        Lines.headers(a[3].asString(), false),
                        bytes(a[4].asInt(), a[5], a[6], a[7]),
                        Duration.ofNanos(nanos),
                        pool.settings.maxBodyBytes());
        ScriptRequest request = worker.owner();
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
                                                        Lines.of(fetched.headers()),
                                                        ByteBuffer.wrap(fetched.body()));
                                            }
                                        }));
    }

    private static String message(Throwable thrown) {
        Throwable cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
        return String.valueOf(cause.getMessage());
    }
}
